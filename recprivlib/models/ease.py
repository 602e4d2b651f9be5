"""The inverse of a large symmetric matrix, while everybody else goes on.

SciPy's own wrappers of LAPACK hold the interpreter until they are done: for the 3,706 films of MovieLens 1M nobody on
a server was answered for a second. The same routines, called by their address, let go of it; a browser has no
threads that could wait, and takes SciPy's.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from recprivlib.models.similarity import mirror
from recprivlib.protocols import Array


def inverse(matrix: Array) -> Array | None:
    """The inverse of a positive definite float32 matrix, in its place; None if float32 cannot carry it.

    The transpose is in Fortran order, so LAPACK works in place: one array in all.
    """
    if matrix.dtype != np.float32 or not matrix.flags.c_contiguous or matrix.shape[0] != matrix.shape[1]:
        raise ValueError("LAPACK is handed the address: a square of float32, row after row")
    for step in (_held if sys.platform == "emscripten" else _free)():
        if step(matrix):
            return None
    return mirror(matrix)


def _held() -> tuple[Callable[[Array], int], ...]:
    from scipy.linalg import lapack

    return (
        lambda matrix: lapack.spotrf(matrix.T, lower=1, clean=0, overwrite_a=1)[1],
        lambda matrix: lapack.spotri(matrix.T, lower=1, overwrite_c=1)[1],
    )


@cache
def _free() -> tuple[Callable[[Array], int], ...]:
    return _called(_address("spotrf")), _called(_address("spotri"))


def _called(routine: Any) -> Callable[[Array], int]:
    """Both factorise or invert the lower triangle of n × n numbers in place, and say whether they could."""

    def call(matrix: Array) -> int:
        n, bad = ctypes.c_int(len(matrix)), ctypes.c_int(0)
        size = ctypes.byref(n)
        routine(b"L", size, matrix.ctypes.data_as(ctypes.c_void_p), size, ctypes.byref(bad))
        return bad.value

    return call


def _address(name: str) -> Any:
    """A routine of the LAPACK that SciPy brings along; ctypes lets go of the interpreter while it runs."""
    from scipy.linalg import cython_lapack

    capsule, python = cython_lapack.__pyx_capi__[name], ctypes.pythonapi
    python.PyCapsule_GetName.restype, python.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    python.PyCapsule_GetPointer.restype = ctypes.c_void_p
    python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    where = python.PyCapsule_GetPointer(capsule, python.PyCapsule_GetName(capsule))
    whole = ctypes.POINTER(ctypes.c_int)
    return ctypes.CFUNCTYPE(None, ctypes.c_char_p, whole, ctypes.c_void_p, whole, whole)(where)
