"""Make one call to a student's function, and report everything that a test can check.

This module is used by the sandboxed worker and on a student's laptop, where tests and code share a process, so both
treat a submission the same way. It imports only numpy and the standard library, because the worker has no other
packages.
"""

from __future__ import annotations

import copy
import functools
import inspect
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.protocol import codec

MAX_ERROR_MESSAGE_CHARACTERS = 2000
"""Maximum length, in characters, of an exception's message; no test or reader needs more."""

ANSWERS = "ANSWERS"
"""Name of a submission's dictionary of answers, the only name that is read rather than called."""


class LoadTimeout(BaseException):
    """Raised inside a student's file that does not finish loading in time.

    It is not a subclass of Exception, so that student code rarely catches it.
    """


@dataclass(frozen=True)
class Raised:
    """An exception from a student's code, as text that the submission can control."""

    kind: str
    """name of the exception's class; empty if the message is a complete sentence"""
    bases: tuple[str, ...]
    """names of the class's built-in base classes, nearest first"""
    message: str
    line: int | None = None
    """the line of the student's file that was being executed"""
    function: str | None = None
    """the student's function that was being executed"""
    missing_import: bool = False
    """True for a missing import, which was replaced by an empty module so that the rest of the file ran"""

    def is_undefined(self, function: str) -> bool:
        """Return True if the exception means that the file does not define this function."""
        return self.kind == "NameError" and self.message.startswith(f"{function} is not defined in")

    @property
    def is_load_timeout(self) -> bool:
        """Return True if the file did not finish loading in time."""
        return self.kind == LoadTimeout.__name__

    @property
    def at_line(self) -> str:
        """Words that name the line, for the end of a sentence, or an empty string if it is unknown."""
        return f" at line {self.line}" if self.line else ""


@dataclass(frozen=True, eq=False)
class Call:
    """A call that a test makes to a function of a submission."""

    function: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    measured: bool = False
    """True if executed lines are counted and arguments are checked for changes afterwards"""
    uncounted: tuple[str, ...] = ()
    """functions of the submission whose lines are not counted, except for one line per call"""

    @functools.cached_property
    def encoded(self) -> bytes:
        """The function's name and the arguments as bytes, encoded once.

        Raise ValueError if the call is too large for a message, since a test can pass on a result of any size.
        """
        return codec.encode_request(self.function, self.args, self.kwargs)

    def copy(self) -> Call:
        """Return this call with copies of its arguments, for a function that might modify them."""
        return replace(self, args=copy.deepcopy(self.args), kwargs=copy.deepcopy(self.kwargs))


@dataclass(frozen=True)
class Reply:
    """The result of a call: a plain value or an exception, and any measurements."""

    encoded: bytes = codec.NONE
    """the value, encoded by `codec.encode`"""
    raised: Raised | None = None
    executed_lines: int = 0
    """number of lines executed outside libraries, if the call was measured"""
    changed: tuple[str, ...] = ()
    """names of the arguments that the call modified in place, if it was measured"""

    @functools.cached_property
    def value(self) -> Any:
        """The value, decoded once, with read-only arrays; None if the call raised an exception.

        Raise MalformedError if the bytes are forged. Replies that come from `sandbox.wire` or a backend have already
        been checked.
        """
        return codec.decode(self.encoded, writeable=False) if self.raised is None else None


def perform(module: types.ModuleType, call: Call) -> Reply:
    """Call a submission's function, or read its ANSWERS. The function might modify the arguments."""
    function = module.__dict__.get(call.function)
    if call.function == ANSWERS:
        return Reply(codec.encode(function))
    if function is None:
        missing = f"{call.function} is not defined in {os.path.basename(str(module.__file__))}"
        return Reply(raised=Raised("NameError", ("NameError", "Exception"), missing))
    try:
        with warnings.catch_warnings(action="ignore"):
            if call.measured:
                return _measured(module, call, function)
            return Reply(codec.encode(function(*call.args, **call.kwargs)))
    except BaseException as error:
        return Reply(raised=describe_exception(error, str(module.__file__)))


def _measured(module: types.ModuleType, call: Call, function: Callable[..., Any]) -> Reply:
    """Return the reply to a call, with measurements. Exceptions from the function propagate."""
    before = _encoded_arguments(call)
    others = (module.__dict__.get(name) for name in call.uncounted if name != call.function)
    line_counter = _LineCounter({_code_object(other) for other in others} - {_code_object(function)})
    with line_counter:
        result = function(*call.args, **call.kwargs)
    after = _encoded_arguments(call)
    changed = tuple(name for name in before if before[name] != after[name])
    return Reply(codec.encode(result), executed_lines=line_counter.count, changed=changed)


def _code_object(function: object) -> types.CodeType | None:
    """Return the code object inside any decorators, whose own code objects several functions can share."""
    return getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None


def _encoded_arguments(call: Call) -> dict[str, bytes]:
    """Return the arguments, keyed by readable name and encoded exactly, down to the bits of a NaN."""
    named = {f"argument {number}": value for number, value in enumerate(call.args, start=1)}
    return {name: codec.encode(value) for name, value in (named | call.kwargs).items()}


class _LineCounter:
    """A counter of the lines that a call executes outside libraries and uncounted functions."""

    UNCOUNTED_FILE_PREFIXES = (
        "<frozen ",
        str(Path(__file__).parents[1]) + os.sep,
        str(Path(os.__file__).parent) + os.sep,
        str(Path(np.__file__).parents[1]) + os.sep,
    )
    """Prefixes of the files whose lines do not count: the standard library, `autograder`, whose versions of numpy's
    functions a browser tab uses, and packages installed next to numpy, one of which may watch the garbage collector
    and so run in the middle of a call."""

    def __init__(self, uncounted: Collection[types.CodeType | None]) -> None:
        self.count = 0
        self.uncounted = frozenset(uncounted)
        self.is_elsewhere = False
        """True while an uncounted function or anything that it calls is running"""

    def __enter__(self) -> None:
        sys.settrace(self._trace_call)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _trace_call(self, frame: types.FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if self.is_elsewhere or frame.f_code.co_filename.startswith(self.UNCOUNTED_FILE_PREFIXES):
            return None
        if frame.f_code in self.uncounted:
            self.count += 1
            self.is_elsewhere = True
            return self._trace_uncounted
        return self._trace_line

    def _trace_uncounted(self, frame: types.FrameType, event: str, argument: object) -> Callable[..., Any]:
        self.is_elsewhere = event != "return"
        return self._trace_uncounted

    def _trace_line(self, frame: types.FrameType, event: str, argument: object) -> Callable[..., Any]:
        self.count += event == "line"
        return self._trace_line


def describe_exception(error: BaseException, filename: str) -> Raised:
    """Describe an exception in plain text, even if the exception's methods fail."""
    try:
        message = str.__str__(str(error))[:MAX_ERROR_MESSAGE_CHARACTERS]
    except BaseException:
        message = ""
    bases = tuple(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")
    line, function = _raising_location(error, filename)
    return Raised(str(type(error).__name__), bases, message, line, function)


def _raising_location(error: BaseException, filename: str) -> tuple[int | None, str | None]:
    """Return the line and the function in a file where an exception was raised; either is None if unknown."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno, None
    steps = [step for step in traceback.walk_tb(error.__traceback__) if step[0].f_code.co_filename == filename]
    return (steps[-1][1], steps[-1][0].f_code.co_name) if steps else (None, None)
