"""The catalogue of known mistakes, and the solution with them in it.

`tests/misconceptions/<name>.py` holds wrong implementations of single functions:

    @misconception("rope_frequencies", hint="…", origin="…")
    def exponent_counts_features(head_dim, base=10000.0): ...

An entry is run as a student would meet it: the reference solution with that one function replaced, so that its effect
shows in every function that builds on it. Known wrong numbers in ANSWERS stand there too, as `WRONG_ANSWERS`:

    WRONG_ANSWERS = [wrong_answer("extra_parameters", 32, hint="…")]
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.checks.proxy import parts
from autograder.course import ROOT, Assignment
from autograder.protocol import codec
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
    undo: str = ""
    """where nothing but the shape of a result is wrong: an expression in `part` that gives it the right one"""
    source: str = ""
    """of a stand-in, its text"""


def misconception(
    function: str, *, hint: str, origin: str, undo: str = ""
) -> Callable[[Callable[..., Any]], Misconception]:
    """Marks a wrong implementation of `function`; the decorated name is the entry's name."""

    def mark(implementation: Callable[..., Any]) -> Misconception:
        return Misconception(implementation.__name__, function, hint, origin, implementation, undo)

    return mark


def stand_in(function: str) -> Callable[[Callable[..., Any]], Misconception]:
    """Marks what takes the place of `function`, in a submission as in the solution, where nobody knows its mistake.

    What builds on it then has something to work with. It does other work of the same form: it gives no answer away.
    """

    def mark(implementation: Callable[..., Any]) -> Misconception:
        text = inspect.getsource(implementation)
        return Misconception(
            implementation.__name__, function, "", "a stand-in", implementation, source=text[text.index("def ") :]
        )

    return mark


@dataclass(frozen=True)
class WrongAnswer:
    """One known wrong answer to a question of the lesson."""

    key: str
    value: float
    hint: str


def wrong_answer(key: str, value: float, *, hint: str) -> WrongAnswer:
    """A number that students give, with what it is and the rule. A wrong yes or no has none: the other one is right."""
    return WrongAnswer(key, value, hint)


def wrong_answers(assignment: Assignment) -> tuple[WrongAnswer, ...]:
    """All known wrong answers of an assignment's catalogue."""
    return tuple(vars(_catalogue(assignment)).get("WRONG_ANSWERS", ()))


def entries(assignment: Assignment) -> tuple[Misconception, ...]:
    """All entries of an assignment's catalogue, in the order of its file."""
    return tuple(entry for entry in _marked(assignment) if not entry.source)


def stand_ins(assignment: Assignment) -> dict[str, Misconception]:
    """Function → its stand-in, for those on which much of a lesson builds."""
    return {entry.function: entry for entry in _marked(assignment) if entry.source}


def _marked(assignment: Assignment) -> Iterator[Misconception]:
    return (value for value in vars(_catalogue(assignment)).values() if isinstance(value, Misconception))


def _catalogue(assignment: Assignment) -> types.ModuleType:
    if str(ROOT) not in sys.path:  # entries import the solutions that they change; an installed wheel has them inside
        sys.path.append(str(ROOT))
    return _run(assignment.misconceptions, f"misconceptions_{assignment.name}")


def solution(assignment: Assignment) -> types.ModuleType:
    """A fresh copy of the reference solution, free to be changed."""
    return _run(assignment.solution, assignment.name)


def mistaken(assignment: Assignment, *entries: Misconception) -> types.ModuleType:
    """The reference solution with some functions replaced by known mistakes."""
    module = solution(assignment)
    for entry in entries:
        if entry.function not in vars(module):
            raise LookupError(f"{entry.name} replaces {entry.function}, which {assignment.solution.name} does not have")
        setattr(module, entry.function, entry.implementation)
    return module


def _run(path: Any, name: str) -> types.ModuleType:
    """Execute a trusted file as a module without registering it, so that copies do not meet."""
    module = types.ModuleType(name)
    module.__file__ = str(path)
    exec(_compiled(path, path.stat().st_mtime_ns), module.__dict__)
    return module


@functools.cache
def _compiled(path: Any, changed: int) -> types.CodeType:
    return compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)


class Module:
    """A trusted module as a submission: the reference solution itself, or one with a mistake."""

    failure: Raised | None = None

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module

    def call(self, call: Call) -> Reply:
        return perform(self.module, call.copy())

    def close(self) -> None:
        """Nothing: there is no process to end, and no state that counts."""

    @contextlib.contextmanager
    def anew(self, *cells: str) -> Iterator[Module]:
        """The same module while further cells change it."""
        functions = dict(vars(self.module))
        for cell in cells:
            exec(cell, vars(self.module))
        try:
            yield self
        finally:
            vars(self.module).update(functions)


class OtherValues(Module):
    """The reference solution with every number another one than it is, of the same shape and type."""

    def call(self, call: Call) -> Reply:
        reply = super().call(call)
        if reply.raised is not None:
            return reply
        value = reply.value
        others = tuple(map(_other, parts(value)))
        return replace(reply, encoded=codec.encode(others if type(value) is tuple else others[0]))


def _other(part: Any) -> Any:
    array, random = np.asarray(part), np.random.default_rng(0)
    match array.dtype.kind:
        case "b":
            other = ~array
        case "i" | "u":
            other = array + random.integers(1, 9, array.shape).astype(array.dtype)
        case _:
            other = array + random.uniform(0.5, 1.5, array.shape).astype(array.dtype)
    return other if isinstance(part, np.ndarray) else other[()] if isinstance(part, np.generic) else other.item()
