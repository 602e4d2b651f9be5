"""A process that fails ends all of them, and none reaches another machine."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
import time

import pytest

from recprivlib.federation.processes import awaited, free_port, together
from recprivlib.parameters import UserError

HERE = "recprivlib.federation.processes"


def test_answers_come_in_the_order_of_the_jobs():
    assert together([(operator.add, (1, 2)), (operator.mul, (3, 4)), (os.getpid, ())], HERE)[:2] == [3, 12]


def test_a_process_that_fails_ends_the_others():
    start = time.monotonic()
    with pytest.raises(UserError, match="1 of 2 processes failed"):
        together([(time.sleep, (600,)), (os._exit, (3,))], HERE)
    with pytest.raises(UserError, match="1 of 2 processes failed"):
        together([(operator.truediv, (1, 0)), (time.sleep, (600,))], HERE)
    assert time.monotonic() - start < 400


def test_a_process_that_ends_in_peace_without_an_answer_is_not_waited_for():
    with pytest.raises(UserError, match="before it had an answer"):
        together([(sys.exit, (0,)), (time.sleep, (60,))], HERE)


class Late:
    """An argument that takes a second to be handed over."""

    def __reduce__(self):
        time.sleep(1)
        return (int, (600,))


def test_a_process_that_fails_before_anybody_listens_ends_the_others_too():
    start = time.monotonic()
    with pytest.raises(UserError, match="1 of 3 processes failed"):
        together([(time.sleep, (600,)), (os._exit, (3,)), (time.sleep, (Late(),))], HERE)
    assert time.monotonic() - start < 400


@pytest.mark.parametrize(
    "asks, host",
    [
        ("socket.create_connection(('192.0.2.1', 80), 1)", "192.0.2.1"),  # an address for documentation: nobody has it
        ("socket.getaddrinfo('example.org', 443)", "example.org"),
        ("socket.socket().connect(('192.0.2.1', 80))", "192.0.2.1"),
    ],
)
def test_whoever_asks_for_another_machine_is_refused_and_seen(asks, host):
    """Also who does not want to be noticed, and goes on."""
    alone = f"import socket\ntry:\n    {asks}\nexcept OSError:\n    pass"
    code = f"from recprivlib.federation.processes import together\ntogether([(exec, ({alone!r},))], {HERE!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"tried to reach {host}" in done.stderr
    assert "1 of 1 processes failed" in done.stderr


def test_a_port_where_nobody_listens_is_not_waited_for_without_end():
    with pytest.raises(UserError, match="nobody listens"):
        awaited(free_port(), 0.3)
