"""One object that knows an assignment: the solution, with and without known mistakes, and what each makes of a call.

What decides whether a result is right is called an oracle. This one is asked the same about every submission, so it
remembers what it said, each thing up to a bound of its own.
"""

from __future__ import annotations

import contextlib
import functools
import types
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from autograder.checks.expect import difference
from autograder.checks.proxy import REFUSED, Refusal, read_only
from autograder.checks.source import Blocks
from autograder.course import Assignment
from autograder.hints import catalogue
from autograder.hints.catalogue import Misconception, WrongAnswer
from autograder.hints.observed import LOOKED_AT, TOO_LARGE, ObservedTest, calls_of, is_looked_at
from autograder.hints.rule import Observation, outcome
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply, perform
from autograder.protocol.failure import Kind

R = TypeVar("R")


@dataclass(frozen=True)
class Question:
    """One function's question to another, and the right answer."""

    function: str
    encoded: bytes
    right: Reply


def remembered(most: int | None) -> Callable[[Callable[..., R]], functools.cached_property[_lru_cache_wrapper[R]]]:
    """Makes each object remember what a method of its own returned, for so many arguments."""

    def of(method: Callable[..., R]) -> functools.cached_property[_lru_cache_wrapper[R]]:
        return functools.cached_property(lambda owner: functools.lru_cache(most)(functools.partial(method, owner)))

    return of


class Oracle:
    """The reference that staff compare with. What it knows is read when it is first asked."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self._observed: WeakKeyDictionary[Call, tuple[Reply, Observation | None]] = WeakKeyDictionary()

    @functools.cached_property
    def right(self) -> types.ModuleType:
        """The reference solution, not to be changed."""
        return catalogue.solution(self.assignment)

    @functools.cached_property
    def blocks(self) -> Blocks:
        """What each function of the solution builds on."""
        return Blocks(self.assignment.solution.read_text(encoding="utf-8"))

    @functools.cached_property
    def entries(self) -> tuple[Misconception, ...]:
        """The known mistakes of the catalogue."""
        return catalogue.entries(self.assignment)

    @functools.cached_property
    def wrong_answers(self) -> tuple[WrongAnswer, ...]:
        """The known wrong answers of the catalogue."""
        return catalogue.wrong_answers(self.assignment)

    @remembered(None)
    def known(self, function: str) -> tuple[list[Misconception], list[Misconception]]:
        """The known mistakes that can show in the results of a function, the likelier ones first: its own before those
        of functions below it, since somebody may have written anew what the solution takes from another."""
        below = self.blocks.below(function)
        return (
            [entry for entry in self.entries if entry.function == function],
            [entry for entry in self.entries if entry.function in below],
        )

    # What the solution makes of a call

    def wanted(self, call: Call) -> Any:
        """What the solution returns, or REFUSED."""
        # A call may hand back what a submission returned: not everything is worth remembering.
        return (self._wanted if is_looked_at(call) else self._wanted.__wrapped__)(call.encoded)

    @remembered(2048)
    def _wanted(self, encoded: bytes) -> Any:
        function, args, kwargs = codec.decode(encoded)
        try:
            with warnings.catch_warnings(action="ignore"):  # a test may hand on NaN that a submission returned
                return read_only(vars(self.right)[function](*args, **kwargs))
        except (ValueError, IndexError):
            return REFUSED

    def reply(self, call: Call) -> Reply:
        """All that comes of a call of the solution."""
        if call.measured or not is_looked_at(call):
            return perform(self.right, call.copy())
        return self._reply(call.encoded)

    @remembered(2048)
    def _reply(self, encoded: bytes) -> Reply:
        return perform(self.right, Call(*codec.decode(encoded)))

    def asked(self, call: Call) -> tuple[Question, ...]:
        """What the solution asks its own functions in a call, each question once."""
        return (self._asked if is_looked_at(call) else self._asked.__wrapped__)(call.encoded)

    @remembered(2048)
    def _asked(self, encoded: bytes) -> tuple[Question, ...]:
        module, questions = catalogue.solution(self.assignment), dict[bytes, Question]()

        def noted(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
            def function(*args: Any, **kwargs: Any) -> Any:
                asked = Call(name, args, kwargs)
                with contextlib.suppress(ValueError):  # one that no message has room for
                    questions[asked.encoded] = Question(name, asked.encoded, self.reply(asked))
                return own(*args, **kwargs)

            return function

        asked = Call(*codec.decode(encoded))
        for name in self.blocks.below(asked.function):
            if not name.startswith("_"):
                setattr(module, name, noted(name, vars(module)[name]))
        perform(module, asked)
        return tuple(questions.values())

    def answer(self, key: str) -> Any:
        """The right entry of ANSWERS."""
        return vars(self.right)[ANSWERS][key]

    def known_answers(self, key: str) -> Mapping[float, str]:
        """The known wrong numbers for an entry of ANSWERS, each with its hint."""
        return {answer.value: answer.hint for answer in self.wrong_answers if answer.key == key}

    # What known mistakes make of it

    @remembered(768)
    def mistaken(self, *entries: Misconception) -> types.ModuleType:
        """The solution with known mistakes in it, not to be changed."""
        return catalogue.mistaken(self.assignment, *entries)

    def predictions(self, call: Call) -> Predictions:
        """What comes of a call beside each known mistake; by the call alone, so that no submission affects another."""
        return (self._predictions if is_looked_at(call) else self._predictions.__wrapped__)(call.encoded)

    @remembered(1024)
    def _predictions(self, encoded: bytes) -> Predictions:
        return Predictions(self, encoded)

    # What a submission was seen to do

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """A call as evidence; None for one that says nothing or is too large to look at. Remembered for as long as the
        call is there, since public ones are looked at twice."""
        if call not in self._observed or self._observed[call][0] != reply:
            self._observed[call] = reply, self._observation(call, reply)
        return self._observed[call][1]

    def _observation(self, call: Call, reply: Reply) -> Observation | None:
        if not is_looked_at(call):
            return None
        got = outcome(reply)
        predicted = self.predictions(call).of
        if reply is not TOO_LARGE:
            return Observation(got, predicted(None), predicted)
        # A right result of that size cannot be told from a wrong one.
        if _is_large(predicted(None)):
            return None
        return Observation(got, predicted(None), lambda entry: got if _is_large(predicted(entry)) else predicted(entry))

    def evidence(self, function: str, observed: Iterable[ObservedTest]) -> list[Observation]:
        """Every distinct call of a function."""
        rows: dict[bytes, Observation] = {}
        for call, reply in calls_of(function, observed):
            if (row := self.observation(call, reply)) is not None:
                rows.setdefault(call.encoded, row)
        return list(rows.values())


def _is_large(value: Any) -> bool:
    return len(codec.encode(value)) > LOOKED_AT if type(value) in (np.ndarray, tuple) else False


class Predictions:
    """What the solution, and each known mistake, makes of one call: worked out when it is first asked for.

    A mistake that makes no difference makes the very object that is right: most leave most calls alone.
    """

    def __init__(self, oracle: Oracle, encoded: bytes) -> None:
        self.oracle = oracle
        self.encoded = encoded
        self.function = str(codec.decode(encoded)[0])
        self.known: dict[Misconception | None, Any] = {}

    def of(self, entry: Misconception | None) -> Any:
        """What comes of the call beside a mistake, or beside none."""
        if entry not in self.known:
            self.known[entry] = self._compute(entry)
        return self.known[entry]

    def _compute(self, entry: Misconception | None) -> Any:
        if entry is None:
            return self._run(self.oracle.right)
        right = self.of(None)
        if type(right) is Refusal and entry.function == self.function:
            return right
        outcome = self._run(self._behaving(entry))
        if type(right) is Refusal or type(outcome) is Refusal:
            return right if type(outcome) is type(right) else outcome
        differs = difference(outcome, right, None)
        if differs is not None and differs[0] is Kind.TYPE:
            return Refusal("no result of the right type")
        return right if differs is None else outcome

    def _behaving(self, entry: Misconception) -> types.ModuleType:
        """A module in which the function behaves as the mistake makes it."""
        if entry.function != self.function:
            return self.oracle.mistaken(entry)
        module = types.ModuleType(self.oracle.assignment.name)
        module.__file__ = self.oracle.right.__file__
        setattr(module, self.function, entry.implementation)
        return module

    def _run(self, module: types.ModuleType) -> Any:
        return outcome(perform(module, Call(*codec.decode(self.encoded))))
