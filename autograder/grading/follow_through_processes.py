"""The two processes of a submission: the process being graded, and a second process for follow-through.

The first process has run the tests. The second process loads the submission with a substitute for each function
(`sandbox.function_substitutes`) that can return correct values. It receives only the calls that follow-through needs.
There are two kinds: calls to the submission's own functions, with arguments that the solution computes, and helped
calls. No worker receives both kinds: a worker that knows the solution's arguments could pass them to substitutes and
thus earn points for steps that the submission does not take.
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
    AnswerableCallBounds,
    FollowThroughBudget,
    largest_magnitude,
)
from autograder.hints.reference_oracle import Reference, fits_in_cache
from autograder.protocol import codec
from autograder.protocol.call import Call, Reply, perform
from autograder.protocol.failure_kinds import CallStopped, Kind
from autograder.sandbox.function_substitutes import (
    MAX_UNANSWERED_CALLS_PER_ROUND,
    UNANSWERED_CALLS_TAG,
    Answer,
    EncryptedAnswer,
    ReplacedCall,
    encrypt_with_call,
)
from autograder.sandbox.sandboxed_submission import SandboxedBackend

EXCHANGE_CELL_TEMPLATE = """
from autograder.sandbox.function_substitutes import Exchange as _Exchange

_exchange = _Exchange(globals(), {functions!r})
_original_value, _helped_call, _receive = _exchange.original_value, _exchange.call_with_substitutes, _exchange.receive
"""
"""Last cell of the submission in the second process, which installs the substitutes."""

MAX_ROUNDS_PER_CALL = 8
"""Maximum number of times that the second process repeats a helped call, each time with more answers."""

MAX_CACHED_ENCRYPTED_ANSWERS = 1024
"""Maximum number of encrypted answers that the grader caches for later submissions."""

MAX_ENCRYPTED_ANSWER_CHARACTERS = 8 * codec.MAX_NUMBERS_PER_MESSAGE - 1024
"""Maximum length, in characters, of an encrypted answer, so that an answer and its label fit into one message."""


class GradedProcess:
    """The submission being graded; each call is made only once, because replies are stored."""

    def __init__(self, backend: SandboxedBackend, results: Sequence[TestResult]) -> None:
        """Store the replies to the calls in `results`."""
        self.backend = backend
        self.replies = {_key(call): reply for result in results for call, reply in result.calls.items()}
        self.silent: set[str] = set()
        """Names of the functions that did not reply to a call."""

    def has_replied(self, call: Call) -> bool:
        """Return True if the reply to a call is stored."""
        return _key(call) in self.replies

    def fetch_replies(self, calls: Iterable[Call]) -> None:
        """Make all calls that have no stored reply, without waiting between calls, and store the replies."""
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
            if call.function in self.silent:  # if too many workers ended, the whole submission would be stopped
                raise CallStopped(Kind.KILLED, f"{call.function} is not called again")
            try:
                self.replies[key] = self.backend.call(call)
            except CallStopped:
                self.silent.add(call.function)
                raise
        return self.replies[key]


@dataclass(frozen=True, eq=False)
class HelpedCall:
    """A call that the second process makes while some functions return correct values."""

    call: Call
    replaced: frozenset[str]
    """Names of the functions that return correct values."""
    expected_calls: Sequence[Call]
    """Calls to those functions that the solution makes during the call."""

    def message(self, encrypted_answers: list[EncryptedAnswer]) -> Call:
        """Return the message that delivers encrypted answers and then makes the call, without measuring it."""
        return Call("_helped_call", (sorted(self.replaced), encrypted_answers, *_call_as_tuple(self.call)))


class ProcessWithSubstitutes:
    """The submission in its second process, with a substitute for each function."""

    def __init__(self, backend: SandboxedBackend, reference: Reference, budget: FollowThroughBudget) -> None:
        self.backend = backend
        self.reference = reference
        self.budget = budget
        self.submitted_values: dict[bytes, Reply] = {}
        """Replies of the submission's own functions, keyed by encoded call."""
        self.first_round_replies: dict[HelpedCall, Reply] = {}
        """Replies to helped calls before the grader has answered any unexpected calls, keyed by helped call."""
        self._kind: Literal["submitted", "helped"] = "submitted"
        """Kind of calls that the current worker may receive."""

    def _backend_restarted_for(
        self, calls: Collection[object], kind: Literal["submitted", "helped"]
    ) -> SandboxedBackend:
        """Return the backend for calls of one kind, ending any worker that has received the other kind."""
        if calls and kind != self._kind:
            self.backend.close()  # along with everything that the submission has stored in its process
            self.first_round_replies.clear()  # they depend on answers that only the ended worker has
            self._kind = kind
        return self.backend

    def fetch_submitted_values(self, calls: Iterable[Call]) -> None:
        """Store the replies of the submission's own functions to new calls. This can raise CallStopped."""
        new = {call.encoded: call for call in calls if call.encoded not in self.submitted_values}
        messages = {key: Call("_original_value", _call_as_tuple(call)) for key, call in new.items()}
        sendable = {
            key: message for key, message in messages.items() if _fits_a_message(message) and self.budget.spend(key)
        }
        backend = self._backend_restarted_for(sendable, "submitted")
        backend.send_ahead(sendable.values())
        for key, message in sendable.items():
            self.submitted_values[key] = reply = backend.call(message)
            self.budget.spend(reply.encoded)

    def submitted_value(self, call: Call) -> Any:
        """Return the value of the submission's own function, for use in the solution.

        Raise ValueError if there is no value or it is too large, and CallStopped if there is no reply.
        """
        self.fetch_submitted_values([call])
        reply = self.submitted_values.get(call.encoded)
        is_value = reply is not None and reply.raised is None and self.budget.spend()
        if reply is None or not is_value or largest_magnitude(reply.value) > MAX_WHOLE_NUMBER_FOR_SOLUTION:
            raise ValueError(f"{call.function} gives no value to compute with")
        return copy.deepcopy(reply.value)  # the solution might modify the value

    def fetch_helped(self, requests: Iterable[HelpedCall]) -> None:
        """Make helped calls for the first time, without waiting between them, and store the replies.

        Skip measured calls, because each must directly follow the same call without measurements. This can raise
        CallStopped.
        """
        messages = {
            request: request.message(self._encrypted_answers(request))
            for request in requests
            if not request.call.measured
        }
        new = {request: message for request, message in messages.items() if _fits_a_message(message)}
        backend = self._backend_restarted_for(new, "helped")
        backend.send_ahead(new.values())
        for request, message in new.items():
            self.first_round_replies[request] = backend.call(message)

    def helped_reply(self, request: HelpedCall) -> Reply:
        """Return the reply to a helped call.

        The second process first receives the encrypted answers to `request.expected_calls`. It then receives answers to
        the calls that it reports as unanswered, within the bounds set by the call and by `request.expected_calls`.
        """
        reply = self.first_round_replies.get(request) or self._make_helped_call(
            request, self._encrypted_answers(request)
        )
        for _ in range(MAX_ROUNDS_PER_CALL - 1):
            if (asked := _unanswered_calls(reply)) is None:
                break
            reply = self._make_helped_call(
                request, [_encrypted(*answer) for answer in self._iter_right_answers(asked, request)]
            )
        if _unanswered_calls(reply) is not None:
            raise CallStopped(Kind.KILLED, f"{request.call.function} keeps asking for more correct values")
        is_counted = request.call.measured and reply.raised is None
        return self.backend.call(request.call) if is_counted else reply

    def _encrypted_answers(self, request: HelpedCall) -> list[EncryptedAnswer]:
        """Return the encrypted answers to the calls that a helped call is expected to make."""
        return [
            _cached_encrypted_reply(self.reference, call.encoded)
            if fits_in_cache(call)
            else _encrypted_reply(self.reference, call)
            for call in request.expected_calls
        ]

    def _make_helped_call(self, request: HelpedCall, encrypted_answers: list[EncryptedAnswer]) -> Reply:
        """Send the encrypted answers and make the call, in one message if possible. Return the reply."""
        together = request.message(encrypted_answers)
        backend = self._backend_restarted_for([request], "helped")
        if not _fits_a_message(together):
            for alone in (Call("_receive", ([answer],)) for answer in encrypted_answers):
                if _fits_a_message(alone):
                    backend.call(alone)
            together = request.message([])
        return backend.call(together)

    def _iter_right_answers(self, asked: list[Any], request: HelpedCall) -> Iterator[tuple[ReplacedCall, Answer]]:
        """Yield each call in `asked` with its answer; the submission could have put any plain value into `asked`."""
        bounds = AnswerableCallBounds.of(request.call, *request.expected_calls)
        for each in asked[:MAX_UNANSWERED_CALLS_PER_ROUND]:
            match each:
                case tuple((str(name), tuple(args), dict(kwargs))):  # excludes arrays, as in `wire._unpack_header`
                    call = Call(name, args, kwargs)
                    is_answered = name in request.replaced and bounds.covers(call)
                    yield self._right_answer(call) if is_answered else (_call_as_tuple(call), None)

    def _right_answer(self, call: Call) -> tuple[ReplacedCall, Answer]:
        """Return a call that the submission made, with the solution's answer or None."""
        if self.budget.spend(call.encoded):
            with self.budget.charged():
                right = perform(self.reference.solution, call.copy())
            if right.raised is None or right.raised.kind in ("ValueError", "IndexError"):
                return _answer(call, right)
        return _call_as_tuple(call), None


def _unanswered_calls(reply: Reply) -> list[Any] | None:
    """Return the unanswered calls in the reply to a helped call; None if the reply is the result of the call."""
    match reply.value:
        case tuple((str(head), list(calls))) if head == UNANSWERED_CALLS_TAG:
            return calls
    return None


def _answer(call: Call, right: Reply) -> tuple[ReplacedCall, Answer]:
    """Return a call with the answer from its correct reply."""
    answer = (right.raised.kind, right.raised.message) if right.raised is not None else ("", right.value)
    return _call_as_tuple(call), answer


def _encrypted_reply(reference: Reference, call: Call) -> EncryptedAnswer:
    """Return the solution's encrypted answer to a call."""
    return _encrypted(*_answer(call, reference.reply(call)))


@functools.lru_cache(MAX_CACHED_ENCRYPTED_ANSWERS)
def _cached_encrypted_reply(reference: Reference, encoded: bytes) -> EncryptedAnswer:
    """Return the solution's encrypted answer to a small call; cached, because many submissions need it."""
    return _encrypted_reply(reference, Call(*codec.decode(encoded)))


def _encrypted(call: ReplacedCall, answer: Answer) -> EncryptedAnswer:
    """Return an encrypted answer to a call; an answer that is too large for a message becomes None."""
    encoded = codec.encode(call)
    encrypted = encrypt_with_call(encoded, answer)
    return encrypted if len(encrypted[1]) <= MAX_ENCRYPTED_ANSWER_CHARACTERS else encrypt_with_call(encoded, None)


def _call_as_tuple(call: Call) -> ReplacedCall:
    """Return a call in the form that the second process reads."""
    return call.function, call.args, call.kwargs


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
