"""Python that prints the numbers of a screen, from the library's own parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recprivlib.dashboard.contract import Values

Systems = Sequence[tuple[str, Mapping[str, Any]]]


def trained(values: Values, protocol: str, systems: Systems, shown: str, after: str = "", *, ks: str = "") -> str:
    """Trains and evaluates `systems` on the fold of a screen; `shown` is what an f-string says of their `metrics`."""
    data, seed = values["data"], values["seed"]
    listed = ", ".join(f'("{name}", {dict(settings)!r})' for name, settings in systems)
    return f'''from recprivlib.data import load
from recprivlib.evaluation import evaluate, split
from recprivlib.parameters import configured
from recprivlib.registry import get
from recprivlib.training import trained

data = load("{data}")
fold = split(data.interactions, "{protocol}", seed={seed})[0]
for name, settings in ({listed}):
    model = trained(configured(get(name).system, dict(settings)), fold.train, {seed})
    metrics = evaluate(model, fold{ks}).metrics
    print(f"{{name}}: {shown}")
{after}'''
