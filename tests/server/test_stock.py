"""The door stands before the form that Panel documents as before the fast one (see `widgets.hooks`).

What is tried on the one is tried on the other: requests, tokens and messages, but for what ends before any of Panel's.
"""

from __future__ import annotations

import pytest

from tests.server.attacks import ATTACKS, lingering
from tests.server.attacks.stage import Attack, Stage
from tests.server.test_attacks import tried, visited
from tests.server.test_gatekeeper import (  # noqa: F401  (they ask the `site` of this file)
    test_a_foreign_origin_that_equals_its_host_is_refused,
    test_a_message_larger_than_a_dashboard_needs_closes_the_socket,
    test_a_name_that_is_not_this_servers_is_refused,
    test_a_session_is_entered_once_and_with_the_servers_signature,
    test_a_ticket_of_one_dashboard_does_not_open_another,
    test_a_web_socket_from_another_site_is_refused,
    test_every_answer_says_what_it_may_be_made_of_and_not_what_made_it,
    test_head_on_a_dashboard_answers_without_making_one,
    test_in_a_dashboard_runs_what_stood_in_its_page_and_nothing_that_comes_later,
    test_nobody_enters_a_session_by_its_name,
    test_the_files_that_are_given_are_those_that_pages_name,
)

BEFORE = (lingering.bodies, lingering.long_lines, lingering.half_asked)  # Tornado's alone
LONG = ("messages that no page sends, bombs among them", "readers who ask and never read")


@pytest.fixture(scope="module")
def stage(serving, book, tmp_path_factory):
    path = tmp_path_factory.mktemp("console") / "said.txt"
    with pytest.MonkeyPatch.context() as patch, path.open("w") as console:
        patch.setenv("RECPRIV_PANEL", "stock")
        with serving(book, console=console) as (site, process):
            yield visited(Stage(site, process, path))


@pytest.fixture
def site(stage):
    return stage.site


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(attack, id=attack.what, marks=[pytest.mark.slow] * (attack.what in LONG))
        for attack in ATTACKS
        if attack.run not in BEFORE
    ],
)
def test_it_holds(stage: Stage, attack: Attack):
    tried(stage, attack)
