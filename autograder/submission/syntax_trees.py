"""Syntax trees of student code, and the names that code binds at the top level."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterable, Iterator
from itertools import chain

from autograder.checks import source
from autograder.checks.source import is_stub
from autograder.protocol.call import ANSWERS
from autograder.submission.untrusted_names import printable

GRADER_PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
"""The grader's Python version, for messages about syntax, since a student's Python might be newer."""
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class NotPythonError(Exception):
    """An error for code that does not parse. The message gives the reason, with the line if known."""


@functools.lru_cache(1)
def parse(text: str) -> ast.Module:
    """Return the syntax tree of a source text. Raise NotPythonError, and nothing else, if it does not parse."""
    try:
        return source.parse(text)
    except (SyntaxError, ValueError) as error:
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        raise NotPythonError(line + printable(getattr(error, "msg", str(error)), 120)) from error


def bound_and_implemented_names(trees: Iterable[ast.Module]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that are bound when code runs in order, and those of them that are bound to more than a stub."""
    names: set[str] = set()
    written: set[str] = set()
    for statement in chain.from_iterable(map(top_level, trees)):
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound, is_open = {name}, is_stub(statement.body)
            case ast.Assign(value=value) | ast.AnnAssign(value=value):
                bound = assigned_or_imported_names(statement)
                answers = value.values if ANSWERS in bound and isinstance(value, ast.Dict) else [value]
                is_open = all(isinstance(answer, ast.Constant) and answer.value is None for answer in answers)
            case _:
                continue
        names |= bound
        (written.difference_update if is_open else written.update)(bound)
    return frozenset(names), frozenset(written)


def assigned_or_imported_names(*nodes: ast.AST) -> set[str]:
    """Return the names that parts of a tree assign or import, except those that exist only in a comprehension."""
    parts = [part for node in nodes for part in ast.walk(node)]
    inner = {id(part) for loop in parts if isinstance(loop, ast.comprehension) for part in ast.walk(loop.target)}
    stored = [part for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    names = {part.id for part in stored if id(part) not in inner}
    return names | {part.asname or part.name.partition(".")[0] for part in parts if isinstance(part, ast.alias)}


def top_level(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements at the top level of code, including those in `if`, `try`, `with` and loops."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt):
            yield part
        if not isinstance(part, (*DEFINITIONS, ast.expr)):
            yield from top_level(part)
