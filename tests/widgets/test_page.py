"""What a page costs the thread that answers everybody: counted, since a clock says more of the machine."""

import asyncio
from types import SimpleNamespace

import jinja2
import pytest
from bokeh.document import Document
from bokeh.events import DocumentReady
from panel.custom import ReactiveESM
from panel.io import hold
from panel.io.application import build_applications
from panel.io.state import state
from panel.viewable import Viewable

from tests.widgets.small import SMALL, looped
from widgets.kit import page as module
from widgets.kit import panels
from widgets.kit.pool import Pool


@pytest.fixture
def opened():
    """A way to open a page of the small dashboard as the server does; the models by the names of their places."""
    pool = Pool(workers=1)
    pool.result(SMALL, SMALL.defaults)
    application = build_applications({"/small": lambda: module.page(SMALL, pool, {})})["/small"]

    def open_page():
        document = Document()
        application.initialize_document(document)
        return document, {root.name: root for root in document.roots}

    return open_page


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

    document, models = looped(twice())
    assert done == []
    assert {"frame", "figure-plot", "control-width"} <= set(models)
    assert document.template is module._template()
    assert len({id(sheet) for root in document.roots for sheet in root.stylesheets if not isinstance(sheet, str)}) == 3


async def answered(document, models):
    """Does what the server's thread would do, until the figure at width 2 is there."""
    for _ in range(200):
        for callback in [found for found in document.session_callbacks if not hasattr(found, "timeout")]:
            document.remove_next_tick_callback(callback)
            callback.callback()
        if "width=2" in models["frame"].data.query:
            return models
        await asyncio.sleep(0.05)
    pytest.fail("the result did not come")


def test_a_move_reaches_the_session_at_once_and_its_result_the_models(opened):
    """By Panel's own way it waits 50 ms for a second one."""

    async def moved():
        document, models = opened()
        models["control-width"].data.value = 2.0
        assert not state._change_callbacks.get(document)
        return await answered(document, models)

    models = looped(moved())
    assert "2" in models["frame"].data.sentence
    assert '"x":[2.0]' in models["figure-plot"].data.plot


def test_a_result_between_the_models_and_a_page_that_is_ready_is_sent_once_it_is(opened):
    """Of sixty pages opened at once six waited for their first figure for ever: it was held back, and dropped."""

    async def early():
        document, models = opened()
        sent = []
        document.on_change(lambda event: sent.append((event.model, event.attr)) if hasattr(event, "attr") else None)
        frame = models["frame"]
        with hold(document):
            frame.data.sentence = "nobody hears this"  # as Panel has it
        assert sent == []
        models["control-width"].data.value = 2.0
        await answered(document, models)
        assert (frame.data, "query") not in sent
        document.callbacks.trigger_event(DocumentReady())
        return frame, models["figure-plot"], sent

    frame, plot, sent = looped(early())
    assert {(frame.data, "query"), (frame.data, "shown"), (plot.data, "plot")} <= set(sent)


def test_a_value_that_cannot_be_compared_does_not_reach_the_page_as_a_traceback(caplog):
    """Bokeh tells the page what a callback raises, with the paths of this machine."""

    class Odd:
        __hash__ = None

        def __eq__(self, other):
            raise TypeError

    panels.Component._moved(SimpleNamespace(_part=SimpleNamespace(values={"value": Odd()})), None, "value", 1)
    assert "value could not become 1" in caplog.text
