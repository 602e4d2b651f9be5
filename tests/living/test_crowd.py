"""The crowd: its law is that of the library's coins, its rounds are tossed as the page tosses them."""

import numpy as np
import pytest

from recprivlib.living import crowd
from recprivlib.papers.dplcf.screen.tries import tries


@pytest.fixture(scope="module")
def told():
    return crowd.picture()


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_law_is_what_the_librarys_crowds_scatter_by(told, epsilon):
    """480 tries of the library at each ε: the deviation within four of its own standard errors, 1/√(2·480)."""
    found = np.concatenate([tries("ml-100k", epsilon, 1, seed).estimates for seed in range(8)])
    step = told["steps"][crowd.STEPS.index(epsilon)]
    assert found.std() == pytest.approx(step["sizes"][1]["wide"], rel=4 / np.sqrt(2 * len(found)))
    assert found.mean() == pytest.approx(told["kinds"].count("0"), abs=4 * found.std() / np.sqrt(len(found)))


def test_rounds_follow_the_law_and_the_trusted_server_its_own(told):
    """400 rounds of a town: mean and deviation of both piles within four standard errors."""
    for size in (1, 8):
        lies, once = crowd.rounds(told, 400, 3, size).T
        wide, truth = told["steps"][3]["sizes"][crowd.TOWNS.index(size)]["wide"], told["kinds"].count("0") * size
        assert lies.mean() == pytest.approx(truth, abs=4 * wide / 20)
        assert lies.std() == pytest.approx(wide, rel=4 / np.sqrt(800))
        assert once.std() == pytest.approx(np.sqrt(2), rel=4 * np.sqrt(5 / 400) / 2)


def test_without_ada_the_truth_is_one_less_in_one_town_and_in_eighty(told):
    assert "Truth 27," in crowd.closing(told, 5, size=1, gone=True)
    assert "Truth 2\u202f239," in crowd.closing(told, 5, size=80, gone=True)
    assert "1 beside" in crowd.closing(told, 5, size=80, gone=True)


def test_without_a_script_it_shows_every_phone_and_its_sentence(told):
    page = crowd.html(told)
    assert page.count("h.1") == len(told["kinds"]) == 943
    assert told["closing"].split("**")[2] in page
