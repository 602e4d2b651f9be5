"""What a page costs the thread that answers everybody: counted, since a clock says more of the machine."""

import ast
import asyncio
import inspect
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import jinja2
import pytest
from bokeh.document import Document
from bokeh.events import DocumentReady
from panel import Template
from panel.custom import JSComponent, ReactiveESM
from panel.io import hold
from panel.io.application import build_applications
from panel.models.esm import DataEvent
from panel.viewable import Viewable

from tests.test_private_names import kept, private
from tests.widgets.small import SMALL, looped
from widgets import hooks
from widgets.kit import page as module
from widgets.kit.layout import TEMPLATE
from widgets.kit.part import Part, Shared
from widgets.kit.pool import Pool

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def opened(form, monkeypatch):
    """A way to open a page of the small dashboard as the server does; models and parts by the names of their places."""
    pool, parts = Pool(workers=1), {}
    pool.result(SMALL, SMALL.defaults)
    application = build_applications({"/small": lambda: module.page(SMALL, pool, {})})["/small"]
    component = hooks.component
    monkeypatch.setattr(hooks, "component", lambda part, name: parts.update({name: part}) or component(part, name))

    def open_page():
        document = Document()
        application.initialize_document(document)
        return document, {root.name: root for root in document.roots}, parts

    return open_page


@pytest.mark.parametrize("form", ["fast"], indirect=True)
def test_a_second_page_reads_no_template_and_works_none_of_its_parts_out_anew(opened, monkeypatch):
    """Panel describes all parts each time one is added: half of what a page cost."""
    done = []
    real, properties = jinja2.Environment.compile, ReactiveESM._get_properties
    monkeypatch.setattr(Viewable, "__repr__", lambda *_: done.append("described") or "")
    monkeypatch.setattr(ReactiveESM, "_get_properties", lambda *args: done.append("worked out") or properties(*args))
    monkeypatch.setattr(jinja2.Environment, "compile", lambda *args, **kw: done.append("read") or real(*args, **kw))

    async def twice():
        opened()
        done.clear()
        return opened()

    document, models, _ = looped(twice())
    assert done == []
    assert {"frame", "figure-plot", "control-width"} <= set(models)
    assert document.template is hooks.read(TEMPLATE.read_text("utf-8"))
    assert len({id(sheet) for root in document.roots for sheet in root.stylesheets if not isinstance(sheet, str)}) == 3


def tick(document):
    """What was put off to the next turn of the server's loop."""
    for callback in [found for found in document.session_callbacks if not hasattr(found, "timeout")]:
        document.remove_next_tick_callback(callback)
        callback.callback()


async def answered(document, parts):
    """Does what the server's thread would do, until the session shows the figure at width 2."""
    for _ in range(200):
        tick(document)
        if "width=2" in parts["frame"].query:
            return
        await asyncio.sleep(0.05)
    pytest.fail("the result did not come")


def test_a_move_reaches_the_session_at_once_and_its_result_the_models(opened):
    async def moved():
        document, models, parts = opened()
        document.callbacks.trigger_event(DocumentReady())
        models["control-width"].data.value = 2.0
        assert parts["width"].value == 2.0
        await answered(document, parts)
        return models

    models = looped(moved())
    assert "2" in models["frame"].data.sentence
    assert '"x":[2.0]' in models["figure-plot"].data.plot


def test_a_result_between_the_models_and_a_page_that_is_ready_is_sent_once_it_is(opened):
    """Of sixty pages opened at once six waited for their first figure for ever: it was held back, and dropped."""

    async def early():
        document, models, parts = opened()
        sent = []
        document.on_change(lambda event: sent.append((event.model, event.attr)) if hasattr(event, "attr") else None)
        frame = models["frame"]
        with hold(document):
            frame.data.sentence = "nobody hears this"  # as Panel has it
        assert sent == []
        models["control-width"].data.value = 2.0
        await answered(document, parts)
        assert (frame.data, "query") not in sent
        document.callbacks.trigger_event(DocumentReady())
        tick(document)
        return frame, models["figure-plot"], sent

    frame, plot, sent = looped(early())
    assert {(frame.data, "query"), (frame.data, "shown"), (plot.data, "plot")} <= set(sent)


def test_a_value_that_cannot_be_compared_does_not_reach_the_page_as_a_traceback(form, caplog):
    """Bokeh tells the page what a callback raises, with the paths of this machine."""

    class Odd:
        __hash__ = None

        def __eq__(self, other):
            raise TypeError

    part = Pair()
    drawn = hooks.component(part, "pair")
    part.values["one"] = Odd()
    drawn._put({"one": 1})
    assert "one could not become 1" in caplog.text


# ------------------------------------------------------------------------------------- one part, either form


class Pair(Part):
    script = "seed.js"
    one = Shared(1)
    two = Shared("b", among=("a", "b"))

    def __init__(self, **values):
        super().__init__(**values)
        self.said = []

    def heard(self, message):
        self.said.append(message)


@pytest.fixture
def drawn(form):
    """A part on a page that is ready, and its model."""
    part = Pair()
    component = hooks.component(part, "pair")
    document = Document()
    model = component.get_root(document)
    document.add_root(model)
    component.catch_up()
    return part, component, model


def test_what_the_part_becomes_its_model_becomes(drawn):
    part, _, model = drawn
    assert (model.data.one, model.data.two, model.data.name) == (1, "b", "pair")
    part.update(one=2, two="a")
    assert (model.data.one, model.data.two) == (2, "a")


def test_what_the_page_sets_the_part_becomes_unless_it_makes_no_sense(drawn):
    part, component, _ = drawn
    acts = []
    part.watch(["one", "two"], lambda: acts.append(dict(part.values)))
    set_by_page(component, one=3)
    assert part.one == 3
    set_by_page(component, two="pink", one="four")
    assert (part.one, part.two) == (3, "b")
    assert acts == [{"one": 3, "two": "b"}]


def set_by_page(component, **values):
    """As it arrives from a socket."""
    if isinstance(component, hooks.Stock):
        component.param.update(**values)  # what Panel does with it, 50 ms later
        return
    ((model, _),) = component._models.values()
    for name, value in values.items():
        setattr(model.data, name, value)


def test_messages_go_both_ways(drawn, monkeypatch):
    part, component, model = drawn
    component._process_event(DataEvent(model=model, data={"do": "try"}))
    assert part.said == [{"do": "try"}]
    sent = []
    monkeypatch.setattr(type(component), "_send_event", lambda *about, **said: sent.append(said["data"]))
    part.tell(code="print(1)")
    assert sent == [{"code": "print(1)"}]


@pytest.mark.parametrize("form", ["stock"], indirect=True)
def test_the_stock_form_takes_nothing_of_panel_but_what_is_documented(drawn):
    """`_esm`, `_send_msg` and `_handle_msg` are, on the pages about `JSComponent`."""
    _, component, _ = drawn
    own = [base for base in type(component).__mro__ if base.__module__.split(".")[0] in ("widgets", "tests")]
    assert [base.__name__ for base in own] == ["Pair", "Stock", "Drawn"]
    trees = [ast.parse(textwrap.dedent(inspect.getsource(base))) for base in own[1:]]
    said = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    made = {name for base in own for name in vars(base)}
    names = {name for name in said | made if private(name) and "__" not in name} - {"_data_model"}  # Panel adds it
    assert names & kept(JSComponent) == {"_esm", "_send_msg", "_handle_msg"}
    assert type(hooks.page("{% extends base %}")) is Template


def test_the_fast_form_is_for_the_versions_of_the_lock_alone():
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert dict(re.findall(r"^(panel|bokeh)==([\d.]+)", lock, re.MULTILINE)) == hooks.PINNED
    assert hooks.fast(hooks.PINNED)
    for name in hooks.PINNED:
        assert not hooks.fast(hooks.PINNED | {name: "99.0"})


@pytest.mark.parametrize(
    ("before", "environment", "form"),
    [("0", "", "True"), ("panel.__version__ = '99.0'", "", "False"), ("0", "stock", "False")],
)
def test_a_program_takes_the_stock_form_where_versions_or_environment_say_so(before, environment, form):
    code = f"import panel; {before}; from widgets import hooks; print(hooks.FAST)"
    env = os.environ | {"RECPRIV_PANEL": environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, env=env)
    assert done.stdout == f"{form}\n"
