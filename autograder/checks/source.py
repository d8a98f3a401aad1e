"""Facts about a file that has not been run: syntax errors, imports that fail in grading, and unwritten functions.

The call graph lets reports show each mistake only once, at the function that contains it.
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
"""Maximum length of code, in characters; its syntax tree can take a thousand times as many bytes."""


def parse(text: str, filename: str = "<unknown>") -> ast.Module:
    """Return the syntax tree of a source text. Raise SyntaxError or ValueError if it cannot be parsed.

    Even a short text can take a long time to parse, so parse submissions only in a process that can be
    killed.
    """
    if len(text) > MAX_CODE_CHARACTERS:
        raise ValueError(f"it has more than {MAX_CODE_CHARACTERS // 1024} KiB of code")
    with warnings.catch_warnings(action="ignore"):  # invalid escapes are irrelevant to the checks
        try:
            return ast.parse(text, filename)
        except (RecursionError, SystemError, MemoryError) as error:
            # Python before 3.14 reports a full stack as a MemoryError.
            raise ValueError("it is nested too deeply, or takes more memory to parse than there is") from error


class SourceFile:
    """The code of a student's file, read but not run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = ""
        self.body: list[ast.stmt] = []
        self.problem: str | None = None
        """The reason why the file cannot run at all, with the line number if known; None if it can run."""
        self._broken_at = 1
        try:
            with tokenize.open(path) as file:
                self.text = file.read()
            self.body = parse(self.text, str(path)).body
        except FileNotFoundError:
            self.problem = f"{path} does not exist. Rename it back, or copy it from the handout again."
        except (SyntaxError, ValueError, LookupError) as error:
            self._broken_at = getattr(error, "lineno", None) or 1
            # Python describes an error in three lines: the position, the line, and a caret.
            shown = "".join(traceback.format_exception_only(error)).strip()
            fix = f"Nothing in this file can run until this is fixed:\n{shown}"
            self.problem = fix if self.text else f"{path} is not UTF-8: save it as UTF-8."
            if isinstance(error, ValueError):  # too large to be graded, so no part of it runs
                self.text = ""

        self.functions = {node.name: node for node in self.body if isinstance(node, ast.FunctionDef)}
        """The top-level functions of the file, keyed by name."""
        self.answers: dict[str, bool] = {}
        """For each key of ANSWERS, True if it has an answer."""
        self._lines = {name: node.lineno for name, node in self.functions.items()}
        for node in self.body:
            if isinstance(node, ast.Assign) and ANSWERS in map(ast.unparse, node.targets):
                self._lines[ANSWERS] = node.lineno
                self._index_answers(node.value)

    def _index_answers(self, assigned: ast.expr) -> None:
        for key, value in zip(assigned.keys, assigned.values, strict=True) if isinstance(assigned, ast.Dict) else ():
            if isinstance(key, ast.Constant):
                self.answers[str(key.value)] = not (isinstance(value, ast.Constant) and value.value in (None, ...))
                self._lines[str(key.value)] = value.lineno

    def line(self, name: str) -> int:
        """Return the line of a function, an entry of ANSWERS, or ANSWERS itself; otherwise, the line to fix first."""
        return self._lines.get(name, self._broken_at)

    def unwritten(self) -> list[str]:
        """Return the names of the functions that are still stubs."""
        return [name for name, node in self.functions.items() if is_stub(node.body)]

    def disallowed_imports(self) -> Iterator[tuple[int, str]]:
        """Yield the line and module of each import that fails in grading, except imports inside a `try`."""
        return _disallowed_imports(self.body)


def is_stub(body: list[ast.stmt]) -> bool:
    """Return True if a function's body is still a stub: at most a docstring and a `raise NotImplementedError`."""
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
    """The functions of a file, and the other functions that each one uses."""

    def __init__(
        self, functions: Mapping[str, ast.FunctionDef], others: Iterable[tuple[str, frozenset[str]]] = ()
    ) -> None:
        """Build the graph from `functions` and `others`, which pairs callers with their callees."""
        self._named = {
            name: functions.keys() & {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            for name, node in functions.items()
        }
        """The functions whose names appear in each function's body."""
        for name, called in others:
            self._named[name] |= called
        self._functions = functions
        self.dependencies = functools.cache(self._dependencies)

    @classmethod
    def of_cells(cls, cells: Iterable[str]) -> CallGraph:
        """Return the call graph of a submission's top-level functions, skipping cells that do not parse."""
        body: list[ast.stmt] = []
        for cell in cells:
            with contextlib.suppress(SyntaxError, ValueError):
                body += parse(cell).body
        return cls({node.name: node for node in body if isinstance(node, ast.FunctionDef)})

    def _dependencies(self, name: str) -> frozenset[str]:
        """Return the functions in the same file that a function uses, directly or indirectly."""
        dependencies: set[str] = set()
        pending = [name]
        while pending:
            new = self._named.get(pending.pop(), set()) - dependencies
            dependencies |= new
            pending += new
        return frozenset(dependencies - {name})

    def lacks_promised_error(self, name: str) -> bool:
        """Return True if a docstring has a `Raises` line, but neither the function nor any dependency has a `raise`."""
        node = self._functions.get(name)
        promised = re.search(r"(?m)^\s*Raises:|\band errors:", (node and ast.get_docstring(node)) or "")
        bodies = [self._functions[each] for each in (name, *self.dependencies(name))] if promised else []
        return bool(bodies) and not any(isinstance(part, ast.Raise) for each in bodies for part in ast.walk(each))

    def topological_order(self, names: Iterable[str]) -> list[str]:
        """Return the functions in an order that puts each one after its dependencies."""
        return sorted(names, key=lambda name: (len(self.dependencies(name)), name))
