"""The crowd you can see: 943 phones that lie, and a pile of what they say together beside that of a trusted server.

How many people watched both of two films? Each phone sends two bits by dplcf's coin, and its answer counts as
y₁·y₂ with y = (b − q)/(p − q), right on average (chapter dplcf, eq. 6). A trusted server counts, and adds noise once.

    Var(y₁y₂) = (v + a)(v + b) − ab      of a phone whose bits are a and b, with v the variance of one y
    Var(sum)  = towns · Σ Var(y₁y₂)      the truth grows with the towns, the noise with their root

One phone and one town are tossed coin by coin, in the page and here, from the same numbers; more towns are drawn from
the normal law of that mean and variance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from recprivlib.dashboard.folds import dataset, holdout
from recprivlib.dashboard.people import adas, spoken
from recprivlib.living import kit
from recprivlib.living.channels import laplace
from recprivlib.living.films import DATA
from recprivlib.mechanisms import Laplace, UnarySymmetric
from recprivlib.plots.numerals import count, epsilon, percent, setting
from recprivlib.protocols import Array

SCRIPTS = ("crowd",)
STEPS = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0)
TOWNS = (0, 1, 8, 80)  # 0: one phone alone
NAMES = ("one phone", "a town", "8 towns", "80 towns")
KINDS = ((1, 1), (1, 0), (0, 1), (0, 0))  # what a phone watched of the two films
SEED, MOST = 4, 400
SAYS = {
    "alone": "**One phone.** Ada watched both films, and her phone's answer counts as {yes}, {mixed} or {no}: right on "
    "average, and alone it says nothing.",
    "idle": "{people} phones lie about {first} and {second}. The truth is {truth}. Hold the button: they all "
    "answer.",
    "town": "**{rounds}** of {people} lying phones. Truth {truth}, the lies ±{wide}: {below} of the rounds say fewer "
    "than nobody. A trusted server adds ±{once}, once.{without}",
    "towns": "**{rounds}** of {towns} towns. Truth {truth}, the lies ±{wide}: the truth is {towns} times as far, the "
    "lies are {times} times as wide. A trusted server adds ±{once}, once.{without}",
    "without": " Without Ada the truth is one less: 1 beside ±{wide}, and 1 beside ±{once}.",
}  # fmt: skip


def picture(towns: str = "1", epsilon: str = "1") -> dict[str, Any]:
    """The people, and at each ε and size what is true and how wide either pile is."""
    size = int(kit.chosen("towns", towns, tuple(map(str, TOWNS))))
    at = float(kit.chosen("epsilon", epsilon, tuple(map(setting, STEPS))))
    data = dataset(DATA)
    pair = adas(data)[[4, 7]]
    kinds = np.random.default_rng(5).permutation(_kinds(holdout(data, 0).train.matrix[:, pair].toarray() > 0))
    first, second = (title.rpartition(" (")[0] for title in spoken(data, pair))
    told: dict[str, Any] = {
        "id": "lv-crowd", "kinds": "".join(map(str, kinds)), "ada": int(np.argmin(kinds)), "seed": SEED, "most": MOST,
        "first": first, "second": second, "start": STEPS.index(at), "towns": size, "sizes": TOWNS, "says": SAYS,
    }  # fmt: skip
    told = kit.together(told | {"steps": [_step(kinds, each) for each in STEPS]})
    return told | {"closing": closing(told, 60)}


def _kinds(watched: Array) -> Array:
    """0: both, 1: the first alone, 2: the second alone, 3: neither."""
    return np.where(watched[:, 0], np.where(watched[:, 1], 0, 1), np.where(watched[:, 1], 2, 3))


def _step(kinds: Array, at: float) -> dict[str, Any]:
    """One place of the slider: the coin, and of each size the truth and the width of both piles."""
    flip, once = UnarySymmetric(at), math.sqrt(Laplace(at, 1.0).variance)
    no, yes = flip.estimate(np.array([0, 1]))
    per_kind = [(flip.variance + a) * (flip.variance + b) - a * b for a, b in KINDS]
    sizes = []
    for size in TOWNS:
        town = np.sum(np.array(per_kind)[kinds]) if size else per_kind[0]
        wide = math.sqrt(town * max(size, 1))
        sizes.append({"wide": wide, "said": count(wide) if wide >= 10 else epsilon(wide)})
    return {"epsilon": at, "label": f"ε = {setting(at)}", "spoken": f"epsilon {setting(at)}", "p": flip.p,
            "yes": float(yes), "no": float(no), "once": epsilon(once), "sizes": sizes}  # fmt: skip


def coins(seed: int, n: int) -> Array:
    """The first n numbers of the page's generator (mulberry32, living.js)."""
    a = (np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x6D2B79F5)) & _MASK
    t = _times(a ^ (a >> np.uint64(15)), a | np.uint64(1))
    t ^= (t + _times(t ^ (t >> np.uint64(7)), t | np.uint64(61))) & _MASK
    found: Array = ((t ^ (t >> np.uint64(14))) & _MASK) / 2.0**32
    return found


_MASK = np.uint64(0xFFFFFFFF)


def _times(a: Array, b: Array) -> Array:
    return (a * b) & _MASK  # modulo 2⁶⁴ first, which keeps the low half


def rounds(told: Mapping[str, Any], number: int, step: int, size: int, gone: bool = False) -> Array:
    """What each round says: the phones' estimate and the trusted server's, (number, 2)."""
    at, ada = told["steps"][step], told["ada"]
    kinds = np.array([int(kind) for kind in told["kinds"]])
    if gone:
        kinds[ada] = 3
    truth = told["kinds"].count("0") * size - gone if size else int(not gone)
    people = kinds[[ada]] if size == 0 else kinds
    each = 2 * len(people) + 1 if size <= 1 else 3
    drawn = coins(told["seed"], number * each).reshape(number, each)
    once = [truth + laplace(u, 1 / at["epsilon"]) for u in drawn[:, -1]]
    if size <= 1:
        true = np.array(KINDS)[people]
        said = np.where(drawn[:, :-1].reshape(number, -1, 2) < at["p"], true, 1 - true)
        told_so = UnarySymmetric(at["epsilon"]).estimate(said).prod(axis=2).sum(axis=1)
    else:
        normal = np.sqrt(-2 * np.log(1 - drawn[:, 0])) * np.cos(2 * np.pi * drawn[:, 1])
        told_so = truth + at["sizes"][TOWNS.index(size)]["wide"] * normal
    return np.column_stack([told_so, once])


def closing(
    told: Mapping[str, Any], number: int, step: int | None = None, size: int | None = None, gone: bool = False
) -> str:
    """The sentence under the picture after so many rounds."""
    step, size = told["start"] if step is None else step, told["towns"] if size is None else size
    at, both, says = told["steps"][step], told["kinds"].count("0"), told["says"]
    wide = at["sizes"][TOWNS.index(size)]["said"]
    if size == 0:
        counts = {"yes": at["yes"] ** 2, "mixed": at["yes"] * at["no"], "no": at["no"] ** 2}
        return kit.fill(says["alone"], **{name: f"{value:.1f}".replace("-", "−") for name, value in counts.items()})
    common = {"people": count(len(told["kinds"])), "truth": count(both * size - gone), "wide": wide, "once": at["once"]}
    if not number:
        return kit.fill(says["idle"], **common, first=told["first"], second=told["second"])
    below = percent(float((rounds(told, number, step, size, gone)[:, 0] < 0).mean())) if size == 1 else ""
    without = kit.fill(says["without"], **common) if gone else ""
    return kit.fill(
        says["town" if size == 1 else "towns"], **common, without=without, below=below, towns=size,
        rounds="1 round" if number == 1 else f"{number} rounds", times=epsilon(math.sqrt(size)),
    )  # fmt: skip


def html(told: Mapping[str, Any]) -> str:
    """The picture as it stands without a script: dots, and the law of both piles."""
    sizes = kit.segment("towns", "how many people", tuple(zip(TOWNS, NAMES, strict=True)), told["towns"])
    return kit.section(
        "crowd", told,
        f'<div class="cr-stage">{_still(told)}<canvas role="img" aria-label="phones as dots, and two piles of what is '
        'said; the sentence below says it in words"></canvas></div>',
        f'<div class="cr-say">{kit.sentence(told["closing"])}</div>',
        kit.bar(kit.button("Hold: add rounds", "lv-go", 'aria-pressed="false"'), kit.button("Again", "nb-again"), sizes,
                kit.button("Take Ada out", "cr-ada", 'aria-pressed="false"'), kit.slider(told["steps"], told["start"])),
        label="The crowd: what lying phones say together",
    )  # fmt: skip


def _still(told: Mapping[str, Any]) -> str:
    """Dots, and two hills over the same axis: the lies of the phones, and the trusted server's noise."""
    at, size = told["steps"][told["start"]], told["towns"] or 1
    wide, truth = at["sizes"][TOWNS.index(size)]["wide"], told["kinds"].count("0") * size
    spots = ["", ""]
    for place, kind in enumerate(told["kinds"]):
        spots[kind == "0"] += f"M{place % 31 * 9 + 5} {place // 31 * 9 + 5}h.1"
    x = 480.0
    hills = "".join(
        f'<path class="{name}" d="M{x - 3 * sd:.0f} {floor}C{x - sd:.0f} {floor} {x - sd:.0f} {floor - 90} {x} '
        f'{floor - 90}S{x + sd:.0f} {floor} {x + 3 * sd:.0f} {floor}"/><text x="{x}" y="{floor + 15}">{words}</text>'
        for name, sd, floor, words in (
            ("lies", 50.0, 120, f"phones that lie: {count(truth)} ±{at['sizes'][TOWNS.index(size)]['said']}"),
            ("once", 50 * float(at["once"]) / wide, 260, f"a trusted server: {count(truth)} ±{at['once']}"),
        )
    )
    return (f'<svg class="cr-still" viewBox="0 0 640 282" aria-hidden="true"><path class="dots" d="{spots[0]}"/>'
            f'<path class="dots both" d="{spots[1]}"/>{hills}</svg>')  # fmt: skip
