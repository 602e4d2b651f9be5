"""Where tasks run: in this process, in several, or on a Dask cluster. Each with one thread of linear algebra.

An executor is a function `run(function, tasks)` that yields the results in any order, as they are there.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import logging
import re
import socket
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from recprivlib.orphans import tie, tied
from recprivlib.parameters import UserError

Run = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]  # `map` is one
Executor = Callable[[Callable[[Any], Any], Iterable[Any]], Generator[Any]]  # closing its generator cancels the rest
CONNECT = 5  # seconds that a scheduler has to answer
IDLE = 30  # seconds after which a worker ends that nobody gives work to


@contextmanager
def executor(workers: int = 1, dask: str | None = None) -> Iterator[Executor]:
    """Tasks in `workers` processes, or on the cluster whose scheduler is at the address `dask`."""
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise UserError(f"workers is {workers!r}, but must be a whole number from 1")
    if dask is not None:
        with _cluster(dask) as run:
            yield run
    elif workers > 1:
        joblib = _needed("joblib", "sweep", f"{workers} workers")
        ends = {"initializer": tied, "initargs": tie()}
        with joblib.parallel_config("loky", inner_max_num_threads=1, idle_worker_timeout=IDLE, **ends):
            yield _joblib(joblib, workers)
    else:
        with one_thread():
            yield _here


def _here(function: Callable[[Any], Any], tasks: Iterable[Any]) -> Generator[Any]:
    yield from map(function, tasks)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    _refuse_deaf(address)
    distributed = _needed("distributed", "dask", "--dask")
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).disabled = True  # what is lost we say ourselves, in one sentence
    try:
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except Exception:  # what a listener that is no scheduler makes of it
        raise UserError(f"no Dask scheduler answers at {address!r}; an address is like tcp://10.0.0.1:8786") from None
    with client:
        _refuse_useless(client, address)
        yield _on_cluster(distributed, client)


def _refuse_deaf(address: str) -> None:
    """Where nobody listens is said in a second: Dask itself would go on trying."""
    if address.startswith("inproc://") and "distributed" in sys.modules:
        return  # a cluster in this very process
    form = re.fullmatch(r"(?:(?:tcp|tls|ws|wss)://)?(?:([\w.-]+)|\[([\da-fA-F:.]+)\]):(\d{1,5})", address, re.ASCII)
    refusal = UserError(f"no Dask scheduler answers at {address!r}; an address is like tcp://10.0.0.1:8786")
    if form is None or not 0 < int(form[3]) < 65536:
        raise refusal
    try:
        with socket.create_connection((form[1] or form[2], int(form[3])), timeout=1) as line:
            if address.startswith(("tls:", "ws:", "wss:")):
                return  # who listens there waits for us to speak
            length = int.from_bytes(line.recv(8, socket.MSG_WAITALL), "little")  # of its greeting
    except (OSError, UnicodeError):
        raise refusal from None
    if not 0 < length < 1 << 20:
        raise refusal


def _refuse_useless(client: Any, address: str) -> None:
    """A cluster that would keep us waiting for ever, or lose its workers one by one."""
    try:
        answers = client.run(importlib.import_module, __name__)
    except ImportError as error:
        raise UserError(f"a worker of the Dask cluster at {address} cannot import recprivlib: {error}") from None
    if not answers:
        raise UserError(f"the Dask cluster at {address} has no workers")


def _on_cluster(distributed: Any, client: Any) -> Executor:
    def run(function: Callable[[Any], Any], tasks: Iterable[Any]) -> Generator[Any]:
        tasks, room = iter(tasks), 2 * sum(client.ncores().values())  # one under way and one waiting a thread
        done = distributed.as_completed(loop=client.loop)

        def send(many: int) -> None:
            for task in itertools.islice(tasks, many):
                done.add(client.submit(_alone, function, task, pure=False))

        send(room)
        try:
            for future in done:
                yield future.result()
                send(1)
        finally:
            client.cancel(list(done.futures))

    return run


def _joblib(joblib: Any, workers: int) -> Executor:
    def run(function: Callable[[Any], Any], tasks: Iterable[Any]) -> Generator[Any]:
        # one task a message: whatever is finished comes back at once
        parallel = joblib.Parallel(workers, return_as="generator_unordered", batch_size=1)
        return parallel(joblib.delayed(_alone)(function, task) for task in tasks)

    return run


def _alone(function: Callable[[Any], Any], task: Any) -> Any:
    _for_good()
    return function(task)


@functools.cache
def _for_good() -> Any:
    """One thread in this worker process, until it ends: its tasks may run side by side (Dask), so none restores."""
    return one_thread()


def one_thread() -> Any:
    """A context with one thread of linear algebra, where threadpoolctl is installed: the last bits depend on it."""
    if importlib.util.find_spec("threadpoolctl") is None:
        return nullcontext()
    import scipy.linalg  # noqa: F401  (loads the second copy of BLAS, so that it is limited too)
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return threadpool_limits(1)


def died(error: BaseException) -> bool:
    """Whether a worker process was killed, as the system does when memory runs out, or a cluster was lost."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"TerminatedWorkerError", "BrokenProcessPool", "KilledWorker", "FutureCancelledError"})


def _needed(package: str, extra: str, what: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise UserError(f"{what} needs {package}, which is not installed: pip install 'recprivlib[{extra}]'") from None
