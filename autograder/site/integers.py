"""64-bit integers in a browser tab, where numpy's default integer has 32 bits.

A verdict must not depend on the machine, and `np.arange(65536) ** 2` overflows in a tab and nowhere else. Here numpy's
functions make int64 as they do on other machines. Methods of arrays still make int32 (`x.astype(int)`); a reply says
int64 for it (`codec`). What is left is told: see INDEX_ERROR.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

DEFAULT_INTEGER = np.dtype(int)
"""The default integer of this machine."""

MAKERS = """
    arange array asarray asanyarray ascontiguousarray zeros ones empty full zeros_like ones_like empty_like full_like
    fromiter sum prod cumsum cumprod indices argsort argmax argmin nonzero flatnonzero argwhere where digitize
    searchsorted tri eye identity
""".split()
"""Functions that make integers of the default kind unless they are asked for another."""

INDEXERS = {"take": 1, "put": 1, "repeat": 1, "bincount": 0, "choose": 0}
"""Function → its argument that holds indices or counts, and may be no wider than the default."""

INDEX_ERROR = "from dtype('int64') to dtype('int32') according to the rule 'safe'"
"""Part of numpy's message where a method meets wider indices than it takes."""

INDEX_ERROR_EXPLAINED = (
    f"{INDEX_ERROR} (this happens in a browser tab only:"
    " call numpy's function, np.take(x, indices), and not x.take(indices))"
)


def use_int64() -> None:
    """Make int64 the default integer of numpy's functions."""
    for name in (*MAKERS, *INDEXERS):
        setattr(np, name, _wide(vars(np)[name], INDEXERS.get(name)))


def _wide(function: Callable[..., Any], index_argument: int | None) -> Callable[..., Any]:
    """Return the function with int64 in its results, unless an argument is or names int32."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if index_argument is not None:
            args = tuple(_narrow(value) if at == index_argument else value for at, value in enumerate(args))
            kwargs = {name: _narrow(value) for name, value in kwargs.items()}
        result = function(*args, **kwargs)
        if any(map(_is_int32, args)) or any(map(_is_int32, kwargs.values())):
            return result
        return tuple(map(_widened, result)) if type(result) is tuple else _widened(result)

    return call


def _widened(value: Any) -> Any:
    """Return a default integer, or an array of them, as int64."""
    return (
        value.astype(np.int64)
        if isinstance(value, np.ndarray | np.generic) and value.dtype == DEFAULT_INTEGER
        else value
    )


def _narrow(value: Any) -> Any:
    """Return int64 as the default integer, which is wide enough for an index."""
    return value.astype(DEFAULT_INTEGER) if isinstance(value, np.ndarray) and value.dtype == np.int64 else value


def _is_int32(value: Any) -> bool:
    """Return whether an argument is or names int32: the caller wants that."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype == DEFAULT_INTEGER)
    return value in (np.int32, np.intc) if isinstance(value, type) else isinstance(value, str) and value == "int32"
