"""The text of a call: lines that a student can type at a Python prompt or, for longer calls, a description.

In lines for a prompt, an array is written out or appears as a call to `features`, which the first line then defines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.checks import inputs
from autograder.protocol.call import Call

MAX_WRITTEN_NUMBERS = 40
"""Maximum size, in elements, of an array that is written out."""

MAX_ALWAYS_WRITTEN_NUMBERS = 8
"""Maximum size, in elements, of an array that is written out even if there is a shorter way."""

MAX_ARRAY_CHARACTERS_IN_DESCRIPTION = 80
"""Maximum length, in characters, of an array that is written out in a description."""

MAX_DICT_CHARACTERS = 120
"""Maximum length, in characters, of a dict that is written out."""

MAX_CALL_CHARACTERS = 380
"""Maximum length, in characters, of a call, so that no report truncates it (see `result_markdown`)."""

FEATURES_DEFINITION = (
    "features = lambda *shape, seed=0, dtype=float:"
    " (np.random.default_rng([seed, *shape]).integers(-16, 17, shape) / 8).astype(dtype)"
)
"""A one-line definition of `inputs.features`, for a Python prompt without this package."""


class _NoShortCodeError(Exception):
    """Raised for a value that no short piece of code creates."""


def call_as_prompt(call: Call) -> str:
    """Return a call as lines for a prompt or as a description; empty if the text would be too long to read."""
    try:
        whole = _joined(call, _python_code)
    except _NoShortCodeError:
        whole, prompts = _joined(call, _code_or_description), ["The call was "]
    else:
        prompts = [f">>> {FEATURES_DEFINITION}\n"] * ("features(" in whole) + [">>> "]
    return "".join(prompts) + whole if len(whole) <= MAX_CALL_CHARACTERS else ""


def _joined(call: Call, write: Callable[[Any], str]) -> str:
    words = [*map(write, call.args), *(f"{key}={write(value)}" for key, value in call.kwargs.items())]
    return f"{call.function}({', '.join(words)})"


def _code_or_description(value: Any) -> str:
    """Return a value's text for a reader; a long array is shown as its shape and dtype, without its numbers."""
    match value:
        case np.ndarray() if (
            value.size > MAX_ALWAYS_WRITTEN_NUMBERS or len(_array(value)) > MAX_ARRAY_CHARACTERS_IN_DESCRIPTION
        ):
            return f"<array of shape {value.shape}, {value.dtype}>"
        case np.random.Generator():
            return "<random generator>"
        case dict():
            return f"<dict of {', '.join(value)}>"
        case list():
            return f"[{', '.join(map(_code_or_description, value))}]"
        case tuple():
            return f"({', '.join(map(_code_or_description, value))})"
    return _python_code(value)


def _python_code(value: Any) -> str:
    """Return Python code for a value. Raise _NoShortCodeError if that code would be too long to type."""
    if isinstance(value, np.random.Generator):
        return _generator(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({_numbers(value.item())})"
    if type(value) is list or type(value) is tuple:
        parts = ", ".join(map(_python_code, value))
        return f"[{parts}]" if type(value) is list else f"({parts},)" if len(value) == 1 else f"({parts})"
    if type(value) is dict:
        whole = "{" + ", ".join(f"{key!r}: {_python_code(item)}" for key, item in value.items()) + "}"
        if len(whole) > MAX_DICT_CHARACTERS:
            raise _NoShortCodeError
        return whole
    return _numbers(value) if type(value) is float else repr(value)


def _generator(generator: np.random.Generator) -> str:
    """Return the code that creates this generator, if its seed is an int and no number has been drawn from it."""
    seed = getattr(generator.bit_generator.seed_seq, "entropy", None)
    if type(seed) is not int or generator.bit_generator.state != np.random.default_rng(seed).bit_generator.state:
        raise _NoShortCodeError
    return f"np.random.default_rng({seed})"


def _array(array: np.ndarray) -> str:
    usual = ("int64", "float64", "bool") if array.size else ("float64",)
    dtype = "" if array.dtype.name in usual else f", dtype=np.{array.dtype.name}"
    if array.size > MAX_ALWAYS_WRITTEN_NUMBERS and (made := inputs.features_call(array)):
        return made
    if array.size == 0:
        return f"np.zeros({array.shape}{dtype})"
    if array.ndim == 1 and array.size > 2 and np.array_equal(array, np.arange(array.size)):
        return f"np.arange({array.size}{'.0' * (array.dtype.kind == 'f')}{dtype})"
    if array.size > MAX_WRITTEN_NUMBERS:
        raise _NoShortCodeError
    return f"np.array({_numbers(array.tolist())}{dtype})"


def _numbers(value: Any) -> str:
    """Return a number, or a list of numbers, in Python's notation, with `np.nan` and `np.inf`."""
    return re.sub(r"\b(nan|inf)\b", r"np.\1", repr(value))
