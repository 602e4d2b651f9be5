"""The book on a plain host: no server computes, every dashboard does, in the page, and nothing leaves it."""

from __future__ import annotations

import csv
import io
import math
import time
import zipfile
from urllib.parse import urlsplit

import numpy as np
import pytest

from recprivlib.data.sources import environment_folder
from recprivlib.live import explorer, stems
from tests.browser.sight import unfold
from tests.conftest import listen
from tools.plain import hosted
from widgets.site.desk import INVENTED, here

READY = 180_000
PATIENCE = 90_000
LIVE = "main[data-live=yes][data-state=ready]"
# Ten moves each, as a reader makes them, one after the other: a number for a box, the words of a choice for a button.
MOVES = {
    "privacy": [("epsilon", 2), ("mechanism", "laplace"), ("releases", 20), ("mechanism", "duchi"), ("epsilon", 0.5),
                ("mechanism", "laplace-or-truth"), ("tries", 1000), ("releases", 1), ("mechanism", "piecewise"),
                ("epsilon", 3.3)],
    "dplcf": [("epsilon", 2), ("neighbors", 50), ("server", "ap"), ("epsilon", 0.5), ("server", "spectral"),
              ("neighbors", 5), ("unit", "history"), ("epsilon", 4), ("server", "feasible"), ("server", "blind")],
    "ldp_svd": [("epsilon1", 2), ("epsilon2", 0.5), ("mechanism", "laplace"), ("mechanism", "k-rr"), ("epsilon", 3),
                ("mechanism", "duchi"), ("unit", "user"), ("mechanism", "optimal"), ("mechanism", "rounded"),
                ("mechanism", "piecewise")],
    "recommenders": [("k", 5), ("neighbors", 20), ("neighbors", 200), ("system", "popularity"), ("system", "ease"),
                     ("rivals", "full"), ("k", 20), ("system", "item-knn"), ("neighbors", 500), ("rivals", "sampled")],
    "fmf_ldp": [("epochs", 2), ("epsilon", 1), ("variant", "stable"), ("k", 20), ("epochs", 5), ("k", 1),
                ("epsilon", 10), ("variant", "sign"), ("variant", "printed"), ("epsilon", 4)],
    "dp_pnbm": [("epsilon", 3), ("variant", "means"), ("epsilon", 0.5), ("variant", "repaired"), ("neighbors", 100),
                ("variant", "dpsgd"), ("noise_only", True), ("unit", "user"), ("epsilon", 10), ("noise_only", False)],
    "privrec": [("cohort", 100), ("noise_multiplier", 2), ("size", "small"), ("rounds", 200), ("cohort", 30),
                ("size", "tiny"), ("noise_multiplier", 0.5), ("rounds", 2000), ("people", 754), ("size", "medium")],
}  # fmt: skip


@pytest.fixture(scope="module")
def host(published):
    with hosted(published) as host:
        yield host


@pytest.fixture
def visit_site(browser, host):
    """`visit_site(path)`: a page of the site; errors of scripts and requests to anybody else fail the test."""
    noise, contexts = [], []

    def visit(path, width=1280, theme="light", prepare="", **about):
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, **about))
        page = contexts[-1].new_page()
        if prepare:
            page.add_init_script(prepare)
        listen(page, urlsplit(host.address).netloc, noise)
        page.goto(host.address + path, wait_until="load")
        return page

    yield visit
    for context in contexts:
        context.close()
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


def move(page, which, name, value):
    """Moves one control as a reader does, and waits for what comes of it."""
    before, control = shown(page), page.locator(f"[data-control={name}]")
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
        control.locator("input.box").fill(str(value))
        control.locator("input.box").press("Enter")
    settled(page, before)


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


def numbers(page):
    """The file that CSV gives."""
    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name="CSV").click()
    return list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8"))))


# What is not the same to 1e-6, and by how much it may differ. NumPy in a browser has another libm and no BLAS: EASE
# inverts a matrix in float32, which moves a rank of one person in 1 000; privrec's clip bound is a walk whose binomial
# draws jump where a share of phones has another last digit.
LOOSE = {"recommenders": {"hit rate": 2e-3, "your list": 1e-4}, "privrec": {"one round": 0.1, "clipping": 0.2}}


def differs(stem, ours, theirs):
    """(figure, by how much) wherever two tables are neither the same text nor the same number."""
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        loose = [by for name, by in LOOSE.get(stem, {}).items() if one["figure"].startswith(name)]
        for name in one:
            if one[name] != other[name]:
                try:
                    a, b = float(one[name]), float(other[name])
                except ValueError:
                    yield one["figure"], name, one[name], other[name]
                    continue
                by = max(loose, default=1e-6)
                if not math.isclose(a, b, rel_tol=by, abs_tol=by):
                    yield one["figure"], one["series"], one["x"], a, b


SLOW = ("dp_pnbm", "fmf_ldp", "privrec")  # half a minute each, trained here and there


@pytest.mark.parametrize(
    "stem", [pytest.param(stem, marks=[pytest.mark.slow] if stem in SLOW else []) for stem in stems()]
)
def test_every_dashboard_computes_what_the_library_does(stem, alone):
    page, which = alone(stem), here(explorer(stem), INVENTED)
    skip = page.locator(".show-me")
    if skip.count() and skip.is_visible():
        skip.click()
    values, wrong = which.defaults, []
    for name, value in MOVES[stem]:
        if values[name] == value or not which.control(name).active(values):
            continue
        move(page, which, name, value)
        values = {**values, name: value}
        result = which.compute(**values)
        expected = list(csv.DictReader(io.StringIO(which.table(result).to_csv(index=False))))
        wrong += [(which.key(values), *cell) for cell in differs(stem, expected, numbers(page))]
        if stem not in LOOSE:
            assert page.locator(".sentence").inner_text() == which.say(result)
    assert not wrong, f"{len(wrong)} cells differ: {wrong[:3]} … {wrong[-3:]}"
    assert page.locator(".lab").inner_text().startswith("Computed in this page, now")


def test_the_chapter_s_dashboard_is_computed_in_the_page_and_its_path_can_be_walked(visit_site, host):
    others = host.asked(".whl")  # for pages of other tests
    page = visit_site("/book/privacy.html")
    page.locator(".stage[data-ready='1']").wait_for(timeout=PATIENCE)
    seen = set()
    for step in range(3):
        page.locator(".stage .next").click()
        page.wait_for_function("n => document.querySelector('.step.now script').dataset.step == n", arg=step + 2)
        seen.add(page.locator(".stage .sentence").inner_text())
    assert len(seen) > 1
    assert host.asked(".whl") == others, "nothing is loaded before a dashboard is near"
    unfold(page)
    page.locator(".dash").scroll_into_view_if_needed()
    frame = page.frame_locator(".dash iframe")
    frame.locator(LIVE).wait_for(timeout=READY)
    assert host.asked(".whl") >= others + 2
    range_ = frame.locator("[data-control=epsilon] input[type=range]")
    before = int(frame.locator("main").get_attribute("data-shown"))
    range_.press("ArrowRight")
    frame.locator(f"main[data-state=ready]:not([data-shown='{before}'])").wait_for(timeout=PATIENCE)
    which = here(explorer("privacy"), INVENTED)
    assert frame.locator(".sentence").inner_text() == which.say(which.compute(**which.defaults | {"epsilon": 1.2}))
    assert page.evaluate(
        "performance.getEntriesByType('resource').every(({ name }) => name.startsWith(location.origin))"
    )


def test_without_the_network_a_loaded_page_goes_on(alone):
    page = alone("privacy")
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


def test_the_published_archive_gives_the_numbers_of_the_book(alone, tmp_path):
    folder = environment_folder("ml-100k")
    if folder is None:
        pytest.skip("RECPRIV_DATA NAMES NO FOLDER WITH ml-100k AS PUBLISHED: ITS ARCHIVE WAS NOT TRIED IN A BROWSER")
    with zipfile.ZipFile(tmp_path / "ml-100k.zip", "w") as archive:
        for name in ("u.data", "u.item", "u.user"):
            archive.write(folder / name, f"ml-100k/{name}")
    page = alone("recommenders")
    page.locator(".lab input[type=file]").set_input_files(tmp_path / "ml-100k.zip")
    page.wait_for_function("() => location.search.includes('data=ml-100k')", timeout=PATIENCE)
    which = explorer("recommenders")
    said(page, which.say(which.compute(**which.defaults)))


def test_where_bytes_cost_money_the_reader_is_asked_first(visit_site, host):
    thrifty = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } });"
    page = visit_site("/book/privacy.html", prepare=thrifty)
    asked = len(host.log)
    unfold(page)
    get = page.get_by_role("button", name="Load the laboratory")
    get.wait_for(timeout=PATIENCE)
    assert page.locator(".dash .still-say").inner_text()
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


def test_the_committed_picture_stands_at_once(visit_site, shoot):
    for width, theme in ((1280, "light"), (390, "dark")):
        start = time.monotonic()
        page = visit_site("/lab/dplcf.html", width=width, theme=theme)
        page.locator("[data-figure=rate] .main-svg, main .main-svg").first.wait_for(timeout=PATIENCE)
        print(f"{width} px: picture after {time.monotonic() - start:.1f} s")
        words = page.locator(".sentence", has_text="At ε = 1")  # veiled until the guess
        words.wait_for(state="attached", timeout=PATIENCE)
        shoot(page, f"site-dplcf-{width}-{theme}", full_page=False)
