"""The command line. Each verb is a module of this folder with three names:

GLOSS               one line for the list of verbs
arguments(parser)   adds its options (every verb has --json already)
execute(args)       does it; returns an exit code or None

A user's mistake is a UserError: one line on stderr and exit code 2. `_shared.py` has what verbs have in common.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from recprivlib.parameters import UserError, real, whole

LONGEST = 200  # characters of a value that a refusal names whole
QUOTED = re.compile(r"""(?<!\w)(['"])((?:(?!\1)[^\\]|\\.)*)\1(?!\w)""")
START = 40  # characters that one recognises a longer one by


def verbs() -> list[str]:
    """The verbs there are: the public modules of this folder."""
    return sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the result is the exit code."""
    _print_anything()
    try:
        code = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return code
    except UserError as mistake:
        print(f"recpriv: {brief(str(mistake))}", file=sys.stderr)
        return 2
    except MemoryError as error:
        said = f" ({error})" if str(error) else ""
        print(
            f"recpriv: {brief(f'memory ran out{said}; take less data, or a machine with more of it')}", file=sys.stderr
        )
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output went away; Python would complain once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _dispatch(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help"):
        print(_overview())
        return 0
    if argv[0] == "--version":
        from recprivlib import __version__

        print(f"recpriv {__version__}")
        return 0
    verb, *rest = argv
    if verb not in verbs():
        raise UserError(f"there is no verb {verb!r}; choose from {', '.join(verbs())}")
    module = importlib.import_module(f"{__name__}.{verb}")
    parser = _Parser(prog=f"recpriv {verb}", description=module.GLOSS, allow_abbrev=False)
    module.arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout, everything else on stderr")
    try:
        args = parser.parse_args(rest)
    except SystemExit as finished:  # --help
        return int(finished.code or 0)
    return module.execute(args) or 0


def _overview() -> str:
    lines = [f"  {verb:<10}{importlib.import_module(f'{__name__}.{verb}').GLOSS}" for verb in verbs()]
    return "\n".join(["usage: recpriv VERB …", "", *lines, "", "recpriv VERB --help says more."])


class _Parser(argparse.ArgumentParser):
    """Says a mistake in one line, by the same way as every other mistake."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.register("type", int, _reader(whole, "a whole number"))
        self.register("type", float, _reader(real, "a number"))

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; {' '.join(self.format_usage().split())}")


def brief(text: str) -> str:
    """A refusal on one line that can be read: what was given is named, but no more of it than one recognises it by.

    >>> brief(f"there is no system {'q' * 5000!r}")
    "there is no system 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq… (5,000 characters)'"
    """
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))
    line = QUOTED.sub(lambda m: f"{m[1]}{_start(m[2])}{m[1]}" if len(m[2]) > LONGEST else m[0], line)
    line = re.sub(rf"[^\s'\",;]{{{LONGEST},}}", lambda m: _start(m[0]), line)
    return line if len(line) <= 1000 else f"{line[:1000]}…"


def _start(text: str) -> str:
    return f"{text[:START]}… ({len(text):,} characters)"


def _print_anything() -> None:
    """A letter that the terminal's encoding lacks, or a byte of a file's name that is no letter, is printed escaped."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _reader(kind: Callable[[str], Any], noun: str) -> Callable[[str], Any]:
    """Reads an option, and says what is no number in the words of every other refusal."""

    def read(text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"it is {text!r}, but must be {noun}") from None

    return read
