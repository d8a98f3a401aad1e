"""The catalogue of known mistakes, and copies of the solution that each contain one of them.

`tests/misconceptions/<name>.py` contains wrong implementations of single functions; their docstrings are the hints:

    @mistake("rope_frequencies", "where it shipped (repository and issue), or why it is expected")
    def exponent_counts_features(head_dim, base=10000.0): ...

An entry runs as it would in a student's file: it replaces one function of the reference solution, so every function
that builds on that function shows the mistake. Only an entry's values are wrong: it refuses the same arguments as the
solution, and its results have the solution's dtypes. The same file lists known wrong numbers for ANSWERS, as
`WRONG_ANSWERS`:

    WRONG_ANSWERS = {"extra_parameters": {32: "…"}}

The file also contains correct implementations that build on other functions than the solution does (see
`another_correct_way`).
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
    """A known mistake: an entry in the catalogue."""

    name: str
    function: str
    """Name of the function that is wrong."""
    hint: str
    """The likely cause, in words for the student but without the correct code."""
    origin: str
    """The repository and issue in which the mistake shipped, or the reason to expect it."""
    implementation: Callable[..., Any]
    """The function with the mistake."""


def mistake(function: str, origin: str, *, hint: str = "") -> Callable[[Callable[..., Any]], Misconception]:
    """Return a decorator for a wrong implementation of `function`.

    The decorated function's name identifies the entry, and its docstring is the hint. Pass `hint` if several entries
    share a hint.
    """

    def entry(implementation: Callable[..., Any]) -> Misconception:
        text = hint or " ".join((implementation.__doc__ or "").split())
        return Misconception(implementation.__name__, function, text, origin, np.errstate(all="ignore")(implementation))

    return entry


@dataclass(frozen=True, eq=False)
class OtherCorrectWay:
    """A right implementation of a function that calls other functions than the solution does, or fewer of them."""

    function: str
    built_on: frozenset[str]
    """Names of the functions that the implementation calls."""
    implementation: Callable[..., Any]
    """The function, with an additional first argument: the module whose functions it calls."""


def another_correct_way(function: str, *built_on: str) -> Callable[[Callable[..., Any]], OtherCorrectWay]:
    """Return a decorator for a correct implementation of `function` that calls the functions in `built_on`.

    The solution does not call all of these functions, or calls one of them in more places. If a student writes
    `function` in this way, follow-through can compute its results from the student's wrong versions of the
    functions in `built_on`. The implementation must not return results of those functions unchanged or merely
    reordered: follow-through would then allow a wrong guess that both functions make.
    """
    return lambda implementation: OtherCorrectWay(function, frozenset(built_on), implementation)


def without_effect(function: Callable[..., Any], *parameters: str) -> Iterator[tuple[str, Misconception]]:
    """Yield a name and a known mistake for each parameter: the function neither uses the parameter nor passes it on.

    The function with the mistake behaves as if the parameter had its default value. A catalogue adds what is yielded to
    its globals.
    """
    signature = inspect.signature(function)
    for parameter in parameters:
        default = signature.parameters[parameter].default
        as_if = f"as if it were {default}" if default is not None else "as if there were none"
        hint = f"Your result is the same for every `{parameter}`, {as_if}. The rule: use `{parameter}`, and pass it on"
        name = f"{function.__name__}_without_{parameter}"
        entry = mistake(
            function.__name__,
            "expected: a parameter that is not passed on",
            hint=f"{hint} when you call another function.",
        )
        yield name, replace(entry(_ignoring(function, signature, parameter)), name=name)


def _ignoring(function: Callable[..., Any], signature: inspect.Signature, parameter: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def ignoring(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.arguments.pop(parameter, None)
        return function(*bound.args, **bound.kwargs)

    return ignoring


def _with_errors_and_dtypes(right: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the values of `other` but the errors and the result dtypes of `right`."""

    @functools.wraps(other)
    def call(*args: Any, **kwargs: Any) -> Any:
        model = right(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        result = other(*args, **kwargs)
        return in_dtypes_of(result, model)

    return call


def in_dtypes_of(result: Any, model: Any) -> Any:
    """Return a result cast to the floating-point dtypes of `model`, part by part where their structures match."""
    if type(result) is type(model) is dict and result.keys() == model.keys():
        return {key: in_dtypes_of(value, model[key]) for key, value in result.items()}
    if type(result) in (tuple, list) and type(model) in (tuple, list) and len(result) == len(model):
        return type(result)(map(in_dtypes_of, result, model))
    both = isinstance(result, np.ndarray) and isinstance(model, np.ndarray)
    return result.astype(model.dtype) if both and model.dtype.kind == "f" and result.dtype.kind in "fiu" else result


def wrong_answers(assignment: Assignment) -> Mapping[str, Mapping[float, str]]:
    """Return the hints for known wrong answers, keyed by question and wrong number.

    A wrong yes-or-no answer has no hint, since it would give away the right answer.
    """
    return dict(_catalogue(assignment).get("WRONG_ANSWERS", {}))


def entries(assignment: Assignment) -> tuple[Misconception, ...]:
    """Return the known mistakes in an assignment's catalogue, in file order."""
    return tuple(value for value in _catalogue(assignment).values() if isinstance(value, Misconception))


def other_correct_ways(assignment: Assignment) -> tuple[OtherCorrectWay, ...]:
    """Return the other correct ways to write an assignment's functions, in the catalogue's order."""
    return tuple(value for value in _catalogue(assignment).values() if isinstance(value, OtherCorrectWay))


def _catalogue(assignment: Assignment) -> dict[str, Any]:
    """Return everything that an assignment's catalogue defines, keyed by name."""
    if str(ROOT) not in sys.path:  # a catalogue imports solutions, even when run from an installed wheel
        sys.path.append(str(ROOT))
    return vars(_run(assignment.misconceptions, f"misconceptions_{assignment.name}"))


def solution(assignment: Assignment) -> types.ModuleType:
    """Return a fresh copy of the reference solution, which the caller may modify."""
    return _run(assignment.solution, assignment.name)


def solution_with_mistake(assignment: Assignment, entry: Misconception) -> types.ModuleType:
    """Return a fresh copy of the reference solution with a known mistake in it."""
    return solution_with(assignment, {entry.function: entry.implementation})


def solution_in_another_way(assignment: Assignment, way: OtherCorrectWay) -> types.ModuleType:
    """Return a fresh copy of the reference solution with one function written in another way."""
    module = solution(assignment)
    setattr(module, way.function, functools.partial(way.implementation, module))
    return module


def solution_with(assignment: Assignment, functions: Mapping[str, Callable[..., Any]]) -> types.ModuleType:
    """Return a fresh copy of the reference solution with some functions replaced.

    The replacements refuse the same arguments as the solution, and their results have the solution's dtypes.
    """
    module = solution(assignment)
    for name, function in functions.items():
        if name not in vars(module):
            raise LookupError(f"{function.__name__} replaces {name}, which {assignment.solution.name} does not have")
        setattr(module, name, _with_errors_and_dtypes(vars(module)[name], function))
    return module


def _run(path: Path, name: str) -> types.ModuleType:
    """Execute a trusted file as a module without registering it, so that each copy is separate."""
    module = types.ModuleType(name)
    module.__file__ = str(path)
    exec(_compiled(path, path.stat().st_mtime_ns), module.__dict__)
    return module


@functools.cache
def _compiled(path: Path, modified_ns: int) -> types.CodeType:
    """Return a file's compiled code, which is recompiled when the modification time, `modified_ns`, changes."""
    return compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)


class ModuleBackend:
    """A trusted module as a test backend: the reference solution, with or without a mistake."""

    failure: Raised | None = None

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module

    def call(self, call: Call) -> Reply:
        """Return the module's reply to a call, made with copies of the arguments."""
        return perform(self.module, call.copy())
