"""The stranger's notebook: its beliefs are Bayes over the library's channels, its sentences say what those give."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from recprivlib.dashboard.folds import dataset
from recprivlib.living import bits, crowd, fall, films, notebook, reckoning
from recprivlib.living.channels import CHANNELS, believed
from recprivlib.papers.dp_pnbm.weighted import item_means
from recprivlib.parameters import UserError
from recprivlib.registry import get

STATIC = Path(__file__).parents[2] / "book" / "_static"
ALL = ("sp", "ap", "ldp_svd", "dp_pnbm", "fmf_ldp", "privrec")


@pytest.fixture(scope="module")
def told():
    return {channel: notebook.picture(channel=channel) for channel in ALL}


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("name", ["sp", "ap", "ldp_svd", "bought"])
def test_answers_of_a_picture_are_as_likely_as_those_the_library_releases(name, epsilon):
    """Mean of y over 4,000 even uniforms against 40,000 releases, each within four standard errors."""
    channel, rng = CHANNELS[name], np.random.default_rng(0)
    device = channel.device(epsilon)
    for x in (channel.values[0], channel.values[-1]):
        u, v = (np.random.default_rng(1).permutation(4000) + 0.5) / 4000, (np.arange(4000) + 0.5) / 4000
        ours = np.array([channel.answer(device, x, *pair) for pair in zip(u, v, strict=True)])
        theirs = np.asarray(device.release(np.full(40_000, x if name in ("ldp_svd", "bought") else int(x)), rng), float)
        error = theirs.std() * np.sqrt(1 / 4000 + 1 / 40_000)
        assert ours.mean() == pytest.approx(theirs.mean(), abs=4 * error + 1e-9)


def test_only_a_channel_that_can_prove_proves(told):
    """No lock for SP and for means bought, at any ε; a no of AP and a star on the grid always are one."""
    for step in range(len(notebook.STEPS)):
        assert not any(belief.sure for belief in notebook.beliefs(told["sp"], step, weeks=12))
        assert not any(belief.sure for belief in notebook.beliefs(told["dp_pnbm"], step, variant="bought"))
    assert all(belief.sure for belief in notebook.beliefs(told["dp_pnbm"]))
    for belief, x in zip(notebook.beliefs(told["ap"]), told["ap"]["ada"], strict=True):
        assert belief.sure == (belief.of[0] == 1.0)
        assert not (belief.sure and x), "what was watched is never proved away"


def test_a_belief_never_moves_further_than_the_channel_allows():
    """Odds against the prior's by e^ε at most, whatever is answered."""
    for epsilon in (0.3, 1.0, 3.0):
        for y in (0.0, 1.0):
            no, yes = believed("sp", epsilon, [y], (0.5, 0.5)).of
            assert max(no / yes, yes / no) == pytest.approx(np.exp(epsilon))
        of = np.array(believed("bought", epsilon, [17.0], [0.2] * 5).of)
        assert of.max() / of.min() == pytest.approx(np.exp(epsilon))


def test_two_published_means_give_a_rating_away():
    """The library's own means of MovieLens 100K, before and after Ada's star, subtracted."""
    train = dataset(films.DATA).interactions
    numbers = {films.short(title): item for item, title in enumerate(dataset(films.DATA).titles)}
    for film in films.rated():
        item = numbers[film.name]
        before = item_means(train)[item]
        after = np.float32((float(before) * film.count + film.stars) / (film.count + 1))
        assert round(float(after) * (film.count + 1) - float(before) * film.count) == film.stars
        assert film.mean == before


def test_what_is_promised_is_the_systems_own_claim_and_holds_where_it_is_counted(told):
    assert told["ldp_svd"]["steps"][3]["promised"] == "The paper promised ε\xa0=\xa02: a strong hint."
    assert told["sp"]["steps"][5]["promised"].endswith("a hint. It holds.")
    assert "holds" not in told["ap"]["closing"] + told["dp_pnbm"]["closing"]
    assert "It holds" in notebook.closing(told["dp_pnbm"], variant="bought")


def test_closing_sentences_count_what_the_beliefs_say(told):
    locks = sum(belief.sure for belief in notebook.beliefs(told["ap"]))
    assert f"**{locks} of Ada's 40** for certain" in told["ap"]["closing"]
    own = [1, *([0] * 39)]
    assert "of your 24**" in notebook.closing(told["ap"], own=own, total=24)
    assert "ε\xa0=\xa012 for each film" in notebook.closing(told["sp"], weeks=12)


def test_the_bits_are_a_run_of_the_library_and_no_bit_weighs_more_than_its_bill():
    run = bits.weighed(get("fmf-ldp").system)
    steps = np.diff(run.odds, prepend=0)
    assert len(steps) == 2000
    assert np.abs(steps).max() <= run.epsilon
    thawed = bits.weighed(get("fmf-ldp-stable").system)
    assert abs(thawed.odds[-1]) > 10 * abs(run.odds[-1])


def test_a_person_exchanged_leaves_everybody_else_as_they_were():
    train = dataset(films.DATA).interactions
    new = bits.exchanged(train, 7, [3, 1, 2])
    assert new.items[new.users == 7].tolist() == [1, 2, 3]
    others = train.users != 7
    assert (new.items[new.users != 7] == train.items[others]).all()
    assert (np.diff(new.users) >= 0).all()


def test_one_round_of_privrec_is_bounded_by_its_bill(told):
    bounds = [int(re.match(r"\d+", row["bound"])[0]) for row in told["privrec"]["rounds"]]
    assert bounds == sorted(bounds)
    assert 50 < bounds[0] < bounds[-1] < 60


@pytest.mark.parametrize("channel", ALL)
def test_without_a_script_the_picture_has_its_tiles_and_its_sentence(told, channel):
    page = notebook.html(told[channel])
    closing = told[channel]["closing"].replace("**", "")
    assert closing in re.sub(r"</?strong>", "", page)
    locks = sum(belief.sure for belief in notebook.beliefs(told[channel])) if "steps" in told[channel] else 0
    assert len(re.findall(r'class="[^"]*\bsure"', page)) == locks
    assert all(name.replace("&", "&amp;") in page for name in told[channel]["films"])


def test_an_epsilon_between_the_places_of_the_slider_is_refused():
    with pytest.raises(UserError, match=r"epsilon is '0\.4', but can be 0\.1, 0\.2"):
        notebook.picture(channel="sp", epsilon="0.4")


@pytest.mark.parametrize("module", [notebook, crowd, reckoning, fall])
def test_the_scripts_of_a_picture_are_small_and_ask_nobody(module):
    texts = [(STATIC / "living" / f"{name}.js").read_text("utf-8") for name in module.SCRIPTS]
    assert len(gzip.compress("".join(texts).encode(), 9)) <= 10 * 1024
    shared = (STATIC / "living" / "living.js").read_text("utf-8")
    for text in (*texts, shared):
        text = text.replace('"http://www.w3.org/2000/svg"', "")  # a name, no address that is asked
        assert not re.search(r"https?:|fetch\(|sendBeacon|cookie|\beval\b|innerHTML|XMLHttp", text)
    stores = set(re.findall(r"(?:local|session)Storage\.\w+\((\w+)", shared + "".join(texts)))
    assert stores == ({"KEY"} if module is notebook else set()), "nothing is stored but the reader's films"


def test_purple_means_proof_and_nothing_else():
    """In the notebook it stands with what is proved alone; the first page and dplcf's phone mark lies by a frame."""
    rules = re.findall(
        r"([^{}]+)\{([^{}]*--rp-attack[^{}]*)\}", (STATIC / "living" / "notebook.css").read_text("utf-8")
    )
    assert rules
    assert all(".sure" in selector for selector, _ in rules)
    from recprivlib.papers.dplcf.screen.figures import TILES

    for text in (TILES, *((STATIC / name).read_text("utf-8") for name in ("tenseconds.css", "living/crowd.css"))):
        assert "--rp-attack" not in text
