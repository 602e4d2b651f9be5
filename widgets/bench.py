"""How fast the dashboards answer, measured where the reader is: in a browser, by the server and in the page itself.

    python -m widgets.bench [--stem dplcf] [--seconds 4] [--minutes 8]

A step: a control is moved to a value that nobody has asked for yet, until the main figure shows it and has been
painted. A slider goes to its stops, as a drag and the keys do; numbers that are typed have a line of their own. Where
more comes after the picture (the attack, the rest of a training), all of it has a line too. Server and page compute on
the same invented people. The page comes from `_build/site` by a plain host of files on this machine, so that loading is
the browser's and Python's own work and no network's.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from recprivlib.dashboard import Control, Explorer
from recprivlib.dashboard.catalogue import explorer, stems

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
MOST_SECONDS, MOST_MINUTES, MOST_STEPS = 30.0, 60.0, 15
LOOK = 1000  # ms that a reader looks at a result before the next control is taken
PATIENCE = 120.0  # seconds until a dashboard is there
SERVER = (
    "import sys; from widgets import server, kit; kit.warm(sys.argv[2]);"
    "server.serve('127.0.0.1', int(sys.argv[1]), lambda: print('ready', flush=True))"
)
# When the first picture stands, when the first that was computed now does, and when nothing more comes.
CLOCK = """(() => {
  const seen = (window.benchSeen = {});
  const looks = setInterval(() => {
    const now = performance.now(), { state, live } = document.querySelector("main")?.dataset || {};
    if (document.querySelector("main .canvas .main-svg")) seen.picture ??= now;
    if (live === "yes" || (seen.picture && !document.querySelector("#still"))) seen.live ??= now;
    if (seen.live && state === "ready") { seen.whole = now; clearInterval(looks); }
  }, 10);
})();"""
# Makes the moves one after the other for so long, and notes how many ms each took to be seen.
WALK = """({ control, figure, moves, back, seconds }) => {
  const all = (selector, root = document) => [...root.querySelectorAll("*")].flatMap((host) =>
    [...(host.matches(selector) ? [host] : []), ...(host.shadowRoot ? all(selector, host.shadowRoot) : [])]);
  const main = document.querySelector("main"), place = document.querySelector(control);
  const plot = document.querySelector(`[data-figure="${figure}"] .js-plotly-plot`);
  const walk = (window.walk = { times: [], wholes: [], long: 0, refused: [], missed: 0, done: false });
  const change = (input, set) => { set(input); input.dispatchEvent(new Event("change", { bubbles: true })); };
  const make = (move) => {
    const inputs = all("input, select", place);
    const box = inputs.find((one) => one.matches(".box"));
    if (move.box !== undefined) return change(box, () => { box.value = move.box; });
    if (inputs[0].matches("select")) return change(inputs[0], (list) => { list.value = move.at; });
    if (inputs[0].type === "checkbox") return inputs[0].click();
    inputs[move.at].click();
  };
  const end = performance.now() + 1000 * seconds, rest = (time) => new Promise((done) => setTimeout(done, time));
  const home = async () => { // what the next control finds is how the page was opened
    make(back);
    for (let waits = 0; waits < 200 && (waits < 10 || main.dataset.state !== "ready"); waits++) await rest(50);
  };
  (async () => {
    for (const move of moves) {
      const before = +main.dataset.shown, seen = plot.layout.meta.shown, began = performance.now();
      if (began > end) break;
      make(move);
      for (let picture = 0; ;) {
        await new Promise(requestAnimationFrame);
        const { shown, state } = main.dataset, taken = performance.now() - began;
        if (!picture && +shown > before && plot.layout.meta.shown !== seen) picture = taken;
        if (state === "ready" && picture) { walk.times.push(picture); walk.wholes.push(taken); break; }
        if (taken > 15000 && picture) { walk.times.push(picture); walk.long += 1; break; } // the next move ends it
        if (taken > 15000) { walk.missed += 1; break; }
        if (taken > 500 && state === "error") {
          walk.refused.push(document.querySelector(".card").innerText);
          await home();
          break;
        }
      }
      await rest(60);
    }
    await home();
    walk.done = true;
  })();
}"""


@contextmanager
def serving(stem: str) -> Iterator[tuple[str, psutil.Process]]:
    """A server of its own on a free port, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", SERVER, str(port), stem]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise RuntimeError("the server did not start; see above")
            yield f"http://127.0.0.1:{port}", psutil.Process(process.pid)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:  # a worker trains, and nobody can stop it
                process.kill()


# ------------------------------------------------------------------------------------------------- measuring


@dataclass
class Found:
    """One side of the table."""

    picture: float = 0.0  # seconds, as all of these
    cold: tuple[float, float] = (0.0, 0.0)  # the first visit: the first result, and all of it
    warm: tuple[float, float] = (0.0, 0.0)  # a later one
    bytes: tuple[int, int] = (0, 0)  # cold, warm
    steps: dict[str, list[float]] = field(default_factory=dict)  # control -> ms until the picture
    wholes: dict[str, list[float]] = field(default_factory=dict)  # control -> ms until nothing more comes
    long: int = 0  # steps that had a picture, and were not at their end after 15 s
    refused: list[str] = field(default_factory=list)  # what the cards said
    missed: int = 0
    errors: list[str] = field(default_factory=list)


def walks(control: Control, rng: np.random.Generator) -> dict[str, list[dict[str, Any]]]:
    """Values for one control that nobody has asked for: each choice or stop once, and of a slider other numbers too."""
    if control.kind not in ("number", "integer"):
        return {control.name: moves(control, rng)}
    stops = [stop for stop in control.steps if stop != control.default]
    kept = [stops[at] for at in rng.permutation(len(stops))[:MOST_STEPS]]
    typed = [move for move in moves(control, rng) if move["box"] not in kept]
    return {control.name: [{"box": stop} for stop in kept], f"{control.name}, typed": typed}


def moves(control: Control, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Other values for one control: drawn at random, or each choice once."""
    if control.kind in ("number", "integer"):
        low, high = (np.log(end) if control.log else end for end in (control.low, control.high))
        drawn = rng.uniform(low, high, MOST_STEPS)
        values = np.exp(drawn) if control.log else drawn
        if control.kind == "integer":
            return [{"box": int(value)} for value in dict.fromkeys(np.rint(values)) if value != control.default]
        return [{"box": float(f"{value:.3g}")} for value in values if low < value]
    count = 2 if control.kind == "switch" else len(control.choices)
    return [{"at": (start(control)["at"] + 1 + step) % count} for step in range(min(count - 1, MOST_STEPS))]


def start(control: Control) -> dict[str, Any]:
    """Where a control stands when the page is opened."""
    if control.kind in ("number", "integer"):
        return {"box": control.default}
    return {"at": [value for value, _ in control.choices].index(control.default) if control.choices else 0}


def measured(
    chromium: Any, address: str, which: Explorer, counted: Callable[[Any], Callable[[], int]], seconds: float
) -> Found:
    """One dashboard at this address, opened twice by one reader and then moved. `counted(page)()`: bytes so far."""
    found = Found()
    context = chromium.new_context(viewport={"width": 948, "height": 900})
    figure, first = which.figures[0].name, 0
    for visit in ("cold", "warm"):
        page = context.new_page()
        page.add_init_script(CLOCK)
        page.on("pageerror", lambda error: found.errors.append(str(error)))
        page.on("console", lambda said: found.errors.append(said.text) if said.type == "error" else None)
        bytes_ = counted(page)
        page.goto(address)
        seen = _until(page, "window.benchSeen?.whole && window.benchSeen")
        _until(page, "window.recprivLab ? !!window.recprivLab.times.whole : true")
        if visit == "cold":
            _until(page, "window.recprivLab ? !!window.recprivLab.times.kept : true")
        page.wait_for_timeout(LOOK)  # what still comes after the first result
        setattr(found, visit, (seen["live"] / 1000, seen["whole"] / 1000))
        if visit == "cold":
            found.picture, first = seen["picture"] / 1000, bytes_()
            page.close()
    found.bytes = (first, bytes_())
    question = page.locator(".show-me")
    if question.count() and question.is_visible():
        question.click()
    rng = np.random.default_rng(0)
    for control in which.controls:
        if control.place in ("more", "none") or control.kind not in ("number", "integer", "choice", "switch"):
            continue
        where = f"[data-control={control.name}]"
        if control.needs or not control.active(which.defaults) or not page.locator(where).is_visible():
            continue
        told = {"control": where, "figure": figure, "back": start(control), "seconds": seconds}
        for name, steps in walks(control, rng).items():
            page.evaluate(WALK, {**told, "moves": steps})
            walk = _until(page, "window.walk.done && window.walk")
            found.steps[name], found.wholes[name] = walk["times"], walk["wholes"]
            found.missed += walk["missed"]
            found.long += walk["long"]
            found.refused += walk["refused"]
            page.wait_for_timeout(LOOK)
    context.close()
    return found


def _until(page: Any, said: str) -> Any:
    end = time.monotonic() + PATIENCE
    while not (value := page.evaluate(said)):
        if time.monotonic() > end:
            raise RuntimeError(f"{page.url}: {said} has not come true in {PATIENCE:.0f} s")
        page.wait_for_timeout(50)
    return value


def wired(page: Any) -> Callable[[], int]:
    """Bytes that the browser says it got for this page, over sockets too."""
    session, got = page.context.new_cdp_session(page), [0]

    def add(many: float) -> None:
        got[0] += int(many)

    session.on("Network.loadingFinished", lambda told: add(told["encodedDataLength"]))
    session.on("Network.webSocketFrameReceived", lambda told: add(len(told["response"]["payloadData"])))
    session.send("Network.enable")
    return lambda: got[0]


def both(chromium: Any, stem: str, seconds: float) -> tuple[Found, Found]:
    """The server's answers and the page's own, at the same settings."""
    from tools.plain import hosted
    from widgets.site.desk import INVENTED, here

    which = here(explorer(stem), INVENTED)
    query = explorer(stem).link(which.defaults)
    with serving(stem) as (address, _):
        server = measured(chromium, f"{address}/apps/{stem}?{query}", which, wired, seconds)
    with hosted(SITE) as host:

        def counted(page: Any) -> Callable[[], int]:
            start = host.sent
            return lambda: host.sent - start

        return server, measured(chromium, f"{host.address}/lab/{stem}.html", which, counted, seconds)


# ---------------------------------------------------------------------------------------------------- telling


def table(stem: str, server: Found, page: Found) -> str:
    """One dashboard, server and page side by side."""

    def line(name: str, say: Callable[[Found], str]) -> str:
        return f"  {name:30}{say(server):>32}{say(page):>32}"

    def said(times: list[float]) -> str:
        if not times:
            return "–"
        return f"{np.median(times):.0f} / {np.quantile(times, 0.95):.0f} ms of {len(times)}"

    def steps(name: str) -> Iterator[str]:
        yield line(f"{name}, median / p95", lambda it: said(it.steps.get(name, [])))
        if any(it.wholes.get(name, []) != it.steps.get(name, []) for it in (server, page)):
            yield line("  and all of it", lambda it: said(it.wholes.get(name, [])))

    lines = [
        f"{stem:32}{'server':>32}{'page':>32}",
        line("picture", lambda it: f"{it.picture:.1f} s"),
        line("first live result, cold / warm", lambda it: f"{it.cold[0]:.1f} / {it.warm[0]:.1f} s"),
        line("  and all of it", lambda it: f"{it.cold[1]:.1f} / {it.warm[1]:.1f} s"),
        line("bytes, cold / warm", lambda it: " / ".join(f"{many / 1e6:.1f}" for many in it.bytes) + " MB"),
        *(each for name in server.steps for each in steps(name)),
    ]
    for who, found in (("server", server), ("page", page)):
        if found.long:
            lines.append(f"  {who}: {found.long} steps were not at their end after 15 s; the next move ended them")
        if found.refused:
            lines.append(f"  {who}: {len(found.refused)} moves were refused, the first: {found.refused[0]!r}")
        if found.missed or found.errors:
            lines.append(f"  {who}: {found.missed} steps without an answer, errors: {found.errors[:3]}")
    return "\n".join(lines)


def main() -> int:
    """Prints the table; exits 1 if a step was missed or a page complained."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stem", choices=stems(), help="one dashboard (default: all)")
    parser.add_argument("--seconds", type=float, default=4, help="for each control")
    parser.add_argument("--minutes", type=float, default=8, help="after which no further dashboard is begun")
    asked = parser.parse_args()
    from playwright.sync_api import sync_playwright

    if not SITE.is_dir():
        print("there is no _build/site yet; run `make site` first", file=sys.stderr)
        return 1
    end = time.monotonic() + 60 * min(asked.minutes, MOST_MINUTES)
    path = os.environ.get("RECPRIV_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    bad = 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for stem in [asked.stem] if asked.stem else stems():
            if time.monotonic() > end:
                print(f"{stem}: not measured, the {asked.minutes:g} minutes are over")
                continue
            sides = both(chromium, stem, min(asked.seconds, MOST_SECONDS))
            print(table(stem, *sides), flush=True)
            bad += sum(side.missed + len(side.errors) for side in sides)
        chromium.close()
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
