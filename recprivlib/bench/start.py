"""What a command costs before and around its work: start-up, and the most memory a run ever holds."""

from __future__ import annotations

import sys
from collections.abc import Callable

from recprivlib.bench import Setup, Timing
from recprivlib.bench._shared import python
from recprivlib.parameters import UserError

# The high-water mark of this process alone: getrusage would count the parent that started it.
PEAK = """
import sys
from recprivlib.cli import main
code = main(sys.argv[1:])
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(code)
"""


def cells() -> list[Timing]:
    return [
        Timing("python -c 'import recprivlib'", 0.6, lambda: python("-c", "import recprivlib")),
        Timing("the same, with load, run and systems", 0.6, imported),
        Timing("recpriv systems", 0.8, lambda: python("-m", "recprivlib", "systems")),
        *(Timing(f"recpriv run {name}, most memory", 400, peak("run", name), unit="MB")
          for name in ("item-knn", "mf-als", "ease")),
        Timing("recpriv run item-knn --data ml-1m, most memory", None, peak("run", "item-knn", "--data", "ml-1m"),
             unit="MB"),
    ]  # fmt: skip


def imported() -> Callable[[], str]:
    return python("-c", "from recprivlib import load, run, systems")


def peak(*words: str) -> Setup:
    """The most memory that `recpriv words…` held, in MB."""

    def setup() -> Callable[[], float]:
        if sys.platform != "linux":
            raise UserError("the high-water mark of a process is read from /proc, which only Linux has")
        command = python("-c", PEAK, *words)
        return lambda: int(command().split()[-1]) * 1024 / 1e6

    return setup
