"""How many connections are open at once, and who goes where there are too many."""

from __future__ import annotations

from types import SimpleNamespace

from widgets.connections import BEHIND, Gate


class Stream:
    """A connection, as far as the gate looks at it."""

    def __init__(self):
        self.gone, self._write_buffer = False, b""

    def closed(self) -> bool:
        return self.gone

    def close(self) -> None:
        self.gone = True


class Entered:
    """A gate for so many connections, and what Tornado behind it has taken."""

    def __init__(self, most: int):
        self.taken: list[Stream] = []
        http = SimpleNamespace(handle_stream=lambda stream, _: self.taken.append(stream), start_request=lambda *_: None)
        self.gate = Gate(http, most)

    def comes(self, address: str) -> Stream:
        stream = Stream()
        self.gate.accept(stream, (address, 1234))
        return stream

    def asks(self, stream: Stream) -> None:
        self.gate.has_asked(SimpleNamespace(connection=SimpleNamespace(stream=stream)))

    def waits(self, stream: Stream, address: str) -> None:
        self.gate.start(SimpleNamespace(stream=stream, context=SimpleNamespace(address=(address, 1234))), None)


def test_one_address_has_half_and_its_oldest_that_asks_nothing_goes():
    at = Entered(6)
    first, second, third = (at.comes("192.0.2.7") for _ in range(3))
    at.asks(first)
    at.comes("192.0.2.7")
    assert [first.gone, second.gone, third.gone] == [False, True, False]
    assert not at.comes("192.0.2.8").gone
    assert at.gate.many() == 4


def test_who_is_being_answered_stays_and_nobody_more_of_that_address_comes_in():
    at = Entered(6)
    theirs = [at.comes("192.0.2.7") for _ in range(3)]
    for stream in theirs:
        at.asks(stream)
    assert at.comes("192.0.2.7").gone
    assert not any(stream.gone for stream in theirs)
    at.waits(theirs[1], "192.0.2.7")  # answered, and kept for another request
    assert not at.comes("192.0.2.7").gone
    assert theirs[1].gone


def test_a_proxy_on_this_machine_has_no_share_but_the_sum_is_bounded():
    at = Entered(6)
    theirs = [at.comes("127.0.0.1") for _ in range(10)]
    assert [stream.gone for stream in theirs] == [True] * 4 + [False] * 6
    assert at.gate.many() == 6
    theirs[-1].gone = True  # hung up
    assert at.comes("127.0.0.1") in at.taken
    assert not theirs[-2].gone


def test_who_reads_nothing_is_let_go():
    at = Entered(6)
    slow, good = at.comes("192.0.2.7"), at.comes("192.0.2.7")
    slow._write_buffer, good._write_buffer = bytes(BEHIND + 1), bytes(BEHIND)
    at.gate.look()
    assert (slow.gone, good.gone) == (True, False)
    at.gate.look()
    assert at.gate.many() == 1
