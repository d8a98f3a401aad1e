"""Performs one call of a student's function and reports all that a test may ask about it.

Used by the worker behind the wall and, on a student's laptop, in the same process: so both see a submission alike.
Imports numpy and the standard library only, since the worker has nothing else.
"""

from __future__ import annotations

import _thread
import ast
import copy
import dis
import functools
import gc
import inspect
import os
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from autograder.protocol import codec

MAX_MESSAGE = 2000
"""Characters of an exception's message that are kept: no tests read more, and nobody else does either."""

UNCOUNTED = -1
"""In the place of a number of lines: the call changed what counts them."""

ANSWERS = "ANSWERS"
"""The one name of a submission that is read and not called."""


@dataclass(frozen=True)
class Raised:
    """An exception out of a student's code. Everything in it is text that the submission may control."""

    kind: str
    """name of its class"""
    bases: tuple[str, ...]
    """names of all built-in exceptions that it is one of, nearest first"""
    message: str
    line: int | None = None
    """line in the student's file that was being executed"""
    function: str | None = None
    """the student's function that was being executed"""
    left_out: bool = False
    """whether it came from an import at the top level: that line alone was left out, and the rest of the file ran"""
    on_purpose: bool = False
    """whether a `raise` of the student's own file raised it, and no operation in it and no library"""

    def is_undefined(self, function: str) -> bool:
        """Whether it says that the file does not define a function."""
        return self.kind == "NameError" and self.message.startswith(f"{function} is not defined in")

    @property
    def at_line(self) -> str:
        """The line in words, to stand behind others; empty where it is not known."""
        return f" at line {self.line}" if self.line else ""


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a submission's function, as a test makes it."""

    function: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    measured: bool = False
    """whether its lines are counted and its arguments looked at afterwards"""

    @functools.cached_property
    def encoded(self) -> bytes:
        """Function and arguments as bytes, made once. Raises ValueError where no message has room for them: a test may
        hand on a result."""
        return codec.message(self.function, self.args, self.kwargs)

    def copy(self) -> Call:
        """The same call with arguments of its own, for a function in this process to spoil."""
        return replace(self, args=copy.deepcopy(self.args), kwargs=copy.deepcopy(self.kwargs))


@dataclass(frozen=True)
class Reply:
    """What one call came to: an encoded plain value or an exception, and what was measured on the way."""

    value: bytes = b""
    """the result as `codec.encode` wrote it; empty where an exception came instead"""
    raised: Raised | None = None
    lines: int = 0
    """lines executed outside of libraries, where that was measured; UNCOUNTED where the call kept them from being
    counted"""
    changed: tuple[str, ...] = ()
    """the arguments changed in place, as a reader would name them, where that was measured"""


def load(name: str, cells: Sequence[str], filename: str) -> tuple[types.ModuleType, Raised | None]:
    """Execute a submission as the module `name`, registered before it runs as any imported module is.

    A file is one cell; a notebook is many, and a cell that raises does not keep the next from running. An import of
    what is not there is left out: nobody loses functions that do not use it. Returns the module, as far as it came, and
    the first exception that stopped something, or else the first import that was left out. Lines count through all
    cells.
    """
    watch_tracing()
    _LineCounter.thread, _LineCounter.is_lost = _thread.get_ident(), False
    module = types.ModuleType(name)
    module.__file__ = filename
    sys.modules[name] = module
    first: Raised | None = None
    imports: list[Raised] = []
    lines_before = 0
    for number, cell in enumerate(cells, start=1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                _run("\n" * lines_before + cell, filename, module, imports)
            except BaseException as error:  # a submission may raise anything, SystemExit included
                raised = describe_exception(error, filename)
                if len(cells) > 1:
                    raised = replace(raised, message=f"{raised.message} (in code cell {number})")
                first = first or raised
        lines_before += cell.count("\n") + 1
    return module, first or next(iter(imports), None)


def _run(text: str, filename: str, module: types.ModuleType, imports: list[Raised]) -> None:
    """Execute a text. Where an import at its top level fails, go on after it; `imports` grows by what it raised."""
    code = compile(text, filename, "exec", dont_inherit=True)
    statements: list[ast.stmt] | None = None
    while True:
        try:
            exec(code, module.__dict__)
            return
        except ImportError as error:
            if statements is None:
                statements = _one_import_each(ast.parse(text))
            index = _failed_import(statements, error, filename)
            if index is None:
                raise
            imports.append(replace(describe_exception(error, filename), left_out=True))
        future = [
            statement
            for statement in statements
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        ]
        statements = future + statements[index + 1 :]
        code = compile(ast.Module(statements, type_ignores=[]), filename, "exec", dont_inherit=True)


def _one_import_each(tree: ast.Module) -> list[ast.stmt]:
    """The statements of a text, `import a, b` as two."""
    statements: list[ast.stmt] = []
    for statement in tree.body:
        names = statement.names if isinstance(statement, ast.Import) else []
        statements += [ast.copy_location(ast.Import([alias]), statement) for alias in names] or [statement]
    return statements


def _failed_import(statements: list[ast.stmt], error: ImportError, filename: str) -> int | None:
    """Which of the statements is the import that failed; None where it was none of them, but one in a block or a
    function."""
    line, function = _location(error, filename, _steps_to(error))
    imports = [
        (index, statement)
        for index, statement in enumerate(statements)
        if isinstance(statement, ast.Import | ast.ImportFrom)
        and statement.lineno <= (line or 0) <= (statement.end_lineno or 0)
    ]
    if function != "<module>" or not imports:
        return None
    return next((index for index, statement in imports if _imports(statement, error.name or "")), imports[0][0])


def _imports(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.ImportFrom):
        names = [statement.module or ""]
    else:
        names = [alias.name for alias in statement.names]  # type: ignore[attr-defined]
    return any(f"{imported}.".startswith(f"{name}.") for imported in names)


def perform(module: types.ModuleType, call: Call) -> Reply:
    """Call a function of a submission, or read its ANSWERS. The arguments are the function's to spoil."""
    function = module.__dict__.get(call.function)
    if call.function == ANSWERS:
        return Reply(value=codec.encode(function))
    if function is None:
        missing = f"{call.function} is not defined in {os.path.basename(str(module.__file__))}"
        return Reply(raised=Raised("NameError", ("NameError", "Exception"), missing))
    before = _encoded_arguments(call) if call.measured else {}
    lines = _LineCounter()
    try:
        with warnings.catch_warnings(action="ignore"), lines if call.measured else nullcontext():
            result = function(*call.args, **call.kwargs)
        value = codec.encode(result)
    except BaseException as error:
        return Reply(raised=describe_exception(error, str(module.__file__)), lines=lines.count)
    after = _encoded_arguments(call) if call.measured else {}
    return Reply(value=value, lines=lines.count, changed=tuple(name for name in before if before[name] != after[name]))


def describe_exception(error: BaseException, filename: str) -> Raised:
    """An exception in plain text, without trusting its own methods to behave."""
    try:
        message = str(error)
        message = str.__str__(message)[:MAX_MESSAGE] if isinstance(message, str) else ""
    except BaseException:
        message = ""
    bases = tuple(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")
    steps = _steps_to(error)
    line, function = _location(error, filename, steps)
    return Raised(str(type(error).__name__), bases, message, line, function, on_purpose=_is_on_purpose(filename, steps))


_Step = tuple[types.CodeType, int, int]
"""Code that an exception came through, with the line and the place in it."""


def _steps_to(error: BaseException) -> list[_Step]:
    """Where an exception came through, outermost first. To ask for a frame is an event: each is asked for once."""
    steps: list[_Step] = []
    step = error.__traceback__
    while step is not None:
        steps.append((step.tb_frame.f_code, step.tb_lineno, step.tb_lasti))
        step = step.tb_next
    return steps


def _location(error: BaseException, filename: str, steps: list[_Step]) -> tuple[int | None, str | None]:
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno, None
    for code, line, _ in reversed(steps):
        if code.co_filename == filename:
            return line, code.co_name
    return None, None


def _is_on_purpose(filename: str, steps: list[_Step]) -> bool:
    """Whether the last thing that ran was a `raise` in this file."""
    if not steps:
        return False
    code, _, place = steps[-1]
    return code.co_filename == filename and code.co_code[place] == dis.opmap["RAISE_VARARGS"]


def _encoded_arguments(call: Call) -> dict[str, bytes]:
    """Each argument to the last bit, NaNs included, by the name that a reader would give it."""
    named = {f"argument {number}": value for number, value in enumerate(call.args, start=1)}
    return {name: codec.encode(value) for name, value in (named | call.kwargs).items()}


_LIBRARIES = ("<frozen ", __file__, *(str(Path(module.__file__ or "").parent) + os.sep for module in (os, np)))
"""How the names of files begin whose lines do not count: the standard library, numpy, and this file."""


_identity = object.__hash__
"""As `id`, which is an event."""


@functools.cache
def _library_code() -> dict[int, types.CodeType]:
    """The code of the standard library, numpy and this file by its identity, as it was before a submission was loaded.

    A file name alone proves nothing: a submission may compile its own text under any name.
    """
    functions = (thing.__code__ for thing in gc.get_objects() if type(thing) is types.FunctionType)
    return {
        _identity(code): code
        for code in _with_inner(function for function in functions if function.co_filename.startswith(_LIBRARIES))
    }


def _with_inner(codes: Iterable[types.CodeType]) -> Iterator[types.CodeType]:
    """Code, and the code that is written inside of it."""
    for code in codes:
        yield code
        yield from _with_inner(constant for constant in code.co_consts if type(constant) is types.CodeType)


def _is_library(code: types.CodeType) -> bool:
    """Whether code is a library's, also of one that was loaded later: then the library's file holds the same."""
    if _identity(code) in _library_code():
        return True
    return _is_inert(code) and code.co_filename.startswith(_LIBRARIES[1:]) and code in _code_of_file(code.co_filename)


def _is_inert(value: object) -> bool:
    """Whether a constant of some code is what a compiler makes: to compare it then runs nothing of a submission's."""
    if type(value) is types.CodeType:
        return all(map(_is_inert, (value.co_filename, value.co_name, value.co_qualname, *value.co_consts)))
    if type(value) in (tuple, frozenset):
        return all(map(_is_inert, value))  # type: ignore[call-overload]
    return type(value) in (str, bytes, int, float, complex, bool, types.NoneType, types.EllipsisType)


def _skips_lines(code: types.CodeType) -> bool:
    """Whether some step of it stands in no line, or is repeated without a word: Python traces neither."""
    unsaid = any(
        name in dis.opmap and dis.opmap[name] in code.co_code[::2] for name in ("SEND", "JUMP_BACKWARD_NO_INTERRUPT")
    )
    return unsaid or code.co_firstlineno < 1 or any(line is None or line < 1 for _, _, line in code.co_lines())


@functools.cache
def _code_of_file(path: str) -> frozenset[types.CodeType]:
    with suppress(ImportError, OSError, SyntaxError):
        if code := SourceFileLoader("library", path).get_code("library"):
            return frozenset(_with_inner([code]))
    return frozenset()


_TRACING = frozenset(
    "sys.settrace sys.setprofile sys._getframe sys._current_frames gc.get_objects gc.get_referrers gc.get_referents "
    "_thread.start_new_thread _thread.start_joinable_thread".split()
)
"""Events of a call that turns the counting off, gets at a frame to do so, or loops in another thread. (Python 3.11
tells no hook of a new thread; the profile function sees it.)"""

_UNTRACED = frozenset(
    "sys.addaudithook sys.monitoring.register_callback cpython.PyInterpreterState_New sys._current_frames".split()
)
"""Events that make a place for code that Python never traces, or give the frame of another thread: no call counts any
more."""

_FRAMES = ("tb_frame", "gi_frame", "cr_frame", "ag_frame")
"""The attributes that give a frame; to ask for one is an event too."""

_HEARD = _TRACING | _UNTRACED | {"object.__getattr__"}

_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Code whose frame may be kept by one call and go on in another."""


class _LineCounter:
    """Counts the lines that one call executes; of code that says no line, the calls and the steps back.

    Python lets a call turn this off. Then its lines count as UNCOUNTED: Python reports the ways to do so to audit
    hooks, and those cannot be removed. Garbage is not collected meanwhile: the finalizer of what somebody else left
    behind would count too.
    """

    watching: _LineCounter | None = None
    """the one that counts now"""
    hears = True
    """whether the hook listens: what it asks for itself is an event too"""
    thread = 0
    """where the submission was loaded"""
    is_lost = False
    """whether the submission has made itself a place where its lines are not counted"""
    skipping: ClassVar[dict[int, tuple[types.CodeType, bool]]] = {}
    """code of the submission by its identity, and whether it skips lines"""

    def __init__(self) -> None:
        self.count = 0
        self.collects = gc.isenabled()

    def __enter__(self) -> None:
        gc.disable()
        sys.setprofile(self._profile)
        sys.settrace(self._call)
        _LineCounter.watching = self

    def __exit__(self, *_: object) -> None:
        _LineCounter.watching = None
        sys.setprofile(None)
        if sys.gettrace() != self._call or self.is_lost:
            self.count = UNCOUNTED
        sys.settrace(None)
        if self.collects:
            gc.enable()

    def _profile(self, frame: types.FrameType, event: str, argument: object) -> None:
        if event == "c_call" and argument is _thread.start_new_thread:
            self.count = UNCOUNTED

    def _call(self, frame: types.FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if _is_library(code):
            return None
        known = _identity(code)
        if known not in self.skipping:
            self.skipping[known] = code, _skips_lines(code)
        frame.f_trace_lines = True
        frame.f_trace_opcodes = self.skipping[known][1]
        self._add(frame.f_trace_opcodes)
        return self._steps(frame.f_lasti)

    def _steps(self, last: int) -> Callable[..., Any]:
        """What hears of the steps of one frame; `last` is the place of the one before."""
        counted = False

        def step(frame: types.FrameType, event: str, argument: object) -> Callable[..., Any]:
            nonlocal last, counted
            self._add(event == "line" or (event == "opcode" and frame.f_lasti < last and not counted))
            last, counted = frame.f_lasti, event == "line"
            return step

        return step

    def _add(self, counts: bool) -> None:
        if counts and self.count != UNCOUNTED:
            self.count += 1

    @classmethod
    def hook(cls, event: str, arguments: tuple[object, ...]) -> None:
        """An event, whether a counter is watching or not."""
        if not cls.hears or event not in _HEARD:
            return
        if event == "object.__getattr__" and not (type(arguments[1]) is str and arguments[1] in _FRAMES):
            return
        cls.hears = False
        if _is_of_submission() or (event in _UNTRACED and _thread.get_ident() != cls.thread):
            if cls.watching is not None:
                cls.watching.count = UNCOUNTED
            cls.is_lost = cls.is_lost or event in _UNTRACED or _may_keep_frame(event, arguments)
        cls.hears = True


def _stack() -> Iterator[types.CodeType]:
    """The code of all that runs in this thread, from here on down."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


_PERFORM, _LOAD = perform.__code__, load.__code__
"""Below these no code is a submission's."""


def _is_of_submission() -> bool:
    """Whether a submission does what is done now: code of its own was called, and no library that is being loaded
    stands above it."""
    own = in_module = False
    for code in _stack():
        if code is _PERFORM or code is _LOAD:
            return own
        if not _is_library(code):
            own = True
        elif in_module and not own and code.co_filename == "<frozen importlib._bootstrap>":
            return False
        in_module = in_module or code.co_name == "<module>"
    return False


def _may_keep_frame(event: str, arguments: tuple[object, ...]) -> bool:
    """Whether the event gives a frame that is suspended and goes on in a later call, where nothing need ask for it any
    more."""
    if event == "sys._getframe":
        return any(code.co_flags & _SUSPENDED for code in _stack() if not _is_library(code))
    if event == "object.__getattr__" and type(arguments[0]) is types.TracebackType:
        return bool(arguments[0].tb_frame.f_code.co_flags & _SUSPENDED)
    return event == "object.__getattr__" or event.startswith("gc.")


@functools.cache
def watch_tracing() -> None:
    """Once, before a submission is loaded: no hook of its own can then keep this one out, and no code of its own is a
    library's."""
    _library_code()
    sys.addaudithook(_LineCounter.hook)
