"""The catalogue of known mistakes, and the live reference that recognises them.

`tests/misconceptions/<name>.py` holds wrong implementations of single functions:

    @misconception("rope_frequencies", hint="…", origin="…")
    def exponent_counts_features(head_dim, base=10000.0): ...

An entry is run as a student would meet it: the reference solution with that one function replaced, so that its effect
shows in every function that builds on it. Known wrong numbers in ANSWERS stand there too, as `WRONG_ANSWERS`:

    WRONG_ANSWERS = [wrong_answer("extra_parameters", 32, hint="…")]
"""

from __future__ import annotations

import base64
import copy
import functools
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.checks import call, codec
from autograder.checks.blocks import Blocks, building_blocks
from autograder.checks.call import Raised, Reply
from autograder.checks.reference import REFUSED, Fingerprint, fingerprint
from autograder.course import ROOT, Assignment

REMEMBERED = 32 * 1024
"""Bytes of a call for which it is remembered what known mistakes make of it."""


@dataclass(frozen=True)
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


@functools.cache
def entries(assignment: Assignment) -> tuple[Misconception, ...]:
    """All entries of an assignment's catalogue, in the order of its file."""
    return tuple(value for value in vars(_catalogue(assignment)).values() if isinstance(value, Misconception))


@functools.cache
def _catalogue(assignment: Assignment) -> types.ModuleType:
    if str(ROOT) not in sys.path:  # entries import the solutions that they change; an installed wheel has them inside
        sys.path.append(str(ROOT))
    return _run(assignment.misconceptions, f"misconceptions_{assignment.name}")


def solution(assignment: Assignment) -> types.ModuleType:
    """A fresh copy of the reference solution, free to be changed."""
    return _run(assignment.solution, assignment.name)


def mistaken(assignment: Assignment, entry: Misconception) -> types.ModuleType:
    """The reference solution with one function replaced by a known mistake."""
    module = solution(assignment)
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

    def call(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any], measured: bool) -> Reply:
        return call.perform(self.module, function, *copy.deepcopy((args, kwargs)), measured)


class Oracle:
    """The reference that staff compare with: the solution, called on the same arguments."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.call = b""

    def wanted(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.call = codec.message(function, args, kwargs)
        return _remembering(_wanted, self.call)(self.assignment, self.call)

    def hint(self, got: Any) -> str | None:
        mark = fingerprint(got)
        if mark is None:
            return None
        for entry, wrong in self.mistakes():
            if mark.matches(wrong):
                return entry.hint
        return None

    def mistakes(self) -> tuple[tuple[Misconception, Fingerprint], ...]:
        """What each known mistake returns for the last call, where that is a value and not the right one."""
        found: tuple[tuple[Misconception, Fingerprint], ...] = _remembering(_mistakes, self.call)(self.assignment, self.call)
        return found

    def answer(self, key: str) -> Any:
        return vars(_loaded(self.assignment)[0])[call.ANSWERS][key]

    def known_answers(self, key: str) -> Mapping[float, str]:
        return {one.value: one.hint for one in wrong_answers(self.assignment) if one.key == key}


@functools.cache
def _loaded(assignment: Assignment) -> tuple[types.ModuleType, list[tuple[Misconception, types.ModuleType]]]:
    return solution(assignment), [(entry, mistaken(assignment, entry)) for entry in entries(assignment)]


@functools.cache
def _blocks(assignment: Assignment) -> Blocks:
    return building_blocks(assignment.solution.read_text(encoding="utf-8"))


def _remembering(look: Any, encoded_call: bytes) -> Any:
    """A call may hand back what a submission returned: not everything is worth remembering."""
    return look if len(encoded_call) <= REMEMBERED else look.__wrapped__


@functools.lru_cache(maxsize=2048)
def _wanted(assignment: Assignment, encoded_call: bytes) -> Any:
    """What the solution returns, or REFUSED. Remembered, since a test asks the same about every submission."""
    function, args, kwargs = codec.decode(encoded_call)
    try:
        wanted = vars(_loaded(assignment)[0])[function](*args, **kwargs)
    except (ValueError, IndexError):
        return REFUSED
    for part in wanted if type(wanted) is tuple else (wanted,):
        if isinstance(part, np.ndarray):
            part.flags.writeable = False
    return wanted


@functools.lru_cache(maxsize=2048)
def _mistakes(assignment: Assignment, encoded_call: bytes) -> tuple[tuple[Misconception, Fingerprint], ...]:
    """Remembered, since a test asks the same of every wrong submission; by the call alone, so that none affects another."""
    right_module, wrong_modules = _loaded(assignment)
    function = codec.decode(encoded_call)[0]
    right = fingerprint(_value(right_module, encoded_call))
    found = []
    # No mistake elsewhere shows in this function's results.
    within = {function, *_blocks(assignment).below(function)}
    candidates = [(entry, module) for entry, module in wrong_modules if entry.function in within]
    # The same wrong result may have its cause in the function itself or below it: the nearer one is likelier.
    for entry, module in sorted(candidates, key=lambda pair: pair[0].function != function):
        wrong = fingerprint(_value(module, encoded_call))
        if wrong is not None and not (right is not None and wrong.matches(right)):
            found.append((entry, wrong))
    return tuple(found)


def _value(module: types.ModuleType, encoded_call: bytes) -> Any:
    """The result as it would come from a submission; None where an exception came."""
    function, args, kwargs = codec.decode(encoded_call)
    reply = call.perform(module, function, args, kwargs, measured=False)
    return None if reply.raised else codec.decode(reply.value)


class Recorder(Oracle):
    """A live reference that writes down what a public test asked, for the handout."""

    def __init__(self, assignment: Assignment, calls: list[dict[str, Any]]) -> None:
        super().__init__(assignment)
        self.calls = calls

    def wanted(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        wanted = super().wanted(function, args, kwargs)
        mistakes = [
            {"hint": entry.hint, "shape": list(mark.shape), "sums": list(mark.sums)} for entry, mark in self.mistakes()
        ]
        encoded = None if wanted is REFUSED else base64.b64encode(codec.encode(wanted)).decode("ascii")
        self.calls.append({"function": function, "wanted": encoded, "mistakes": mistakes})
        return wanted
