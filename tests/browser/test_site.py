"""The book on a plain host: no server computes, every dashboard does, in the page, and nothing leaves it."""

from __future__ import annotations

import csv
import io
import re
import time
import zipfile
from itertools import islice
from urllib.parse import urlsplit

import numpy as np
import pytest

from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.catalogue import explorer, stems
from recprivlib.dashboard.scene import scene
from recprivlib.data.sources import environment_folder
from recprivlib.exercises import exercise, graded
from recprivlib.primers.privacy.own import tried
from tests.archive import archive
from tests.browser.sight import unfold
from tests.browser.walking import chromium, click, typed
from tests.conftest import ROOT, listen
from tests.laboratory.alike import LOOSE, differences
from tests.laboratory.settings import walked
from tools.plain import hosted
from widgets.site.desk import INVENTED, here

READY = 180_000
PATIENCE = 90_000
LIVE = "main[data-live=yes][data-state=ready]"
LIGHT = ("privacy", "recommenders")  # whose walk takes seconds
WALKS = [(stem, 3) for stem in LIGHT] + [pytest.param(stem, 10, marks=pytest.mark.slow) for stem in stems()]


@pytest.fixture(scope="module")
def host(published):
    with hosted(published) as host:
        yield host


@pytest.fixture(scope="module")
def reader(browser):
    """One who has been here before: what was loaded for one test is there for the next."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    yield context
    context.close()


@pytest.fixture
def visit_site(browser, reader, host):
    """`visit_site(path)`: a page of the site; errors of scripts and requests to anybody else fail the test.

    With a width, a theme or `prepare`, or with `first`, by somebody who has never been here."""
    noise, opened = [], []

    def visit(path, width=1280, theme="light", prepare="", first=False, **about):
        context = reader
        if first or prepare or about or (width, theme) != (1280, "light"):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, **about)
            opened.append(context)
        page = context.new_page()
        opened.insert(0, page)
        if prepare:
            page.add_init_script(prepare)
        listen(page, urlsplit(host.address).netloc, noise)
        page.goto(host.address + path, wait_until="load")
        return page

    yield visit
    for one in opened:
        one.close()
    assert not noise, "\n".join(noise)


@pytest.fixture
def alone(visit_site):
    """A dashboard at its own address, once it has computed something itself."""

    def opened(stem, query="", **about):
        page = visit_site(f"/lab/{stem}.html{query}", **about)
        page.locator(LIVE).wait_for(timeout=READY)
        return page

    return opened


def shown(page):
    return int(page.locator("main").get_attribute("data-shown"))


def guessed(page):
    """Where a question stands before the figure, the reader would rather see the answer."""
    skip = page.locator(".show-me")
    if skip.count() and skip.is_visible():
        skip.click()


def move(page, which, name, value):
    """Moves one control as a reader does, and waits for what comes of it."""
    before = shown(page)
    started(page, which, name, value)
    settled(page, before)


def started(page, which, name, value):
    """Moves it, and waits for nothing."""
    control = page.locator(f"[data-control={name}]")
    if not control.is_visible():
        page.locator("details.more").evaluate("fold => { fold.open = true; }")
    choices = [str(known) for known, _ in which.control(name).choices]
    if choices and control.locator("select").count():
        control.locator("select").select_option(index=choices.index(str(value)))
    elif choices:
        control.locator("input[type=radio]").nth(choices.index(str(value))).check(force=True)
    elif isinstance(value, bool):
        control.locator("input").set_checked(value, force=True)
    else:
        typed(control.locator("input.box"), str(value))


def settled(page, before):
    page.wait_for_function(
        "n => { const it = document.querySelector('main').dataset; return +it.shown > n && it.state === 'ready'; }",
        arg=before, timeout=PATIENCE,
    )  # fmt: skip


def said(page, sentence):
    """Waits until the page says just this."""
    page.wait_for_function(
        "it => document.querySelector('.sentence').textContent === it", arg=sentence, timeout=PATIENCE
    )


def stopped(place):
    """What was cancelled says so, and nothing else."""
    place.locator(".said", has_text=re.compile("^Stopped. Python starts anew.$")).wait_for(timeout=PATIENCE)


def numbers(page):
    """The file that CSV gives. Firefox's driver hears of no download: there it is what the page hands over."""
    csv_button = page.get_by_role("button", name="CSV")
    if chromium(page):
        with page.expect_download(timeout=PATIENCE) as download:
            csv_button.click()
        text = download.value.path().read_text("utf-8")
    else:
        page.evaluate("""() => {
          const usual = URL.createObjectURL;
          URL.createObjectURL = (blob) => { window.handed = blob; return usual.call(URL, blob); };
        }""")
        csv_button.click()
        page.wait_for_function("() => window.handed", timeout=PATIENCE)
        text = page.evaluate("window.handed.text()")
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("stem, moves", WALKS)
def test_every_dashboard_computes_what_the_library_does(stem, moves, alone):
    page, which = alone(stem), here(explorer(stem), INVENTED)
    guessed(page)
    for (name, value), values in islice(walked(stem), moves):
        move(page, which, name, value)
        result = which.compute(**values)
        if stem not in LOOSE:
            assert page.locator(".sentence").inner_text() == which.say(result)
    expected = list(csv.DictReader(io.StringIO(which.table(result).to_csv(index=False))))
    found = numbers(page)
    assert len(found) == len(expected) > 0
    wrong = list(differences(stem, *({"columns": list(rows[0]), "data": [list(row.values()) for row in rows]}
                                     for rows in (expected, found))))  # fmt: skip
    assert not wrong, f"{len(wrong)} cells differ: {wrong[:3]} … {wrong[-3:]}"
    assert page.locator(".lab").inner_text().startswith("Computed in this page, now")


def drawn(page, name):
    """The numbers of a figure of the path, trace by trace."""
    return page.evaluate(
        """name => document.querySelector(`.stage [data-figure=${name}] .js-plotly-plot`).data
            .filter(({ y }) => y).map(({ y }) => Array.from(y))""", name
    )  # fmt: skip


def test_a_chapter_s_steps_are_computed_in_the_page_once_the_reader_moves(visit_site, host):
    chapter = (ROOT / "book" / "privacy.md").read_text("utf-8")
    which = here(explorer("privacy"), INVENTED)
    steps = [paths.state(which, told) for told in paths.STEP.findall(chapter)]
    page = visit_site("/book/privacy.html", first=True)
    page.locator(".stage[data-ready='1'][data-lab=asleep]").wait_for(timeout=PATIENCE)
    asked = len(host.log)
    assert page.locator(".stage").get_attribute("data-filled") == "false"
    click(page.locator(".stage .next"))
    page.locator(".stage[data-lab=live]").wait_for(timeout=READY)
    assert page.locator(".stage-lab").inner_text() == "Each step is computed in this page, now."
    for number, state in enumerate(steps[1:], 2):
        page.wait_for_function(
            "([n, key]) => { const { dataset } = document.querySelector('.stage');"
            " return dataset.shown === key && dataset.filled === 'true' && dataset.state === 'ready'"
            " && document.querySelector('.step.now script').dataset.step == n; }",
            arg=[number, paths.key(which, state)], timeout=PATIENCE,
        )  # fmt: skip
        told = scene(which, state.values, state.view, state.ghosts, True)
        lead = state.view[0]
        if not state.guess:
            assert page.locator(".stage .sentence").inner_text() == told["says"].get(lead, told["say"])
            if isinstance(told["figures"][lead], dict):
                lines = [list(map(float, trace["y"])) for trace in told["figures"][lead]["data"] if "y" in trace]
                assert drawn(page, lead) == [pytest.approx(line, rel=1e-6, abs=1e-6) for line in lines]
        if number < len(steps):
            click(page.locator(".stage .next"))
    assert len([path for path, _ in host.log[asked:] if path.endswith(".whl")]) >= 2
    assert page.evaluate(
        "performance.getEntriesByType('resource').every(({ name }) => name.startsWith(location.origin))"
    )


@pytest.mark.slow
def test_a_chapter_s_dashboard_is_computed_in_the_page_too(visit_site):
    page = visit_site("/book/privacy.html")
    unfold(page)
    page.locator(".dash").scroll_into_view_if_needed()
    frame = page.frame_locator(".dash iframe")
    frame.locator(LIVE).wait_for(timeout=READY)
    before = int(frame.locator("main").get_attribute("data-shown"))
    frame.locator("[data-control=epsilon] input[type=range]").press("ArrowRight")
    frame.locator(f"main[data-state=ready]:not([data-shown='{before}'])").wait_for(timeout=PATIENCE)
    which = here(explorer("privacy"), INVENTED)
    assert frame.locator(".sentence").inner_text() == which.say(which.compute(**which.defaults | {"epsilon": 1.2}))


@pytest.mark.slow
def test_where_the_book_s_people_are_not_here_steps_are_computed_on_others_only_when_asked_for(visit_site, host):
    page = visit_site("/book/dplcf.html?step=3")
    page.locator(".stage[data-ready='1']").wait_for(timeout=PATIENCE)
    click(page.locator(".stage .next"))
    compute = page.locator(".stage .here", has_text="Compute here")
    compute.wait_for(timeout=PATIENCE)
    assert "computed beforehand, on the people of the book" in page.locator(".stage-lab").inner_text()
    assert not host.log or not [path for path, _ in host.log[-40:] if path.endswith(".wasm")]
    frames = page.locator(".stage .sentence").inner_text()
    click(compute)
    page.locator(".stage[data-lab=live][data-filled=true]").wait_for(timeout=READY)
    chapter = (ROOT / "book" / "dplcf.md").read_text("utf-8")
    which = here(explorer("dplcf"), INVENTED)
    state = paths.state(which, paths.STEP.findall(chapter)[3])
    told = scene(which, state.values, state.view, state.ghosts, True)
    words = told["says"].get(state.view[0], told["say"])
    assert page.locator(".stage .sentence").inner_text() == f"On invented people: {words}"
    click(page.locator(".stage .here", has_text="Back to the book"))
    page.locator(".stage[data-lab=asleep][data-filled=false]").wait_for(timeout=PATIENCE)
    assert page.locator(".stage .sentence").inner_text() == frames


def test_a_reader_s_own_mechanism_is_tried_in_the_page_and_an_endless_one_can_be_stopped(visit_site):
    page = visit_site("/book/privacy.html#x-own")
    mine = page.locator("#x-own .mine")
    mine.wait_for(timeout=PATIENCE)
    mine.get_by_role("button", name="Try it").click()
    mine.locator(".rp-strip").wait_for(timeout=READY)
    assert mine.locator(".said").inner_text() == tried("0.80 0.15 0.05\n0.10 0.20 0.70", 2)["say"]
    mine.get_by_role("button", name="Lines of Python").click()
    box = mine.locator("textarea")
    good = box.input_value()
    box.fill("def release(x, rng):\n    while True:\n        pass\n")
    mine.get_by_role("button", name="Try it").click()
    page.wait_for_timeout(500)
    mine.get_by_role("button", name="Cancel").click()
    stopped(mine)
    box.fill("def release(x, rng):\n    return nothing\n")
    mine.get_by_role("button", name="Try it").click()
    mine.locator(".said", has_text="Line 2 of your code: NameError").wait_for(timeout=READY)
    box.fill(good)
    mine.get_by_role("button", name="Try it").click()
    mine.locator(".rp-strip").wait_for(timeout=READY)
    assert mine.locator(".said").inner_text() == tried(good, 2)["say"]


def checked(place, words, code=None):
    """Has the code of an exercise checked, and waits until it is told this."""
    if code is not None:
        place.locator("textarea").fill(code)
    place.get_by_role("button", name="Check it").click()
    place.locator(".said", has_text=words).wait_for(timeout=READY)
    return place.locator("li.found .say").all_inner_texts()


def test_a_student_s_work_is_attacked_repaired_kept_and_never_sent(visit_site, host, shoot):
    asked = exercise("price")
    page = visit_site("/book/privacy.html#x-price")
    place = page.locator("[data-exercise=price]")
    place.locator("textarea").wait_for(timeout=PATIENCE)
    before = len(host.log)
    assert checked(place, "Not yet: attacked.") == [one.say for one in graded("price", asked.start)]
    place.get_by_role("button", name="A hint (1 of 3)").click()
    assert place.locator(".ladder").inner_text() == asked.hints[0]
    dear = asked.start.replace("epsilon = 1.0", "epsilon = 5.0")
    assert "at most 2 is asked of anybody" in checked(place, "Not yet: of use.", dear)[-1]
    checked(place, "Line 2: invalid syntax", "x = 1\ny = = 2\n")
    assert place.locator(".lines b").inner_text() == "2"
    assert place.locator(".solution").is_hidden()
    secret = f"# nobody hears of this\nprint('seen by the reader')\n{asked.solution}"
    assert checked(place, "All checks passed.", secret) == [one.say for one in graded("price", asked.solution)]
    assert place.locator(".printed").inner_text().strip() == "seen by the reader"
    shoot(page, "exercise-passed", full_page=False)
    if chromium(page):
        with page.expect_download(timeout=PATIENCE) as download:
            place.get_by_role("button", name="Take it out as a file").click()
        assert download.value.suggested_filename == "price.py"
        assert download.value.path().read_text("utf-8") == secret
    place.locator("textarea").fill("while True:\n    pass\n")
    place.get_by_role("button", name="Check it").click()
    page.wait_for_timeout(500)
    place.get_by_role("button", name="Stop").click()
    stopped(place)
    place.locator("textarea").fill(secret)
    page.reload(wait_until="load")
    place.locator("textarea").wait_for(timeout=PATIENCE)
    assert place.locator("textarea").input_value() == secret
    assert place.locator(".ladder li").count() == 1
    assert not [path for path, _ in host.log[before:] if "nobody" in path]
    page.evaluate("localStorage.removeItem('recpriv-exercise:price')")


def test_a_student_with_a_phone_is_wrong_is_hinted_is_nearly_right_is_attacked_and_repairs(visit_site, shoot):
    """The whole of an evening, in a chapter with an exercise of its own: averages for a whole person."""
    asked = exercise("means")
    page = visit_site("/book/dp_pnbm.html#x-buy", 390, "dark", has_touch=True)
    place = page.locator("[data-exercise=means]")
    place.locator("textarea").wait_for(timeout=PATIENCE)
    hint = place.get_by_role("button", name="hint")
    assert "means(noisy) makes stars" in place.inner_text()
    louder = asked.start.replace("scale = 5 / 1.0  ", "scale = 300.0")  # an attempt: more noise
    for code, words, seen in (
        (asked.start, "Not yet: attacked.", "and 1 is promised"),  # wrong
        (louder, "Not yet: attacked.", "and 1 is promised"),  # hinted, and still not enough
        (asked.solution.replace("scale = 2.0", "scale = 1.0"), "Not yet: attacked.", "ε = 2.00 for her"),  # nearly
    ):
        told = checked(place, words, code)
        assert told == [one.say for one in graded("means", code)]
        assert seen in told[-1]
        hint.click()
    assert place.locator(".ladder li").all_inner_texts() == list(asked.hints)
    shoot(page, "exercise-attacked", full_page=False)
    assert checked(place, "All checks passed.", asked.solution) == [one.say for one in graded("means", asked.solution)]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shoot(page, "exercise-repaired", full_page=False)


@pytest.mark.slow
@pytest.mark.parametrize("name, chapter", [
    ("price", "privacy"), ("cheat", "privacy"), ("crowd", "dplcf"), ("coin", "dplcf"), ("chart", "dplcf"),
    ("repair", "ldp_svd"), ("question", "ldp_svd"), ("listen", "fmf_ldp"), ("ration", "fmf_ldp"), ("moves", "dp_pnbm"),
    ("means", "dp_pnbm"), ("save", "privrec"), ("follow", "privrec"),
])  # fmt: skip
def test_a_browser_s_python_tells_a_solution_what_this_one_does(name, chapter, visit_site):
    page = visit_site(f"/book/{chapter}.html", first=True)
    place = page.locator(f"[data-exercise={name}]")
    unfold(page)
    place.locator("textarea").wait_for(timeout=PATIENCE)
    solution = exercise(name).solution
    assert checked(place, "All checks passed.", solution) == [one.say for one in graded(name, solution)]


@pytest.mark.slow
def test_what_cannot_be_stopped_otherwise_is_ended_and_the_page_goes_on(alone):
    page, which = alone("privacy"), here(explorer("privacy"), INVENTED)
    before = page.locator(".sentence").inner_text()
    endless = "def release(x, rng):\n    while True:\n        pass\n"
    page.evaluate("(code) => { recprivLab.ask({ mechanism: code, claimed: 1 }); }", endless)
    typed(page.locator("[data-control=epsilon] input.box"), "2")
    page.locator(".cancel").click(timeout=PATIENCE)
    page.locator(".notice", has_text="Stopped. Python starts anew; what you see stays.").wait_for(timeout=PATIENCE)
    assert page.locator(".sentence").inner_text() == before
    page.wait_for_function("() => recprivLab.state === 'ready'", timeout=READY)
    page.locator(LIVE).wait_for(timeout=READY)
    move(page, which, "epsilon", 3)
    said(page, which.say(which.compute(**which.defaults | {"epsilon": 3.0})))


@pytest.mark.parametrize("stem, name, long, short", [
    ("fmf_ldp", "epochs", 30, 2), pytest.param("dplcf", "people", 80, 1, marks=pytest.mark.slow),
])  # fmt: skip
def test_a_stream_says_how_far_it_is_and_gives_way_to_cancel_and_to_the_next_move(stem, name, long, short, alone):
    page, which = alone(stem), here(explorer(stem), INVENTED)
    guessed(page)
    started(page, which, name, long)
    page.locator(".bar.known").wait_for(state="attached", timeout=PATIENCE)
    page.locator(".cancel").click(timeout=PATIENCE)
    page.locator(".notice", has_text="Stopped. You see").wait_for(timeout=PATIENCE)
    page.wait_for_timeout(2500)  # longer than a page waits until it ends a Python that does not hear
    assert page.evaluate("recprivLab.state") == "ready", "a stream gives way: nothing had to be ended"
    move(page, which, name, short)
    said(page, which.say(which.compute(**which.defaults | {name: short})))


@pytest.mark.slow
def test_without_the_network_a_loaded_page_goes_on(alone):
    page = alone("privacy", first=True)
    page.wait_for_function("() => recprivLab.times.whole", timeout=READY)
    page.context.set_offline(True)
    which = here(explorer("privacy"), INVENTED)
    move(page, which, "epsilon", 2.5)
    assert page.locator(".sentence").inner_text() == which.say(which.compute(**which.defaults | {"epsilon": 2.5}))
    assert len(numbers(page)) > 5


def test_the_reader_s_own_table_is_used_and_stays_in_the_page(alone, host, tmp_path):
    rng = np.random.default_rng(0)
    rows = {(int(u), int(i)) for u, i in zip(rng.integers(0, 90, 3000), 60 * rng.random(3000) ** 2, strict=True)}
    text = "reader,book,stars\n" + "".join(f"r{u},Book {i},{1 + (u * i) % 5}\n" for u, i in sorted(rows))
    (tmp_path / "mine.csv").write_text(text)
    page = alone("recommenders")
    asked = len(host.log)
    page.locator(".lab input[type=file]").set_input_files(tmp_path / "mine.csv")
    page.locator(".lab", has_text="your mine.csv: 90 people").wait_for(timeout=PATIENCE)
    page.wait_for_function("() => location.search.includes('data=mine.csv')", timeout=PATIENCE)
    which = here(explorer("recommenders"), {**INVENTED, str(tmp_path / "mine.csv"): "mine"})
    said(page, which.say(which.compute(**which.defaults | {"data": str(tmp_path / "mine.csv")})))
    assert page.locator(".lab-guess").inner_text().startswith("In your file, user is")
    assert not [line for line in host.log[asked:] if "mine" in line[0]]
    assert len(host.log) - asked <= 8, "files of Python may still be loaded, and nothing else is asked for"


def test_an_archive_in_the_published_form_is_used_and_the_published_one_gives_the_book_s_numbers(alone, tmp_path):
    page, which = alone("recommenders"), here(explorer("recommenders"), {**INVENTED, "ml-100k": "MovieLens 100K"})
    drop = page.locator(".lab input[type=file]")
    archive(tmp_path / "tiny.zip")
    drop.set_input_files(tmp_path / "tiny.zip")
    page.locator(".lab", has_text="not ml-100k as published").wait_for(timeout=PATIENCE)
    other = here(explorer("recommenders"), {**INVENTED, str(tmp_path / "tiny.zip"): "tiny"})
    said(page, other.say(other.compute(**other.defaults | {"data": str(tmp_path / "tiny.zip")})))
    folder = environment_folder("ml-100k")
    if folder is None:  # the data are nobody's to publish: what is tried above needs none
        return
    with zipfile.ZipFile(tmp_path / "ml-100k.zip", "w") as pack:
        for name in ("u.data", "u.item", "u.user"):
            pack.write(folder / name, f"ml-100k/{name}")
    drop.set_input_files(tmp_path / "ml-100k.zip")
    page.wait_for_function("() => location.search.includes('data=ml-100k')", timeout=PATIENCE)
    said(page, which.say(which.compute(**which.defaults | {"data": "ml-100k"})))


def test_where_bytes_cost_money_the_reader_is_asked_first(visit_site, host):
    thrifty = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } });"
    page = visit_site("/book/privacy.html", prepare=thrifty)
    asked = len(host.log)
    unfold(page)
    get = page.get_by_role("button", name="Load the laboratory")
    get.wait_for(timeout=PATIENCE)
    assert page.locator(".dash .still-say").inner_text()
    click(page.locator(".stage .next"))
    page.locator(".stage[data-lab=asks]").wait_for(timeout=PATIENCE)
    assert "this page needs a laboratory of 3" in page.locator(".stage-lab").inner_text()
    assert page.locator(".stage-nav .here").inner_text().startswith("Load 3")
    assert not [path for path, _ in host.log[asked:] if path.endswith((".whl", ".wasm"))]
    get.click()
    page.frame_locator(".dash iframe").locator(LIVE).wait_for(timeout=READY)


def test_a_browser_that_cannot_keeps_the_frames_and_says_why(visit_site):
    page = visit_site("/book/privacy.html", prepare="delete self.WebAssembly;")
    unfold(page)
    note = page.locator(".dash-note")
    note.wait_for(timeout=PATIENCE)
    assert note.inner_text() == ("This browser runs no WebAssembly: you see numbers computed for this book beforehand.")
    assert page.locator(".dash .still-say").inner_text()
    why = "This browser runs no WebAssembly: the figure shows what was computed beforehand."
    assert page.locator(".stage-lab").inner_text() == why
    assert "run the cell above in a notebook" in page.locator("#x-own .mine .said").text_content()
    assert "open the chapter as a notebook" in page.locator("[data-exercise=price] .said").text_content()


def test_the_committed_picture_stands_at_once(visit_site, shoot):
    for width, theme in ((1280, "light"), (390, "dark")):
        start = time.monotonic()
        page = visit_site("/lab/dplcf.html", width=width, theme=theme)
        page.locator("[data-figure=rate] .main-svg, main .main-svg").first.wait_for(timeout=PATIENCE)
        print(f"{width} px: picture after {time.monotonic() - start:.1f} s")
        words = page.locator(".sentence", has_text="At ε = 1")  # veiled until the guess
        words.wait_for(state="attached", timeout=PATIENCE)
        shoot(page, f"site-dplcf-{width}-{theme}", full_page=False)
