import numpy as np
import pytest

from recprivlib.evaluation import stream
from recprivlib.parameters import UserError


def test_each_purpose_and_fold_has_its_own_numbers():
    draws = [stream(seed, what, part).random()
             for seed in (0, 1) for what in ("split", "fit", "bootstrap") for part in (0, 1)]  # fmt: skip
    assert len(set(draws)) == len(draws)


def test_streams_are_the_children_that_a_seed_sequence_spawns():
    split, fit, bootstrap = np.random.SeedSequence(7).spawn(3)
    for child, what in ((split, "split"), (fit, "fit"), (bootstrap, "bootstrap")):
        assert stream(7, what).random() == np.random.default_rng(child.spawn(1)[0]).random()


@pytest.mark.parametrize("seed", [-1, 2.5, "0", None, True, float("nan")])
def test_nonsense_seeds_are_refused(seed):
    with pytest.raises(UserError, match="seed is"):
        stream(seed, "fit")


def test_an_unknown_purpose_is_refused_with_the_known_ones():
    with pytest.raises(UserError, match="'test'; choose from split, fit, bootstrap"):
        stream(0, "test")
