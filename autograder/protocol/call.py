"""Make one call to a student's function, and report everything that a test may check.

The worker behind the wall uses this module, and so does a student's laptop, in the tests' own process, so both treat a
submission in the same way. It imports only numpy and the standard library, since the worker has nothing else.
"""

from __future__ import annotations

import copy
import functools
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numpy as np

from autograder.protocol import codec

MAX_ERROR_MESSAGE_CHARACTERS = 2000
"""Maximum number of characters of an exception's message; no test or reader needs more."""

ANSWERS = "ANSWERS"
"""The only name in a submission that is read, not called."""


class LoadTimeout(BaseException):
    """Raised in a file that does not end in time. Not an Exception, so that a file seldom catches it."""


@dataclass(frozen=True)
class Raised:
    """An exception from a student's code, as text that the submission may control."""

    kind: str
    """name of its class; empty if the message is a complete sentence"""
    bases: tuple[str, ...]
    """names of its built-in base classes, nearest first"""
    message: str
    line: int | None = None
    """line in the student's file that was being executed"""
    function: str | None = None
    """the student's function that was being executed"""
    missing_import: bool = False
    """True if an import was missing: an empty module replaced it, and the rest of the file ran"""

    def is_undefined(self, function: str) -> bool:
        """Return True if the file does not define this function."""
        return self.kind == "NameError" and self.message.startswith(f"{function} is not defined in")

    @property
    def is_endless(self) -> bool:
        """Return True for a file that did not run to its end in time."""
        return self.kind == LoadTimeout.__name__

    @property
    def at_line(self) -> str:
        """The words for the line, for the end of a sentence; empty if the line is not known."""
        return f" at line {self.line}" if self.line else ""


@dataclass(frozen=True, eq=False)
class Call:
    """A call to a submission's function in a test."""

    function: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    measured: bool = False
    """True if its lines are counted, and its arguments checked afterwards"""
    uncounted: tuple[str, ...] = ()
    """functions of the submission whose lines do not count in a measured call: each call to one counts as one line"""

    @functools.cached_property
    def encoded(self) -> bytes:
        """The function and its arguments as bytes, encoded once.

        Raise ValueError if they are too large for a message, since a test may pass on a result of any size.
        """
        return codec.message(self.function, self.args, self.kwargs)

    def copy(self) -> Call:
        """Return the call with copies of its arguments, which a function in this process may change."""
        return replace(self, args=copy.deepcopy(self.args), kwargs=copy.deepcopy(self.kwargs))


@dataclass(frozen=True)
class Reply:
    """The result of a call: a plain value or an exception, and the measurements."""

    encoded: bytes = codec.NONE
    """the result, encoded by `codec.encode`"""
    raised: Raised | None = None
    lines: int = 0
    """lines executed outside libraries, if they were measured"""
    changed: tuple[str, ...] = ()
    """names of the arguments that changed in place, if they were measured"""

    @functools.cached_property
    def value(self) -> Any:
        """The result, decoded once, with read-only arrays; None if there was an exception instead.

        Raise MalformedError for forged bytes, but never once a wire or a backend has returned the reply, since these
        check it.
        """
        return codec.decode(self.encoded, writeable=False) if self.raised is None else None


def load(name: str, cells: Sequence[str], filename: str) -> tuple[types.ModuleType, Raised | None]:
    """Execute a submission as the module `name`, registered before it runs, like any imported module.

    A file is one cell; a notebook has many, and a cell that raises an exception does not stop the next one. An empty
    module replaces a missing import, so functions that do not use it still work. Return the module as far as it ran,
    and the first exception that stopped a cell or, if none did, the first from an import. Line numbers continue
    through all cells.
    """
    module = types.ModuleType(name)
    module.__file__ = filename
    sys.modules[name] = module
    stopped: list[Raised] = []
    lines_before = 0
    stand_in = _MissingImports()
    sys.meta_path.append(stand_in)
    with warnings.catch_warnings(action="ignore"):
        for number, cell in enumerate(cells, start=1):
            try:
                stand_in.run(compile("\n" * lines_before + cell, filename, "exec", dont_inherit=True), module)
            except BaseException as error:  # a submission may raise anything, even SystemExit
                raised = describe_exception(error, filename)
                if len(cells) > 1:
                    raised = replace(raised, message=f"{raised.message} (in code cell {number})")
                stopped.append(raised)
            lines_before += cell.count("\n") + 1
    stand_in.remove()
    return module, next(iter(stopped + list(stand_in.missing.values())), None)


class _MissingImports:
    """Import finder that provides an empty module for each missing import, except imports in a `try`."""

    def __init__(self) -> None:
        self.missing: dict[str | None, Raised] = {}

    def run(self, code: types.CodeType, module: types.ModuleType) -> None:
        """Execute the code, and repeat this whenever an empty module replaces a further missing import."""
        while True:
            try:
                return exec(code, module.__dict__)
            except ModuleNotFoundError as error:
                if type(error.name) is not str or error.name in self.missing:
                    raise
                self.missing[error.name] = replace(describe_exception(error, code.co_filename), missing_import=True)

    def remove(self) -> None:
        """Stop providing empty modules, so that no other code in this process gets one."""
        sys.meta_path.remove(self)
        for name in [name for name, module in sys.modules.items() if type(module) is _MissingModule]:
            del sys.modules[name]

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Find a missing module for Python, if no other finder has found it."""
        is_missing = any(f"{name}.".startswith(f"{missing}.") for missing in self.missing)
        return ModuleSpec(name, self, is_package=True) if is_missing else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return _MissingModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Leave the module empty. Each name that a file imports from it is another empty module."""


class _MissingModule(types.ModuleType):
    """Placeholder that raises an error when it is used."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"No module named {self.__name__!r}, where this is graded")

    def __call__(self, *args: object, **kwargs: object) -> Any:
        raise ModuleNotFoundError(f"No module named {self.__name__!r}, where this is graded")


def perform(module: types.ModuleType, call: Call) -> Reply:
    """Call a submission's function, or read its ANSWERS. The function may change the arguments."""
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
    """Return the reply to a call, with its measurements. Raise any exception that the function raises."""
    before, lines = _encoded_arguments(call), _LineCounter(_codes(module, set(call.uncounted) - {call.function}))
    with lines:
        result = function(*call.args, **call.kwargs)
    after = _encoded_arguments(call)
    changed = tuple(name for name in before if before[name] != after[name])
    return Reply(codec.encode(result), lines=lines.count, changed=changed)


def _codes(module: types.ModuleType, names: Iterable[str]) -> Iterator[types.CodeType]:
    """Yield the code object of each of these names that is a function in the module."""
    functions = map(module.__dict__.get, names)
    return (function.__code__ for function in functions if isinstance(function, types.FunctionType))


def _encoded_arguments(call: Call) -> dict[str, bytes]:
    """Return each argument, exact to the last bit and including NaNs, under a name for the reader."""
    named = {f"argument {number}": value for number, value in enumerate(call.args, start=1)}
    return {name: codec.encode(value) for name, value in (named | call.kwargs).items()}


class _LineCounter:
    """Counter of the lines that a call executes outside libraries and outside functions that count elsewhere."""

    LIBRARIES = (
        "<frozen ",
        __file__,
        str(Path(os.__file__).parent) + os.sep,
        str(Path(np.__file__).parents[1]) + os.sep,
    )
    """Prefixes of the files whose lines do not count: the standard library, packages installed next to numpy (a library
    that watches the garbage collector runs in the middle of a call), and this file."""

    def __init__(self, uncounted: Iterable[types.CodeType] = ()) -> None:
        self.count = 0
        self.uncounted = frozenset(uncounted)
        self.is_elsewhere = False
        """True while an uncounted function, or anything that it calls, is running"""

    def __enter__(self) -> None:
        sys.settrace(self._call)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: types.FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if self.is_elsewhere or frame.f_code.co_filename.startswith(self.LIBRARIES):
            return None
        if frame.f_code in self.uncounted:
            self.count += 1
            self.is_elsewhere = True
            return self._until_its_return
        return self._line

    def _until_its_return(self, frame: types.FrameType, event: str, argument: object) -> Callable[..., Any]:
        self.is_elsewhere = event != "return"
        return self._until_its_return

    def _line(self, frame: types.FrameType, event: str, argument: object) -> Callable[..., Any]:
        self.count += event == "line"
        return self._line


def describe_exception(error: BaseException, filename: str) -> Raised:
    """Describe an exception in plain text, without relying on its methods to behave."""
    try:
        message = str.__str__(str(error))[:MAX_ERROR_MESSAGE_CHARACTERS]
    except BaseException:
        message = ""
    bases = tuple(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")
    line, function = _raising_location(error, filename)
    return Raised(str(type(error).__name__), bases, message, line, function)


def _raising_location(error: BaseException, filename: str) -> tuple[int | None, str | None]:
    """Return the line and the function of this file from which an exception came."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno, None
    steps = [step for step in traceback.walk_tb(error.__traceback__) if step[0].f_code.co_filename == filename]
    return (steps[-1][1], steps[-1][0].f_code.co_name) if steps else (None, None)
