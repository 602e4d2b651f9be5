"""Any words on the command line: exit code 0 or 2, a refusal is one line, no traceback, soon.

Verbs run in this process: what they do must not depend on how they are started. `serve` and `bench` get at least one
mistake, since without one they would serve or measure; the commands that fail otherwise only in a process of their own
(signals, pipes, a closed terminal) are in test_main.py.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from recprivlib.cli import main, verbs
from recprivlib.data import NAMES
from recprivlib.mechanisms import MECHANISMS
from recprivlib.parameters import parameters
from recprivlib.registry import get, systems

SOON = 2.0  # seconds
AUDIT = 10.0  # of an audit, which plays for four seconds what it has time for
SLOW = [name for name, entry in systems().items() if "local_epochs" in parameters(entry.system)]  # train networks
FAST = [name for name in systems() if name not in SLOW]
SIGNS = (
    "", " ", "-", "--", "-1", "0", "1_000", "٥", "８０", "1e3", "1e999", "nan", "inf", "-inf", "none", "true", "0x10",
    "9" * 400, "9" * 5000, "0" * 400, "0.5", "1e-400", "+5", "q" * 5000, "a b " * 1000, "'" * 300, "é", "\x1b[31m",
    "\0", "\udcff", "\n", "%s", "{}", "../..", "/", "~", "NaN", "-0", "1,2", ",", "=", "a=b", "0-4", "5-2", "--help",
    "--json", "-h", "--out",
)  # fmt: skip
HOSTILE = st.one_of(
    st.sampled_from(SIGNS), st.text(max_size=12), st.integers().map(str), st.floats().map(str),
)  # fmt: skip


def mostly(good: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A word that is right, and sometimes one that is anything."""
    return st.integers(0, 11).flatmap(lambda chance: HOSTILE if chance == 7 else good)


@st.composite
def chosen(draw: st.DrawFn, name: str) -> list[str]:
    """`--set p=v`, of parameters that the system or mechanism has, or not."""
    known = parameters(MECHANISMS[name] if name in MECHANISMS else get(name).system) if name else {}
    pairs = []
    for key in draw(st.lists(st.sampled_from([*known, "epsilon"]), max_size=2)):
        meta = known.get(key)
        right = [str(end) for end in (meta.low, meta.default) if end is not None] if meta else ["1"]
        right += list(meta.choices) if meta else []
        pairs.append(f"{draw(mostly(st.just(key)))}={draw(mostly(st.sampled_from(right)))}")
    return ["--set", *pairs] if pairs else []


def option(name: str, good: list[str]) -> st.SearchStrategy[list[str]]:
    """An option with its value, or nothing."""
    given = st.tuples(st.just(name), mostly(st.sampled_from(good))).map(list)
    return st.one_of(st.just([]), given)


POPULATION = st.tuples(mostly(st.sampled_from(["20", "40"])), mostly(st.sampled_from(["20", "150"]))).map(
    lambda size: ["--data", "synthetic", "--users", size[0], "--items", size[1]]
)
SEEDS = option("--seeds", ["0", "1-2", "0,5"])
PROTOCOL = option("--protocol", ["loo-latest", "loo-random", "kfold", "user-split"])
TERMS = st.tuples(
    option("--unit", ["interaction", "rating", "user"]),
    option("--relation", ["add-remove", "replace-value", "swap", "replace"]),
    option("--view", ["server", "shuffled", "model"]),
    option("--delta", ["0", "1e-6", "0.5"]),
    option("--users", ["1", "943"]),
    option("--items", ["1682"]),
).map(lambda parts: [*itertools.chain.from_iterable(parts)])


@st.composite
def command(draw: st.DrawFn) -> list[str]:
    """A command line, as a person types it who means well, or does not."""
    verb = draw(st.sampled_from(verbs()))
    others = {"run": [], "sweep": [], "account": [*SLOW, *MECHANISMS]}.get(verb, [*MECHANISMS])
    name = draw(st.sampled_from([*FAST, *others]))
    named = draw(mostly(st.just(name)))
    setting = draw(chosen(name))
    words = {
        "account": lambda: [named, *setting, *draw(option("--count", ["1", "1000"])), *draw(TERMS)],
        "audit": lambda: [named, *setting, "--trials", draw(mostly(st.just("100"))),
                          *draw(option("--count", ["1", "10"])), *draw(option("--seed", ["3"])), *draw(TERMS)],
        "bench": lambda: ["--repeats", draw(st.sampled_from(["0", "1001", "-1", "9" * 400, "x", "", "٥"])),
                          *draw(st.lists(HOSTILE, max_size=2))],
        "data": lambda: [draw(mostly(st.sampled_from([*NAMES, "synthetic"]))), "--users", *draw(POPULATION)[3:4]],
        "new": lambda: ["paper", draw(st.sampled_from(["dplcf", "privacy", "9lives", "import", "../x", "", "\0"]))],
        "run": lambda: [named, *draw(POPULATION), *setting, *draw(SEEDS), *draw(PROTOCOL)],
        "serve": lambda: ["--no-open", "--port", draw(st.sampled_from(["0", "65536", "-1", "9" * 400, "", "x", "٥"])),
                          *draw(option("--host", ["127.0.0.1"])), *draw(option("--readers", ["30"]))],
        "sweep": lambda: [named, *draw(POPULATION), *["--grid", *setting[1:]][: len(setting)], *draw(SEEDS),
                          *draw(PROTOCOL), "--out", draw(mostly(st.just("out.csv")))],
        "systems": lambda: [],
        "tune": lambda: [named, "--trials", draw(st.sampled_from(["0", "-1", "9" * 400, "x", "", "٥"])),
                         *draw(option("--metric", ["ndcg@10"])), *draw(option("--price", ["public"])), *draw(SEEDS)],
    }[verb]()  # fmt: skip
    extra = draw(st.lists(HOSTILE, max_size=1) if draw(st.integers(0, 9)) == 7 else st.just([]))
    return [draw(st.just(verb) if draw(st.integers(0, 30)) != 7 else HOSTILE), *words, *extra, *draw(json_wanted)]


json_wanted = st.sampled_from([[], ["--json"]])


def said(words: list[str]) -> tuple[int, str, str, float]:
    """Exit code, stdout, stderr and seconds of a command."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    start = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    took = time.process_time() - start
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))
    return code, *texts, took


def holds(words: list[str]) -> None:
    """What is promised of every command."""
    code, out, err, took = said(words)
    assert code in (0, 2) or (code == 1 and words[0] == "sweep" and "failed" in err), (code, out, err)
    assert "Traceback" not in err
    assert took < (AUDIT if "audit" in words else SOON), f"{took:.1f} s"
    if code == 2:
        assert out == ""
        line = err.splitlines()[-1]
        assert line.startswith("recpriv: ")
        assert len(line) <= 1100
        assert line.isprintable()
        assert all(before.endswith(("…", "left", "already")) or "note" in before for before in err.splitlines()[:-1])
    elif "--json" in words and "--help" not in words and "-h" not in words:
        json.loads(out)


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory):
    """Nothing is written but here; no data set can be had but the synthetic one; no attack is long."""
    folder = tmp_path_factory.mktemp("fuzz")
    here = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECPRIV_DATA", str(folder / "nowhere"))
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setenv("COLUMNS", "80")
        os.chdir(folder)
        for verb in verbs():  # their imports are not what is timed
            said([verb, "--help"])
        said(["serve", "--port", "1", "--host", "x y"])
        said(["run", "ease", "--data", "synthetic", "--users", "40", "--items", "40"])
        yield
        os.chdir(here)


def crowded(words: list[str]) -> bool:
    """Whether a population is asked for that takes its time, and its memory, as it should."""
    sizes = [word for flag, word in itertools.pairwise(words) if flag in ("--users", "--items")]
    return words[0] in ("run", "sweep", "data") and any(
        size.isdigit() and len(size) < 12 and int(size) > 200 for size in sizes
    )


def fuzz(examples: int):
    """The promise, over so many command lines."""
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

    @settings(max_examples=examples, deadline=None, suppress_health_check=quiet, database=None, print_blob=True)
    @given(command())
    def run(words: list[str]) -> None:
        assume(not crowded(words))
        holds(words)

    return run


def test_any_command_line_ends_with_0_or_2_and_one_line():
    fuzz(600)()


@pytest.mark.slow
def test_thousands_of_command_lines_end_with_0_or_2_and_one_line():
    fuzz(10_000)()
