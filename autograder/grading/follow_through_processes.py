"""The two processes of a submission: the process being graded, and a second process for follow-through.

The first process has run the tests. The second process loads the submission with a substitute for each
function (`sandbox.function_substitutes`) that can return right values. The second process receives only the
calls that follow-through needs. These calls are of two kinds: calls to the submission's own functions, with
arguments that the solution computes, and helped calls. No worker receives calls of both kinds: a worker that
knows the solution's arguments could pass them to substitutes, and so earn points for steps that the
submission does not contain.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from autograder.checks.results import TestResult
from autograder.grading.follow_through_limits import (
    MAX_WHOLE_NUMBER_FOR_SOLUTION,
    Budget,
    QuestionBounds,
    largest_magnitude,
)
from autograder.hints.reference import Reference, is_small
from autograder.protocol import codec
from autograder.protocol.call import Call, Reply, perform
from autograder.protocol.failure import CallStopped, Kind
from autograder.sandbox.function_substitutes import (
    MAX_QUESTIONS_PER_ROUND,
    UNANSWERED_TAG,
    Answer,
    Question,
    SealedAnswer,
    seal,
)
from autograder.sandbox.sandboxed_submission import SandboxedBackend

EXCHANGE_CELL_SOURCE = """
from autograder.sandbox.function_substitutes import Exchange as _Exchange

_exchange = _Exchange(globals(), {functions!r})
_original_value, _helped_call, _receive = _exchange.original_value, _exchange.call_with_substitutes, _exchange.receive
"""
"""Last cell of the submission in the second process, which puts the substitutes in place."""

MAX_ROUNDS_PER_CALL = 8
"""Maximum number of times that the second process makes the same helped call, each time with more answers."""

MAX_CACHED_ANSWERS = 1024
"""Maximum number of sealed answers that the grader caches for later submissions."""

MAX_ANSWER_CHARACTERS = 8 * codec.MAX_NUMBERS - 1024
"""Maximum number of characters in a sealed answer, so that an answer and its label fit into one message."""


class GradedProcess:
    """The submission being graded; it makes each call only once, because replies are stored."""

    def __init__(self, backend: SandboxedBackend, results: Sequence[TestResult]) -> None:
        """Store the replies to the calls in `results`."""
        self.backend = backend
        self.replies = {_key(call): reply for result in results for call, reply in result.calls.items()}
        self.silent: set[str] = set()
        """Names of the functions that left a call without a reply."""

    def has_replied(self, call: Call) -> bool:
        """Return whether the reply to a call is stored."""
        return _key(call) in self.replies

    def fetch_replies(self, calls: Iterable[Call]) -> None:
        """Make all calls that have no stored reply yet, without waiting between calls, and store the replies."""
        new = {_key(call): call for call in calls if not self.has_replied(call) and call.function not in self.silent}
        with contextlib.suppress(CallStopped):
            self.backend.send_ahead(new.values())
        for call in new.values():
            with contextlib.suppress(CallStopped):
                self.reply(call)

    def reply(self, call: Call) -> Reply:
        """Return the stored reply to a call, or make the call. Raise CallStopped if there is no reply."""
        key = _key(call)
        if key not in self.replies:
            if call.function in self.silent:  # too many ended workers would stop the whole submission
                raise CallStopped(Kind.KILLED, f"{call.function} is not called again")
            try:
                self.replies[key] = self.backend.call(call)
            except CallStopped:
                self.silent.add(call.function)
                raise
        return self.replies[key]


@dataclass(frozen=True, eq=False)
class HelpedCall:
    """A call that the second process makes while some functions return right values."""

    call: Call
    replaced: frozenset[str]
    """Names of the functions that return right values."""
    questions: Sequence[Call]
    """Calls to these functions that the solution makes during the call."""

    def message(self, sealed_answers: list[SealedAnswer]) -> Call:
        """Return the message that delivers sealed answers and then makes the call without measurements."""
        return Call("_helped_call", (sorted(self.replaced), sealed_answers, *_as_sent(self.call)))


class ProcessWithSubstitutes:
    """The submission in its second process, with a substitute for each function."""

    def __init__(self, backend: SandboxedBackend, reference: Reference, budget: Budget) -> None:
        self.backend = backend
        self.reference = reference
        self.budget = budget
        self.submitted_values: dict[bytes, Reply] = {}
        """Replies of the submission's own functions, keyed by encoded question."""
        self.first_replies: dict[HelpedCall, Reply] = {}
        """Replies to helped calls before the grader answered any question of the submission, keyed by helped call."""
        self._kind: Literal["submitted", "helped"] = "submitted"
        """Kind of the calls that the current worker may receive."""

    def _backend_for(self, calls: Collection[object], kind: Literal["submitted", "helped"]) -> SandboxedBackend:
        """Return the backend for calls of one kind, after the end of a worker that has received the other kind."""
        if calls and kind != self._kind:
            self.backend.close()  # with everything that the submission has kept anywhere in its process
            self.first_replies.clear()  # the questions in them followed answers that only the ended worker has
            self._kind = kind
        return self.backend

    def fetch_submitted_values(self, questions: Iterable[Call]) -> None:
        """Store the replies of the submission's own functions to new questions. May raise CallStopped."""
        new = {question.encoded: question for question in questions if question.encoded not in self.submitted_values}
        calls = {key: Call("_original_value", _as_sent(question)) for key, question in new.items()}
        sendable = {key: call for key, call in calls.items() if _fits_a_message(call) and self.budget.spend(key)}
        backend = self._backend_for(sendable, "submitted")
        backend.send_ahead(sendable.values())
        for key, call in sendable.items():
            self.submitted_values[key] = reply = backend.call(call)
            self.budget.spend(reply.encoded)

    def submitted_value(self, question: Call) -> Any:
        """Return the value of the submission's own function, for the solution to compute with.

        Raise ValueError if there is no value or if it is too large, and CallStopped if there is no reply.
        """
        self.fetch_submitted_values([question])
        reply = self.submitted_values.get(question.encoded)
        is_value = reply is not None and reply.raised is None and self.budget.spend()
        if reply is None or not is_value or largest_magnitude(reply.value) > MAX_WHOLE_NUMBER_FOR_SOLUTION:
            raise ValueError(f"{question.function} gives no value to compute with")
        return copy.deepcopy(reply.value)  # the solution may change the value

    def fetch_helped(self, requests: Iterable[HelpedCall]) -> None:
        """Make helped calls for the first time, without waiting between calls, and store the replies.

        Leave out measured calls, because each must directly follow the same call without measurements. May
        raise CallStopped.
        """
        messages = {
            request: request.message(self._sealed_answers(request)) for request in requests if not request.call.measured
        }
        new = {request: message for request, message in messages.items() if _fits_a_message(message)}
        backend = self._backend_for(new, "helped")
        backend.send_ahead(new.values())
        for request, message in new.items():
            self.first_replies[request] = backend.call(message)

    def helped_reply(self, request: HelpedCall) -> Reply:
        """Return the reply to a helped call.

        The second process first receives the sealed answers to `request.questions`. The second process then
        receives answers to its own questions, within the bounds of the call and of `request.questions`.
        """
        reply = self.first_replies.get(request) or self._make_helped_call(request, self._sealed_answers(request))
        for _ in range(MAX_ROUNDS_PER_CALL - 1):
            if (asked := _unanswered(reply)) is None:
                break
            reply = self._make_helped_call(
                request, [_sealed(*answer) for answer in self._iter_right_answers(asked, request)]
            )
        if _unanswered(reply) is not None:
            raise CallStopped(Kind.KILLED, f"{request.call.function} keeps asking for more right values")
        is_counted = request.call.measured and reply.raised is None
        return self.backend.call(request.call) if is_counted else reply

    def _sealed_answers(self, request: HelpedCall) -> list[SealedAnswer]:
        """Return the sealed answers to the questions that a helped call is expected to ask."""
        return [
            _cached_sealed_reply(self.reference, question.encoded)
            if is_small(question)
            else _sealed_reply(self.reference, question)
            for question in request.questions
        ]

    def _make_helped_call(self, request: HelpedCall, sealed_answers: list[SealedAnswer]) -> Reply:
        """Send sealed answers and make the call, in one message if possible. Return the reply."""
        together = request.message(sealed_answers)
        backend = self._backend_for([request], "helped")
        if not _fits_a_message(together):
            for alone in (Call("_receive", ([answer],)) for answer in sealed_answers):
                if _fits_a_message(alone):
                    backend.call(alone)
            together = request.message([])
        return backend.call(together)

    def _iter_right_answers(self, asked: list[Any], request: HelpedCall) -> Iterator[tuple[Question, Answer]]:
        """Yield each of the submission's questions with its answer; a question may be any plain value."""
        held = QuestionBounds.of(request.call, *request.questions)
        for question in asked[:MAX_QUESTIONS_PER_ROUND]:
            match question:
                case tuple((str(name), tuple(args), dict(kwargs))):  # not an array, as in `wire._unpack_header`
                    call = Call(name, args, kwargs)
                    is_answered = name in request.replaced and held.covers(call)
                    yield self._right_answer(call) if is_answered else (_as_sent(call), None)

    def _right_answer(self, question: Call) -> tuple[Question, Answer]:
        """Return a question of the submission, with the solution's answer or None."""
        if self.budget.spend(question.encoded):
            with self.budget.charged():
                right = perform(self.reference.solution, question.copy())
            if right.raised is None or right.raised.kind in ("ValueError", "IndexError"):
                return _answer(question, right)
        return _as_sent(question), None


def _unanswered(reply: Reply) -> list[Any] | None:
    """Return the unanswered questions in the reply to a helped call; None if the reply is the call's result."""
    match reply.value:
        case tuple((str(head), list(questions))) if head == UNANSWERED_TAG:
            return questions
    return None


def _answer(question: Call, right: Reply) -> tuple[Question, Answer]:
    """Return a question with the answer from the right reply."""
    answer = (right.raised.kind, right.raised.message) if right.raised is not None else ("", right.value)
    return _as_sent(question), answer


def _sealed_reply(reference: Reference, question: Call) -> SealedAnswer:
    """Return the solution's sealed answer to a question."""
    return _sealed(*_answer(question, reference.reply(question)))


@functools.lru_cache(MAX_CACHED_ANSWERS)
def _cached_sealed_reply(reference: Reference, encoded: bytes) -> SealedAnswer:
    """Return the solution's sealed answer to a small question, cached because many submissions need it."""
    return _sealed_reply(reference, Call(*codec.decode(encoded)))


def _sealed(question: Question, answer: Answer) -> SealedAnswer:
    """Return the sealed answer to a question; an answer that is too large for a message becomes None."""
    sealed = seal(codec.encode(question), answer)
    return sealed if len(sealed[1]) <= MAX_ANSWER_CHARACTERS else seal(codec.encode(question), None)


def _as_sent(question: Call) -> Question:
    """Return a question in the form that the second process reads."""
    return question.function, question.args, question.kwargs


def _fits_a_message(call: Call) -> bool:
    try:
        return bool(call.encoded)
    except ValueError:
        return False


def _key(call: Call) -> tuple[bytes, bool]:
    """Return the key under which GradedProcess stores the reply to a call."""
    return call.encoded, call.measured


def unmeasured(call: Call) -> Call:
    """Return the call without measurements."""
    return replace(call, measured=False) if call.measured else call
