"""The figure of the first page: a phone, what leaves it, and what a server makes of 943 such phones.

`measure` reads what the systems found (committed tables) and attacks one phone's answers now; `html` prints the figure
at ε = 1, and the page's script moves it. What no system has measured is left out and named, never guessed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from recprivlib.auditing import audit
from recprivlib.evaluation import Difference
from recprivlib.parameters import configured, values
from recprivlib.plots.numerals import apart, best_guess, bounded, certified, count, percent, setting
from recprivlib.protocols import Sizes
from recprivlib.registry import get
from recprivlib.tables import results, rows_of

STEPS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
START = 1.0
RESULTS, DATA, PROTOCOL = "dplcf", "ml-100k", "loo-latest"
K = 10
TRIES = 100_000
TILES, LIT = 40, (1, 4, 9, 12, 14, 18, 20, 21)  # a phone shows 24 tiles
# Fixed and evenly spread, so that the tiles flip one by one and as many lie as should.
UNIFORMS = tuple(((np.random.default_rng(1).permutation(TILES) + 0.5) / TILES).tolist())
SERVERS = {"printed": "dplcf-sp", "better": "dplcf-spectral"}
BOUND = "lcf-ub"
CHAPTER = "dplcf"
NARROW = "\u00a0"
FULL_BAR = 0.8  # the hit rate that fills a bar
COMMON = (("random", "random"), ("popularity", "what is popular"))


def measure(steps: tuple[float, ...] = STEPS, tries: int = TRIES) -> dict[str, Any]:
    """All numbers of the figure. A server that nobody has run yet has no number."""
    table = results(RESULTS)

    def found(name: str, **settings: float) -> Any:
        """What one system found at these settings, over ten seeds; None: it was not run."""
        every = values(configured(get(name).system, settings))
        rows = rows_of(table, {"system": name, "data": DATA, "protocol": PROTOCOL, "metric": f"hr@{K}", **every})
        return next(rows.itertuples(), None)

    popular, bound = found("popularity"), found(BOUND)
    known = {"random": K / 100, "popularity": _short(popular.value)}
    if bound:
        known["bound"] = _short(bound.value)
    people, films = int(popular.users), int(popular.items)
    states = []
    for at in steps:
        rows = {role: found(name, epsilon=at) for role, name in SERVERS.items()}
        servers = {role: _server(row) for role, row in rows.items() if row}
        bill = _bill(SERVERS["printed"], at, Sizes(people, films), tries) if "printed" in servers else {}
        states.append({"epsilon": at, "right": best_guess(at), "servers": servers, **bill})
    return {
        "people": people, "films": films, "data": DATA, "known": known, "tries": tries,
        "start": min(range(len(steps)), key=lambda index: abs(steps[index] - START)), "full": FULL_BAR,
        "uniforms": UNIFORMS, "states": [state | _words(state, people, known) for state in states],
    }  # fmt: skip


def _server(row: Any) -> dict[str, Any]:
    """A server's hit rate, its interval, and what may be said of it beside the popular list."""
    versus = Difference(row.difference, row.difference_low, row.difference_high)
    return {"rate": _short(row.value), "low": _short(row.low), "high": _short(row.high), "verb": versus.verb}


def _bill(name: str, at: float, sizes: Sizes, tries: int) -> dict[str, Any]:
    """Claimed, counted, attacked at the claim's own terms: one interaction, added or removed."""
    done = audit(configured(get(name).system, {"epsilon": at}), name=name, sizes=sizes, trials=tries)
    claimed = done.claimed.epsilon if done.claimed else None
    numbers = {"claimed": claimed, "counted": done.counted.epsilon, "attacked": done.attacked.epsilon_lower}
    return {key: _short(value) for key, value in numbers.items() if value is not None and math.isfinite(value)}


def _words(state: Mapping[str, Any], people: int, known: Mapping[str, float]) -> dict[str, Any]:
    """What the figure says at one ε: what an answer gives away, what a server makes of it, and the three numbers."""
    guess = (f"From your phone's answer alone, a coin-flip guess about one film becomes right "
             f"{percent(state['right'])} of the time.")  # fmt: skip
    said = {}
    for role in SERVERS:
        server = state["servers"].get(role)
        said[role] = f"What a server makes of it: chapter {CHAPTER}."
        if server:
            who = "The better server's" if role == "better" else "This server's"
            own, popular = apart(server["rate"], known["popularity"], server["verb"], percent)
            said[role] = (f"{who} list, from {count(people)} such phones, finds {own} of next films and "
                          f"{server['verb']} the popular list, {popular}.")  # fmt: skip
    attacked = f"attacked ≥ {certified(state['attacked'])}" if "attacked" in state else "not attacked yet"
    pieces = [f"claimed {bounded(state['claimed'])}" if "claimed" in state else "",
              f"counted {bounded(state['counted'])}" if "counted" in state else "", attacked]  # fmt: skip
    three = " · ".join(piece.replace(" ", NARROW) for piece in pieces if piece)
    spoken = f"epsilon {setting(state['epsilon'])}, phone truthful {percent(state['right'])}"
    return {"guess": guess, "said": said, "three": three, "spoken": spoken}


def _short(value: float) -> float:
    return float(f"{value:.4g}")


# --------------------------------------------------------------------------------------------------- html


def html(figure: Mapping[str, Any]) -> str:
    """The figure as it stands at the start: complete without a script, and on paper."""
    state = figure["states"][figure["start"]]
    last = len(figure["states"]) - 1
    data = json.dumps(figure, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    about = "A phone, what leaves it, and what a server makes of it"
    return f"""<div class="full-width dash"><section class="ten" aria-label="{about}">
<div class="ten-inner">
<div class="ten-block"><h3 class="ten-name">Ada's phone</h3>
<p class="ten-note">{len(LIT)} films watched. Tap to make them yours.</p>
<div class="ten-tiles" role="group" aria-label="films watched">{_tiles("button", state["right"])}</div></div>
<div class="ten-block"><h3>What leaves it</h3>
<p class="ten-note">every answer may be a lie; <i class="ten-lie"></i> marks one</p>
<div class="ten-tiles ten-out" role="img" aria-label="reported films">{_tiles("i", state["right"])}</div></div>
<div class="ten-drag"><input type="range" autocomplete="off" min="0" max="{last}" value="{figure["start"]}"
 aria-label="epsilon" aria-valuetext="{escape(state["spoken"])}">
<span>more privacy</span><output>ε = {setting(state["epsilon"])}</output><span>less privacy</span></div>
<div class="ten-block ten-server"><h3>From {count(figure["people"])} phones, a list</h3>
<p class="ten-note">next films in its top {K} of 100, as printed</p>{_bars(figure, state)}
<button type="button" class="ten-better" aria-pressed="false">same reports, better server</button></div>
<p class="ten-say" aria-live="polite">{escape(state["guess"])} {escape(state["said"]["printed"])}</p>
<p class="ten-three"><strong>{escape(state["three"])}</strong>
 <span>A paper gives the first number. This book computes all three.</span></p>
</div><script type="application/json">{data}</script></section></div>"""


def _tiles(tag: str, right: float) -> str:
    """Watched films are filled; a report that is a lie is ringed."""
    tiles = []
    for at, uniform in enumerate(UNIFORMS):
        watched, lie = at in LIT, uniform >= right
        on = watched if tag == "button" else watched != lie
        ring = " lie" if lie and tag == "i" else ""
        look = f'class="{"on" if on else ""}{ring}"'
        if tag == "button":
            look += f' type="button" tabindex="{0 if at == 0 else -1}" aria-pressed="{str(watched).lower()}"'
            look += f' aria-label="film {at + 1}"'
        tiles.append(f"<{tag} {look}></{tag}>")
    return "".join(tiles)


def _bars(figure: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    rows = [(role, label, figure["known"].get(role)) for role, label in COMMON]
    server = state["servers"].get("printed")
    rows.append(("server", "this server", server["rate"] if server else None))
    rows.append(("bound", "no privacy", figure["known"].get("bound")))
    return '<dl class="ten-bars">' + "".join(_bar(*row) for row in rows) + "</dl>"


def _bar(role: str, label: str, rate: float | None) -> str:
    if rate is None:
        return f"<dt>{label}</dt><dd>chapter {CHAPTER}</dd>"
    bar = f'<b class="ten-{role}" style="width:{100 * rate / FULL_BAR:.1f}%"></b>'
    return f'<dt>{label}</dt><dd data-role="{role}">{bar}<span>{percent(rate)}</span></dd>'
