"""What a reader of chapter privrec waits for: a round of thirty phones, a whole training, lists for new people, a move.

The peer is the same round as a plain loop over phones in PyTorch: one network, one optimiser, one phone after another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from recprivlib.bench import Setup, Timing
from recprivlib.bench._shared import interactions
from recprivlib.bench.start import peak
from recprivlib.dashboard.folds import dataset
from recprivlib.evaluation import UserSplit, split
from recprivlib.papers.privrec.meta import reptile
from recprivlib.papers.privrec.phones import Practice
from recprivlib.papers.privrec.screen import pulls
from recprivlib.papers.privrec.system import DPPrivRec, PrivRec
from recprivlib.papers.privrec.training import SIZES, Start
from recprivlib.protocols import last

PRACTICE = Practice(5, 0.3, 0.01)


def cells() -> list[Timing]:
    what = "a round, 30 phones × 5 epochs, 3 857 weights"
    return [
        Timing(f"{what}, ML-100K", 0.060, one_round("ml-100k"), {"PyTorch, phone by phone": torch_round}),
        Timing(f"{what}, ML-1M", None, one_round("ml-1m")),
        Timing("privrec, 300 rounds, ML-1M", 60, trained),
        Timing("lists for every test person, all films, ML-1M", 2, listed),
        Timing("dashboard privrec: the bill panel at a new z", 0.150, billed),
        Timing("dashboard privrec: the path of S, 5 000 rounds", 0.100, walked),
        Timing("recpriv run privrec --data ml-1m, most memory", 800,
             peak("run", "privrec", "--data", "ml-1m", "--set", "rounds=20"), unit="MB"),
    ]  # fmt: skip


def fold(data: str) -> UserSplit:
    found = split(interactions(data), "user-split", 0)[0]
    assert isinstance(found, UserSplit)
    return found


def begun(data: str) -> Start:
    return Start.of(PrivRec(), fold(data).train, np.random.default_rng(0))


def one_round(data: str) -> Setup:
    def setup() -> Callable[[], Any]:
        start, rng = begun(data), np.random.default_rng(1)

        def run() -> Any:
            members = np.sort(rng.choice(len(start.phones), 30, replace=False))
            return reptile(start.network, start.theta, start.phones, members, PRACTICE)

        return run

    return setup


def trained() -> Callable[[], Any]:
    known = fold("ml-1m")
    return lambda: PrivRec(local_epochs=5).fit(known.train, np.random.default_rng(0))


def listed() -> Callable[[], Any]:
    known = fold("ml-1m")
    model = PrivRec(rounds=1).fit(known.train, np.random.default_rng(0)).fold_in(known.histories)
    everybody, films = np.arange(known.histories.n_users)[:, None], np.arange(known.train.n_items)[None, :]
    return lambda: model.score(everybody, films)


def billed() -> Callable[[], Any]:
    moves = count()

    def move() -> Any:
        system = replace(DPPrivRec(), noise_multiplier=1 + 0.001 * (next(moves) + 1))
        slices = [pulls.bills(system, 4800, delta, (1000,)) for delta in pulls.DELTAS]
        return pulls.bills(system, 4800, 1e-5, pulls.ROUNDS), slices

    return move


def walked() -> Callable[[], Any]:
    heard, moves = last(pulls.recorded(dataset("ml-100k"), "large", 0)), count()
    return lambda: pulls.path(replace(DPPrivRec(), rounds=5000, clip_init=0.1 + next(moves)), heard, 0)


def torch_round() -> Callable[[], Any]:
    """Embeddings, four layers, binary cross-entropy on every met film and four drawn ones, SGD; a phone at a time."""
    import torch  # type: ignore[import-not-found]

    torch.set_num_threads(1)
    known, (length, hidden) = fold("ml-100k").train, SIZES["large"]
    start, rng = begun("ml-100k"), np.random.default_rng(1)
    words, starts = start.network.words, np.searchsorted(known.users, np.arange(known.n_users + 1))
    kinds = torch.tensor(np.asarray(words.kinds)[words.kind_of])

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.people = torch.nn.ModuleList(torch.nn.Embedding(n, length) for n in words.fields)
            self.items = torch.nn.Linear(words.features, length, bias=False)
            widths = [(len(words.fields) + 1) * length, *hidden]
            layers = [
                part for a, b in zip(widths, hidden, strict=False) for part in (torch.nn.Linear(a, b), torch.nn.ReLU())
            ]
            self.layers = torch.nn.Sequential(*layers, torch.nn.Linear(hidden[-1], 1))

        def forward(self, person: Any, items: Any) -> Any:
            own = torch.cat([table(person[at]) for at, table in enumerate(self.people)])
            return self.layers(torch.cat([own.expand(len(items), -1), self.items(items)], dim=1)).squeeze(1)

    net = Net()
    theta = {name: value.clone() for name, value in net.state_dict().items()}

    def phone(user: int) -> Any:
        met = known.items[starts[user] : starts[user + 1]]
        rows = np.concatenate([met, rng.integers(0, known.n_items, 4 * len(met))])
        labels = torch.zeros(len(rows))
        labels[: len(met)] = 1
        net.load_state_dict(theta)
        step, person = (
            torch.optim.SGD(net.parameters(), lr=0.3),
            torch.tensor(start.phones.people[user], dtype=torch.long),
        )
        for _ in range(PRACTICE.epochs):
            step.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(net(person, kinds[rows]), labels).backward()
            step.step()
        return [net.state_dict()[name] - theta[name] for name in theta]

    return lambda: [phone(user) for user in rng.choice(known.n_users, 30, replace=False)]
