"""What a text does for an assignment: which names it binds, and what of it is written and not still the stub's."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.checks.source import Source, is_stub
from autograder.course import Assignment
from autograder.protocol.call import ANSWERS

# Through these a file may bind names that nobody sees who only reads it.
_BINDERS = frozenset({"exec", "eval", "globals", "vars", "locals", "setattr", "__import__"})


@dataclass(frozen=True)
class Bindings:
    """What the top level of a text binds."""

    names: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    """those of the names that are bound to more than a stub: a function with a body of its own, answers that are filled
    in"""
    certain: bool = True
    """whether nothing else can be bound when it runs"""
    inside: frozenset[tuple[str, str]] = frozenset()
    """functions that stand inside a class or another function, each with what it stands in: nobody finds them there"""


@functools.cache
def functions(assignment: str) -> frozenset[str]:
    """The functions that an assignment asks for: those of its stub. None where there is no such stub."""
    return frozenset(name for name in Source(Assignment(assignment).stub).functions if not name.startswith("_"))


def of(tree: ast.Module) -> Bindings:
    """What a text binds, by its syntax tree."""
    names: set[str] = set()
    written: set[str] = set()
    certain = True
    inside: set[tuple[str, str]] = set()
    for statement in _top_level(tree):
        bound, open_still = _bound(statement)
        names |= bound
        written |= bound  # in place: a set that is copied for each statement takes quadratic time
        written -= open_still
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            words = f"the {'class' if isinstance(statement, ast.ClassDef) else 'function'} {statement.name}"
            inside.update((part.name, words) for part in statement.body if isinstance(part, ast.FunctionDef))
        certain &= "*" not in bound and _BINDERS.isdisjoint(name.id for name in _names(statement))
    return Bindings(frozenset(names), frozenset(written), certain, frozenset(inside))


def _bound(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The names that a statement binds, and those of them that it binds to no more than a stub does."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}, {name} if is_stub(statement.body) else set()
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return {alias.asname or alias.name.partition(".")[0] for alias in aliases}, set()
    bound = {name.id for name in _names(statement) if isinstance(name.ctx, ast.Store)}
    return bound, {ANSWERS} if _are_open_answers(statement) else set()


def joined(several: Iterable[Bindings]) -> Bindings:
    """What several texts bind that run one after the other."""
    parts = list(several)
    names = frozenset[str]().union(*(part.names for part in parts))
    written = frozenset[str]().union(*(part.written for part in parts))
    inside = frozenset[tuple[str, str]]().union(*(part.inside for part in parts))
    return Bindings(names, written, all(part.certain for part in parts), inside)


def _top_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when the text does, those inside `if`, `try`, `with` and loops too, in order."""
    waiting: list[ast.AST] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            parts = ast.iter_child_nodes(node)
            waiting += reversed(
                [part for part in parts if isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case)]
            )


def _names(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names in a statement itself, and not in the statements inside it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            yield node
        waiting += [
            part
            for part in ast.iter_child_nodes(node)
            if not isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]


def _are_open_answers(statement: ast.stmt) -> bool:
    """Whether it is a dict of answers of which none is given."""
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    return isinstance(value, ast.Dict) and all(
        isinstance(answer, ast.Constant) and answer.value is None for answer in value.values
    )
