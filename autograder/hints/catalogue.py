"""The catalogue of known mistakes, and the live reference that recognises them.

`tests/misconceptions/<name>.py` holds wrong implementations of single functions:

    @misconception("rope_frequencies", hint="…", origin="…")
    def exponent_counts_features(head_dim, base=10000.0): ...

An entry is run as a student would meet it: the reference solution with that one function replaced, so that its effect
shows in every function that builds on it. Known wrong numbers in ANSWERS stand there too, as `WRONG_ANSWERS`:

    WRONG_ANSWERS = [wrong_answer("extra_parameters", 32, hint="…")]
"""

from __future__ import annotations

import ast
import contextlib
import functools
import re
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.checks.proxy import REFUSED, parts, read_only
from autograder.course import ROOT, Assignment
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Raised, Reply, perform

REMEMBERED = 32 * 1024
"""Bytes of a call for which it is remembered what the solution makes of it."""


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


def misconception(
    function: str, *, hint: str, origin: str, undo: str = ""
) -> Callable[[Callable[..., Any]], Misconception]:
    """Marks a wrong implementation of `function`; the decorated name is the entry's name."""

    def mark(implementation: Callable[..., Any]) -> Misconception:
        return Misconception(implementation.__name__, function, hint, origin, implementation, undo)

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
        value = codec.decode(reply.value)
        others = tuple(map(_other, parts(value)))
        return replace(reply, value=codec.encode(others if type(value) is tuple else others[0]))


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


class Oracle:
    """The reference that staff compare with: the solution, called on the same arguments."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment

    def wanted(self, call: Call) -> Any:
        # A call may hand back what a submission returned: not everything is worth remembering.
        look = _wanted if len(call.encoded) <= REMEMBERED else _wanted.__wrapped__
        return look(self.assignment, call.encoded)

    def answer(self, key: str) -> Any:
        return vars(right(self.assignment))[ANSWERS][key]

    def known_answers(self, key: str) -> Mapping[float, str]:
        return {answer.value: answer.hint for answer in wrong_answers(self.assignment) if answer.key == key}


@functools.cache
def right(assignment: Assignment) -> types.ModuleType:
    """The reference solution, not to be changed."""
    return solution(assignment)


@functools.lru_cache(maxsize=2048)
def _wanted(assignment: Assignment, encoded_call: bytes) -> Any:
    """What the solution returns, or REFUSED. Remembered, since a test asks the same about every submission."""
    function, args, kwargs = codec.decode(encoded_call)
    try:
        with warnings.catch_warnings(action="ignore"):  # a test may hand on NaN that a submission returned
            return read_only(vars(right(assignment))[function](*args, **kwargs))
    except (ValueError, IndexError):
        return REFUSED


def refusal(assignment: Assignment, encoded_call: bytes) -> tuple[str, str] | None:
    """The error of the solution's refusal of a call, and the rule that it states, without any value; None where numpy
    refuses for it."""
    call = Call(*codec.decode(encoded_call))
    reply = perform(right(assignment), call)
    if reply.raised is None:
        return None
    rule = _rule(reply.raised.message, _stated(assignment))
    if rule is None:
        return None
    if "…" in rule:  # with a gap it is no sentence: the docstring says it, which the student has too
        rule = _clause(_raises(right(assignment), call.function), rule.split()[0])
    return (reply.raised.kind, rule) if rule else None


def refused_at(assignment: Assignment, call: Call) -> int | None:
    """The line of the solution that refuses a call: the same one for all functions that leave it to another."""
    raised = perform(right(assignment), call.copy()).raised
    return raised.line if raised is not None else None


def all_refusals(assignment: Assignment, function: str) -> str | None:
    """What to say where a function refuses an argument that is allowed: all that its docstring has refused."""
    said = _raises(right(assignment), function).removeprefix("Raises: ")
    return f"It refuses more than it should. All that is refused: “{said}”." if said else None


def _raises(module: types.ModuleType, function: str) -> str:
    """What a function's docstring says of errors, or that of the function which it names for them."""
    docstring = vars(module)[function].__doc__ or ""
    if match := re.search(r"errors: as (\w+)", docstring):
        return _raises(module, match[1])
    match = re.search(r"^ *(Raises: .+?)(?=^ *[A-Z]\w+: |\Z)", docstring, re.DOTALL | re.MULTILINE)
    return " ".join(match[1].split()).rstrip(".") if match else ""


def _clause(raises: str, argument: str) -> str:
    """What is said of errors, or of those of one argument where a single part names it."""
    parts = re.split(r"[,;] (?:and |or )?|: ", raises)
    naming = [part for part in parts if re.search(rf"\b{re.escape(argument)}\b", part)]
    if len(naming) == 1:
        return f"{naming[0].removeprefix('ValueError ').removeprefix('for ')} is refused"
    return raises and f"“{raises}”"


def _rule(message: str, stated: tuple[tuple[str, ...], ...]) -> str | None:
    for texts in stated:
        pattern = "(.+?)".join(re.escape(part) for part in texts)
        if match := re.fullmatch(pattern, message, re.DOTALL):
            # A name may stand in the message, a value may not.
            names = [group if re.fullmatch(r"(?!nan|inf)[a-z_ ]+", group) else "…" for group in match.groups()]
            without_values = "".join(part + name for part, name in zip(texts, [*names, ""], strict=True))
            return re.split(r"; (?:got|there is)|: got", without_values)[0].strip()
    return None


@functools.cache
def _stated(assignment: Assignment) -> tuple[tuple[str, ...], ...]:
    """The messages of a solution's errors, each as the constant texts around its values; first those that say most."""
    messages: list[tuple[str, ...]] = []
    for node in ast.walk(ast.parse(assignment.solution.read_text(encoding="utf-8"))):
        match node:
            case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str(text)), *_])):
                messages.append((text,))
            case ast.Raise(exc=ast.Call(args=[ast.JoinedStr(values=values), *_])):
                marked = "".join(str(value.value) if isinstance(value, ast.Constant) else "\0" for value in values)
                messages.append(tuple(marked.split("\0")))
            case ast.Call(args=[*_, ast.Constant(value=str(text))]) if " " in text:  # a rule for whatever checks it
                messages.append((f"{text}; got ", ""))
    return tuple(sorted(messages, key=lambda texts: -sum(map(len, texts))))
