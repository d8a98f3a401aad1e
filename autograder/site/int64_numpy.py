"""64-bit integers in a browser tab, where numpy's default integer has 32 bits.

Results must not depend on the machine, but `np.arange(65536) ** 2` overflows only in a tab. This module makes numpy's
functions return int64, as they do on other machines. Array methods such as `x.astype(int)` still return the default
integer, which replies call int64 (see `codec`). In a tab, np.int32 is made C's int, a different type of the same size,
so that replies can tell the two apart. WIDE_INDEX_NOTE explains the remaining difference.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.protocol import codec

MAKERS = """
    arange array asarray asanyarray ascontiguousarray zeros ones empty full zeros_like ones_like empty_like
    full_like fromiter indices argsort argmax argmin nonzero flatnonzero argwhere where digitize searchsorted
    tri eye identity
""".split()
"""Functions that return default integers unless another dtype is requested."""

INDEX_POSITIONS = {"take": 1, "put": 1, "repeat": 1, "bincount": 0, "choose": 0}
"""Position of the argument with a function's indices or counts, which must not be wider than the default integer."""

SUMMAND_POSITIONS = dict.fromkeys(("sum", "prod", "cumsum", "cumprod"), 0)
"""Functions that add or multiply many numbers, and use default integers unless the numbers are wider."""

WIDE_INDEX_MESSAGE = "from dtype('int64') to dtype('int32') according to the rule 'safe'"
WIDE_INDEX_NOTE = " (only in a browser tab: call numpy's function, np.take(x, indices), not x.take(indices))"
"""Part of numpy's message about indices that are wider than a method accepts, and the explanation to add to it."""


def use_int64() -> None:
    """Make int64 the default integer for numpy's functions."""
    np.int32 = np.intc
    for name in MAKERS:
        setattr(np, name, _int64_version(vars(np)[name]))
    for names, convert in ((INDEX_POSITIONS, _narrow), (SUMMAND_POSITIONS, functools.partial(_widened, kinds="i"))):
        for name, position in names.items():
            setattr(np, name, _int64_version(vars(np)[name], position, convert))


def distinguish_int32_if_named(students_code: str) -> None:
    """Make replies report np.int32 as int32 if the student's code contains `int32` or `intc`.

    In any other code, C's int comes only from numpy: operators such as // return it for default integers.
    """
    numbers = codec.DEFAULT_INTEGER_TYPE_NUMBERS
    (numbers.discard if re.search(r"\bint(32|c)\b", students_code) else numbers.add)(np.dtype(np.intc).num)


def _int64_version(function: Callable[..., Any], position: int = 0, convert: Callable[[Any], Any] = lambda x: x) -> Any:
    """Return a version of a numpy function that converts one argument and returns default integers as int64."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        converted = [convert(value) if at == position else value for at, value in enumerate(args)]
        result = function(*converted, **{name: convert(value) for name, value in kwargs.items()})
        return tuple(map(_widened, result)) if type(result) is tuple else _widened(result)

    return call


def _widened(value: Any, kinds: str = "") -> Any:
    """Return default integers, and values of these dtype kinds, as int64; return other values unchanged."""
    is_number = isinstance(value, np.ndarray | np.generic)
    is_narrow = is_number and (value.dtype.num == np.dtype(int).num or value.dtype.kind in kinds)
    return value.astype(np.int64, copy=False) if is_narrow else value


def _narrow(value: Any) -> Any:
    """Return int64 values as default integers, which are wide enough for indices."""
    return value.astype(int) if isinstance(value, np.ndarray) and value.dtype == np.int64 else value
