"""The text of a value in a message, as a person would write it in Python, without numpy type names."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_VALUE_CHARACTERS = 60
"""Maximum length, in characters, of a value in a message."""


def value_text(value: Any, digits: int | None = None) -> str:
    """Return the text of a value: `0.5` for np.float64(0.5), and an array's shape instead of its numbers.

    `digits` is the number of significant digits; by default, as many as it takes to identify the number.
    """
    value = _without_numpy_types(value)
    text = f"{value:.{digits}g}" if type(value) is float and digits is not None else repr(value)
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[: MAX_VALUE_CHARACTERS - 2]} …"


def plain_scalar(value: Any) -> Any:
    """Return a numpy number as a Python number, and any other value unchanged."""
    return value.item() if isinstance(value, np.generic) or (type(value) is np.ndarray and value.ndim == 0) else value


class _Words(str):
    """Text that stands for a value in a list and is printed there without quotes."""

    __repr__ = str.__str__


def _without_numpy_types(value: Any) -> Any:
    if type(value) is np.ndarray and value.ndim:
        return _Words(f"an array of shape {value.shape}")
    if type(value) is dict:
        return {_without_numpy_types(key): _without_numpy_types(part) for key, part in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(map(_without_numpy_types, value))
    return plain_scalar(value)
