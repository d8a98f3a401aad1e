"""A call as it can be pasted into a Python prompt: small arrays in full, those of the tests by how they are made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.checks import inputs

IN_FULL = 40
"""Numbers of an array that are written out; of a longer one only the shape is told."""

MAX_CALL = 1000
"""Characters of a call that are kept."""


@dataclass(frozen=True)
class Call:
    """One call of a submission's function, as a test made it."""

    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        words = [*map(_written, self.args), *(f"{key}={_written(value)}" for key, value in self.kwargs.items())]
        return f"{self.function}({', '.join(words)})"[:MAX_CALL]


def _written(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({_numbers(value.item())})"
    if type(value) is list or type(value) is tuple:
        parts = ", ".join(map(_written, value))
        return f"[{parts}]" if type(value) is list else f"({parts},)" if len(value) == 1 else f"({parts})"
    if type(value) is dict:
        return "{" + ", ".join(f"{key!r}: {_written(item)}" for key, item in value.items()) + "}"
    return _numbers(value) if type(value) is float else repr(value)


def _array(array: np.ndarray) -> str:
    made = inputs.how_made(array) or _counted(array) or _constant(array)
    if made is not None:
        return made
    if array.size > IN_FULL:
        return f"<array of shape {array.shape}, {array.dtype}>"
    return f"np.array({_numbers(array.tolist())}{_dtype(array, 'int64', 'float64', 'bool')})"


def _counted(array: np.ndarray) -> str | None:
    """`np.arange(5)`, in whatever shape; None where the numbers are others."""
    if array.size < 3 or array.dtype.kind not in "if" or not np.array_equal(array.ravel(), np.arange(array.size)):
        return None
    size = str(array.size) if array.dtype.kind == "i" else f"{array.size}.0"
    shape = f".reshape{array.shape}" if array.ndim > 1 else ""
    return f"np.arange({size}{_dtype(array, 'int64', 'float64')}){shape}"


def _constant(array: np.ndarray) -> str | None:
    """`np.zeros((2, 0, 4))`, where an array is empty or long and all zeros or ones."""
    if 0 < array.size <= 8:
        return None
    for name, value in (("zeros", 0), ("ones", 1)):
        if (array == value).all():
            return f"np.{name}({array.shape}{_dtype(array, 'float64')})"
    return None


def _dtype(array: np.ndarray, *usual: str) -> str:
    return "" if array.dtype.name in usual else f", dtype=np.{array.dtype.name}"


def _numbers(value: Any) -> str:
    """Numbers as Python reads them, where `np` is numpy."""
    return re.sub(r"\b(nan|inf)\b", r"np.\1", repr(value))
