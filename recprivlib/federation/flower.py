"""Flower carries the bytes: every role a process, every message a gRPC call on the loopback.

    python -c "from recprivlib.federation.flower import federate; …"        (in the environment of `make federation`)

    process   as a Flower client of      as a Flower server of      does (roles.py)
    server                               the proxy                  Server.learn
    proxy     the server                 every process of phones    Proxy.mix
    phones    the proxy                                             Phones.answer

`start_server` and `start_client` are Flower's plain way to say "listen here" and "connect there". It has called them
deprecated since 1.13, in favour of a daemon that installs packaged apps; federation.lock pins a version that has them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flwr.client import Client, start_client
from flwr.common import Code, FitIns, FitRes, Parameters, Status
from flwr.server import Server as Rounds
from flwr.server import ServerConfig, SimpleClientManager, start_server
from flwr.server.strategy import Strategy
from flwr.server.superlink.fleet.grpc_bidi.grpc_server import start_grpc_server

from recprivlib.federation.processes import HERE, Job, awaited, free_port, together
from recprivlib.federation.roles import Phones, Proxy, Server, cast
from recprivlib.mechanisms.gate import taped
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions, Model

PATIENCE = 300  # seconds for everybody to be there, and for a round


@dataclass(frozen=True, eq=False)
class Run:
    """What is left of a federated run."""

    model: Model  # what the phones make of what was told last
    shown: list[tuple[str, Any]]  # what the server was handed and told, in the form of a tape
    received: list[bytes]  # as it came in, one message a round
    heard: list[bytes]  # what the proxy got, with senders


def federate(system: Any, train: Interactions, seed: int = 0, processes: int = 4) -> Run:
    """`trained(system, train, seed)`, by `processes` processes of phones, a proxy and a server."""
    server, proxy, phones = cast(system, train, seed, processes)
    above, below = free_port(), free_port()
    jobs: list[Job] = [(_serve, (server, above, system.rounds)), (_mix, (proxy, above, below, processes))]
    jobs += [(_ask, (one, below)) for one in phones]
    (shown, received), heard, *_ = together(jobs, loaded=__name__)
    return Run(system.model(shown[-1][1], train), shown, received, heard)


def _serve(role: Server, port: int, rounds: int) -> tuple[list[tuple[str, Any]], list[bytes]]:
    _hush()
    with taped() as tape:
        plan = AskAll(1, role.learn, role.start())
        start_server(server_address=f"{HERE}:{port}", config=ServerConfig(rounds, PATIENCE), strategy=plan)
    return tape.shown, role.received


def _mix(role: Proxy, above: int, below: int, processes: int) -> list[bytes]:
    _hush()
    rounds = Rounds(client_manager=SimpleClientManager(), strategy=AskAll(processes, role.mix))
    listening = start_grpc_server(rounds.client_manager(), f"{HERE}:{below}")

    def mixed(told: bytes) -> bytes:
        rounds.parameters = _parcel(told)
        return _opened(rounds.fit_round(0, PATIENCE)[0])

    start_client(server_address=awaited(above, PATIENCE), client=Answering(mixed))
    rounds.disconnect_all_clients(PATIENCE)
    listening.stop(grace=1).wait()
    return role.heard


def _ask(role: Phones, port: int) -> None:
    _hush()
    start_client(server_address=awaited(port, PATIENCE), client=Answering(role.answer))


class Answering(Client):
    """One who is told something and answers."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self.answer = answer

    def fit(self, ins: FitIns) -> FitRes:
        return FitRes(Status(Code.OK, ""), _parcel(self.answer(_opened(ins.parameters))), 0, {})


class AskAll(Strategy):
    """One question to all clients, one answer of each."""

    def __init__(self, clients: int, made: Callable[[Sequence[bytes]], bytes], first: bytes = b"") -> None:
        self.clients, self.made, self.first = clients, made, first

    def initialize_parameters(self, client_manager: Any) -> Parameters:
        return _parcel(self.first)

    def configure_fit(self, server_round: int, parameters: Parameters, client_manager: Any) -> list[Any]:
        if not client_manager.wait_for(self.clients, PATIENCE):
            raise UserError(f"{client_manager.num_available()} of {self.clients} clients came")
        return [(client, FitIns(parameters, {})) for client in client_manager.all().values()]

    def aggregate_fit(self, server_round: int, results: list[Any], failures: list[Any]) -> tuple[Parameters, dict]:
        if failures:
            raise UserError(f"{len(failures)} of {self.clients} clients did not answer")
        return _parcel(self.made([_opened(answer.parameters) for _, answer in results])), {}

    def configure_evaluate(self, server_round: int, parameters: Parameters, client_manager: Any) -> list[Any]:
        return []

    def aggregate_evaluate(self, server_round: int, results: list[Any], failures: list[Any]) -> tuple[None, dict]:
        return None, {}

    def evaluate(self, server_round: int, parameters: Parameters) -> None:
        return None


def _parcel(message: bytes) -> Parameters:
    return Parameters([message], "npz")


def _opened(parameters: Parameters) -> bytes:
    (message,) = parameters.tensors
    return message


def _hush() -> None:
    logging.getLogger("flwr").setLevel(logging.ERROR)
