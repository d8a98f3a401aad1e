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
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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


def misconception(function: str, *, hint: str, origin: str) -> Callable[[Callable[..., Any]], Misconception]:
    """Marks a wrong implementation of `function`; the decorated name is the entry's name."""

    def mark(implementation: Callable[..., Any]) -> Misconception:
        return Misconception(implementation.__name__, function, hint, origin, implementation)

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
    return tuple(value for value in vars(_catalogue(assignment)).values() if isinstance(value, Misconception))


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

    def __init__(self, module: types.ModuleType, changes: Mapping[str, Any] | None = None) -> None:
        """`changes`: what further cells have made of it, which holds while it is called."""
        self.module = module
        self.changes = changes or {}

    def call(self, call: Call) -> Reply:
        before = dict(vars(self.module))
        vars(self.module).update(self.changes)
        try:
            return perform(self.module, call.copy())
        finally:
            if self.changes:
                _restore(self.module, before)

    @contextlib.contextmanager
    def anew(self, *cells: str) -> Iterator[Module]:
        """The same module with further cells at its end."""
        before = dict(vars(self.module))
        for cell in cells:
            exec(cell, vars(self.module))
        changes = {name: value for name, value in vars(self.module).items() if before.get(name) is not value}
        _restore(self.module, before)
        yield Module(self.module, changes)


def _restore(module: types.ModuleType, before: Mapping[str, Any]) -> None:
    for name in vars(module).keys() - before.keys():
        del vars(module)[name]
    vars(module).update(before)
