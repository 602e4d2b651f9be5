"""Other worlds of a run than those of its scenes: a crowd, a catalogue, other terms, all rounds, real data.

Each gives what it found, and says in words where it looked; what there is no time for is not in these words.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from recprivlib.accounting import guarantee, supported
from recprivlib.auditing.draws import turned
from recprivlib.auditing.hidden import shown_all_the_same
from recprivlib.auditing.leaves import identity, same
from recprivlib.auditing.many_times import departing, kinds
from recprivlib.auditing.memory import remembered
from recprivlib.auditing.neighbours import ITEMS, PEOPLE, Stage
from recprivlib.auditing.pace import CROWD, ROUNDS, calmed, left_out, settable, shortened, unhurried
from recprivlib.auditing.played_scenes import FAILS, REFUSES, Act, Books, examined, once
from recprivlib.auditing.real_run import one_less, real_scenes
from recprivlib.auditing.replay import moved, play
from recprivlib.auditing.scenes import Scene
from recprivlib.data.synthetic import BLOCK
from recprivlib.mechanisms.gate import Torn
from recprivlib.parameters import UserError, parameters
from recprivlib.protocols import Federated, Interactions, Iterative, Sizes

CHUNKS = 600  # people, where they are not in blocks
LUCK, PATIENCE = 64, 1.0  # runs of other random numbers, and seconds for them
LONG = 1200  # items that somebody met all of


def left_behind(short: Any, act: Act) -> list[str] | None:
    """What one run leaves to the next, among as few people as there may be."""
    few = Stage(act.unit, act.relation, people=max(PEOPLE, getattr(short, "cohort", 0)))
    return remembered(short, few.world(), few.far(), act.view, act.seed)


def kept_hidden(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """Who was drawn, and what the ledger hides, has no say in what is seen."""
    base = stage.first.base
    try:
        found = shown_all_the_same(short, short.ledger(base.sizes), base, act.seed)
    except Exception as failed:
        return Books([f"{FAILS} ({type(failed).__name__}: {failed})"], [])
    return Books(found or [], [], said="" if found is None else "another draw or answer where nobody sees it")


def asked_often(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """Each mechanism by itself, at what this run hands it."""
    try:
        asked = kinds(play(short, stage.first.base, act.seed, act.view).calls)
        found = [note for call in asked for note in departing(call)]
    except Exception as failed:
        return Books([f"{FAILS} ({type(failed).__name__}: {failed})"], [])
    return Books(found, [], said="each mechanism by itself, many times" if asked else "")


def by_luck(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """Runs of other random numbers, and so other answers: what may not move does not, whatever is drawn."""
    base, far, turns = stage.first.base, stage.far(), 0
    act = replace(act, until=time.process_time() + PATIENCE)
    for seed in range(act.seed + 1, act.seed + 1 + LUCK):
        if act.late:
            break
        try:
            live = play(short, base, seed, act.view)
        except Exception:  # noise may end a training early: of that other scenes speak
            continue
        turns += 1
        try:
            there = play(short, far, seed, act.view, live.calls)
        except Torn as torn:
            return Books([str(torn)], [])
        except Exception as failed:
            return Books([f"{FAILS} ({type(failed).__name__}: {failed})"], [])
        if found := [*live.strange, *moved(live, there, None, base.n_users)]:
            return Books(found, [])
    return Books([], [], said=f"{turns} with other random numbers" if turns else "")


def in_a_crowd(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
    """More people than one block or one chunk of phones has: they share nothing, and nothing goes around."""
    many = BLOCK + PEOPLE if isinstance(short, Federated) else max(CHUNKS + PEOPLE, min(sizes.users, CROWD))
    if stage.people >= many:
        return Books([], [])
    crowd = replace(stage, people=many, items=max(ITEMS, min(stage.items, 3 * ITEMS)), even=False)
    return _unless_refused(short, [crowd.first], act, f"{many:,} people")


def catalogue(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
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


def other_ways(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
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
    return [note if note.startswith("model ") else f"{note} (as it is streamed)" for note in once(notes)]


def other_terms(short: Any, stage: Stage, sizes: Sizes, act: Act) -> Books:
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


def to_the_end(system: Any, stage: Stage, act: Act, seconds: float) -> Books:
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
