"""Bugs at the gate: what goes in, who answers, how often, with how much noise."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from recprivlib.auditing.mutation.grafts import Hook, Run, lying, planted
from recprivlib.auditing.mutation.operator import Operator, tried
from recprivlib.mechanisms import Cohort
from recprivlib.protocols import Clips, HasSensitivity

ROUNDS = 4


def truth(mechanism: Any, x: Any, release: Hook | None = None) -> Any:
    """The input in the form of an answer: what comes out if there is no noise."""
    if isinstance(x, tuple):
        return mechanism.sums(x)
    y = np.array((release or type(mechanism).release)(mechanism, x, np.random.default_rng(0)))
    if y.ndim > np.ndim(x):
        y[..., 0] = x
        return y
    outputs = np.asarray(getattr(mechanism, "outputs", ()))
    if y.dtype != np.asarray(x).dtype and outputs.ndim == 1 and len(outputs):
        likely = np.stack([mechanism.log_density(np.full(np.shape(x), one, y.dtype), x) for one in outputs])
        return outputs[likely.argmax(axis=0)].astype(y.dtype)
    return np.array(mechanism.clipped(x) if isinstance(mechanism, Clips) else x, y.dtype)


def costs(mechanism: Any, x: Any) -> bool:
    """Whether its noise hides anything: what is exact, or what nobody can price, is no place for a bug in noise."""
    return type(mechanism).__name__ not in ("Exact", "Sampled") and weaker(mechanism) is not mechanism


def scaled(mechanism: Any, x: Any) -> bool:
    """Whether its noise is made for numbers that move by at most a sensitivity."""
    return costs(mechanism, x) and isinstance(mechanism, Cohort | HasSensitivity)


def single(mechanism: Any, x: Any) -> bool:
    """The same, and its input is one array."""
    return scaled(mechanism, x) and not isinstance(x, tuple)


def bounded(mechanism: Any, x: Any) -> bool:
    """The same, and no two entries are farther apart than the sensitivity."""
    return (
        single(mechanism, x) and np.size(x) > 0 and float(np.ptp(np.asarray(x, float))) <= 1.001 * mechanism.sensitivity
    )


def joint(mechanism: Any, x: Any) -> bool:
    """Whether it sums over a cohort."""
    return isinstance(mechanism, Cohort)


def weaker(mechanism: Any) -> Any:
    """The same mechanism with half the noise, from some field of its own."""
    fields = {one.name for one in dataclasses.fields(mechanism)} if dataclasses.is_dataclass(mechanism) else set()
    for name, factor in (("epsilon", 2), ("epsilon1", 2), ("noise_multiplier", 0.5)):
        if name in fields and getattr(mechanism, name):
            return dataclasses.replace(mechanism, **{name: factor * getattr(mechanism, name)})
    if isinstance(mechanism, Cohort):
        return dataclasses.replace(mechanism, parts=tuple(map(weaker, mechanism.parts)))
    return mechanism


def at_gate(hook: Hook, fits: Callable[[Any, Any], bool] = costs, least: int = 1) -> Callable:
    """A system whose every question to a mechanism that `fits` goes through `hook`."""

    def build(system: Any) -> Any:
        if tried(system).answers(fits) < least:
            return None

        def answers(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
            return hook(run, ask, mechanism, x) if fits(mechanism, x) else ask()

        return planted(system, answers=answers)

    return build


def with_lie(lie: Callable[[Hook], Hook], fits: Callable[[Any, Any], bool] = costs) -> Callable:
    """A system whose mechanisms lie."""
    return lambda system: lying(system, lie) if tried(system).answers(fits) else None


def one_form(build: Callable[[Any], Any]) -> Callable:
    """For systems two of whose answers have one form: else none of them can stand for another."""

    def built(system: Any) -> Any:
        forms = [np.shape(call.x) for call in tried(system).calls if not isinstance(call.x, tuple) and not call.secret]
        return build(system) if len(set(forms)) < len(forms) else None

    return built


# ------------------------------------------------------------------------------------------- around the gate


def bare(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    return truth(mechanism, x)


def thrown_away(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    ask()
    return truth(mechanism, x)


def around(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    return mechanism.release(x, run.rng)


def one_in_fifty(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    return spots(ask(), truth(mechanism, x))


def spots(y: Any, real: Any) -> Any:
    """One answer in fifty without its noise."""
    if isinstance(y, tuple):
        return (spots(y[0], real[0]), *y[1:])
    y = np.array(y)
    if y.ndim:
        y[..., 7 % y.shape[-1] :: 50] = real[..., 7 % y.shape[-1] :: 50]
    return y


def near(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    """The answer, rounded; what rounding cut off is taken from the truth."""
    return np.round(ask()) + 1e-3 * truth(mechanism, x)


def after_the_fourth(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    return ask() if run.asked <= ROUNDS else truth(mechanism, x)


def cycled(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    """Noise of the first four answers, again and again."""
    real = truth(mechanism, x)
    place = f"noise {(run.asked - 1) % ROUNDS}"
    if run.asked <= ROUNDS or run.note[place].shape != real.shape:
        y = ask()
        run.note[place] = y - real
        return y
    return real + run.note[place]


# ----------------------------------------------------------------------------------------- how often, who


def twice(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    first, second = ask(), ask()
    return (first + second) / 2 if isinstance(first, np.ndarray) and first.dtype.kind == "f" else first


def twice_if_odd(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    y = ask()
    return ask() if sized(x) % 2 else y


def nothing_new(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    """Asked again only where the input has changed."""
    before = run.note.get("x")
    run.note["x"] = x
    if before is not None and not isinstance(x, tuple) and np.shape(before) == np.shape(x):
        change = np.linalg.norm(np.subtract(x, before, dtype=float))
        if change < 0.5 * np.linalg.norm(np.asarray(x, float)):
            return run.note["y"]
    run.note["y"] = ask()
    return run.note["y"]


def half_the_noise(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    return ask(weaker(mechanism), x)


def larger(factor: float) -> Hook:
    """What goes in, `factor` times as large; of what is clipped, the clip."""

    def hook(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
        if isinstance(mechanism, Cohort):
            parts = tuple(dataclasses.replace(part, clip=factor * part.clip,
                          noise_multiplier=part.noise_multiplier / factor) for part in mechanism.parts)  # fmt: skip
            return ask(dataclasses.replace(mechanism, parts=parts), x)
        return ask(mechanism, np.asarray(x) * np.asarray(x).dtype.type(factor)) / factor

    return hook


def sized(x: Any) -> int:
    """A whole number that any change of an input may change."""
    return zlib.crc32(b"".join(np.ascontiguousarray(part).tobytes() for part in (x if isinstance(x, tuple) else (x,))))


def _rescaled(mechanism: Any, factor: float) -> Any:
    """The same mechanism for what moves `factor` times as far: its price is the same."""
    if isinstance(mechanism, Cohort):
        return dataclasses.replace(mechanism, parts=tuple(
            dataclasses.replace(part, clip=factor * part.clip) for part in mechanism.parts))  # fmt: skip
    return dataclasses.replace(mechanism, sensitivity=factor * mechanism.sensitivity)


def scale_of_the_count(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    return ask(_rescaled(mechanism, 1.0 + sized(x) % 64 / 64), x)


def scale_of_the_range(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    """Local sensitivity: the range that occurs, never above what is stated."""
    reach = float(np.ptp(np.asarray(x, float))) if np.size(x) else 0.0
    return ask(_rescaled(mechanism, min(1.0, max(reach / mechanism.sensitivity, 1e-3))), x)


def clip_of_the_median(run: Run, ask: Hook, mechanism: Any, x: Any) -> Any:
    norms = np.linalg.norm(np.asarray(x[0], float).reshape(len(x[0]), -1), axis=1)
    first = mechanism.parts[0]
    parts = (dataclasses.replace(first, clip=float(np.clip(np.median(norms), 1e-6, 1e6)) if len(norms) else first.clip),
             *mechanism.parts[1:])  # fmt: skip
    return ask(dataclasses.replace(mechanism, parts=parts), x)


LESS, LEAK = "repeated runs vary less than the bill says", "the answers are the data"
OPERATORS = {
    "gate: bare": Operator("what leaves is the truth; nothing passes the gate", LEAK, at_gate(bare)),
    "gate: thrown away": Operator("noise is drawn at the gate and thrown away", LEAK, at_gate(thrown_away)),
    "gate: around": Operator("noise is added beside the gate", "the tape of the run is empty", at_gate(around)),
    "gate: one in fifty": Operator(
        "one answer in fifty is the truth", "these coordinates never vary", at_gate(one_in_fifty)),
    "gate: rounded truth": Operator(
        "answers are rounded, and the truth fills up the digits", "the last digits never vary", at_gate(near, single)),
    "gate: bare from the fifth": Operator(
        "from the fifth answer on there is no noise", "late rounds repeat exactly",
        at_gate(after_the_fourth, least=ROUNDS)),
    "gate: noise cycled": Operator(
        "from the fifth answer on the noise of the first four comes again", "differences of rounds have no noise",
        at_gate(cycled, single, ROUNDS)),
    "gate: twice": Operator("every question is answered twice, and the mean is used", LESS, at_gate(twice)),
    "gate: twice if odd": Operator(
        "whether a question is asked again hangs on the data", "the number of answers differs between data sets",
        at_gate(twice_if_odd)),
    "gate: early stop": Operator(
        "the last answer is used again where the input has changed little",
        "the number of answers differs between data sets", one_form(at_gate(nothing_new, least=2))),
    "gate: half the noise": Operator("the noise is half of what the ledger says", LESS, at_gate(half_the_noise)),
    "gate: x 1.9": Operator(
        "what goes in is 1.9 times as large as its sensitivity", LESS, at_gate(larger(1.9), scaled)),
    "gate: x 100": Operator(
        "what goes in is 100 times as large as its sensitivity", LESS, at_gate(larger(100.0), scaled)),
    "gate: scale of the data": Operator(
        "the scale of the noise hangs on the raw data", "how much answers vary tells of the data",
        at_gate(scale_of_the_count, scaled)),
    "gate: local sensitivity": Operator(
        "the noise is made for the range of values that occur", LESS, at_gate(scale_of_the_range, bounded)),
    "gate: raw clip": Operator(
        "the clipping bound is the median of the raw norms, and in the model's reach",
        "the noise's scale tells the median", at_gate(clip_of_the_median, joint)),
}  # fmt: skip
