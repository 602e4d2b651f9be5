"""What a chapter or a frame is made of, definition by definition: never less than it is, and not all there is."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import pytest

from recprivlib import definitions
from recprivlib.closure import PACKAGE
from recprivlib.dashboard.catalogue import explorer, stems
from recprivlib.definitions import ITSELF, LISTED, REGISTRY, RESULTS, files, fingerprint, reach

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import notebooks  # noqa: E402

LISTS = re.compile(r"import_module|iter_modules|glob\(|iterdir\(|listdir\(|scandir\(|__import__\(|\bexec\(|\beval\(")
OWN = {
    "sweeps/locks.py": "lists drafts of cells that are being computed",
    "auditing/overheard.py": "lists the files that this process holds open; nothing is made of what they are called",
    "cli/audit.py": "imports a system that its reader names; no page is made by it",
    "cli/new.py": "lists what it writes into a new folder; no page is made by it",
    "exercises/grading.py": "imports the exercises it names, and runs what a reader has typed",
    "exercises/cheat.py": "the programs that readers begin with and are shown are in it, as text",
    "primers/privacy/own.py": "runs what a reader has typed, so that whoever reaches it may be made of anything",
}
PROGRAMS = {page.stem: "\n".join(source for source, _ in notebooks.cells(page)) for page in notebooks.chapters()}


def reached(program: str = "", names: tuple[str, ...] = ()) -> set[str]:
    """ "file:name" of all that is in reach."""
    found = reach(program, names)
    assert found is not None
    return {f"{part.file.relative_to(PACKAGE).as_posix()}:{part.name}" for part in found.parts}


def test_every_module_that_lists_or_imports_by_name_is_known():
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")
             if LISTS.search(path.read_text("utf-8"))}  # fmt: skip
    assert found - {*LISTED, REGISTRY, RESULTS, *ITSELF, *OWN} == set()


@pytest.mark.parametrize(
    "program",
    [
        "import recprivlib as rp\nexec('rp.get')",
        "import importlib\nimportlib.import_module('recprivlib.papers.dplcf')",
        "from importlib import import_module",
        "import subprocess",
        "import recprivlib as rp\nprint(getattr(rp, 'run'))",
        "import recprivlib\nshow(recprivlib)",
        "import recprivlib as rp\nrp.something_new",
        "from widgets.notebook import explore",
        "from recprivlib.primers.privacy.own import own\nown('x')",
    ],
)
def test_a_program_that_may_run_anything_is_made_of_everything(program):
    assert reach(program) is None


def test_a_system_that_is_named_is_in_reach_and_no_other_paper():
    found = reached("import recprivlib as rp\nrp.run('dplcf-sp', 'ml-100k')")
    assert {"papers/dplcf/system.py:DPLCF", "papers/dplcf/system.py:SYSTEMS[dplcf-sp]", "experiment.py:run"} <= found
    assert not [name for name in found if re.match(r"papers/(privrec|dp_pnbm|fmf_ldp|ldp_svd)/.*:.", name)]


def test_who_asks_for_all_systems_is_made_of_all_papers():
    found = reached("import recprivlib as rp\nrp.systems()")
    assert {
        f"papers/{paper}/system.py:SYSTEMS" for paper in ("dplcf", "privrec", "dp_pnbm", "fmf_ldp", "ldp_svd")
    } <= found


def test_a_table_that_is_named_is_read_and_no_other():
    found = reach("import recprivlib as rp\nrp.results('dplcf_people')")
    assert {file.name for file in files(found) if file.parent.name == "results"} == {
        "dplcf_people.csv", "dplcf_people.toml",
    }  # fmt: skip


# ------------------------------------------------------------------------------------------- a small package

SMALL = {
    "__init__.py": '_HOME = {"front": "a", "called": "calls"}\n',
    "calls.py": "from recprivlib.b import used\ndef called(x): return used(x)\ndef other(): return 1\n",
    "registry.py": "",
    "tables.py": "",
    "yardsticks/plain.py": "",
    "a.py": """
        from recprivlib.b import Base, used
        from recprivlib.facade import passed_on as also
        LIMIT = 3
        TABLE = {"one": used, "two": also}
        def front(x, most=LIMIT):
            'Words.'
            return [unused for unused in range(used(x))]  # a remark
        def unused(): return also()
        def shadowed(used): return used
        def late():
            from recprivlib.c import quiet as fetched
            return fetched()
        class Child(Base):
            def go(self): return LIMIT
    """,
    "b.py": """
        from functools import cache
        HEARD = []
        def used(x): return helper(x)
        def helper(x): return x
        def register(f):
            HEARD.append(f); return f
        @register
        def heard(): return 1
        class Base:
            def base(self): return helper(1)
        for name in (): print(name)
    """,
    "facade.py": "from recprivlib.c import passed_on\n",
    "c.py": "def passed_on(): return 1\ndef quiet(): return 2\n",
    "plots/__init__.py": "",
    "plots/source.py": "def source(thing): return thing\n",
}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """`small(program, file, old, new)`: whether an edit of this package changes what the program is made of."""
    package = tmp_path / "recprivlib"
    for name, text in SMALL.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(textwrap.dedent(text), "utf-8")
    monkeypatch.setattr(definitions, "PACKAGE", package)
    monkeypatch.setattr(definitions, "LAZY", package / "__init__.py")

    def forget():
        for asked in (
            definitions.module,
            definitions._file,
            definitions._public,
            definitions.holders,
            definitions.classes,
            definitions.tables,
        ):
            asked.cache_clear()

    def changes(program: str, file: str, old: str, new: str) -> bool:
        forget()
        before = fingerprint(reach(program))
        text = (package / file).read_text("utf-8")
        assert old in text
        (package / file).write_text(text.replace(old, new), "utf-8")
        forget()
        after = fingerprint(reach(program))
        (package / file).write_text(text, "utf-8")
        return before != after

    yield changes
    forget()


FRONT = "import recprivlib as rp\nrp.front(1)"


@pytest.mark.parametrize(
    ("program", "file", "old", "new"),
    [
        (FRONT, "a.py", "range(used(x))", "range(used(x) + 1)"),
        (FRONT, "b.py", "return helper(x)", "return helper(x) + 1"),
        (FRONT, "b.py", "def helper(x): return x", "def helper(x): return -x"),
        (FRONT, "a.py", "LIMIT = 3", "LIMIT = 4"),  # a default is worked out where the function stands
        (FRONT, "b.py", "def heard(): return 1", "def heard(): return 2"),  # what decorates it may register it
        (FRONT, "b.py", "print(name)", "print(name, name)"),  # runs as soon as its module is imported
        (FRONT, "b.py", "HEARD.append(f)", "HEARD.append(0)"),
        ("from recprivlib.a import Child\nChild().go()", "b.py", "return helper(1)", "return helper(2)"),
        ("from recprivlib.a import unused\nunused()", "c.py", "return 1", "return 3"),  # through a facade
        ("from recprivlib import a\na.TABLE['two']()", "c.py", "return 1", "return 3"),
        ("from recprivlib import a\na.TABLE[x]()", "b.py", "def helper(x): return x", "def helper(x): return -x"),
        ("from recprivlib import a\nprint(vars(a))", "c.py", "return 1", "return 3"),  # handed on
        ("import recprivlib.a\nrecprivlib.a.front(1)", "b.py", "return helper(x)", "return 0"),
        ("import recprivlib as rp\nrp.called(1)", "b.py", "return helper(x)", "return 0"),
        ("from recprivlib.a import late\nlate()", "c.py", "return 2", "return 3"),  # imported where it is used
        ("from recprivlib.a import front\nfrom recprivlib.plots.source import source\nsource(front)", "a.py",
         "# a remark", "# a new remark"),
        ("from recprivlib.a import front\nfrom recprivlib.plots.source import source\nlist(map(source, [front]))",
         "a.py", "'Words.'", "'Other words.'"),
    ],
)  # fmt: skip
def test_an_edit_of_what_is_reached_is_seen(small, program, file, old, new):
    assert small(program, file, old, new)


@pytest.mark.parametrize(
    ("program", "file", "old", "new"),
    [
        (FRONT, "a.py", "return also()", "return also() + 1"),  # another name that stands in it is its own
        (FRONT, "c.py", "return 1", "return 3"),
        (FRONT, "a.py", "'Words.'", "'Other words.'"),
        (FRONT, "a.py", "# a remark", "# a new remark"),
        ("from recprivlib.a import shadowed\nshadowed(1)", "b.py", "return helper(x)", "return 0"),
        ("from recprivlib import a\na.TABLE['one'](1)", "c.py", "return 1", "return 3"),
        ("import recprivlib as rp\nrp.called(1)", "calls.py", "return 1", "return 2"),
        ("from recprivlib.a import front\nfrom recprivlib.plots.source import source\nsource(front)", "b.py",
         "def used(x):", "def used(x):  # a remark\n   "),
    ],
)  # fmt: skip
def test_an_edit_of_anything_else_is_not(small, program, file, old, new):
    assert not small(program, file, old, new)


# ------------------------------------------------------------------------------------------------ the book


@pytest.mark.parametrize("stem", stems())
def test_what_computes_a_dashboard_knows_none_of_its_words_and_figures(stem):
    which = explorer(stem)
    functions = [one for one in (which.compute, which.curve) if one]
    found = reached(names=tuple(f"{one.__module__}:{one.__qualname__}" for one in functions))
    file = Path(sys.modules[which.compute.__module__].__file__).relative_to(PACKAGE).as_posix()
    assert f"{file}:{which.compute.__name__}" in found
    assert not {f"{file}:{name}" for name in ("EXPLORER", "CONTROLS", which.say.__name__, which.table.__name__)} & found


@pytest.mark.parametrize("stem", stems())
def test_the_controls_begin_where_compute_does(stem):
    which = explorer(stem)
    own = getattr(sys.modules[which.compute.__module__], "DEFAULTS", None)
    assert own is None or own == which.defaults


@pytest.fixture(scope="module")
def names():
    return {stem: fingerprint(reach(program)) for stem, program in PROGRAMS.items()}


@pytest.mark.parametrize(
    ("file", "old", "new", "runs"),
    [
        ("papers/dplcf/screen/dashboard.py", "phone truthful", "phone honest", set()),
        ("papers/privrec/screen/dashboard.py", "phones in one round", "phones a round", set()),
        ("plots/look.py", "What every figure", "How every figure", set()),
        ("primers/recommenders/figures.py", "def ", "def  ", set()),
        ("papers/privrec/system.py", "return ", "return  +", {"privrec"}),
        ("papers/dp_pnbm/system.py", "return ", "return  +", {"dp_pnbm"}),
        ("papers/fmf_ldp/system.py", "return ", "return  +", {"fmf_ldp", "federation"}),
        ("papers/ldp_svd/system.py", "return ", "return  +", {"ldp_svd", "dp_pnbm", "privacy", "recommenders"}),
        ("cli/run.py", "return ", "return  +", set()),
    ],
)
def test_an_edit_runs_its_own_chapters_alone(names, monkeypatch, file, old, new, runs):
    path = PACKAGE / file
    text = path.read_text("utf-8")
    assert old in text
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", lambda self, *more, **named: text.replace(old, new))
        edited = definitions.Module(path)
    real = definitions.module
    monkeypatch.setattr(definitions, "module", lambda asked: edited if asked == path else real(asked))
    for asked in (definitions.holders, definitions.classes):
        asked.cache_clear()
    again = {stem: fingerprint(reach(program)) for stem, program in PROGRAMS.items()}
    for asked in (definitions.holders, definitions.classes):
        asked.cache_clear()
    assert {stem for stem in names if again[stem] != names[stem]} == runs
