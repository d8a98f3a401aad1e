"""The submission as a test uses it: `rope.apply_rope(x, positions)`, wherever the student's code runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from autograder.checks import call_repr, numpy_errors
from autograder.checks.oracle import Oracle
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Raised, Reply
from autograder.protocol.failure import Kind, WrongResultError


class Backend(Protocol):
    """The process in which a submission's code runs."""

    @property
    def failure(self) -> Raised | None:
        """The exception that stopped the file while it was loaded, if one did."""

    def call(self, call: Call) -> Reply:
        """Make a call, with copies of its arguments."""


class Function:
    """A function of a submission: a call returns a plain value or raises WrongResultError with a message."""

    def __init__(self, name: str, submission: StudentModule) -> None:
        self.name = name
        self.submission = submission

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, and return a plain value."""
        return self.note_returned(self.value(self.attempt(Call(self.name, args, kwargs))))

    def value(self, reply: Reply) -> Any:
        """Return the plain value of a reply. Raise WrongResultError if the student's code raised."""
        if reply.raised is not None:
            raise self.why_it_raised(reply.raised)
        if type(reply.value) is codec.Foreign:
            what = f"{reply.value.description}, which is neither a number nor a plain numpy array"
            raise WrongResultError(Kind.SHAPE, f"{self.name} returned {what}")
        return reply.value

    def note_returned(self, value: Any) -> Any:
        """Return a value for the test to keep; the calls that follow may have arguments from the submission."""
        self.submission.returned += parts(value)
        return value

    def attempt(self, call: Call) -> Reply:
        """Call the function and return the reply, even if it is an exception."""
        self.submission.seen[call] = None
        reply = self.submission.seen[call] = self.submission.backend.call(call)
        return reply

    def why_it_raised(self, raised: Raised) -> WrongResultError:
        """Return the error for an unexpected exception."""
        undefined = raised.is_undefined(self.name)
        failure = self.submission.backend.failure
        if undefined and failure is not None:
            return self.not_reached(failure)
        inside = raised.function if raised.function != self.name else None
        if undefined or "NotImplementedError" in raised.bases:
            if inside is not None:
                what = f"{self.name} waits for {inside}, which is not implemented yet"
                return WrongResultError(Kind.WAITING, what, function=inside)
            return WrongResultError(Kind.NOT_WRITTEN, f"{self.name} is not implemented yet", function=self.name)
        where = f"{raised.at_line} of your file" if raised.line else ""
        where += f", in {inside}" if inside not in (None, "<module>") else ""
        what = f"raised {raised.kind}{where}{': ' * bool(raised.message)}{raised.message}"
        if more := numpy_errors.explanation(raised.message, raised.line):
            what += f"\n{more}"
        blamed = None if self.submission.has_student_arguments(next(reversed(self.submission.seen))) else self.name
        return WrongResultError(Kind.RAISED, f"{self.name} {what}", function=blamed)

    def not_reached(self, failure: Raised) -> WrongResultError:
        """Return the error for a name that the file does not define before it stops."""
        return WrongResultError(
            Kind.NOT_REACHED, f"{stop_message(failure)}; {self.name} is not defined", function=self.name
        )


def stop_message(failure: Raised) -> str:
    """Return the message for a file that does not run to its end, or has an import that is not available."""
    if not failure.kind:
        return failure.message
    if failure.missing_import:
        return f"an import{failure.at_line} of your file is not available ({failure.message})"
    if failure.is_load_timeout:
        return f"your file does not end:{failure.at_line} {failure.message}"
    return f"your file stops{failure.at_line} with {failure.kind}: {failure.message}"


class StudentModule:
    """The functions of one submission; `oracle` returns the right outcome of each call."""

    def __init__(self, name: str, backend: Backend, oracle: Oracle, graded: tuple[str, ...] = ()) -> None:
        self.name = name
        self.backend = backend
        self.oracle = oracle
        self.graded = graded
        """Functions that have tests."""
        self.seen: dict[Call, Reply | None] = {}
        """its calls so far with their replies; None if there was no reply"""
        self.returned: list[Any] = []
        """results that the test got from it and may pass on as arguments"""

    def has_student_arguments(self, call: Call) -> bool:
        """Return True if a call had the submission's results as arguments, and so may have failed because of them."""
        arguments = parts([*call.args, *call.kwargs.values()])
        return any(
            argument is result for argument in arguments for result in self.returned if isinstance(result, np.ndarray)
        )

    def may_have_returned(self, value: object) -> bool:
        """Return True if a value is a result of the submission or a part of one; any number may have come from it."""
        results = (part for reply in self.replies.values() if reply.raised is None for part in parts(reply.value))
        return not isinstance(value, np.ndarray) or any(
            value is result or (isinstance(result, np.ndarray) and np.may_share_memory(value, result))
            for result in results
        )

    @property
    def replies(self) -> dict[Call, Reply]:
        """The calls of functions that have a reply."""
        return {call: reply for call, reply in self.seen.items() if reply is not None and call.function != ANSWERS}

    @property
    def last_call(self) -> str:
        """The last call, for a Python prompt; empty if it is not one that a student would type."""
        call = next(reversed(self.seen), None)
        return call_repr.call_text(call) if call is not None and call.function != ANSWERS else ""

    def __getattr__(self, function: str) -> Function:
        """Return a function of the submission."""
        if function.startswith("_"):
            raise AttributeError(function)
        return Function(function, self)


def parts(value: Any) -> tuple[Any, ...]:
    """Return the arrays and numbers of a result, in order: those in tuples, lists and dicts, at any depth."""
    return tuple(iter_parts(value))


def iter_parts(value: Any) -> Iterator[Any]:
    """Yield the parts of a result one by one, since a submission's result may have very many."""
    if type(value) is dict:
        value = [value[key] for key in sorted(value)]
    if type(value) in (tuple, list):
        for part in value:
            yield from iter_parts(part)
    else:
        yield value
