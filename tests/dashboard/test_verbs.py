"""At a step's settings, and at each word's, the sentence of the figure has the verb of the prose beside it."""

from __future__ import annotations

import re

import pytest

from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.catalogue import explorer
from recprivlib.parameters import UserError
from tests.dashboard.stepping import CHAPTERS, drawn, live, states

SPOKEN = re.compile(rf"(?<!nobody )\b(?:{'|'.join(paths.VERBS.values())})\b")


def said(stem: str, one: paths.State) -> list[str]:
    """The verbs of the sentence that a reader sees: of the lead figure, else the dashboard's own; and the short one."""
    told = drawn(live(stem), one)
    sentences = [told["says"].get(one.view[0]) or told["say"]]
    return [verb for text in sentences for verb in SPOKEN.findall(text)]


CASES = [(stem, one) for stem in CHAPTERS for one in paths.states(explorer(stem), CHAPTERS[stem]) if one.verb]


@pytest.mark.parametrize(("stem", "one"), CASES, ids=lambda part: part if isinstance(part, str) else "")
def test_prose_and_picture_use_one_verb(stem, one):
    verbs = said(stem, one)
    assert verbs[:1] == [one.verb], (live(stem).link(one.values), verbs)


@pytest.mark.parametrize("stem", ["dplcf", "fmf_ldp", "dp_pnbm"])
def test_a_chapter_that_compares_says_so_as_data(stem):
    assert stem in {of for of, _ in CASES}


def test_a_sentence_with_a_verb_says_that_it_is_of_one_draw():
    """The prose has the mean over draws, the picture one draw: whoever reads both has to know."""
    for stem in CHAPTERS:
        for one in states(stem):
            told = drawn(live(stem), one)
            for text in (told["say"], told["brief"], *told["says"].values()):
                assert not SPOKEN.search(text) or "this draw" in text, text


def test_a_wrong_verb_is_seen():
    one = paths.state(live("dplcf"), "epsilon=1 verb=beats")
    assert (one.verb, said("dplcf", one)) == ("beats", ["loses to"])


def test_a_verb_that_no_figure_says_is_refused():
    with pytest.raises(UserError, match="verb is 'wins', but must be one of beats, level, loses"):
        paths.state(live("dplcf"), "verb=wins")
