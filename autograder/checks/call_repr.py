"""The text of a call, for a Python prompt: an array appears in full or as the call that made the array."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from autograder.checks import inputs
from autograder.protocol.call import Call

MAX_WRITTEN_NUMBERS = 40
"""Maximum number of elements of an array that is written in full; a larger array appears only as a shape."""

MAX_DICT_CHARACTERS = 120
"""Maximum number of characters of a dict that is written in full; a longer dict appears only as its keys."""

MAX_CALL_CHARACTERS = 400
"""Maximum number of characters of a call."""


def call_text(call: Call) -> str:
    """Return the text of a call; empty if the text is too long to read."""
    words = [*map(_written_value, call.args), *(f"{key}={_written_value(value)}" for key, value in call.kwargs.items())]
    whole = f"{call.function}({', '.join(words)})"
    return whole if len(whole) <= MAX_CALL_CHARACTERS else ""


def _written_value(value: Any) -> str:
    if isinstance(value, np.random.Generator):
        return "rng"
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({_numbers(value.item())})"
    if type(value) is list or type(value) is tuple:
        parts = ", ".join(map(_written_value, value))
        return f"[{parts}]" if type(value) is list else f"({parts},)" if len(value) == 1 else f"({parts})"
    if type(value) is dict:
        whole = "{" + ", ".join(f"{key!r}: {_written_value(item)}" for key, item in value.items()) + "}"
        return whole if len(whole) <= MAX_DICT_CHARACTERS else f"<dict of {', '.join(value)}>"
    return _numbers(value) if type(value) is float else repr(value)


def _array(array: np.ndarray) -> str:
    usual = ("int64", "float64", "bool") if array.size else ("float64",)
    dtype = "" if array.dtype.name in usual else f", dtype=np.{array.dtype.name}"
    if made := inputs.how_made(array):
        return made
    if array.size == 0:
        return f"np.zeros({array.shape}{dtype})"
    if array.ndim == 1 and array.size > 2 and np.array_equal(array, np.arange(array.size)):
        return f"np.arange({array.size}{'.0' * (array.dtype.kind == 'f')}{dtype})"
    if array.size > MAX_WRITTEN_NUMBERS:
        return f"<array of shape {array.shape}, {array.dtype}>"
    return f"np.array({_numbers(array.tolist())}{dtype})"


def _numbers(value: Any) -> str:
    """Return a number, or a list of numbers, in Python's notation, with `np.nan` and `np.inf`."""
    return re.sub(r"\b(nan|inf)\b", r"np.\1", repr(value))
