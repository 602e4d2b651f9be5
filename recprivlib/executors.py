"""Where tasks run: in this process, in several, or on a Dask cluster. Each with one thread of linear algebra.

An executor is a function `run(function, tasks)` that yields the results in any order, as they are there.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from recprivlib.parameters import UserError

Run = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]  # `map` is one
Executor = Callable[[Callable[[Any], Any], Iterable[Any]], Generator[Any]]  # closing its generator cancels the rest
CONNECT = 5  # seconds that a scheduler has to answer
IDLE = 30  # seconds after which a worker ends that nobody gives work to: its parent may have been killed


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
        with joblib.parallel_config("loky", inner_max_num_threads=1, idle_worker_timeout=IDLE):
            yield _joblib(joblib, workers)
    else:
        with one_thread():
            yield _here


def _here(function: Callable[[Any], Any], tasks: Iterable[Any]) -> Generator[Any]:
    yield from map(function, tasks)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    distributed = _needed("distributed", "dask", "--dask")
    joblib = _needed("joblib", "sweep", "--dask")
    try:
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError):
        raise UserError(f"no Dask scheduler answers at {address!r}; an address is like tcp://10.0.0.1:8786") from None
    with client:
        _refuse_useless(client, address)
        with joblib.parallel_config("dask", client=client):
            yield _joblib(joblib, -1)


def _refuse_useless(client: Any, address: str) -> None:
    """A cluster that would keep us waiting for ever, or lose its workers one by one."""
    try:
        answers = client.run(importlib.import_module, __name__)
    except ImportError as error:
        raise UserError(f"a worker of the Dask cluster at {address} cannot import recprivlib: {error}") from None
    if not answers:
        raise UserError(f"the Dask cluster at {address} has no workers")


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
