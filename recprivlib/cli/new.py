"""`recpriv new paper STEM`: the folder of a paper that already passes, to be changed until it is yours."""

from __future__ import annotations

import argparse
import keyword
import re
import subprocess
import sys
from pathlib import Path

from recprivlib.cli._shared import emit
from recprivlib.closure import PACKAGE
from recprivlib.parameters import UserError

GLOSS = "writes the folder of a new paper, with a chapter, a dashboard and tests that pass"
ROOT = PACKAGE.parent
PATTERN = Path("tools", "paper")  # the files as they stand in the project, of a paper called new_paper
NAME, LONGEST = "new_paper", 24
STEM = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
# What has the name of a paper that is there, or would be taken for one.
TAKEN = ("recprivlib/papers/{}.py", "recprivlib/papers/{}", "recprivlib/primers/{}", "recprivlib/bench/{}.py",
         "widgets/{}.py", "widgets/{}", "book/{}.md", "tests/papers/{}", "tests/notebooks/{}.ipynb")  # fmt: skip
PART = "  - caption: The papers\n"  # of the table of contents: the chapter becomes its last


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.add_argument("what", choices=["paper"], help="what is to be written")
    parser.add_argument("stem", metavar="STEM", help="its name in every folder, like nearest_hit")
    parser.epilog = "In a clone of the project only. CONTRIBUTING.md says how to go on."


def execute(args: argparse.Namespace) -> None:
    """Write the files, then the table that one of them asks for."""
    if not (ROOT / PATTERN).is_dir() or not (ROOT / "_toc.yml").is_file():
        raise UserError("recpriv new writes into a clone of the project, and this is an installed package")
    stem = refused(args.stem)
    contents = listed((ROOT / "_toc.yml").read_text("utf-8"), stem)
    try:
        written = [write(ROOT / named(file, stem), file, stem) for file in patterns()]
        (ROOT / "_toc.yml").write_text(contents, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{error.filename} cannot be written: {error.strerror}") from None
    made = subprocess.run(
        [sys.executable, "-m", "recprivlib.tables", stem], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if made.returncode:
        why = (made.stderr.strip().splitlines() or ["it was killed"])[-1]
        raise UserError(f"{stem} is written but for its table; make results ARGS={stem} makes it: {why}")
    written.append(ROOT / named(Path(f"recprivlib/papers/{NAME}/results/{NAME}.csv"), stem))
    files = [file.relative_to(ROOT).as_posix() for file in written]
    if args.json:
        emit({"stem": stem, "system": dashed(stem), "written": files, "changed": ["_toc.yml"]})
    else:
        own = " or ".join(dict.fromkeys((stem, dashed(stem))))
        print("\n".join([*files, "_toc.yml has its line", "", f'next: .venv/bin/pytest -m "not slow" -k "{own}"']))


def refused(stem: str) -> str:
    """The name if a paper can have it; else it is said why not."""
    if not STEM.fullmatch(stem) or len(stem) > LONGEST or keyword.iskeyword(stem) or stem == NAME:
        raise UserError(
            f"stem is {stem!r}, but must be like nearest_hit: small letters, digits and single _, at most {LONGEST}, "
            "no word of Python's own"
        )
    from recprivlib.registry import systems
    from recprivlib.tables import asked

    for place in TAKEN:
        if (ROOT / place.format(stem)).exists():
            raise UserError(f"stem is {stem!r}, but {place.format(stem)} is there already; choose another")
    if dashed(stem) in systems() or stem in asked():
        raise UserError(f"stem is {stem!r}, but a system or a table is called so already; choose another")
    return stem


def patterns() -> list[Path]:
    """The files that are written, by their places in the project."""
    found = sorted((ROOT / PATTERN).rglob("*"))
    return [file.relative_to(ROOT / PATTERN) for file in found if file.is_file() and "__pycache__" not in file.parts]


def write(place: Path, file: Path, stem: str) -> Path:
    """One of them, under its new name."""
    place.parent.mkdir(parents=True, exist_ok=True)
    text = (ROOT / PATTERN / file).read_text("utf-8")
    with place.open("x", encoding="utf-8") as new:
        new.write(text.replace(NAME, stem).replace(dashed(NAME), dashed(stem)))
    return place


def named(file: Path, stem: str) -> Path:
    """The place of a file of the pattern for a paper of this name."""
    return Path(file.as_posix().replace(NAME, stem))


def dashed(stem: str) -> str:
    """A stem as systems are called.

    >>> dashed("nearest_hit")
    'nearest-hit'
    """
    return stem.replace("_", "-")


def listed(contents: str, stem: str) -> str:
    """The table of contents with the chapter as the last of the papers.

    >>> print(listed(PART + "    chapters:\\n      - file: book/dplcf\\n  - caption: Appendix\\n", "nearest_hit"))
      - caption: The papers
        chapters:
          - file: book/dplcf
          - file: book/nearest_hit
      - caption: Appendix
    <BLANKLINE>
    """
    before, part, after = contents.partition(PART)
    own, *others = re.split(r"(?m)^(?=  - caption:)", after, maxsplit=1)
    if not part or "- file:" not in own:
        raise UserError(f"_toc.yml has no chapters under {PART.strip()[2:]!r}; put the line for {stem} there by hand")
    return "".join([before, part, own.rstrip("\n"), f"\n      - file: book/{stem}\n", *others])
