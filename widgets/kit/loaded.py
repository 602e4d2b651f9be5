"""What all helpers need, loaded once: they are copies of the process that has imported this, and share its memory."""

from __future__ import annotations

import gc

from recprivlib.dashboard import explorer, stems
from recprivlib.executors import one_thread
from widgets.kit import helper  # noqa: F401

LOADED = [explorer(stem) for stem in stems()]
SINGLE = one_thread()
gc.collect()
gc.freeze()  # a collection in a copy writes to nothing of this
