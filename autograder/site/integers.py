"""64-bit integers in a browser tab, where numpy's default integer has 32 bits.

A result must not depend on the machine, but `np.arange(65536) ** 2` overflows only in a tab.
This module lets numpy's functions return int64, as they do on other machines. Array methods still return the default
(`x.astype(int)`), which a reply calls int64 (`codec`). In a tab, np.int32 is C's int, a different type of the same
size, so that a reply can tell it from the default. A message explains the remaining difference: see INDEX_ERROR.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.protocol import codec

MACHINE_DEFAULT_INTEGER = np.dtype(int)
"""This machine's default integer."""

MAKERS = """
    arange array asarray asanyarray ascontiguousarray zeros ones empty full zeros_like ones_like empty_like
    full_like fromiter indices argsort argmax argmin nonzero flatnonzero argwhere where digitize searchsorted
    tri eye identity
""".split()
"""Functions that return default integers unless another dtype is requested."""

INDEXERS = {"take": 1, "put": 1, "repeat": 1, "bincount": 0, "choose": 0}
"""Function → the position of its argument with indices or counts, which may be no wider than the default."""

REDUCERS = ("sum", "prod", "cumsum", "cumprod")
"""Functions that add or multiply many numbers, in the default integer if the numbers' own is no wider."""

INDEX_ERROR = "from dtype('int64') to dtype('int32') according to the rule 'safe'"
"""Part of numpy's message for a method that gets wider indices than it accepts."""

INDEX_ERROR_EXPLAINED = (
    f"{INDEX_ERROR} (this happens only in a browser tab:"
    " call numpy's function, np.take(x, indices), instead of x.take(indices))"
)


def use_int64() -> None:
    """Make int64 the default integer of numpy's functions."""
    np.int32 = np.intc
    for name in (*MAKERS, *INDEXERS, *REDUCERS):
        setattr(np, name, _wide(name))


def distinguish_int32(text: str) -> None:
    """Let replies say int32 for np.int32, if a student's text names it.

    Otherwise C's int comes only from numpy, which returns it from operators such as // on two default integers.
    """
    explicit = re.search(r"\bint(32|c)\b", text) is not None
    (codec.DEFAULT_INTEGER_TYPE_NUMBERS.discard if explicit else codec.DEFAULT_INTEGER_TYPE_NUMBERS.add)(
        np.dtype(np.intc).num
    )


def _wide(name: str) -> Callable[..., Any]:
    """Return a numpy function whose results have int64 instead of the default integer."""
    function = vars(np)[name]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if name in INDEXERS:
            args = tuple(_narrow(value) if at == INDEXERS[name] else value for at, value in enumerate(args))
            kwargs = {keyword: _narrow(value) for keyword, value in kwargs.items()}
        elif name in REDUCERS:
            args = tuple(_widened(value, "bi") for value in args)
        result = function(*args, **kwargs)
        return tuple(map(_widened, result)) if type(result) is tuple else _widened(result)

    return call


def _widened(value: Any, kinds: str = "") -> Any:
    """Return a default integer, or an array of them, as int64; also convert values of these dtype kinds."""
    is_number = isinstance(value, np.ndarray | np.generic)
    is_narrow = is_number and (value.dtype.num == MACHINE_DEFAULT_INTEGER.num or value.dtype.kind in kinds)
    return value.astype(np.int64) if is_narrow else value


def _narrow(value: Any) -> Any:
    """Return int64 values as default integers, which are wide enough for indices."""
    return value.astype(MACHINE_DEFAULT_INTEGER) if isinstance(value, np.ndarray) and value.dtype == np.int64 else value
