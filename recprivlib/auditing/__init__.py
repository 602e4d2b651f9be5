"""Audits: what is proved of a ledger, checked of the code, and measured by attacks on it.

    system ──> its run, under one tape in many worlds ────> Checked: found, reached ───────────────────────┐
               (scenes, real_run, replay, memory, many_times; conformance holds it against the ledger)     │
           ──> what its answers give away (run_attack, redraw, distinguish) ──┐                            ├─> verdict
    mechanism ─> games, and the law of its answers ───────────────────────────┼─> events, bounds: attacked ┘
                 (games.py, distribution.py, mechanism_check.py)              ┘

`audit` plays a system's own `fit` on neighbouring data, or a mechanism's releases on neighbouring inputs, and reports
claimed, counted, attacked. An attack certifies a lower bound; it never shows that there is nothing to find. `ceiling`
says how much its trials could have shown at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee, small_delta, supported
from recprivlib.accounting.bills import default_view, mechanism_ledger, modes, stated, usual_delta
from recprivlib.accounting.claims import claimed_at
from recprivlib.accounting.guarantee import never_drawn, told_apart
from recprivlib.auditing.bounds import ALL, DECIDES, SHOWN, Missed, Rung, ceiling, epsilon_lower
from recprivlib.auditing.curves import TradeOff, trade_off
from recprivlib.auditing.distinguish import Worlds
from recprivlib.auditing.events import Certificate, auc, certificates, certify, roc
from recprivlib.auditing.games import Game, ledger_games, mechanism_game, projection_game, statistic
from recprivlib.auditing.mechanism_check import lies
from recprivlib.auditing.redraw import Passage
from recprivlib.auditing.rehearsal import WHOLE as BUDGET
from recprivlib.auditing.run_attack import Rehearsed, attack_run, rehearse
from recprivlib.auditing.sequential import looks
from recprivlib.auditing.verdicts import ONE, WHOLE, Checked, Played, Verdict, exact_epsilon, verdict
from recprivlib.data import Dataset, load
from recprivlib.mechanisms.common import SEEDED, STARS
from recprivlib.parameters import UserError, values
from recprivlib.protocols import (
    Array,
    Claim,
    DrawsExactly,
    Guarantee,
    HasDelta,
    HasMode,
    Interactions,
    Ledger,
    Relation,
    Sizes,
    System,
    Unit,
    View,
)

__all__ = [
    "Attacked", "Audit", "Certificate", "Game", "Rung", "attack", "auc", "audit", "ceiling", "certify",
    "climb", "epsilon_lower", "mechanism_game", "mechanism_ledger", "play", "projection_game",
    "roc", "statistic",
]  # fmt: skip

Progress = Callable[[float], None]
BATCHES = 20
NONE = np.zeros(0)
ALONE = 4000  # trials where answers cannot be drawn together: one call each
USUAL = Sizes(943, 1682, grid=STARS)  # the public sizes of ML-100K


@dataclass(frozen=True)
class Attacked:
    """What one attack certified. `epsilon_lower` holds with 95 % confidence, `decisive` at α = 10⁻⁶."""

    epsilon_lower: float
    decisive: float
    confidence: float
    delta: float
    unit: Unit
    relation: Relation
    view: View
    trials: int
    ceiling: float
    attack: str
    true_positive_rate: float
    false_positive_rate: float
    mu: float = 0.0  # where the noise is Gaussian: μ of its trade-off curve is at least this, with 95 % confidence
    played: Played = ONE  # what was attacked
    found: tuple[str, ...] = ()  # what does not agree with the ledger, beside any bound
    roc: tuple[Array, Array] = field(default=(NONE, NONE), repr=False, compare=False)


@dataclass(frozen=True)
class Audit:
    """The three numbers of one mechanism or system, at the same terms, and the verdict.

    >>> from recprivlib.mechanisms import MECHANISMS
    >>> audit(MECHANISMS["laplace"], trials=1000).counted.epsilon
    1.0
    """

    system: str  #: the name that the audit was given, else its class
    params: Mapping[str, Any]  #: its parameters, name to value
    claimed: Claim | None  #: what its source says, at the source's own unit and relation and the δ of the bill
    counted: Guarantee  #: what an honest accountant composes from what is released
    attacked: Attacked  #: what the attack certified, at the same terms
    verdict: Verdict  #: "holds", "broken" or "open"
    reason: str  #: why
    mode: str = ""  #: how its noise is drawn
    checked: Checked = field(default_factory=Checked)  #: how the code was looked at, and how far that reached

    def __post_init__(self) -> None:
        object.__setattr__(self, "claimed", claimed_at(self.claimed, self.counted.delta))


def audit(
    target: Any,
    *,
    name: str = "",
    count: int = 1,
    sizes: Sizes | None = None,
    unit: Unit | None = None,
    relation: Relation | None = None,
    view: View | None = None,
    delta: float | None = None,
    trials: int = 100_000,
    seed: int = 0,
    progress: Progress | None = None,
    rehearsed: Rehearsed | None = None,
    data: str | Dataset | Interactions | None = None,
) -> Audit:
    """Attack a system or a mechanism: what it claims, what is counted and what the attack certifies, side by side.

    A system's own `fit` is played on neighbouring data sets of a few people, a mechanism's `release` at its worst
    pair of inputs. What the attack certifies is a lower bound; it never proves that there is nothing to find.

    Parameters
    ----------
    target
        A system or a mechanism, as a value: `get("dplcf-ap").system`, `MECHANISMS["laplace"]`; or a system of your
        own: any frozen dataclass with `fit` and `ledger`.
    name
        What the answer calls it, if not by its class.
    count
        How many releases of a mechanism are attacked together, from 1. A system says itself how often it releases.
    sizes
        The public sizes that a system's ledger is made for; those of ML-100K unless given.
    unit, relation
        The terms, as in `guarantee`; the claim's unless given, or the first that the ledger states.
    view
        Who attacks; the server, if it is promised anything, else whoever sees the model.
    delta
        δ; the claim's unless given, else the one that a bill takes.
    trials
        Runs of either neighbour, from 100 to 100,000,000.
    seed
        A whole number from 0; the same seed finds the same.
    progress
        Called with a share from 0 to 1 as the trials go on.
    rehearsed
        What a replay of the same system, sizes and terms said at another budget (auditing/rehearsal.py).
    data
        A data set, by name or as a value, on which the real run is replayed as well; its sizes are then the public
        ones.

    Returns
    -------
    Audit
        The three numbers and the verdict: "holds", "broken" or "open", with the reason.

    Raises
    ------
    UserError
        There is nothing to attack, these terms are not stated, or a number is out of range.

    Examples
    --------
    >>> from recprivlib.mechanisms import MECHANISMS
    >>> done = audit(MECHANISMS["randomized-response"], trials=2000)
    >>> done.verdict, done.attacked.decisive <= done.counted.epsilon
    ('holds', True)
    """
    _check(trials, seed)
    is_system = isinstance(target, System)
    train = _data(data)
    sizes = sizes or (USUAL if train is None else train.sizes)
    target = target if is_system else stated(target, relation)
    ledger = target.ledger(sizes) if is_system else mechanism_ledger(name, target, count)
    if not ledger:
        raise UserError(f"{name or type(target).__name__} promises no privacy: there is nothing to attack")
    view = view or default_view(ledger)
    unit, relation = _terms(ledger, view, unit, relation)
    if delta is None:
        small = small_delta(sizes.users) if is_system else 1e-6
        stands_at = target.delta if isinstance(target, HasDelta) else None
        own = ledger.claimed.delta if ledger.claimed else stands_at
        delta = usual_delta(ledger, unit, relation, view, small) if own is None else own
    counted = guarantee(ledger, unit, relation, delta, view)
    asked = Asked(unit, relation, view, delta, trials, seed)
    if is_system:
        run = rehearsed or rehearse(target, sizes, unit, relation, view, seed, train, BUDGET)
        attacked, exact = _system(target, sizes, asked, progress, run)
        checked = replace(run.checked, found=attacked.found)
    else:
        attacked, exact = _mechanism(target, ledger, asked, progress)
        checked = Checked(found=attacked.found)
    claim = claimed_at(_viewed(ledger), delta)
    word, reason = verdict(
        claim, counted, attacked.decisive, exact if delta == 0 else None, whole=not is_system,
        found=attacked.found, played=attacked.played, ceiling=attacked.ceiling, trials=attacked.trials,
        checked=checked,
    )  # fmt: skip
    if ledger.claimed and claim and math.isinf(claim.epsilon) and not attacked.found:
        word, reason = "open", f"the claim is at δ = {ledger.claimed.delta:g} and says nothing at δ = {delta:g}"
    if word == "holds" and any(_on_doubles(release.mechanism) for release in ledger.releases):
        reason += "; for real numbers (these are doubles, for teaching)"
    if word == "holds" and (lost := never_drawn(ledger, view)):
        word, reason = "open", lost
    mode = "; ".join(modes(ledger))
    name = name or type(target).__name__
    return Audit(name, _values(target), ledger.claimed, counted, attacked, word, reason, mode, checked)


def _data(data: str | Dataset | Interactions | None) -> Interactions | None:
    """The interactions of a data set, however it is named."""
    data = load(data) if isinstance(data, str) else data
    return data.interactions if isinstance(data, Dataset) else data


def _values(target: Any) -> Mapping[str, Any]:
    """Its parameters, name to value; of a system of somebody else's its fields."""
    return values(target) if is_dataclass(target) else dict(vars(target))


def _check(trials: Any, seed: Any) -> None:
    if not isinstance(trials, int) or not 100 <= trials <= 100_000_000:
        raise UserError(f"trials is {trials!r}, but must be a whole number from 100 to 100000000")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UserError(f"seed is {seed!r}, but must be a whole number from 0 on")


@dataclass(frozen=True)
class Asked:
    """The terms of an attack."""

    unit: Unit
    relation: Relation
    view: View
    delta: float
    trials: int
    seed: int

    def unplayed(self, found: tuple[str, ...]) -> Attacked:
        """What an attack says that was not played: nothing, beside what was found."""
        return Attacked(
            0.0, 0.0, 1 - SHOWN, self.delta, self.unit, self.relation, self.view, 0, 0.0, "none of ours", 0.0, 0.0,
            played=WHOLE, found=found,
        )  # fmt: skip

    def without_a_game(self, found: tuple[str, ...]) -> UserError:
        """Why nothing can be attacked at these terms."""
        return UserError(
            f"no attack of ours plays {self.unit}/{self.relation} for the view {self.view!r}; choose other terms "
            f"or views{'; ' + found[0] if found else ''}"
        )


def _system(
    target: Any, sizes: Sizes, asked: Asked, progress: Progress | None, run: Rehearsed
) -> tuple[Attacked, float | None]:
    """The whole run. What the check has found is worth more than an attack that code like that does not stand."""
    try:
        heard = attack_run(target, sizes, asked.unit, asked.relation, asked.view, asked.trials, asked.seed, run)
    except Exception as failed:
        if not run.found:
            raise
        return asked.unplayed((*run.found, f"no attack could be played: {failed}")), None
    if progress:
        progress(1.0)
    nothing_hides = told_apart(heard.ledger, asked.relation)  # the bill says so: who needs an attack?
    if not (heard.worlds or heard.found or run.checked.short or nothing_hides):
        raise asked.without_a_game(heard.found)
    if not heard.worlds:
        return asked.unplayed(heard.found), None
    share = len(heard.worlds)
    each = [(_certified(worlds, asked, heard.said(name), heard.trials, share, *heard.shapes.get(name, ())), worlds)
            for name, worlds in heard.worlds.items()]  # fmt: skip
    best = _best(each)
    if heard.part:  # what was left out nobody could hear
        most = guarantee(heard.ledger, asked.unit, asked.relation, asked.delta, asked.view).epsilon
        best = replace(best, ceiling=max(best.epsilon_lower, min(best.ceiling, most)))
    return replace(best, played=WHOLE, found=heard.found), heard.exact


def _mechanism(target: Any, ledger: Ledger, asked: Asked, progress: Progress | None) -> tuple[Attacked, float | None]:
    """One release, again and again, at the mechanism's worst pair; and whether it draws what it says it draws."""
    rng = np.random.default_rng(np.random.SeedSequence(asked.seed))
    found = lies(target, asked.trials, np.random.default_rng(np.random.SeedSequence((asked.seed, 2))))
    trials = min(asked.trials, ALONE) if found else asked.trials
    games = ledger_games(ledger, asked.unit, asked.relation, asked.view, trials, rng, True, bool(found))
    if not games:
        raise asked.without_a_game(())
    seen = [(game, play(game, trials, rng, progress)) for game in games]
    curved = not found and Passage(target, 0, 0).normal
    each = [(_certified(worlds, asked, game.attack, trials, len(games), curved), worlds) for game, worlds in seen]
    return replace(_best(each), found=tuple(found)), exact_epsilon(ledger, asked.unit, asked.relation)


def _best(each: list[tuple[Attacked, Worlds]]) -> Attacked:
    """The attack that shows most, with all of its trade-off, and the most that any decides: α is shared among all."""
    best, worlds = max(each, key=lambda one: (one[0].epsilon_lower, one[0].decisive))
    return replace(best, decisive=max(one.decisive for one, _ in each), roc=roc(worlds))


def _viewed(ledger: Ledger) -> Claim | None:
    """The claim, with whom it is made against; where it does not say, against whoever sees most."""
    claim = ledger.claimed
    return claim and (claim if claim.view else replace(claim, view=default_view(ledger)))


def _on_doubles(mechanism: Any) -> bool:
    """Whether its answers are real numbers, of which doubles are a poor copy: nothing draws those exactly."""
    seeded = isinstance(mechanism, HasMode) and mechanism.mode == SEEDED
    return seeded and not isinstance(mechanism, DrawsExactly)


def attack(
    game: Game,
    unit: Unit,
    relation: Relation,
    view: View,
    delta: float,
    trials: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
    among: int = 1,
) -> Attacked:
    """Play a game `trials` times in either world and certify what it shows.

    The best of several games is as sound as one when each spends its share of α: `among` says how many there are.
    """
    asked = Asked(unit, relation, view, delta, trials, 0)
    worlds = play(game, trials, rng, progress)
    return _best([(_certified(worlds, asked, game.attack, trials, among), worlds)])


def _certified(
    worlds: Worlds, asked: Asked, name: str, trials: int, among: int, curved: bool = False, missed: Missed = ALL
) -> Attacked:
    """`curved`: neighbours' answers are two Gaussians, and half of what is shown is spent on their curve."""
    delta, decides = asked.delta, DECIDES / among
    shows = SHOWN / among / (2 if curved and delta > 0 else 1)
    shown, decisive = certificates(worlds, delta, (shows, decides), missed)
    bound = decisive.epsilon(decides)  # what holds at the deciding level holds at the other
    found = Attacked(
        max(shown.epsilon(shows), bound), bound, 1 - SHOWN, delta, asked.unit, asked.relation, asked.view,
        trials, ceiling(shown.trials, delta, shows), name, shown.true_positive_rate, shown.false_positive_rate,
    )  # fmt: skip
    return _as_a_curve(found, trade_off(worlds, shows, missed)) if curved and delta > 0 else found


def _as_a_curve(found: Attacked, curve: TradeOff) -> Attacked:
    """The same attack with what its whole curve shows, if that is more; what decides rests on counts alone."""
    better = curve.epsilon(found.delta)
    if better <= found.epsilon_lower:
        return replace(found, mu=curve.mu)
    return replace(
        found, epsilon_lower=better, ceiling=max(found.ceiling, curve.ceiling(found.delta)), mu=curve.mu,
        attack=f"{found.attack}, as a trade-off curve",
        true_positive_rate=curve.true_positive_rate, false_positive_rate=curve.false_positive_rate,
    )  # fmt: skip


def play(game: Game, trials: int, rng: np.random.Generator, progress: Progress | None = None) -> tuple[Array, Array]:
    """Play a game many times in either world.

    Parameters
    ----------
    game
        What to play.
    trials
        Runs of each world, from 1.
    rng
        All of the game's random numbers.
    progress
        Called with a share from 0 to 1 as the trials go on.

    Returns
    -------
    tuple of numpy.ndarray
        The statistics (trials,) of world 0 and of world 1.

    Examples
    --------
    >>> shift = Game("a shift by one", lambda world, trials, rng: rng.normal(world, 1.0, trials))
    >>> zero, one = play(shift, 1000, np.random.default_rng(0))
    >>> zero.shape, round(float(one.mean() - zero.mean()))
    ((1000,), 1)
    """
    batch = -(-trials // BATCHES)
    parts: tuple[list[Array], list[Array]] = ([], [])
    for done in range(0, trials, batch):
        for world in (0, 1):
            parts[world].append(game.play(world, min(batch, trials - done), rng))
        if progress:
            progress(min(1.0, (done + batch) / trials))
    return np.concatenate(parts[0]), np.concatenate(parts[1])


def climb(worlds: tuple[Array, Array], delta: float = 0.0, start: int = 128) -> tuple[Rung, ...]:
    """The bound after start, 2·start, 4·start, … trials: all of them together hold with 95 % confidence."""
    return tuple(looks(worlds, delta, start=start))


def _terms(ledger: Ledger, view: View, unit: Unit | None, relation: Relation | None) -> tuple[Unit, Relation]:
    """The terms asked for; else the claim's; else the first that the ledger states."""
    stated = supported(ledger, view)
    claim = ledger.claimed
    if claim and (claim.unit, claim.relation) not in stated:
        claim = None
    wanted = [
        terms for terms in ([(claim.unit, claim.relation)] if claim else []) + stated
        if unit in (None, terms[0]) and relation in (None, terms[1])
    ]  # fmt: skip
    if not wanted:
        asked = "/".join(word for word in (unit, relation) if word)
        raise UserError(f"{asked} is not stated here; choose from {', '.join('/'.join(terms) for terms in stated)}")
    return wanted[0]
