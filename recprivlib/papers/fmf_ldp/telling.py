"""What the bits of a whole run really tell of two people: a measurement, never a guarantee.

The bill is for the worst pair of histories and the worst luck. Between two real people the same bits may say far less.
Who hears the bits of one of two known people, by name, holds the sum of log-odds of her bits; right more often than
anybody is whoever believes its sign.
"""

from __future__ import annotations

import numpy as np

from recprivlib.mechanisms import OneBitGradient
from recprivlib.mechanisms.noise import rooted
from recprivlib.papers.fmf_ldp.system import FMFLDP, FMFLDPStable, Told, chosen
from recprivlib.protocols import Array, Interactions


def log_odds(
    system: FMFLDP | FMFLDPStable, train: Interactions, pairs: int, seed: int, small: float | None = None
) -> Array:
    """Nats that the bits of one real person say for her and against another: one number a pair, after the whole run.

    Deviations: one attack that knows both histories and every model of the run; not a bound on others.

    Parameters
    ----------
    system
        Whose run is listened to; everybody of `train` takes part in it.
    train
        What everybody met.
    pairs
        How many pairs of people are drawn.
    seed
        Of the run, the people and their bits.
    small
        Where given, the server learns nothing and only wants to know: in each epoch it sends new random films of this
        standard deviation, and no phone is asked to check what it gets.

    Returns
    -------
    Array
        The log-odds of each pair.
    """
    rng, mine = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    drawn = mine.choice(train.n_users, 2 * pairs, replace=False)
    people = Interactions.from_histories(train.matrix[drawn])  # the first half send, the others might have
    told, total = system.start(train.sizes, rng), np.zeros(pairs)
    with rooted(seed):
        for epoch in range(system.epochs):
            if small is not None:
                told = Told(mine.normal(0, small, told.items.shape), epoch)
            coin = OneBitGradient(system.epsilon, told.items.size)
            cells = chosen(pairs, told.items.size, system.k, mine)
            one, other = np.split(system.gradients(people, told, np.tile(cells, (2, 1))), 2)
            bits = coin.release(one, mine)
            total += (coin.log_density(bits, one) - coin.log_density(bits, other)).sum(axis=1)
            if small is None:
                told = system.learn(told, system.collect(train, told, rng), rng)
    return total
