"""Figures move: marks glide to the measured state, which is there from the first moment; who wants none has none."""

from __future__ import annotations

import pytest

from tests.browser.sight import PATIENCE, answered, rest
from tests.browser.walking import CHAPTERS, opened

PLOT = ".stage .plot:not([hidden]) .canvas"
# Of every frame for as long as something moves: where the marks are, and what the figure's data say.
FILM = """([plot, act]) => new Promise((done) => {
  const canvas = document.querySelector(plot);
  const marks = () => [...canvas.querySelectorAll(".js-line, .points path, .annotation .cursor-pointer")]
    .map((one) => [one.getAttribute("d"), one.getAttribute("transform")].join());
  const data = () => JSON.stringify(canvas.data.map(({ x, y }) => [x, y]));
  const frames = [], first = marks();
  if (act) new Function(act)();
  let idle = 0;
  const look = () => {
    frames.push({ marks: marks(), data: data() });
    idle = document.documentElement.dataset.busy ? 0 : idle + 1;
    if (idle < 30) requestAnimationFrame(look);
    else done({ first, frames });
  };
  requestAnimationFrame(look);
})"""
# The same figure drawn by Plotly alone, and what differs from it.
ALONE = """async (plot) => {
  const canvas = document.querySelector(plot), other = document.createElement("div");
  Object.assign(other.style, { position: "absolute", left: "-9999px", width: canvas.clientWidth + "px" });
  canvas.parentElement.append(other);
  await Plotly.newPlot(other, structuredClone(canvas.data), structuredClone(canvas.layout), { displayModeBar: false });
  const marks = (place) => [...place.querySelectorAll(".trace path, .trace text, .annotation g, .annotation path, " +
    ".xtick text, .ytick text, .xgrid, .ygrid")].map((one) => [one.getAttribute("class"), one.getAttribute("d"),
    one.getAttribute("transform"), one.style.opacity, one.style.visibility].join("|"));
  const [ours, theirs] = [marks(canvas), marks(other)];
  other.remove();
  return ours.length === theirs.length ? ours.filter((one, at) => one !== theirs[at]) : [ours.length, theirs.length];
}"""
OTHER = "document.querySelector('.path .step.now button.set[aria-pressed=false]').click()"


def film(page, act, plot=PLOT):
    """The frames of what `act` sets off, and the marks before it."""
    found = page.evaluate(FILM, [plot, act])
    return found["first"], found["frames"]


def between(first, frames):
    """How many states were seen that are neither the first nor the last."""
    ends = (first, frames[-1]["marks"])
    return len({tuple(one["marks"]) for one in frames if one["marks"] not in ends})


def stepped(visit, still_site, stem, number, **how):
    page = opened(visit, stem, f"?step={number}", width=1280, site=still_site, **how)
    if page.locator(".stage.veiled").count():
        page.evaluate("document.querySelector('.stage .skip-guess').click()")
    rest(page)
    return page


# Steps with two buttons in their words, so that one can be pressed after the other.
MOVING = {"recommenders": 4, "privacy": 2, "dplcf": 4, "ldp_svd": 2, "fmf_ldp": 3, "dp_pnbm": 3, "privrec": 3}


def moving(stem):
    """A step at which a press in the words moves marks."""
    if stem not in MOVING:
        pytest.fail(f"say in MOVING which step of {stem} has two buttons ({{set}}) in its words", pytrace=False)
    return MOVING[stem]


@pytest.mark.parametrize("stem", CHAPTERS)
def test_marks_glide_and_end_where_the_figure_has_them(visit, still_site, stem):
    page = stepped(visit, still_site, stem, moving(stem))
    for _ in range(3):  # another program's busy moment swallows frames; a figure that jumps does so each time
        first, frames = film(page, OTHER)
        if between(first, frames) >= 4:
            break
        rest(page)
    assert between(first, frames) >= 4
    assert frames[-1]["marks"] != first
    assert {one["data"] for one in frames} == {frames[-1]["data"]}  # nothing in between is told as measured
    assert page.evaluate(ALONE, PLOT) == []


def test_who_wants_no_motion_has_none(visit, still_site):
    page = stepped(visit, still_site, "dplcf", 4, reduced_motion="reduce")
    first, frames = film(page, OTHER)
    assert frames[-1]["marks"] != first
    assert between(first, frames) == 0
    busy = page.evaluate("""() => { document.querySelector('.path .step.now button.set').click();
      return document.documentElement.dataset.busy || ''; }""")
    assert "move" not in busy


def test_a_mark_that_stops_half_way_is_seen(visit, still_site):
    page = stepped(visit, still_site, "dplcf", 4)
    page.evaluate("""plot => document.querySelector(plot + ' .points path.point')
      .setAttribute('transform', 'translate(1,1)')""", PLOT)  # fmt: skip
    assert len(page.evaluate(ALONE, PLOT)) == 1


PENDING = """() => {
  const [ask, cancel] = [window.requestAnimationFrame, window.cancelAnimationFrame], pending = new Set();
  window.most = 0;
  window.requestAnimationFrame = (act) => {
    const ours = new Error().stack.includes("move.js");
    const id = ask((now) => { pending.delete(id); act(now); });
    if (ours) pending.add(id);
    window.most = Math.max(window.most, pending.size);
    return id;
  };
  window.cancelAnimationFrame = (id) => { pending.delete(id); cancel(id); };
}"""
DRAG = """const slider = document.querySelector('.stage .slide.main:not([hidden]) input');
  const right = { key: 'ArrowRight', bubbles: true };
  for (let i = 0; i < 6; i++) slider.dispatchEvent(new KeyboardEvent('keydown', right));"""


def test_a_quick_drag_never_queues_and_ends_at_its_last_stop(visit, still_site):
    page = stepped(visit, still_site, "dplcf", 4)
    page.evaluate(PENDING)
    film(page, DRAG)
    assert page.evaluate("window.most") == 1
    assert page.evaluate(ALONE, PLOT) == []


@pytest.mark.chromium
def test_sixty_tries_fall_one_after_the_other(visit, still_site):
    page = stepped(visit, still_site, "dplcf", 2)
    dots = f"document.querySelectorAll('{PLOT} .trace:last-child .points path.point')"
    page.evaluate("new Promise((done) => setTimeout(done, 500))")  # a drag would not wait
    seen = page.evaluate("""async ([act, dots]) => { new Function(act)(); const seen = [];
      for (let at = 0; at < 400; at++) {
        await new Promise(requestAnimationFrame);
        seen.push([...new Function('return ' + dots)()].filter((dot) => dot.style.visibility !== 'hidden').length);
        if (!document.documentElement.dataset.busy) break;
      } return seen; }""", [OTHER, dots])  # fmt: skip
    assert seen == sorted(seen)
    assert len(set(seen)) >= 10
    assert seen[-1] == 60
    assert page.evaluate(ALONE, PLOT) == []


def test_a_drawn_guess_melts_into_what_was_measured(visit, still_site):
    page = opened(visit, "dplcf", "?step=3", width=1280, site=still_site)
    page.locator(".pen").focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    ways = page.evaluate("""async () => { document.querySelector('.stage .compare').click(); const ways = new Set();
      do { await new Promise(requestAnimationFrame);
        ways.add(document.querySelector('.pen-line .melt')?.getAttribute('d') || '');
      } while (document.documentElement.dataset.busy); return [...ways]; }""")
    assert len(ways) >= 5
    rest(page)
    assert page.locator(".pen-line .melt").count() == 0
    assert page.locator(".pen-line .gap").count() == 1
    assert page.evaluate(ALONE, PLOT) == []


def test_a_served_dashboard_moves_and_says_so_until_it_rests(visit):
    page = visit("/apps/recommenders", width=1280)
    page.locator("main[data-state=ready] .main .main-svg").first.wait_for(timeout=PATIENCE)
    answered(page)
    rest(page)
    page.wait_for_timeout(500)
    plot = ".main .canvas .js-plotly-plot"
    page.evaluate(f"(about) => {{ window.filmed = ({FILM})(about); }}", [plot, ""])
    page.locator(".control.axis input[type=range]").press("ArrowRight")
    page.wait_for_timeout(300)
    found = page.evaluate("window.filmed")
    assert between(found["first"], found["frames"]) >= 4
    rest(page)
    assert page.evaluate(ALONE, plot) == []


def test_a_dashboard_without_a_server_moves_too(visit, still_site):
    page = visit("/book/recommenders.html", width=1280, site=still_site)
    page.evaluate("for (const fold of document.querySelectorAll('details.expert:has(.dash)')) fold.open = true")
    plot = ".still-main .js-plotly-plot"
    page.locator(f"{plot} .main-svg").first.wait_for()
    page.wait_for_timeout(500)
    first, frames = film(page, "[...document.querySelectorAll('.still-rail input[type=radio]')].at(-1).click()", plot)
    assert between(first, frames) >= 4
    assert page.evaluate(ALONE, plot) == []


@pytest.mark.timing
@pytest.mark.parametrize("stem", CHAPTERS)
def test_a_move_has_fifty_frames_a_second(visit, still_site, stem):
    """The median of the times between two frames while something glides, on a software renderer at 1280 pixels. In the
    best of five moves: another program's busy moment is not ours, and a script that is slow is slow in each of them."""
    page = stepped(visit, still_site, stem, moving(stem))
    moves = []
    for _ in range(5):
        page.wait_for_timeout(500)  # a drag would be shorter
        moves.append(times(page))
        assert len(moves[-1]) >= 8
        if moves[-1][len(moves[-1]) // 2] <= 20:
            return
        rest(page)
    assert not moves, moves


def times(page):
    """Between two frames of a move, from the shortest to the longest, ms."""
    return page.evaluate("""(act) => new Promise((done) => { const times = []; new Function(act)();
      const look = (now) => { times.push(now); if (document.documentElement.dataset.busy) requestAnimationFrame(look);
        else done(times.slice(1).map((time, at) => time - times[at]).sort((a, b) => a - b)); };
      requestAnimationFrame(look); })""", OTHER)  # fmt: skip
