"""The library's own code in a chapter: what a reader sees is what runs."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from textwrap import dedent
from typing import Any


@dataclass(frozen=True)
class Source:
    """Code for a page in the page's own colours; in text only its name, so that a reference need not repeat it."""

    name: str
    code: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/markdown": f"```python\n{self.code}\n```", "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"the source of {self.name}"


def source(thing: Any) -> Source:
    """The source of a function, a method or a class.

    >>> source(source)
    the source of recprivlib.plots.source.source
    """
    code = dedent(inspect.getsource(thing)).rstrip()
    return Source(f"{thing.__module__}.{thing.__qualname__}", code)
