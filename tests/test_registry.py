import subprocess
import sys
from dataclasses import replace

import pytest

import recprivlib.papers
from recprivlib import registry
from recprivlib.parameters import UserError
from recprivlib.yardsticks.plain import ItemKNN

THROW_AWAY = """
from dataclasses import dataclass
from recprivlib.yardsticks.plain import Popularity
from recprivlib.protocols import Entry

@dataclass(frozen=True)
class Mine(Popularity):
    pass

SYSTEMS = {%r: Entry(Mine(), "ranking", "beyond", "a new system")}
"""


@pytest.fixture
def papers(tmp_path, monkeypatch):
    """A second folder of papers, looked at after the real one."""
    registry._catalogue.cache_clear()
    monkeypatch.setattr(recprivlib.papers, "__path__", [*recprivlib.papers.__path__, str(tmp_path)])
    yield tmp_path
    registry._catalogue.cache_clear()


def test_the_yardsticks_come_first():
    assert list(registry.systems())[:7] == [
        "random", "popularity", "global-mean", "item-mean", "item-knn", "mf-als", "ease",
    ]  # fmt: skip


def test_a_file_in_papers_is_all_a_new_system_needs(papers):
    (papers / "zz_new_paper.py").write_text(THROW_AWAY % "brand-new")
    assert list(registry.systems())[-1] == "brand-new"
    assert registry.get("brand-new").gloss == "a new system"
    assert registry.stem("brand-new") == "zz_new_paper"


def test_a_name_that_is_taken_is_refused(papers):
    (papers / "zz_taken.py").write_text(THROW_AWAY % "ease")
    with pytest.raises(ValueError, match="two systems are called 'ease': one in common, one in zz_taken"):
        registry.systems()


def test_the_registry_cannot_be_changed_through_what_it_hands_out():
    registry.systems().clear()
    assert "ease" in registry.systems()


@pytest.mark.parametrize("wrong", ["item_knn", "Item-KNN", "itemknn"])
def test_a_misspelt_system_is_refused_with_its_neighbour(wrong):
    with pytest.raises(UserError, match=f"there is no system {wrong!r}; did you mean .*item-knn"):
        registry.get(wrong)


@pytest.mark.parametrize("wrong", ["", "qqqq", None, 3, ["ease"]])
def test_an_unknown_system_is_refused_with_all_there_are(wrong):
    with pytest.raises(UserError, match=r"there is no system .*; choose from random, popularity"):
        registry.get(wrong)


def test_a_value_is_named_after_the_entry_it_differs_from_least():
    assert registry.name_of(ItemKNN(neighbors=50)) == "item-knn"
    for name in ("dplcf-sp", "dplcf-ap", "lcf-ap"):
        assert registry.name_of(replace(registry.get(name).system, epsilon=3.0)) == name
    assert registry.name_of(object()) is None


def test_names_are_read_and_neither_a_yardstick_nor_a_paper_is_imported():
    """A chapter that names its own systems alone is not made of the others."""
    asked = "import sys; from recprivlib import registry; print(len(registry._catalogue())); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    many, modules = done.stdout.splitlines()
    assert int(many) > 30
    assert [name for name in modules.split() if name.startswith(("recprivlib.yardsticks", "recprivlib.papers."))] == []
