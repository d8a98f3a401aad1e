"""Mistakes that nobody had to write down: each follows from a function's signature, with a hint in the names of its
arguments.

An argument ignored, negated, exchanged with its neighbour, one too far; a result mirrored, negated, upside down.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autograder.hints.catalogue import Misconception
from autograder.hints.rule import Observation

Implementation = Callable[..., Any]

SIGNATURE = "signature"
"""The origin of a mistake that changes nothing but what goes into a function or comes out of it: what that refuses, it
refuses still."""


def of_arguments(function: str, right: Implementation) -> list[Misconception]:
    """Those of a function that takes an argument for another one than it is."""
    signature = inspect.signature(right)
    mistakes = []

    def add(name: str, hint: str, implementation: Implementation) -> None:
        mistakes.append(Misconception(f"{function}: {name}", function, hint, SIGNATURE, implementation))

    for name, parameter in signature.parameters.items():
        for what, hint, change in _ARGUMENT_CHANGES:
            add(f"{name} {what}", f"`{name}` {hint}", _with_argument(right, signature, name, change))
        if parameter.default is not inspect.Parameter.empty:
            fixed = _with_argument(right, signature, name, functools.partial(_constant, parameter.default))
            add(
                f"{name} ignored",
                f"`{name}` has no effect: your result is the one for its default. The rule is to use what the caller"
                " passes.",
                fixed,
            )
    for first, second in itertools.pairwise(signature.parameters):
        hint = f"`{first}` and `{second}` are exchanged: your result is the one with each in the other's place."
        add(f"{first} and {second} exchanged", hint, _exchanged(right, signature, first, second))
    return mistakes


def of_results(function: str, right: Implementation) -> list[Misconception]:
    """Those of a function that does all of its work, and returns another form of the right result."""
    return [
        Misconception(f"{function}: result {what}", function, hint, SIGNATURE, _with_result(right, change))
        for what, hint, change, undo in (*((*change, "") for change in _RESULT_CHANGES), *_SHAPE_CHANGES)
    ]


FACTORS = (2, 3, 0.5, -1)
"""Those that are told. A submission could choose any other by what it has seen of a hidden input."""


NUMBERS = (int, float, np.ndarray, np.generic)
"""What a factor can be seen in."""

ENOUGH_NUMBERS = 3
"""Wrong numbers, not 0, in which the same factor is no coincidence."""


def factor(rows: Iterable[Observation]) -> float | None:
    """How many times too large the largest wrong result is, where there are enough numbers to say so."""
    pairs = [
        (got[np.isfinite(right)], right[np.isfinite(right)])
        for row in rows
        if row.is_wrong and isinstance(row.got, NUMBERS) and isinstance(row.right, NUMBERS)
        for got, right in [(np.asarray(row.got), np.asarray(row.right))]
        if got.shape == right.shape and got.dtype.kind in "iuf" and right.dtype.kind in "iuf"
    ]
    if sum(np.count_nonzero(right) for _, right in pairs) < ENOUGH_NUMBERS:
        return None
    got, right = max(pairs, key=lambda pair: float(np.abs(pair[1]).max(initial=0)))
    largest = np.abs(right).argmax()
    times = float(got[largest]) / float(right[largest])
    return times if times and np.isfinite(times) else None


def scaled(function: str, right: Implementation, factor: float) -> Misconception:
    """The right result times a number, which is the same in every call."""
    times = next((times for times in FACTORS if math.isclose(factor, times, rel_tol=1e-6)), None)
    hint = (
        "In every call your result is the right one times the same number: look for a factor that is missing or too"
        " much."
        if times is None
        else f"In every call your result is {times} times as large as it should be."
    )
    implementation = _with_result(right, lambda value: _number(value) * factor)
    return Misconception(f"{function}: result times {factor}", function, hint, SIGNATURE, implementation)


class _NotApplicable(Exception):
    """A change that makes no sense of this argument: the call is as if it were refused, which explains nothing."""


def _constant(value: object, given: object) -> object:
    return value


def _with_argument(
    right: Implementation, signature: inspect.Signature, name: str, change: Callable[[Any], Any]
) -> Implementation:
    def mistaken(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        bound.arguments[name] = change(bound.arguments[name])
        return right(*bound.args, **bound.kwargs)

    return mistaken


def _exchanged(right: Implementation, signature: inspect.Signature, first: str, second: str) -> Implementation:
    def mistaken(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        bound.arguments[first], bound.arguments[second] = bound.arguments[second], bound.arguments[first]
        return right(*bound.args, **bound.kwargs)

    return mistaken


def _with_result(right: Implementation, change: Callable[[Any], Any]) -> Implementation:
    def mistaken(*args: Any, **kwargs: Any) -> Any:
        value = right(*args, **kwargs)
        return tuple(map(change, value)) if isinstance(value, tuple) else change(value)

    return mistaken


def _array(value: Any, dimensions: int = 1) -> np.ndarray:
    if isinstance(value, bool | str | dict | None):
        raise _NotApplicable
    array = np.asarray(value)
    if array.ndim < dimensions or array.dtype.kind not in "iuf":
        raise _NotApplicable
    return array


def _number(value: Any) -> Any:
    if isinstance(value, bool | str | dict | None) or (np.ndim(value) and np.asarray(value).dtype.kind not in "iuf"):
        raise _NotApplicable
    return value if isinstance(value, int | float) else np.asarray(value)


def _root(value: Any) -> Any:
    if np.any(_number(value) < 0):  # NaN is the root of anything
        raise _NotApplicable
    return np.sqrt(_number(value))


def _boolean(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return not value
    array = np.asarray(value)
    if array.dtype.kind != "b":
        raise _NotApplicable
    return ~array


_ARGUMENT_CHANGES: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("negated", "enters with the opposite sign.", lambda value: -_number(value)),
    ("without sign", "enters without its sign.", lambda value: np.abs(_number(value))),
    ("one too far", "is one too large where it is used: your result is the one for the next whole number.",
     lambda value: _number(value) + 1),
    ("one too near", "is one too small where it is used: your result is the one for the whole number before.",
     lambda value: _number(value) - 1),
    ("whole", "is cut to a whole number. The rule is to use it as it is.", lambda value: np.trunc(_number(value))),
    ("clipped", "counts as 0 where it is negative. The rule is to use it as it is.",
     lambda value: np.maximum(_number(value), 0)),
    ("counted", "has no effect: your result is the one for 0, 1, 2, … in its place.",
     lambda value: np.arange(len(_array(value)))),
    ("zero", "has no effect: your result is the one for 0 in its place.", lambda value: _number(value) * 0),
    ("one", "has no effect: your result is the one for 1 in its place.", lambda value: _number(value) * 0 + 1),
    ("doubled", "enters twice: your result is the one for twice its value.", lambda value: _number(value) * 2),
    ("halved", "enters only half: your result is the one for half its value.", lambda value: _number(value) / 2),
    ("squared", "enters squared.", lambda value: _number(value) ** 2),
    ("rooted", "enters as its square root.", _root),
    ("upside down", "enters upside down: your result is the one for 1 divided by it.",
     lambda value: 1 / _number(value)),
    ("transposed", "is transposed: its last two axes are exchanged.",
     lambda value: np.swapaxes(_array(value, 2), -1, -2)),
    ("reversed rows", "is read with its rows in reversed order.", lambda value: np.flip(_array(value, 2), -2)),
    ("reversed", "is read from its end.", lambda value: np.flip(_array(value), -1)),
    ("inverted", "is inverted: true is taken for false.", _boolean),
]  # fmt: skip

_RESULT_CHANGES: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("negated", "Your result has the opposite sign.", lambda value: -_number(value)),
    ("inverted", "Your result is inverted: true stands for false.", _boolean),
    ("without sign", "Your result has lost its sign.", lambda value: np.abs(_number(value))),
    ("upside down", "Your result is upside down: 1 divided by what is wanted.", lambda value: 1 / _number(value)),
    ("reversed", "Your result is reversed along its last axis.", lambda value: np.flip(_array(value), -1)),
    ("reversed rows", "The rows of your result are in reversed order.", lambda value: np.flip(_array(value, 2), -2)),
    ("one too large", "Your result is one too large: look at where the count begins and ends.",
     lambda value: _number(value) + 1),
    ("one too small", "Your result is one too small: look at where the count begins and ends.",
     lambda value: _number(value) - 1),
    ("doubled", "Your result is twice as large as it should be.", lambda value: _number(value) * 2),
    ("halved", "Your result is half as large as it should be.", lambda value: _number(value) / 2),
    ("squared", "Your result is the square of what is wanted.", lambda value: _number(value) ** 2),
    ("rooted", "Your result is the square root of what is wanted.", lambda value: np.sqrt(_number(value))),
]  # fmt: skip

_SHAPE_CHANGES: list[tuple[str, str, Callable[[Any], Any], str]] = [
    ("as a list", "Your result is a Python list; the rule is an array, which has a shape and can be computed with.",
     lambda value: _array(value).tolist(), "part"),
    ("transposed", "Your result is transposed: its last two axes are exchanged.",
     lambda value: np.swapaxes(_array(value, 2), -1, -2), "np.swapaxes(part, -1, -2)"),
    ("with its first axis last", "The first axis of your result is its last one.",
     lambda value: np.moveaxis(_array(value, 3), 0, -1), "np.moveaxis(part, -1, 0)"),
    ("with its last axis first", "The last axis of your result is its first one.",
     lambda value: np.moveaxis(_array(value, 3), -1, 0), "np.moveaxis(part, 0, -1)"),
    ("twice", "Your result is there twice, side by side along its last axis.",
     lambda value: np.concatenate([_array(value)] * 2, -1), "part[..., : part.shape[-1] // 2]"),
    ("with each value twice", "Your result has each value twice, side by side along its last axis.",
     lambda value: np.repeat(_array(value), 2, -1), "part[..., ::2]"),
    ("with one more axis", "Your result has one axis more than it should have: the last one, of length 1.",
     lambda value: np.asarray(value)[..., np.newaxis], "part[..., 0]"),
    ("with one axis before", "Your result has one axis more than it should have: the first one, of length 1.",
     lambda value: np.asarray(value)[np.newaxis], "part[0]"),
]  # fmt: skip
"""With what undoes each change in a part of the result that is an array by then."""
