"""The table of `make bench-readers` says what did not hold."""

import math
import subprocess
import sys
from dataclasses import replace

import psutil

from widgets.load import Crowd, _memory, _work, goals

OWN = Crowd("small", "width", 30, own=True)
FOUND = {"p50": 100.0, "p95": 200.0, "unanswered": 0.0, "rate": 50.0, "new": 50.0}


def missed(table):
    return [sentence for sentence, held in goals(table) if not held]


def test_a_quick_crowd_holds_and_a_slow_or_unanswered_one_does_not():
    assert not missed({OWN: FOUND})
    assert len(missed({OWN: FOUND | {"p95": 2100.0}})) == 1
    assert len(missed({OWN: FOUND | {"p50": math.nan, "p95": math.nan}})) == 1
    assert missed({replace(OWN, readers=10): FOUND | {"unanswered": 1.0}}) == ["nobody stays unanswered"]


def test_a_fall_of_the_steps_per_second_is_seen_at_any_size():
    rates = {10: 20.0, 30: 60.0, 60: 47.0}
    table = {replace(OWN, readers=many): FOUND | {"new": rate} for many, rate in rates.items()}
    assert [sentence.split(":")[0] for sentence in missed(table)] == ["settings of their own"]
    table[replace(OWN, readers=60)] = FOUND | {"new": 49.0, "rate": 10.0}  # nobody came back to a setting
    assert not missed(table)
    shared = {replace(crowd, own=False): found | {"rate": rates[crowd.readers]} for crowd, found in table.items()}
    assert [sentence.split(":")[0] for sentence in missed(shared)] == ["settings shared"]


def test_a_costly_reader_may_double_the_wait_and_no_more():
    dear = replace(OWN, costly="people=80")
    assert not missed({OWN: FOUND, dear: FOUND | {"p50": 199.0, "p95": 399.0}})
    assert len(missed({OWN: FOUND, dear: FOUND | {"p50": 201.0}})) == 1


def test_thirty_beside_dear_steps_hold_as_thirty_alone_do_and_in_so_much_memory():
    beset = replace(OWN, dear=6)
    assert not missed({OWN: FOUND, beset: FOUND | {"after": 900.0}})
    assert len(missed({beset: FOUND | {"p95": 2100.0, "after": 900.0}})) == 1
    assert len(missed({beset: FOUND | {"after": 1300.0}})) == 1


def test_the_memory_and_the_work_of_a_server_are_those_of_all_its_processes():
    """What computes is not the process that answers."""
    code = "b = bytearray(80 << 20); import time; [sum(range(1000)) for _ in range(30_000)]; print(1, flush=True)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code + '; time.sleep(60)'!r}])"
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            known = psutil.Process(process.pid)
            assert _memory(known) > 80 << 20
            assert _work(known) > known.cpu_times()[0] + 0.1
        finally:
            for child in known.children():
                child.kill()
