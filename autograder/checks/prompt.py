"""A call as it can be pasted into a Python prompt: arrays by how they are made, or in full."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.checks import inputs
from autograder.protocol.call import Call

IN_FULL = 40
"""Numbers of an array that are always written out; of a longer one first it is tried how it may be made."""

MAX_CALL = 400
"""Characters of a call that is shown."""


NOT_TYPED = "<array of shape"
"""Stands for an array that nobody would type: its shape says more."""


def typed(words: str | None) -> str:
    """A call as it is shown, long arrays by their shape; empty where that says too little."""
    return words if words is not None and len(words) <= MAX_CALL else ""


def text(call: Call, made: Iterable[Made] = ()) -> str:
    """A call in words; an argument that was made by an earlier call stands as that call."""
    words = [
        *(_argument(value, made) for value in call.args),
        *(f"{key}={_argument(value, made)}" for key, value in call.kwargs.items()),
    ]
    return f"{call.function}({', '.join(words)})"


@dataclass(frozen=True, eq=False)
class Made:
    """A result of the submission, and the call that it came from."""

    value: np.ndarray
    call: Call
    place: int | None
    """which of several results it is"""

    def text(self, made: Iterable[Made]) -> str:
        """What makes it, for a prompt."""
        return text(self.call, made) + (f"[{self.place}]" if self.place is not None else "")


def _argument(value: Any, made: Iterable[Made]) -> str:
    return next((result.text(()) for result in made if result.value is value), None) or _written(value)


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
    if made is None and array.size > IN_FULL:
        return f"{NOT_TYPED} {array.shape}, {array.dtype}>"
    return made or f"np.array({_numbers(array.tolist())}{_dtype(array, 'int64', 'float64', 'bool')})"


def _counted(array: np.ndarray) -> str | None:
    """`np.arange(5)`, in whatever shape, or `np.arange(-40, 41)`; None where the numbers are others."""
    if array.size < 3 or array.dtype.kind not in "if" or not np.isfinite(array).all():
        return None
    begin, step = array.flat[0].item(), (array.flat[1] - array.flat[0]).item()
    if not (
        begin == int(begin)
        and step == int(step)
        and step
        and np.array_equal(array.ravel(), begin + step * np.arange(array.size))
    ):
        return None
    begin, step, point = int(begin), int(step), "" if array.dtype.kind == "i" else ".0"
    end = f"{begin + step * array.size}{point}"
    words = end if (begin, step) == (0, 1) else f"{begin}, {end}" if step == 1 else f"{begin}, {end}, {step}"
    shape = f".reshape{array.shape}" if array.ndim > 1 else ""
    return f"np.arange({words}{_dtype(array, 'int64', 'float64')}){shape}"


def _constant(array: np.ndarray) -> str | None:
    """`np.zeros((2, 0, 4))`, where an array is empty or long and holds one number."""
    if 0 < array.size <= 8:
        return None
    for name, value in (("zeros", 0), ("ones", 1)):
        if (array == value).all():
            return f"np.{name}({array.shape}{_dtype(array, 'float64')})"
    if array.size > IN_FULL and (array == array.flat[0]).all():
        return f"np.full({array.shape}, {_numbers(array.flat[0].item())}{_dtype(array, 'int64', 'float64', 'bool')})"
    return None


def _dtype(array: np.ndarray, *usual: str) -> str:
    return "" if array.dtype.name in usual else f", dtype=np.{array.dtype.name}"


def _numbers(value: Any) -> str:
    """Numbers as Python reads them, where `np` is numpy."""
    return re.sub(r"\b(nan|inf)\b", r"np.\1", repr(value))
