"""The catalogue of known mistakes, and the solution with them in it.

`tests/misconceptions/<name>.py` holds wrong implementations of single functions. Their docstrings are the hints:

    @mistake("rope_frequencies", "where it shipped (repository and issue), or why it is expected")
    def exponent_counts_features(head_dim, base=10000.0): ...

An entry is run as a student would meet it: the reference solution with that one function replaced, so that its effect
shows in every function that builds on it. It is wrong in one thing alone: it refuses what the solution refuses, and its
results have the solution's dtype. Known wrong numbers in ANSWERS stand there too, as `WRONG_ANSWERS`:

    WRONG_ANSWERS = {"extra_parameters": {32: "…"}}
"""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course import ROOT, Assignment
from autograder.protocol.call import Call, Raised, Reply, perform


@dataclass(frozen=True, eq=False)
class Misconception:
    """One known mistake."""

    name: str
    function: str
    hint: str
    """the likely cause, in words for the student; never the right code"""
    origin: str
    """where it shipped (repository and issue) or why it is expected"""
    implementation: Callable[..., Any]


def mistake(function: str, origin: str, *, hint: str = "") -> Callable[[Callable[..., Any]], Misconception]:
    """Marks a wrong implementation of `function`. Its name is the entry's, its docstring the hint; two entries that
    share a hint give it."""

    def mark(implementation: Callable[..., Any]) -> Misconception:
        said = hint or " ".join((implementation.__doc__ or "").split())
        return Misconception(implementation.__name__, function, said, origin, np.errstate(all="ignore")(implementation))

    return mark


def without_effect(function: Callable[..., Any], *parameters: str) -> Iterator[tuple[str, Misconception]]:
    """Yield a name and a mistake for each of these parameters: it is taken and not used, or not handed on.

    The function then does what it does by default. A catalogue adds the mistakes to its names.
    """
    signature = inspect.signature(function)
    for parameter in parameters:
        default = signature.parameters[parameter].default
        as_if = f"as if it were {default}" if default is not None else "as if there were none"
        hint = f"Your result is the same for every `{parameter}`, {as_if}. The rule: use `{parameter}`, and hand it on"
        name = f"{function.__name__}_without_{parameter}"
        entry = mistake(
            function.__name__,
            "expected: a parameter that is not handed on",
            hint=f"{hint} where you call another function.",
        )
        yield name, replace(entry(_by_default(function, signature, parameter)), name=name)


def _by_default(function: Callable[..., Any], signature: inspect.Signature, parameter: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def ignoring(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.arguments.pop(parameter, None)
        return function(*bound.args, **bound.kwargs)

    return ignoring


def _careful(right: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    """A function that refuses what the solution refuses, and whose results have the solution's dtype."""

    @functools.wraps(other)
    def call(*args: Any, **kwargs: Any) -> Any:
        model = right(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        result = other(*args, **kwargs)
        if type(result) is tuple and type(model) is tuple and len(result) == len(model):
            return tuple(map(_of_dtype, result, model))
        return _of_dtype(result, model)

    return call


def _of_dtype(result: Any, model: Any) -> Any:
    both = isinstance(result, np.ndarray) and isinstance(model, np.ndarray)
    return result.astype(model.dtype) if both and model.dtype.kind == "f" and result.dtype.kind in "fiu" else result


def wrong_answers(assignment: Assignment) -> Mapping[str, Mapping[float, str]]:
    """Question of the lesson → wrong numbers that students give → what such a number is, and the rule. A wrong yes or
    no has none: the other one is right."""
    return dict(_catalogue(assignment).get("WRONG_ANSWERS", {}))


def entries(assignment: Assignment) -> tuple[Misconception, ...]:
    """All entries of an assignment's catalogue, in the order of its file."""
    return tuple(value for value in _catalogue(assignment).values() if isinstance(value, Misconception))


def _catalogue(assignment: Assignment) -> dict[str, Any]:
    if str(ROOT) not in sys.path:  # entries import the solutions that they change; an installed wheel has them inside
        sys.path.append(str(ROOT))
    return vars(_run(assignment.misconceptions, f"misconceptions_{assignment.name}"))


def solution(assignment: Assignment) -> types.ModuleType:
    """A fresh copy of the reference solution, free to be changed."""
    return _run(assignment.solution, assignment.name)


def mistaken(assignment: Assignment, entry: Misconception) -> types.ModuleType:
    """The reference solution with a known mistake in it."""
    return replaced(assignment, {entry.function: entry.implementation})


def replaced(assignment: Assignment, functions: Mapping[str, Callable[..., Any]]) -> types.ModuleType:
    """The reference solution with other functions in the place of some. They refuse what it refuses, and their results
    have its dtypes."""
    module = solution(assignment)
    for name, function in functions.items():
        if name not in vars(module):
            raise LookupError(f"{function.__name__} replaces {name}, which {assignment.solution.name} does not have")
        setattr(module, name, _careful(vars(module)[name], function))
    return module


def _run(path: Path, name: str) -> types.ModuleType:
    """Execute a trusted file as a module without registering it, so that copies do not meet."""
    module = types.ModuleType(name)
    module.__file__ = str(path)
    exec(_compiled(path, path.stat().st_mtime_ns), module.__dict__)
    return module


@functools.cache
def _compiled(path: Path, changed: int) -> types.CodeType:
    return compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)


class Module:
    """A trusted module as a submission: the reference solution itself, or one with a mistake."""

    failure: Raised | None = None

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module

    def call(self, call: Call) -> Reply:
        return perform(self.module, call.copy())
