"""The two processes of a submission: the process being graded, and a second process for follow-through.

The first process has seen the tests. The second process loads the submission again, with a substitute for each function
(`sandbox.substitutes`) that can return right values. It receives only the calls that follow-through needs.
"""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.checks.proxy import Backend
from autograder.checks.results import TestResult
from autograder.hints.reference import Reference
from autograder.protocol import codec
from autograder.protocol.call import Call, Reply, perform
from autograder.protocol.failure import CallStopped, Kind
from autograder.sandbox.substitutes import MAX_QUESTIONS_PER_EXCHANGE, UNANSWERED_TAG, Answer, Question, Sealed, seal

EXCHANGE_CELL = """
from autograder.sandbox.substitutes import Exchange as _Exchange

_exchange = _Exchange(globals(), {functions!r})
_original_values, _helped_call, _receive = _exchange.original_values, _exchange.call_with_substitutes, _exchange.receive
"""
"""Last cell of the submission in its second process."""

MAX_ROUNDS = 8
"""Maximum number of times that one call is made, each time with more answers."""

MAX_WHOLE_NUMBER = 1 << 20
"""Largest whole number in a value that the solution receives, because the solution may loop that many times."""

QUESTION_SECONDS = 2.0
"""Processor time that the questions in one phase of a suite may take in the grader."""

MAX_QUESTION_BYTES = 64 << 20
"""Maximum bytes of questions and replies in one phase of a suite, together."""


MAX_TOGETHER_BYTES = 64 * 1024
"""Maximum bytes of questions in one message."""


class Budget:
    """The processor time and the bytes that questions about one submission may still use."""

    def __init__(self) -> None:
        self.seconds = QUESTION_SECONDS
        self.bytes = MAX_QUESTION_BYTES

    @contextlib.contextmanager
    def charged(self) -> Iterator[None]:
        """Subtract the processor time of this process from the budget."""
        begin = time.process_time()
        try:
            yield
        finally:
            self.seconds -= time.process_time() - begin

    def spend(self, *parts: bytes) -> bool:
        """Subtract the bytes from the budget and return whether the budget lasts."""
        self.bytes -= sum(map(len, parts))
        return self.bytes >= 0 and self.seconds > 0


class FirstProcess:
    """The submission being graded: each call is made once, and its reply is stored."""

    def __init__(self, backend: Backend, results: Sequence[TestResult]) -> None:
        """Remember the calls of `results`."""
        self.backend = backend
        self.replies = {
            (call.encoded, call.measured): reply for result in results for call, reply in result.calls.items()
        }
        self.silent: set[str] = set()
        """Functions that gave no reply."""

    def has_replied(self, call: Call) -> bool:
        """Return whether the reply to a call is stored; replies with a count of lines are not."""
        return (call.encoded, False) in self.replies

    def reply(self, call: Call) -> Reply:
        """Return the reply to a call. Raise CallStopped if there is none."""
        key = (call.encoded, call.measured)
        if key not in self.replies:
            if call.function in self.silent:  # each process that ends counts against the whole submission
                raise CallStopped(Kind.KILLED, f"{call.function} is not called again")
            try:
                self.replies[key] = self.backend.call(call)
            except CallStopped:
                self.silent.add(call.function)
                raise
        return self.replies[key]


class SecondProcess:
    """The submission with a substitute for each function."""

    def __init__(self, backend: Backend, reference: Reference, budget: Budget) -> None:
        self.backend = backend
        self.reference = reference
        self.budget = budget
        self.submitted_values: dict[bytes, tuple[bool, Any]] = {}
        """Encoded question → True and the value of the submission's own function, or False and None."""

    def fetch_values(self, questions: Iterable[Call]) -> None:
        """Send each question once to the submission's own functions, without right values. May raise CallStopped."""
        new = {question.encoded: question for question in questions if question.encoded not in self.submitted_values}
        if new and self.budget.spend(*new):
            self._ask_together(list(new.values()))

    def _ask_together(self, questions: Sequence[Call]) -> None:
        """Send questions in one message, or in halves if they or their values are too large for one message."""
        size = sum(len(question.encoded) for question in questions)
        if len(questions) == 1 or size <= MAX_TOGETHER_BYTES:
            self._ask_in_one_message(questions)
        missing = [question for question in questions if question.encoded not in self.submitted_values]
        if len(questions) > 1 and missing and self.budget.spend():
            self._ask_together(missing[: len(questions) // 2])
            self._ask_together(missing[len(questions) // 2 :])

    def _ask_in_one_message(self, questions: Sequence[Call]) -> None:
        together = Call("_original_values", ([_as_sent(question) for question in questions],))
        if not _fits_a_message(together):
            return
        reply = self.backend.call(together)
        self.budget.spend(reply.encoded)
        values = reply.value if type(reply.value) is list else ()  # the submission may send any plain value
        for question, answer in zip(questions, values, strict=False):
            is_value = type(answer) is tuple and len(answer) == 2 and answer[0] is True
            is_usable = is_value and largest(answer[1]) <= MAX_WHOLE_NUMBER
            self.submitted_values[question.encoded] = answer if is_usable else (False, None)

    def submitted_value(self, question: Call) -> Any:
        """Return the value of the submission's own function, for the solution to compute with.

        Raise ValueError if there is no value or if it is too large to compute with, and CallStopped if there is no
        reply.
        """
        self.fetch_values([question])
        has_value, value = self.submitted_values.get(question.encoded, (False, None))
        if not has_value or not self.budget.spend():
            raise ValueError(f"{question.function} gives no value to compute with")
        return copy.deepcopy(value)  # the solution may write into it

    def helped_reply(self, call: Call, replaced: Collection[str], questions: Sequence[Call]) -> Reply:
        """Return the reply to a call, with right values for the functions in `replaced`.

        The second process first gets the sealed answers to `questions`, which the solution asks in this call. Then it
        gets answers to its own questions, provided that these are not larger than the call and `questions`.
        """
        sealed_answers = [_sealed(*_answer(question, self.reference.reply(question))) for question in questions]
        for _ in range(MAX_ROUNDS):
            reply = self._helped_call(call, replaced, sealed_answers)
            asked = _unanswered(reply)
            if asked is None:
                return self.backend.call(call) if call.measured and reply.raised is None else reply
            held = _Extent.of(call, *questions)
            sealed_answers = [_sealed(*answer) for answer in self._answers(asked, replaced, held)]
        raise CallStopped(Kind.KILLED, f"{call.function} keeps asking for more right values")

    def _helped_call(self, call: Call, replaced: Collection[str], sealed_answers: list[Sealed]) -> Reply:
        """Send sealed answers and make the call, without counting its lines.

        All this is one message, unless it is too large.
        """
        together = Call("_helped_call", (sorted(replaced), sealed_answers, *_as_sent(call)))
        if not _fits_a_message(together):
            for alone in (Call("_receive", ([answer],)) for answer in sealed_answers):
                if _fits_a_message(alone):
                    self.backend.call(alone)
            together = Call("_helped_call", (sorted(replaced), [], *_as_sent(call)))
        return self.backend.call(together)

    def _answers(self, asked: list[Any], replaced: Collection[str], held: _Extent) -> Iterator[tuple[Question, Answer]]:
        """Yield the answers to the submission's questions, which may be any plain values: the submission sent them."""
        for question in asked[:MAX_QUESTIONS_PER_EXCHANGE]:
            match question:
                case (str(name), tuple(args), dict(kwargs)) if name in replaced:
                    call = Call(name, args, kwargs)
                    if held.has_room_for(call) and self.budget.spend(call.encoded):
                        # Not stored: the submission chooses these questions.
                        with self.budget.charged():
                            right = perform(self.reference.solution, call.copy())
                        if right.raised is None or right.raised.kind in ("ValueError", "IndexError"):
                            yield _answer(call, right)


class _Extent:
    """The size and the whole numbers of some calls, which a question may not exceed.

    Otherwise the submission could request the whole range of a function of whole numbers, and the right values could
    reach the first process through a channel that no lock closes.
    """

    def __init__(self, size: int, numbers: np.ndarray) -> None:
        self.size = size
        """Bytes of the longest call."""
        self.numbers = numbers
        """Absolute values of the whole numbers in the arguments."""

    @classmethod
    def of(cls, *calls: Call) -> _Extent:
        """Return the extent of some calls taken together."""
        numbers = [_whole_numbers((call.args, call.kwargs)) for call in calls]
        return cls(max(len(call.encoded) for call in calls), np.unique(np.abs(np.concatenate(numbers))))

    def has_room_for(self, question: Call) -> bool:
        """Return whether a question is no longer than the calls and has only their whole numbers, up to signs."""
        if len(question.encoded) > self.size or largest((question.args, question.kwargs)) > MAX_WHOLE_NUMBER:
            return False
        numbers = np.abs(_whole_numbers((question.args, question.kwargs)))
        return bool(np.isin(numbers, [0, 1, 2, *self.numbers]).all())


def _whole_numbers(value: Any) -> np.ndarray:
    """Return the whole numbers in a plain value, shape (n,): integers, and floats without a fraction."""
    if isinstance(value, dict | tuple | list):
        parts = [_whole_numbers(part) for part in (value.values() if isinstance(value, dict) else value)]
        return np.concatenate(parts) if parts else np.empty(0)
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "iuf":
        return np.empty(0)
    flat = numbers.astype(np.float64).ravel()
    whole: np.ndarray = flat[np.isfinite(flat) & (flat == np.round(flat))]
    return whole


def _unanswered(reply: Reply) -> list[Any] | None:
    """Return the unanswered questions of a helped call; None if the call returned a value."""
    match reply.value:
        case (str(head), list(questions)) if head == UNANSWERED_TAG:
            return questions
    return None


def _answer(question: Call, right: Reply) -> tuple[Question, Answer]:
    """Return a question with its answer."""
    answer = (right.raised.kind, right.raised.message) if right.raised is not None else ("", right.value)
    return _as_sent(question), answer


def _sealed(question: Question, answer: Answer) -> Sealed:
    """Return the sealed answer to a question."""
    return seal(codec.encode(question), answer)


def _as_sent(question: Call) -> Question:
    """Return a question in the form that the second process reads."""
    return question.function, question.args, question.kwargs


def _fits_a_message(call: Call) -> bool:
    try:
        return bool(call.encoded)
    except ValueError:
        return False


def unmeasured(call: Call) -> Call:
    """Return the call as one whose lines are not counted."""
    return replace(call, measured=False) if call.measured else call


def largest(value: Any, kinds: str = "iu") -> float:
    """Return the largest absolute number in a plain value, 0 if there is none, infinity if the value is not plain.

    `kinds`: the kinds of numpy dtypes that count, by default whole numbers.
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
