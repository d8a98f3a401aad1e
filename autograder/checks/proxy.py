"""The submission as a test uses it: `rope.apply_rope(x, positions)`, wherever the student's code runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from autograder.checks import call_repr, numpy_errors
from autograder.checks.oracle import Oracle
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Raised, Reply
from autograder.protocol.failure_kinds import FailedTestError, Kind


class Backend(Protocol):
    """The process in which a submission's code runs."""

    @property
    def failure(self) -> Raised | None:
        """The exception that stopped the file from loading; None if it loaded completely."""

    def call(self, call: Call) -> Reply:
        """Make a call with copies of the arguments."""


class Function:
    """A function of a submission; calling it returns a plain value or raises FailedTestError with a message."""

    def __init__(self, name: str, submission: StudentModule) -> None:
        self.name = name
        self.submission = submission

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, and return a plain value."""
        return self.note_returned(self.value(self.attempt(Call(self.name, args, kwargs))))

    def value(self, reply: Reply) -> Any:
        """Return the plain value of a reply. Raise FailedTestError if the student's code raised an exception."""
        if reply.raised is not None:
            raise self.why_it_raised(reply.raised)
        if type(reply.value) is codec.Foreign:
            what = f"{reply.value.description}, which is neither a number nor a plain numpy array"
            raise FailedTestError(Kind.SHAPE, f"{self.name} returned {what}")
        return reply.value

    def note_returned(self, value: Any) -> Any:
        """Record a value that the test may pass to later calls, and return the value."""
        self.submission.returned.append(value)
        return value

    def attempt(self, call: Call) -> Reply:
        """Call the function and return the reply, even if the function raised an exception."""
        self.submission.seen[call] = None
        reply = self.submission.seen[call] = self.submission.backend.call(call)
        return reply

    def why_it_raised(self, raised: Raised) -> FailedTestError:
        """Return the error for an unexpected exception."""
        undefined = raised.is_undefined(self.name)
        failure = self.submission.backend.failure
        if undefined and failure is not None:
            return self.not_reached_error(failure)
        inside = raised.function if raised.function != self.name else None
        if undefined or "NotImplementedError" in raised.bases:
            if inside is not None:
                what = f"{self.name} waits for {inside}, which is not implemented yet"
                return FailedTestError(Kind.WAITING, what, function=inside)
            return FailedTestError(Kind.NOT_WRITTEN, f"{self.name} is not implemented yet", function=self.name)
        where = f"{raised.at_line} of your file" if raised.line else ""
        where += f", in {inside}" if inside not in (None, "<module>") else ""
        what = f"raised {raised.kind}{where}{': ' * bool(raised.message)}{raised.message}"
        if more := numpy_errors.explanation(raised.message, raised.line):
            what += f"\n{more}"
        blamed = None if self.submission.has_student_arguments(next(reversed(self.submission.seen))) else self.name
        return FailedTestError(Kind.RAISED, f"{self.name} {what}", function=blamed)

    def not_reached_error(self, failure: Raised) -> FailedTestError:
        """Return the error for a function that is defined after the line where the file stops."""
        return FailedTestError(
            Kind.NOT_REACHED, f"{load_failure_message(failure)}; {self.name} is not defined", function=self.name
        )


def load_failure_message(failure: Raised) -> str:
    """Return the message for a file that stops before its end or imports an unavailable module."""
    if not failure.kind:
        return failure.message
    if failure.missing_import:
        return f"an import{failure.at_line} of your file is not available ({failure.message})"
    if failure.is_load_timeout:
        return f"your file does not end:{failure.at_line} {failure.message}"
    return f"your file stops{failure.at_line} with {failure.kind}: {failure.message}"


class StudentModule:
    """The functions of one submission; `oracle` returns the correct outcome of each call."""

    def __init__(self, name: str, backend: Backend, oracle: Oracle, tested_functions: tuple[str, ...] = ()) -> None:
        self.name = name
        self.backend = backend
        self.oracle = oracle
        self.tested_functions = tested_functions
        """Names of the functions with tests."""
        self.seen: dict[Call, Reply | None] = {}
        """All calls so far, with their replies; None stands for a missing reply."""
        self.returned: list[Any] = []
        """Results that the test has received and might pass on as arguments."""

    def has_student_arguments(self, call: Call) -> bool:
        """Return True if the call may fail because an argument is an array that the submission returned."""
        # A set, because the submission may return very many arrays, and a test may pass on all of them.
        arrays = {id(leaf) for leaf in iter_leaves(self.returned) if isinstance(leaf, np.ndarray)}
        return any(id(argument) in arrays for argument in iter_leaves([*call.args, *call.kwargs.values()]))

    def may_have_returned(self, value: object) -> bool:
        """Return True if a value might come from the submission; an array must share memory with one of its results."""
        results = (part for reply in self.replies.values() if reply.raised is None for part in leaves(reply.value))
        return not isinstance(value, np.ndarray) or any(
            value is result or (isinstance(result, np.ndarray) and np.may_share_memory(value, result))
            for result in results
        )

    @property
    def replies(self) -> dict[Call, Reply]:
        """The replies to function calls, keyed by call. Calls without a reply are left out."""
        return {call: reply for call, reply in self.seen.items() if reply is not None and call.function != ANSWERS}

    @property
    def last_call(self) -> str:
        """The last call as text for a reader (`call_repr`), or an empty string if it would be too long."""
        call = next(reversed(self.seen), None)
        return call_repr.call_as_prompt(call) if call is not None and call.function != ANSWERS else ""

    def __getattr__(self, function: str) -> Function:
        """Return the submission's function of this name."""
        if function.startswith("_"):
            raise AttributeError(function)
        return Function(function, self)


def leaves(value: Any) -> tuple[Any, ...]:
    """Return the leaves of a result, in order: the values inside tuples, lists and dicts, at any depth."""
    return tuple(iter_leaves(value))


def iter_leaves(value: Any) -> Iterator[Any]:
    """Yield the leaves of a result one by one, because a submission's result can have very many."""
    if type(value) is dict:
        value = [value[key] for key in sorted(value)]
    if type(value) in (tuple, list):
        for part in value:
            yield from iter_leaves(part)
    else:
        yield value


def dtypes(value: Any, at_most: int | None = None) -> list[np.dtype | None]:
    """Return the dtypes of a result's leaves, or of the first `at_most`; None for leaves that are not numeric."""
    counted = itertools.islice(iter_leaves(value), at_most)
    return [np.asarray(leaf).dtype if isinstance(leaf, _NUMBERS) else None for leaf in counted]


_NUMBERS = (bool, int, float, np.generic, np.ndarray)
