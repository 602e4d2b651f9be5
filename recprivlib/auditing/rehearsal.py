"""The worlds of a run, played one after another under one tape: what was found, and how far the check reached.

    made up     every scene of scenes.py, all rounds of the run if there is time      ──┐
    a crowd     more people than a block of phones has                                  ├──> Books: found, reached, in
    a catalogue as large as the public sizes say                                        │    which worlds
    elsewhere   streamed models, a population that is drawn, one person less            │
    to the end  all rounds once, with the smallest cohort and network                   │
    other terms that the ledger states                                                  │
    real        the data set one names (real_run.py)                                  ──┘

Budgets are seconds of the processor. What there was no time for is not in the words that say what was looked at.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from recprivlib.accounting import guarantee, supported
from recprivlib.accounting.guarantee import told_apart
from recprivlib.auditing.conformance import LedgerCheck, apart_in_one_partition, lines, unknown
from recprivlib.auditing.draws import cohorts, randomness, turned
from recprivlib.auditing.hidden import shown_all_the_same
from recprivlib.auditing.leaves import identity, same
from recprivlib.auditing.memory import remembered
from recprivlib.auditing.neighbours import ITEMS, PEOPLE, Stage
from recprivlib.auditing.pace import CROWD, ROUNDS, calmed, left_out, settable, shortened, staged, unhurried
from recprivlib.auditing.real_run import one_less, real_scenes
from recprivlib.auditing.replay import MOVES, Played, Probe, moved, play
from recprivlib.auditing.scenes import Scene
from recprivlib.auditing.verdicts import ENOUGH, Checked
from recprivlib.data.synthetic import BLOCK
from recprivlib.mechanisms.gate import Torn
from recprivlib.parameters import UserError, parameters
from recprivlib.protocols import Federated, Interactions, Iterative, Ledger, Relation, Sizes, Unit, View

BRIEF, WHOLE = 0.1, 4.0  # seconds of work: beside a reader's slider, and for an audit
SHARES = {"made up": 0.5, "to the end": 2.5, "real": 2.0}  # of the budget that all rounds may take
CHUNKS = 600  # people, where they are not in blocks
LONG = 1200  # items that somebody met all of
REFUSES, FAILS = "whether training works at all depends on the data", "in some worlds a run fails"
ASKED = 12  # people whose lists are looked at in a large world


@dataclass(frozen=True)
class Books:
    """What does not agree with the ledger; the most that a change moved, line by line; and where it moved most."""

    found: list[str]
    lines: list[LedgerCheck]
    place: int = 0  # the pair of the stage
    runs: int = 0
    said: str = ""  # in which worlds

    def __add__(self, other: Books) -> Books:
        said = "; ".join(part for part in (self.said, other.said) if part)
        return Books(_once(self.found + other.found), farthest([*self.lines, *other.lines]), self.place,
                     self.runs + other.runs, said)  # fmt: skip


@dataclass(frozen=True)
class Rehearsed:
    """A run, replayed and booked: nothing of it hangs on luck."""

    system: Any  # shortened, for an attack
    stage: Stage
    ledger: Ledger
    leaks: list[str]  # other ways by which data get out
    books: Books
    worlds: tuple[Interactions, Interactions]  # the neighbours that are attacked
    brief: bool = False  # no more was played than a reader waits for

    @property
    def found(self) -> list[str]:
        return _once(self.leaks + self.books.found)

    @property
    def checked(self) -> Checked:
        """What was looked at of the code, and how far that reached."""
        reach = {check.what: check.reach for check in self.books.lines}
        never = {check.what: check.why_never for check in self.books.lines if check.why_never}
        return Checked(self.books.runs, self.books.said, tuple(self.found), reach, never)


def _once(notes: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(notes))


def farthest(checks: Iterable[LedgerCheck]) -> list[LedgerCheck]:
    """Of each line of the ledger the check that reached most."""
    most: dict[str, LedgerCheck] = {}
    for check in checks:
        most[check.what] = max(most.get(check.what, check), check, key=lambda one: one.reach)
    return list(most.values())


def reached(checks: Sequence[LedgerCheck]) -> bool:
    """Whether every line that can be was moved far enough."""
    return min((check.reach for check in farthest(checks)), default=1.0) >= ENOUGH


# ------------------------------------------------------------------------------------------------ the whole of it


@dataclass(frozen=True)
class Act:
    """What is played, at which terms, and until when."""

    unit: Unit
    relation: Relation
    view: View
    seed: int
    until: float
    brief: bool = False  # no more than is needed to reach enough

    @property
    def late(self) -> bool:
        return time.process_time() > self.until


def rehearse(
    system: Any, sizes: Sizes, unit: Unit, relation: Relation, view: View, seed: int,
    data: Interactions | None = None, budget: float = BRIEF,
) -> Rehearsed:  # fmt: skip
    """Play a run in all worlds that there is time for, and on `data`.

    `budget`: seconds of the processor; the real run on `data` has twice as many of its own.
    """
    brief = budget <= BRIEF
    short = shortened(system)
    kept = sharing_the_public(short.ledger(sizes), unit, relation)
    act = Act(*kept, view, seed, time.process_time() + (3 * budget if brief else budget), brief)
    memory = None if brief else _memory(short, act)  # before anything else of it has run here
    attacked = stage = staged(short, sizes, unit, relation, view)
    if kept != (unit, relation):
        stage = replace(stage, unit=kept[0], relation=kept[1])
    first = stage.first
    whole = short if brief else unhurried(system, short, first.base, view, seed, SHARES["made up"] * budget)
    books = _in_scenes(whole, short, stage, act, whole == calmed(system))
    made = (
        f"{books.runs} runs in made-up worlds of {stage.people} people × {stage.items} items{left_out(system, whole)}"
        f"{'' if stage is attacked else ', all with who rated what as it is'}"
    )
    books = replace(books, found=_once([*(memory or []), *books.found]), said=made)
    for beside in (_hidden, _other_terms, _elsewhere, _in_a_crowd, _catalogue):
        if not brief and (beside is _hidden or not act.late):
            books += beside(short, stage, sizes, act)
    if whole != calmed(system) and not brief:
        books += _to_the_end(system, stage, act, SHARES["to the end"] * budget)
    if data is not None:
        books += really(system, short, data, act, SHARES["real"] * budget)
    if memory is None:
        books = replace(books, said=f"{books.said}; not what one run leaves to the next")
    leaks = [note for note in books.found if MOVES in note or note in (memory or ())]
    if stage is not attacked:
        books = replace(books, place=0)
    pair = attacked.world(item=books.place), attacked.world(True, books.place)
    return Rehearsed(short, attacked, short.ledger(first.base.sizes), leaks, books, pair, brief)


def sharing_the_public(ledger: Ledger, unit: Unit, relation: Relation) -> tuple[Unit, Relation]:
    """The neighbours of these terms that share what everybody is taken to know.

    Whoever differs in that is told apart whatever a run does, and the bill says so: it is infinite. So nothing is
    promised of such neighbours, and no run can break it. What is left to check is all that remains secret: the values.
    """
    if told_apart(ledger, relation):
        return ("user" if unit == "user" else "rating"), "replace-value"
    return unit, relation


def _in_scenes(whole: Any, short: Any, stage: Stage, act: Act, all_of_it: bool) -> Books:
    """Every scene; where there is no time for all rounds, only the first has as many as there is time for."""
    scenes = stage.scenes()
    ledger = whole.ledger(stage.first.base.sizes)
    if all_of_it or act.brief or whole == short:
        return examined(whole, ledger, scenes, act)
    first = examined(whole, ledger, islice(scenes, 1), act)
    pairs = sum(near for _, _, near in stage.first.others)
    rest = examined(short, short.ledger(stage.first.base.sizes), scenes, act)
    farther = sum(check.reach for check in rest.lines) > sum(check.reach for check in first.lines)
    return replace(first + rest, place=pairs + rest.place if farther else first.place)


def examined(system: Any, ledger: Ledger, scenes: Iterable[Scene], act: Act, told: bool = True) -> Books:
    """Every scene under one tape: what may not move does not, and what may moves no farther than the ledger states.

    `told`: with the ledger. Without it only what must be equal is looked at.
    """
    found: list[str] = []
    checks: list[LedgerCheck] = []
    runs, pair, best = 0, 0, (-1.0, 0)
    live: tuple[Interactions, Played] | None = None
    for scene in scenes:
        near = sum(is_near for _, _, is_near in scene.others)
        if runs and (act.late or (act.brief and reached(checks))):
            break
        try:
            if live is None or live[0] is not scene.base:
                live = scene.base, play(system, scene.base, act.seed, act.view)
                runs += 1
                found += [*live[1].strange, *(unknown(ledger, live[1].calls) if told else ())]
                found += [*randomness(live[1].calls), *cohorts(live[1].calls)]
            one = one_tape(system, ledger, scene, live[1], act, told)
        except UserError as refused:
            if runs == 0 or not told:
                raise
            found.append(f"{REFUSES} ({refused})")
            pair += near
            continue
        except Exception as failed:
            found.append(f"{FAILS} ({type(failed).__name__}: {failed})")
            pair += near
            continue
        runs += one.runs
        found += one.found
        checks += one.lines
        if (score := sum(check.reach for check in one.lines)) > best[0]:
            best = score, pair + one.place
        pair += near
    return Books(_once(found), farthest(checks), best[1], runs)


def one_tape(system: Any, ledger: Ledger, scene: Scene, live: Played, act: Act, told: bool) -> Books:
    """One base and its others, with the answers of its own run; she is in every cohort."""
    found: list[str] = []
    checks: list[LedgerCheck] = []
    people, runs, best = scene.base.n_users, 0, (-1.0, 0)
    probe = Probe.of(scene.base, scene.who, people if people <= PEOPLE else ASKED)
    tape = [turned(call, people, True, scene.who) for call in live.calls]

    def again(world: Interactions) -> Played | str:
        try:
            return play(system, world, act.seed, act.view, tape, probe)
        except Torn as torn:
            return str(torn)
        except UserError as refused:
            return f"{REFUSES} ({refused})"
        except Exception as failed:  # a run that breaks in some worlds tells that it did
            return f"{FAILS} ({type(failed).__name__}: {failed})"

    here, near_ones = again(scene.base), 0
    if isinstance(here, str):
        return Books([here], [], 0, 1)
    for _, world, near in scene.others:
        if runs and act.late:
            break
        runs += 1
        near_ones += near
        there = again(world)
        if isinstance(there, str):
            found.append(there)
            continue
        found += [*there.strange, *moved(here, there, scene.who if near else None, people)]
        if not (near and told):
            continue
        try:
            now = lines(ledger, act.unit, act.relation, here.calls, there.calls)
        except (ValueError, TypeError) as failed:
            found.append(f"the form of what is released depends on the data ({failed})")
            continue
        found += [
            *apart_in_one_partition(ledger, now, act.unit, act.relation),
            *(check.excess for check in now if not check.kept),
        ]
        checks += now
        if (score := sum(check.reach for check in now)) > best[0]:
            best = score, near_ones - 1
    return Books(_once(found), farthest(checks), best[1], runs + 1)


# --------------------------------------------------------------------------------------------------- other worlds


def _memory(short: Any, act: Act) -> list[str] | None:
    """What one run leaves to the next, among as few people as there may be."""
    few = Stage(act.unit, act.relation, people=max(PEOPLE, getattr(short, "cohort", 0)))
    return remembered(short, few.world(), few.far(), act.view, act.seed)


def _hidden(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """Who was drawn, and what the ledger hides, has no say in what is seen."""
    base = stage.first.base
    try:
        found = shown_all_the_same(short, short.ledger(base.sizes), base, act.seed)
    except Exception as failed:
        return Books([f"{FAILS} ({type(failed).__name__}: {failed})"], [])
    return Books(found or [], [], said="" if found is None else "another draw or answer where nobody sees it")


def _in_a_crowd(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """More people than one block or one chunk of phones has: they share nothing, and nothing goes around."""
    many = BLOCK + PEOPLE if isinstance(short, Federated) else max(CHUNKS + PEOPLE, min(sizes.users, CROWD))
    if stage.people >= many:
        return Books([], [])
    crowd = replace(stage, people=many, items=max(ITEMS, min(stage.items, 3 * ITEMS)))
    return _unless_refused(short, [crowd.first], act, f"{many:,} people")


def _catalogue(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """People whose histories are longer than those that anybody thought of."""
    items = min(LONG, sizes.items)
    if items <= stage.items:
        return Books([], [])
    people = min(stage.people, max(2 * PEOPLE, 2 * getattr(short, "cohort", 0)))
    few = people < stage.people  # of whom the ledger does not speak
    scene = replace(stage, items=items, people=people).first
    return _unless_refused(short, [scene], act, f"{items:,} items", told=not few)


def _unless_refused(system: Any, scenes: Sequence[Scene], act: Act, said: str, told: bool = True) -> Books:
    """What is refused whatever the data is public: so many people, so many items."""
    try:
        books = examined(system, system.ledger(scenes[0].base.sizes), scenes, act, told)
    except UserError as refused:
        works = [world for _, world, _ in scenes[0].others if _works(system, world, act)]
        return Books([f"{REFUSES} ({refused})"] if works else [], [])
    return replace(books, said=f"{books.runs} with {said}")


def _works(system: Any, data: Interactions, act: Act) -> bool:
    try:
        play(system, data, act.seed, act.view)
    except UserError:
        return False
    return True


def _elsewhere(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """Ways through the code that the run itself does not take."""
    base, far = stage.world(), stage.far()
    found, said = [], []
    try:
        if isinstance(short, Iterative):
            found += _streamed(short, stage.first, act)
            said.append("streamed models")
        if "population" in settable(short):
            scene = Scene("drawn from the real ones", base, (("everything else", far, False),))
            drawn = replace(short, population=2)
            found += examined(drawn, drawn.ledger(base.sizes), [scene], act, told=False).found
            said.append("a population that is drawn")
        if (act.unit, act.relation) == ("user", "add-remove") and not short.ledger(base.sizes).counts_public:
            tape = play(short, base, act.seed, act.view).calls
            here, there = (play(short, one, act.seed, act.view, tape) for one in (base, one_less(base)))
            found += [f"{name} tells how many people there are" for name, value in here.held.items()
                      if not same(value, there.held.get(name))]  # fmt: skip
            said.append("one person less")
    except Torn as torn:
        found.append(str(torn))
    except UserError as refused:
        found.append(f"{REFUSES} ({refused})")
    except Exception as failed:
        found.append(f"{FAILS} ({type(failed).__name__}: {failed})")
    return Books(found, [], said=", ".join(said))


def _streamed(short: Any, scene: Scene, act: Act) -> list[str]:
    """Every model on the way, in every world of a scene."""
    tape = play(short, scene.base, act.seed, act.view, streamed=True).calls
    fitted = play(short, scene.base, act.seed, act.view).calls
    if [identity(call.mechanism) for call in tape] != [identity(call.mechanism) for call in fitted]:
        return [f"{len(tape):,} answers leave where models are streamed, and {len(fitted):,} where they are not"]
    tape = [turned(call, scene.base.n_users, True, scene.who) for call in tape]
    worlds = [scene.base, *(world for _, world, _ in scene.others)]
    here, *rest = (play(short, one, act.seed, act.view, tape, streamed=True) for one in worlds)
    notes = [note for there in rest for note in moved(here, there, None, scene.base.n_users)]
    return [note if note.startswith("model ") else f"{note} (as it is streamed)" for note in _once(notes)]


def _other_terms(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """What the ledger states at other terms: no neighbours of those move more, either."""
    found, said = [], []
    ledger = short.ledger(stage.world().sizes)
    for unit, relation in supported(ledger, act.view):
        bill = guarantee(ledger, unit, relation, 1e-6, act.view).epsilon
        if (unit, relation) == (act.unit, act.relation) or act.late or math.isinf(bill):
            continue
        other = replace(stage, unit=unit, relation=relation)
        books = examined(short, ledger, islice(other.scenes(), 2), replace(act, unit=unit, relation=relation))
        found += [f"{note} (at {unit}/{relation})" for note in books.found]
        said.append(f"{unit}/{relation}")
    return Books(found, [], said=f"some at {', '.join(said)}" if said else "")


def _to_the_end(system: Any, stage: Stage, act: Act, seconds: float) -> Books:
    """All rounds once, with a cohort and a network as small as can be, among few people."""
    longer, few = calmed(system), replace(stage, people=PEOPLE)
    if "cohort" in settable(longer):
        longer = replace(longer, cohort=min(longer.cohort, 2))
    if choices := getattr(parameters(longer).get("size"), "choices", None):
        longer = replace(longer, size=choices[0])
    scene, short = few.first, shortened(longer)
    act = replace(act, until=time.process_time() + 2 * seconds)
    while longer != short:
        try:
            now = unhurried(longer, short, scene.base, act.view, act.seed, seconds, plays=2 + len(scene.others))
            books = examined(now, now.ledger(scene.base.sizes), [scene], act)
        except UserError:  # so few people, and so much noise, that training ends early
            names = [name for name in settable(longer) if name in ROUNDS]
            longer = replace(longer, **{n: max(getattr(short, n), getattr(longer, n) // 2) for n in names})
            continue
        return replace(books, said=f"{books.runs} among {PEOPLE} people{left_out(system, now) or ' to the last round'}")
    return Books([], [])


def really(system: Any, short: Any, data: Interactions, act: Act, seconds: float) -> Books:
    """The real run on real data, beside runs on data in which one person said something else."""
    act = replace(act, until=time.process_time() + seconds)
    try:
        whole = unhurried(system, short, data, act.view, act.seed, seconds, plays=6)
        act = replace(act, until=time.process_time() + seconds)
        books = examined(whole, whole.ledger(data.sizes), real_scenes(data, act.unit, act.relation), act)
    except UserError as refused:
        return Books([f"the run refuses these data ({refused})"], [], 0, 1, "the real run refuses its data")
    return replace(books, said=f"{books.runs} on the data set itself{left_out(system, whole)}")
