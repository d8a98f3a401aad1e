"""The two processes of a submission: the process being graded, and a second process for follow-through.

The first process has seen the tests. The second process loads the submission again, with a substitute for each function
(`sandbox.substitutes`) that can return right values, and receives only the calls that follow-through needs.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.checks.proxy import Backend
from autograder.checks.results import TestResult
from autograder.hints.reference import Reference
from autograder.protocol import codec
from autograder.protocol.call import Call, Reply, perform
from autograder.protocol.failure import Kind, Stopped
from autograder.sandbox.substitutes import MAX_QUESTIONS, Answer, Asked, Question

EXCHANGE_CELL = """
from autograder.sandbox.substitutes import Exchange as _Exchange

_exchange = _Exchange(globals(), {functions!r})
"""
"""Last cell of the submission in its second process."""

MAX_ROUNDS = 8
"""Maximum number of times that one call is made, each time with more answers."""

MAX_WHOLE_NUMBER = 1 << 20
"""Largest whole number in a value that the solution receives: it may loop so often."""

QUESTION_SECONDS = 2.0
"""Processor time that the questions of one phase of a suite may cost the grader."""

MAX_QUESTION_BYTES = 64 << 20
"""Maximum bytes of questions and replies in one phase of a suite."""


class Budget:
    """The processor time and the bytes that the questions about one submission may still cost."""

    def __init__(self) -> None:
        self.seconds = QUESTION_SECONDS
        self.bytes = MAX_QUESTION_BYTES

    @contextlib.contextmanager
    def charged(self) -> Iterator[None]:
        """Take the processor time of this process off the budget."""
        begin = time.process_time()
        try:
            yield
        finally:
            self.seconds -= time.process_time() - begin

    def spend(self, *parts: bytes) -> bool:
        """Take the bytes off the budget and return whether all of it lasts."""
        self.bytes -= sum(map(len, parts))
        return self.bytes >= 0 and self.seconds > 0


class FirstProcess:
    """The submission that is graded: each call is made once, and its reply remembered."""

    def __init__(self, backend: Backend, results: Sequence[TestResult]) -> None:
        """Remember the calls of `results`."""
        self.backend = backend
        self.replies = {
            (call.encoded, call.measured): reply for result in results for call, reply in result.calls.items()
        }
        self.silent: set[str] = set()
        """Functions that gave no reply."""

    def reply(self, call: Call) -> Reply:
        """Return the reply to a call. Raises Stopped if there is none."""
        key = (call.encoded, call.measured)
        if key not in self.replies:
            if call.function in self.silent:  # each end of a process counts against the whole submission
                raise Stopped(Kind.KILLED, f"{call.function} is not called again")
            try:
                self.replies[key] = self.backend.call(call)
            except Stopped:
                self.silent.add(call.function)
                raise
        return self.replies[key]


class SecondProcess:
    """The submission with a substitute for each function."""

    def __init__(self, backend: Backend, reference: Reference, budget: Budget) -> None:
        self.backend = backend
        self.reference = reference
        self.budget = budget
        self.own_replies: dict[bytes, Reply] = {}
        """Encoded question to the reply of the submission's own function."""
        self.is_helped = False
        """True while the substitutes return right values."""

    def own_value(self, question: Call) -> Any:
        """Return the value of the submission's own function, over its own functions, for the solution to compute with.

        Raises ValueError if there is no value, or if it is too large to compute with, and Stopped if there is no reply.
        """
        if question.encoded not in self.own_replies:
            if not self.budget.spend(question.encoded):
                raise ValueError("the questions about this submission cost too much")
            if self.is_helped:
                self._exchange((), ())
            self.own_replies[question.encoded] = self.backend.call(question)
        reply = self.own_replies[question.encoded]
        if reply.raised is not None or not self.budget.spend(reply.encoded) or largest(reply.value) > MAX_WHOLE_NUMBER:
            raise ValueError(f"{question.function} gives no value to compute with")
        return codec.decode(reply.encoded)  # a copy: the solution may write into it

    def helped_reply(self, call: Call, replaced: Collection[str], questions: Sequence[Call]) -> Reply:
        """Return the reply to a call with right values of the functions in `replaced`.

        The second process first gets the answers to `questions`, which the solution asks in this call. Then it gets
        answers to its own questions, as long as they are no larger than the call and `questions`.
        """
        held = _Extent.of(call, *questions)
        answers = [_answer(question, self.reference.reply(question)) for question in questions]
        for _ in range(MAX_ROUNDS):
            self._exchange(replaced, answers)
            reply = self.backend.call(call)
            if reply.raised is None or reply.raised.kind != Asked.__name__:
                break
            answers = list(self._answers(self._exchange(replaced, ()), replaced, held))
        return reply

    def _exchange(self, replaced: Collection[str], answers: Collection[tuple[Question, Answer]]) -> Any:
        self.is_helped = bool(replaced)
        return self.backend.call(Call("_exchange", (sorted(replaced), list(answers)))).value

    def _answers(self, asked: Any, replaced: Collection[str], held: _Extent) -> Iterator[tuple[Question, Answer]]:
        """Yield the answers to the submission's questions. `asked` may be any plain value: the submission sent it."""
        for question in asked[:MAX_QUESTIONS] if type(asked) is list else ():
            match question:
                case (str(name), tuple(args), dict(kwargs)) if name in replaced:
                    call = Call(name, args, kwargs)
                    if held.has_room_for(call) and self.budget.spend(call.encoded):
                        # Not remembered: the submission chooses these questions.
                        with self.budget.charged():
                            right = perform(self.reference.right, call.copy())
                        if right.raised is None or right.raised.kind in ("ValueError", "IndexError"):
                            yield _answer(call, right)


class _Extent:
    """The size of some calls: a question that is larger asks for more than these calls can need."""

    def __init__(self, size: int, number: float) -> None:
        self.size = size
        """Bytes of the longest call."""
        self.number = number
        """Largest number in the arguments."""

    @classmethod
    def of(cls, *calls: Call) -> _Extent:
        """Return the extent of some calls taken together."""
        numbers = (largest((call.args, call.kwargs), "iuf") for call in calls)
        return cls(max(len(call.encoded) for call in calls), max(numbers))

    def has_room_for(self, question: Call) -> bool:
        """Return whether a question has no more bytes, and no larger whole number, than the calls."""
        return len(question.encoded) <= self.size and largest((question.args, question.kwargs)) <= self.number


def _answer(question: Call, right: Reply) -> tuple[Question, Answer]:
    """Return a question with its answer, as an exchange takes them."""
    answer = (right.raised.kind, right.raised.message) if right.raised is not None else ("", right.value)
    return (question.function, question.args, question.kwargs), answer


def unmeasured(call: Call) -> Call:
    """Return the call without a count of its lines."""
    return replace(call, measured=False) if call.measured else call


def largest(value: Any, kinds: str = "iu") -> float:
    """Return the largest absolute number in a plain value, 0 if there is none, infinity if the value is not plain.

    `kinds`: the kinds of numpy dtypes that count, whole numbers by default.
    """
    if isinstance(value, dict | tuple | list):
        return max((largest(part, kinds) for part in (value.values() if isinstance(value, dict) else value)), default=0)
    numbers = np.asarray(value)
    if value is not None and numbers.dtype.kind not in "iufbU":
        return np.inf
    if numbers.dtype.kind not in kinds or not numbers.size:
        return 0
    finite = np.abs(numbers.astype(np.float64))
    return float(finite[np.isfinite(finite)].max(initial=0))
