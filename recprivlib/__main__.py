"""`python -m recprivlib` is `recpriv`."""

import sys

from recprivlib.cli import main

if __name__ == "__main__":
    sys.exit(main())
