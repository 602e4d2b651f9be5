"""The stranger's notebook: a phone of named films, and the same films as a stranger believes them. Six channels.

    sp ap      yes or no of each film, by the coins of dplcf            beliefs between no and yes; a lock is proof
    ldp_svd    stars, themselves or with noise                          beliefs over five stars
    dp_pnbm    means published before and after, subtracted             the star itself; `bought`: it with noise
    fmf_ldp    two thousand bits of a real run                          a scale between two people (bits.py)
    privrec    one phone in a mean with noise                           nothing moves

`closing` says what stands under the picture once everything was said, from the library's channels (channels.py): the
page works out the same with arithmetic of its own, and tests hold the two together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee
from recprivlib.evaluation import stream
from recprivlib.living import bits, films, kit, tiles
from recprivlib.living.channels import CHANNELS, Belief, believed
from recprivlib.papers.privrec.screen import pulls
from recprivlib.papers.privrec.system import DPPrivRec
from recprivlib.papers.privrec.training import Start
from recprivlib.parameters import configured
from recprivlib.plots.numerals import best_guess, count, epsilon, percent, setting, word
from recprivlib.protocols import Sizes
from recprivlib.registry import get

SCRIPTS = ("devices", "notebook")
STEPS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
PAIRS = (0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0)
WEEKS = 12
SIZES = Sizes(943, 1682, grid=films.FIVE)
ROUNDS, COHORT, PHONES, DELTA = 20, 30, 4800, 1e-5
SYSTEMS = {"sp": "dplcf-sp", "ap": "dplcf-ap", "ldp_svd": "laplace-rr-svd", "dp_pnbm": "dpsgd-pnbm"}
IDLE = {
    "bit": "Nothing has been said. Of each film the stranger knows as much as a coin. Hold the button.",
    "ldp_svd": "Nothing has been said. Of each rating the stranger knows what everybody knows: how common each star "
    "is. Hold the button.",
    "dp_pnbm": "Every night the server publishes the mean of each film. Hold the button: {who} twenty.",
    "fmf_ldp": "Two people could have sent these bits: Ada, or somebody who met {other} films. The stranger knows "
    "both histories, and hears one phone. Hold the button.",
    "privrec": "Tonight thirty phones answer, {whose} among them. The server adds its noise to their mean and "
    "publishes that. Hold the button.",
}
END = {
    "sp": "The stranger guesses right on **{right} of {total}**, sure of none. {promised}",
    "weeks": "The stranger guesses right on **{right} of {total}**, sure of none. Fresh lies each week, {weeks} weeks: "
    "ε = {sum} for each film, not {epsilon}.",
    "ap": "The stranger now knows **{sure} of {whose} {total}** for certain: every “no” is proof. {promised}",
    "ldp_svd": "The stranger now knows **{sure} of {whose} {total}** ratings to the star. {promised}",
    "dp_pnbm": "The stranger now knows **{sure} of {whose} {total}** ratings, by subtraction. {promised} The means "
    "were published as they are, and no ε counts them.",
    "bought": "The stranger now knows **{sure} of {whose} {total}**. The same subtraction gives a rating with noise of "
    "some {noise} stars. {promised}",
    "fmf_ldp": "**{bits} bits**, ε = {bill} on the bill. {tell} {why}",
    "privrec": "**0 of {total}** have moved. The noise of a round is {noise} S long, {whose} part of the mean "
    "S/{cohort} at most: {times} times less. After {rounds}, a coin-flip guess about all of {them} is right {bound} of "
    "the time at most.",
}


def picture(channel: str, epsilon: str = "1") -> dict[str, Any]:
    """All numbers and sentences of one channel, with everything said as it will be said."""
    kit.chosen("channel", channel, (*SYSTEMS, "fmf_ldp", "privrec"))
    told: dict[str, Any] = {"id": f"lv-{channel}", "channel": channel, "whose": {"ada": "Ada's", "own": "your"}}
    if channel == "fmf_ldp":
        told |= scales()
    elif channel == "privrec":
        told |= cloud()
    else:
        told |= answers(channel, epsilon)
    told["says"] |= tiles.phone(channel)
    told = kit.together(told)
    return told | {"closing": closing(told)}


# -------------------------------------------------------------------------------------------- answers of a phone


def answers(channel: str, epsilon: str) -> dict[str, Any]:
    """The channels that answer about each film on its own."""
    starry = channel in ("ldp_svd", "dp_pnbm")
    chosen = films.rated() if starry else films.watched()
    steps = PAIRS if channel == "ldp_svd" else STEPS
    at = float(kit.chosen("epsilon", epsilon, tuple(map(setting, steps))))
    rng, n = np.random.default_rng(7), len(chosen)
    told: dict[str, Any] = {
        "films": [film.name for film in chosen],
        "start": steps.index(at), "steps": [_step(channel, each) for each in steps],
        "says": {"idle": IDLE.get(channel, IDLE["bit"]), "end": END[channel]},
        "order": rng.permutation(n).tolist(),
        # Evenly spread, so that as many answers are false as should be; other films each week.
        "spread": [rng.permutation(n).tolist() for _ in range(WEEKS if channel == "sp" else 1)],
        "noise": rng.permutation(n).tolist(),
    }  # fmt: skip
    if channel == "sp":
        told["says"]["weeks"] = END["weeks"]
    if starry:
        told |= {"ada": [film.stars for film in chosen], "prior": films.shares()}
    else:
        told |= {"ada": [int(film.watched) for film in chosen], "prior": [0.5, 0.5]}
    if channel == "dp_pnbm":
        told["published"] = [[film.count, round(film.mean, 6)] for film in chosen]
        told["says"] |= {"bought": END["bought"]}
    return told


def _step(channel: str, at: float) -> dict[str, Any]:
    """What one place of the slider sets, and what the paper promises there."""
    pair = channel == "ldp_svd"
    settings = {"epsilon1": at, "epsilon2": at} if pair else {"epsilon": at}
    step = {
        "epsilon": at,
        "label": f"ε1 = ε2 = {setting(at)}" if pair else f"ε = {setting(at)}",
        "spoken": f"epsilon one and two {setting(at)}" if pair else f"epsilon {setting(at)}",
        "promised": promised(SYSTEMS[channel], **settings),
    }
    if channel == "sp":
        step["sums"] = [epsilon(week * at) for week in range(1, WEEKS + 1)]
    if channel == "dp_pnbm":
        step |= {"bought": promised("dp-item-means", epsilon=at), "noise": epsilon(4 / at)}
    return step


def promised(name: str, **settings: float) -> str:
    """What is promised at these settings in words; that it holds, where an accountant finds no more."""
    system = configured(get(name).system, settings)
    ledger = system.ledger(SIZES)
    claim = ledger.claimed
    view = claim.view or ledger.releases[0].seen_by[0]
    counted = guarantee(ledger, claim.unit, claim.relation, claim.delta, view).epsilon
    who = "Means bought with" if name == "dp-item-means" else "The paper promised"
    lower = word(claim.epsilon * (1 - 1e-9))  # on the border of two words the chapters say the lesser
    said = f"{who} ε = {setting(claim.epsilon)}: {lower}."
    return f"{said} It holds." if counted <= claim.epsilon * (1 + 1e-9) else said


def beliefs(
    told: Mapping[str, Any], step: int | None = None, own: Sequence[int] | None = None, weeks: int = 1,
    total: int | None = None, variant: str = "",
) -> list[Belief]:  # fmt: skip
    """What the stranger believes of each film once it was answered for so many weeks, by the library's channel."""
    at = told["steps"][told["start"] if step is None else step]["epsilon"]
    name, truth, n = variant or told["channel"], own or told["ada"], len(told["films"])
    channel = CHANNELS[name]
    device, found = channel.device(at), []
    for film in range(total or n):
        v = (told["noise"][film] + 0.5) / n
        heard = [channel.answer(device, truth[film], (row[film] + 0.5) / n, v) for row in told["spread"][:weeks]]
        found.append(believed(name, at, heard, told["prior"]))
    return found


def closing(
    told: Mapping[str, Any], step: int | None = None, own: Sequence[int] | None = None, weeks: int = 1,
    total: int | None = None, variant: str = "",
) -> str:  # fmt: skip
    """The sentence under the picture once everything was said."""
    if told["channel"] == "fmf_ldp":
        return _weighed(told, variant)
    whose = told["whose"]["own" if own else "ada"]
    if told["channel"] == "privrec":
        return kit.fill(told["says"]["end"], total=total or len(told["films"]), whose=whose,
                        them="you" if own else "Ada", **told["rounds"][-1])  # fmt: skip
    at = told["steps"][told["start"] if step is None else step]
    found, truth = beliefs(told, step, own, weeks, total, variant), own or told["ada"]
    right = sum((belief.of[-1] > 0.5) == bool(x) for belief, x in zip(found, truth, strict=False))
    said = {"sure": sum(belief.sure for belief in found), "right": right, "total": len(found), "whose": whose,
            "noise": at.get("noise"), "promised": at["bought" if variant else "promised"]}  # fmt: skip
    if weeks > 1:
        said |= {"weeks": weeks, "sum": at["sums"][weeks - 1], "epsilon": setting(at["epsilon"])}
    return kit.fill(told["says"]["weeks" if weeks > 1 else variant or "end"], **said)


# ----------------------------------------------------------------------------------------- two other channels

OTHERS = tuple((at + 0.5) / 20 for at in range(20))  # how talkative twenty others are
NEARLY = math.log(19)  # log odds of 95 %


def scales() -> dict[str, Any]:
    """How 2,000 bits weigh for Ada, as printed and thawed."""
    found, variants = {}, {"printed": "fmf-ldp", "thawed": "fmf-ldp-stable"}
    for variant, name in variants.items():
        system = get(name).system
        run = bits.weighed(system)
        tipped = sum(abs(bits.weighed(system, at).odds[-1]) > NEARLY for at in OTHERS)
        total = guarantee(system.ledger(SIZES), "user", "replace", 0.0, "server").epsilon
        found[variant] = {
            "path": [round(float(x), 2) for x in run.odds[4::5]], "other": run.other, "bits": len(run.odds),
            "signs": "".join("+" if sign > 0 else "−" for sign in run.signs[::9]),
            "each": total / len(run.odds), "why": _why(variant, int(tipped)),
        }  # fmt: skip
    start = found["printed"]
    idle = kit.fill(IDLE["fmf_ldp"], other=start["other"])
    says = {"idle": idle, "end": END["fmf_ldp"], "none": "The stranger has no doubt left.",
            "leans": "The stranger is {sure} sure that it is Ada."}  # fmt: skip
    return _forty() | {"scales": found, "says": says}


def _why(variant: str, tipped: int) -> str:
    others = f"{tipped or 'none'} of {len(OTHERS)} others"
    if variant == "printed":
        return (
            f"As printed the gradients shrink to nearly nothing: the scale tips against {others}, and little is learnt."
        )
    return f"This server learns something, so its bits are about somebody: the scale tips against {others}."


def _weighed(told: Mapping[str, Any], variant: str) -> str:
    scale = told["scales"][variant or "printed"]
    sure = best_guess(scale["path"][-1])
    tell = kit.fill(told["says"]["none" if sure > 0.9995 else "leans"], sure=percent(sure))
    said = {"bits": count(scale["bits"]), "bill": count(scale["each"] * scale["bits"]), "tell": tell}
    return kit.fill(told["says"]["end"], **said, why=scale["why"])


def cloud() -> dict[str, Any]:
    """One phone of thirty in a mean with noise: how long either is, and what rounds add up to."""
    system = DPPrivRec(local_epochs=5)
    start = Start.of(system, pulls.fold(films.dataset(films.DATA), "user-split", 0).train, stream(0, "fit"))
    noise = float(pulls.ratio(system, len(start.theta), COHORT))
    bounds = pulls.bills(system, PHONES, DELTA, range(1, ROUNDS + 1))["tight"]
    rounds = [
        {"rounds": "one round" if at == 1 else f"{at} rounds", "bound": percent(best_guess(bound)), "cohort": COHORT,
         "noise": epsilon(noise), "times": count(noise * COHORT)}
        for at, bound in enumerate(bounds, 1)
    ]  # fmt: skip
    says = {"idle": IDLE["privrec"], "end": END["privrec"]}
    return _forty() | {"rounds": rounds, "times": noise * COHORT, "says": says}


def _forty() -> dict[str, Any]:
    shown = films.watched()
    return {"films": [film.name for film in shown], "ada": [int(film.watched) for film in shown]}


def html(told: Mapping[str, Any]) -> str:
    """The picture with everything said, as it stands without a script."""
    shown = beliefs(told) if told["channel"] in CHANNELS else []
    return tiles.section(told, shown)
