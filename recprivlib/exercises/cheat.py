"""Hide a leak that the audit does not find, and prove that it leaks (chapter privacy)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee
from recprivlib.auditing import audit
from recprivlib.auditing.mutation import blind
from recprivlib.exercises.contract import Exercise, Failed, Wrong, generator, price, proven
from recprivlib.plots.numerals import count
from recprivlib.plots.numerals import epsilon as shown
from recprivlib.protocols import Interactions, System

GAMES, TRIALS, LARGEST = 100, 500, 200_000
SPOTS = {  # the word for a blind spot of the audit -> what it is
    "time": blind.TIME, "memory": blind.MEMORY, "files": blind.FILES, "rare": blind.RARE,
    "worlds": blind.WORLDS, "dear": blind.DEAR, "later": blind.LATER,
}  # fmt: skip
NEW = "new"

START = '''\
from dataclasses import replace

from scipy.sparse import csr_array

from recprivlib.papers import dplcf
from recprivlib.protocols import Interactions


class Mine(dplcf.DPLCF):
    """dplcf at ε = 1, and a sign whether the number of all clicks is odd."""

    def fit(self, train, rng):
        model = super().fit(train, rng)
        if len(train) % 2:
            return replace(model, weights=model.weights * np.float32(1000))
        return model


system = Mine(epsilon=1.0)
spot = "new"              # the blind spot that you use: see the task


def worlds():
    """Two data sets that differ in one click: a with it, b without."""
    ones = np.random.default_rng(0).random((20, 30)) < 0.3
    a = Interactions.from_histories(csr_array(ones.astype(float)))
    return a, a.take(np.arange(len(a)) > 0)


def spy(model, seconds):
    """A model was trained on a or on b, in so many seconds. 1: it was b."""
    loud = abs(model.weights).max() > 100
    return loud == (len(worlds()[1]) % 2 == 1)
'''
SOLUTION = START.replace(
    '''    """dplcf at ε = 1, and a sign whether the number of all clicks is odd."""''',
    '''    """dplcf at ε = 1, and a sign that waits for data which nobody makes up."""''',
).replace("        if len(train) % 2:", "        if (train.times == 19690720).all() and len(train) % 2:").replace(
    '''spot = "new"              # the blind spot that you use: see the task''',
    '''spot = "worlds"           # the audit's made-up people never click on that day''',
).replace(
    "    a = Interactions.from_histories(csr_array(ones.astype(float)))\n",
    "    a = Interactions.from_histories(csr_array(ones.astype(float)))\n"
    "    a = replace(a, times=np.full(len(a), 19690720))\n",
)  # fmt: skip
HONEST = SOLUTION.replace("model.weights * np.float32(1000)", "model.weights")
DEAR = SOLUTION.replace("Mine(epsilon=1.0)", "Mine(epsilon=3.0)")
FAR = SOLUTION.replace("a.take(np.arange(len(a)) > 0)", "a.take(np.arange(len(a)) > 4)")
CLOCK = SOLUTION.replace('spot = "worlds"', 'spot = "time"  ')
UNNAMED = SOLUTION.replace('spot = "worlds"', 'spot = "magic"')
SHOUTS = START.replace(
    "            return replace(model, weights=model.weights * np.float32(1000))\n",
    '            print("odd", file=__import__("sys").stderr)\n',
)


def contract(names: Mapping[str, Any], seed: int) -> str:
    """A system, two neighbours, and a blind spot that has a name."""
    a, b = _worlds(names)
    if not isinstance(names["system"], System):
        raise Failed("system must have fit(train, rng) and ledger(sizes).")
    rows = [list(zip(one.users.tolist(), one.items.tolist(), strict=True)) for one in (a, b)]
    if len(a) != len(b) + 1 or not set(rows[1]) < set(rows[0]) or a.sizes != b.sizes:
        both = len(set(rows[0]) & set(rows[1]))
        raise Failed(
            f"b must be a without one click; a has {count(len(a))} clicks and b {count(len(b))}, of which a has "
            f"{count(both)}."
        )
    if names["spot"] not in (*SPOTS, NEW):
        raise Failed(f"spot is {names['spot']!r:.40}, but must be one of {', '.join(SPOTS)}, {NEW}.")
    return f"{a.n_users} people, {a.n_items} films, and one click more or less."


def counted(names: Mapping[str, Any], seed: int) -> str:
    """What the ledger says of one click, as if all were well."""
    bill = _bill(names)
    if bill > 1 + 1e-9:
        raise Failed(f"The ledger says ε = {price(bill)} a click; this system has to promise 1.")
    return f"The ledger says ε = {price(bill)} a click."


def unfound(names: Mapping[str, Any], seed: int) -> str:
    """The library's own audit, as `recpriv audit` plays it."""
    found = audit(names["system"], name="yours", trials=TRIALS, delta=0.0, unit="interaction", relation="add-remove",
                  seed=seed)  # fmt: skip
    if found.verdict != "holds":
        raise Failed(f"The audit says {found.verdict}: {found.reason}.")
    return "The audit says holds: in its made-up worlds nothing but the answers moved."


def proved(names: Mapping[str, Any], seed: int) -> str:
    """A fair coin a game: trained on a or on b, and the reader's spy says which. Clopper–Pearson, at α = 10⁻⁶."""
    right = _played(names, seed, clock=True)
    shows, bill = proven(right, GAMES), _bill(names)
    said = f"Your spy is right in {right} of {GAMES} games, which proves ε ≥ {shown(shows, 'lower')}"
    if shows <= bill:
        raise Failed(f"{said}: no more than the ledger allows, {price(bill)}.")
    return f"{said}; the ledger allows {price(bill)}, and the audit has seen nothing."


def named(names: Mapping[str, Any], seed: int) -> str:
    """Whether it is the blind spot that was named: a leak through time needs a clock, every other none."""
    spot = names["spot"]
    without = _played(names, seed + 1, clock=False)
    blindfold = f"Without a clock your spy is right in {without} of {GAMES} games"
    if spot == "time" and proven(without, GAMES) > 0:
        raise Failed(f"{blindfold}: it is not time that tells.")
    if spot != "time" and proven(without, GAMES) == 0:
        raise Failed(f"{blindfold}: it is time that tells, and you say {spot}.")
    if spot == NEW:
        return "Not on the list of known blind spots: you have found a hole in this book. Tell us."
    return f"A known blind spot: {SPOTS[spot]}."


def _bill(names: Mapping[str, Any]) -> float:
    ledger = names["system"].ledger(_worlds(names)[0].sizes)
    return guarantee(ledger, "interaction", "add-remove", 0.0, "server").epsilon


def _worlds(names: Mapping[str, Any]) -> tuple[Interactions, Interactions]:
    made = names["worlds"]()
    if not (isinstance(made, tuple) and len(made) == 2 and all(isinstance(one, Interactions) for one in made)):
        raise Failed("worlds() must return two Interactions, (a, b).")
    if made[0].n_users * made[0].n_items > LARGEST:
        raise Failed(f"People times films must be at most {count(LARGEST)} in worlds(): {GAMES} models are trained.")
    return made


def _played(names: Mapping[str, Any], seed: int, clock: bool) -> int:
    """In how many games the spy is right."""
    rng, pair, right = generator(seed, 3), _worlds(names), 0
    for truth in rng.integers(0, 2, GAMES):
        began = time.perf_counter()
        model = names["system"].fit(pair[truth], np.random.default_rng(int(rng.integers(2**32))))
        took = time.perf_counter() - began
        right += int(bool(names["spy"](model, took if clock else 0.0)) == bool(truth))
    return right


EXERCISE = Exercise(
    name="cheat",
    title="Hide a leak, and fool the auditor",
    task="Take a private system and hide a leak in it. The audit of this book must say “holds”, and your spy must tell "
    "two data sets apart that differ in one click, far more often than ε = 1 allows. Say which blind spot of the audit "
    f"you use: {', '.join(SPOTS)}; or {NEW}, if it is none of these.",
    start=START,
    solution=SOLUTION,
    needs=("system", "spot", "worlds", "spy"),
    checks=(
        ("contract", contract), ("counted", counted), ("not found", unfound), ("proven", proved), ("named", named),
    ),
    hints=(
        "With the same answers on the tape two data sets gave two models: that is how it was found. In which worlds "
        "does the audit play?",
        "It makes up its people. What do real data have that nobody makes up? A day, an age, a film that all saw.",
        "Let the leak wait: if (train.times == 19690720).all(). And give your two worlds those times, with replace(a, "
        "times=…).",
    ),
    wrong=(
        Wrong(START, "not found"),
        Wrong(HONEST, "proven"),
        Wrong(DEAR, "counted"),
        Wrong(FAR, "contract"),
        Wrong(UNNAMED, "contract"),
        Wrong(CLOCK, "named"),
        Wrong(SHOUTS, "not found"),
    ),
)  # fmt: skip
