"""Facts about a file before it runs: syntax errors, imports that fail when it is graded, and empty functions.

With the call graph of its functions, a mistake can be reported once, at its own function.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import re
import sys
import tokenize
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from autograder.protocol.call import ANSWERS

ALLOWED_MODULES = sys.stdlib_module_names | {"numpy"}
"""Modules that a graded submission may import."""

MAX_CODE_CHARACTERS = 256 * 1024
"""Maximum characters of code. A syntax tree may take a thousand times as many bytes."""


def parse(text: str, filename: str = "<unknown>") -> ast.Module:
    """Return the syntax tree. Raise SyntaxError or ValueError for text that has none.

    Even a short text can take long, so parse other people's text in a process that can be ended.
    """
    if len(text) > MAX_CODE_CHARACTERS:
        raise ValueError(f"it has more than {MAX_CODE_CHARACTERS // 1024} KiB of code")
    with warnings.catch_warnings(action="ignore"):  # an invalid escape does not concern the checks
        try:
            return ast.parse(text, filename)
        except (RecursionError, SystemError, MemoryError) as error:
            # Python before 3.14 reports a full stack as a lack of memory.
            raise ValueError("it is nested too deeply, or takes more memory to parse than there is") from error


def top_level_functions(text: str) -> dict[str, ast.FunctionDef]:
    """Return the functions of a text by name; none if it cannot be parsed."""
    with contextlib.suppress(SyntaxError, ValueError):
        return {node.name: node for node in parse(text).body if isinstance(node, ast.FunctionDef)}
    return {}


class Source:
    """The text of a student's file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = ""
        self.body: list[ast.stmt] = []
        self.problem: str | None = None
        """why it cannot run at all, with the line if it is known"""
        self._broken_at = 1
        try:
            with tokenize.open(path) as file:
                self.text = file.read()
            self.body = parse(self.text, str(path)).body
        except FileNotFoundError:
            self.problem = f"{path} does not exist. Copy it from the handout again."
        except (SyntaxError, ValueError, LookupError) as error:
            self._broken_at = getattr(error, "lineno", None) or 1
            # Python's own three lines: where, the line, a caret.
            shown = "".join(traceback.format_exception_only(error)).strip()
            fix = f"Nothing in this file can run until this is fixed:\n{shown}"
            self.problem = fix if self.text else f"{path} is not UTF-8: save it as UTF-8."

        self.functions = {node.name: node for node in self.body if isinstance(node, ast.FunctionDef)}
        """its functions by name"""
        self.answers: dict[str, bool] = {}
        """the keys of ANSWERS, and whether each has an answer"""
        self._lines = {name: node.lineno for name, node in self.functions.items()}
        for node in self.body:
            if isinstance(node, ast.Assign) and ANSWERS in map(ast.unparse, node.targets):
                self._lines[ANSWERS] = node.lineno
                self._index_answers(node.value)

    def _index_answers(self, written: ast.expr) -> None:
        for key, value in zip(written.keys, written.values, strict=True) if isinstance(written, ast.Dict) else ():
            if isinstance(key, ast.Constant):
                self.answers[str(key.value)] = not (isinstance(value, ast.Constant) and value.value in (None, ...))
                self._lines[str(key.value)] = value.lineno

    def location(self, name: str) -> str:
        """Return the file and line where a name begins, in the form that editors and terminals link.

        A name is a function, an entry of ANSWERS, or ANSWERS; for any other name, return the line to fix first.
        """
        return f"{self.path}:{self._lines.get(name, self._broken_at)}"

    def unwritten(self) -> list[str]:
        """Return the functions that are unchanged from the handout: a docstring, then an exception."""
        return [name for name, node in self.functions.items() if is_stub(node.body)]

    def disallowed_imports(self) -> Iterator[tuple[int, str]]:
        """Yield the line and module of each import that fails when the file is graded, except imports in a `try`."""
        return _disallowed_imports(self.body)


def is_stub(body: list[ast.stmt]) -> bool:
    """Return True if a function still has the stub's body: a docstring and a line that raises an exception."""
    match [part for part in body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]:
        case [] | [ast.Pass()]:
            return True
        case [ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name)))]:
            return name == "NotImplementedError"
    return False


def _disallowed_imports(nodes: Iterable[ast.stmt]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        modules: list[str] = []
        match node:
            case ast.Try() | ast.If(test=ast.Compare(left=ast.Name(id="__name__")) | ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=module, level=level):
                modules = ["." * level + (module or "")]
        yield from ((node.lineno, module) for module in modules if module.split(".")[0] not in ALLOWED_MODULES)
        yield from _disallowed_imports(part for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt))


class CallGraph:
    """The functions of a source, and the functions that each one builds on."""

    def __init__(
        self, functions: Mapping[str, ast.FunctionDef], others: Iterable[tuple[str, frozenset[str]]] = ()
    ) -> None:
        """Read the calls from the functions. `others` has further calls: a function, and the functions it calls."""
        self._named = {
            name: functions.keys() & {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            for name, node in functions.items()
        }
        """function → the functions whose names appear in its text"""
        for name, called in others:
            self._named[name] |= called
        self._functions = functions
        self.dependencies = functools.cache(self._dependencies)

    def _dependencies(self, name: str) -> frozenset[str]:
        """Return the functions of the same file that a function uses, directly or through others."""
        dependencies: set[str] = set()
        pending = [name]
        while pending:
            new = self._named.get(pending.pop(), set()) - dependencies
            dependencies |= new
            pending += new
        return frozenset(dependencies - {name})

    def lacks_promised_error(self, name: str) -> bool:
        """Return True if a function's docstring has `Raises`, but neither it nor any function it builds on raises."""
        node = self._functions.get(name)
        promised = re.search(r"(?m)^\s*Raises:|\band errors:", (node and ast.get_docstring(node)) or "")
        bodies = [self._functions[each] for each in (name, *self.dependencies(name))] if promised else []
        return bool(bodies) and not any(isinstance(part, ast.Raise) for each in bodies for part in ast.walk(each))

    def topological_order(self, names: Iterable[str]) -> list[str]:
        """Return the functions in an order in which each one comes after the functions that it builds on."""
        return sorted(names, key=lambda name: (len(self.dependencies(name)), name))
