"""How fast a dashboard answers, measured where the reader is: in the browser.

    python -m widgets.bench [--seconds 60] [--browsers 10] [--stem recommenders]

A step: one key on the axis-slider, until the main plot shows that setting and has been painted.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

ROOT = Path(__file__).resolve().parent.parent
MOST_SECONDS, MOST_BROWSERS = 120, 20
SERVER = (
    "import sys; from widgets import server, kit; kit.warm(sys.argv[2]);"
    "server.serve('127.0.0.1', int(sys.argv[1]), lambda: print('ready', flush=True))"
)
# Walks a slider up and down, a key every `pause` ms, and notes how long each step took to be seen.
WALK = """({ control, figure, pause }) => {
  const deep = (selector, root = document) => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const host of root.querySelectorAll("*")) {
      const inside = host.shadowRoot && deep(selector, host.shadowRoot);
      if (inside) return inside;
    }
    return null;
  };
  const range = deep(".range", document.querySelector(control));
  const plot = document.querySelector(`[data-figure="${figure}"] .js-plotly-plot`);
  const walk = window.walk = { times: [], missed: 0, stop: false };
  let way = 1, wanted = null, began = 0, seen = plot.layout.meta.shown;
  plot.on("plotly_afterplot", () => {
    const now = plot.layout.meta.shown;
    if (now === seen) return;
    seen = now;
    if (wanted === null) return;
    const start = wanted;
    wanted = null;
    requestAnimationFrame(() => walk.times.push(performance.now() - start));
  });
  const step = () => {
    if (walk.stop) return;
    if (wanted !== null && performance.now() - wanted > 5000) { walk.missed += 1; wanted = null; }
    if (wanted === null) {
      if (+range.value >= 0.999) way = -1;
      if (+range.value <= 0.001) way = 1;
      wanted = performance.now();
      range.dispatchEvent(new KeyboardEvent("keydown", { key: way > 0 ? "ArrowRight" : "ArrowLeft", bubbles: true }));
    }
    setTimeout(step, pause * (0.75 + Math.random() / 2));
  };
  step();
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


def drag(stem: str, control: str, figure: str, browsers: int, seconds: float, pause: float) -> dict[str, Any]:
    """Latencies in ms of `browsers` readers who drag at once, and what the server grew by."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("RECPRIV_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with serving(stem) as (address, process), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        errors: list[str] = []
        pages, interactive = [], []
        for _ in range(browsers):
            page = chromium.new_context(viewport={"width": 948, "height": 900}).new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
            start = time.monotonic()
            page.goto(f"{address}/apps/{stem}")
            page.wait_for_selector("main[data-state=ready]")
            page.wait_for_selector(f"[data-figure={figure}] .main-svg >> nth=0")
            interactive.append(time.monotonic() - start)
            if page.locator("main.veiled").count():
                page.get_by_role("button", name="just show me").click()
            pages.append(page)
        before, worked = process.memory_info().rss, sum(process.cpu_times()[:2])
        for page in pages:
            page.evaluate(WALK, {"control": control, "figure": figure, "pause": pause})
        pages[0].wait_for_timeout(1000 * seconds)
        walks = [page.evaluate("(walk.stop = true, walk)") for page in pages]
        after, worked = process.memory_info().rss, sum(process.cpu_times()[:2]) - worked
        chromium.close()
    times = np.concatenate([walk["times"] for walk in walks])
    return {
        "steps": len(times),
        "missed": sum(walk["missed"] for walk in walks),
        "errors": errors,
        "interactive": max(interactive),
        "median": float(np.median(times)),
        "p95": float(np.quantile(times, 0.95)),
        "work": 1000 * worked / max(1, len(times)),
        "before": before / 2**20,
        "after": after / 2**20,
    }


def told(name: str, found: dict[str, Any]) -> str:
    """One line of the table."""
    return (
        f"{name:34} {found['steps']:5d} steps  median {found['median']:4.0f} ms  p95 {found['p95']:4.0f} ms  "
        f"missed {found['missed']}  errors {len(found['errors'])}  interactive {found['interactive']:.1f} s  "
        f"server {found['work']:.0f} ms of its processor a step, "
        f"{found['before']:.0f} -> {found['after']:.0f} MB"
    )


def main() -> int:
    """Prints the table; exits 1 if a step was missed or a page complained."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--browsers", type=int, default=10)
    parser.add_argument("--stem", default="recommenders")
    asked = parser.parse_args()
    seconds, browsers = min(asked.seconds, MOST_SECONDS), min(asked.browsers, MOST_BROWSERS)
    from recprivlib.live import explorer

    known = explorer(asked.stem)
    figure = known.figures[0].name
    sliders = [c for c in known.controls if c.kind in ("number", "integer") and c.place in ("axis", "rail")]
    runs = [(f"one reader, {c.name}", c.name, 1, min(seconds, 15)) for c in sliders]
    runs.append((f"{browsers} readers at once, {sliders[0].name}", sliders[0].name, browsers, seconds))
    bad = 0
    for name, control, many, long in runs:
        found = drag(asked.stem, f"[data-control={control}]", figure, many, long, 300)
        print(told(name, found), *found["errors"][:5], sep="\n", flush=True)
        bad += found["missed"] + len(found["errors"])
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
