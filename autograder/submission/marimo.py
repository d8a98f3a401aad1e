"""Cells of a marimo notebook, which is a .py file whose cells are functions.

marimo writes each cell as a function whose parameters are the names that the cell needs and whose `return`
lists the names that it defines, and runs the cells in the order that follows from this.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from autograder.submission.syntax import parse

_MARK = "marimo.App("
_APP = "app"


@dataclass(frozen=True)
class _Cell:
    text: str
    needs: frozenset[str] = frozenset()
    defines: frozenset[str] = frozenset()


def cells(text: str) -> list[str]:
    """Return the cells of a marimo notebook in the order in which they run; an empty list for any other file.

    Raises:
        NotPythonError: the file mentions a marimo app and does not parse.
    """
    if _MARK not in text:
        return []
    lines = text.split("\n")
    waiting = [cell for statement in parse(text).body for cell in [_cell(statement, lines)] if cell]
    all_names = frozenset[str]().union(*(cell.defines for cell in waiting))
    defined: set[str] = set()
    ordered = []
    while waiting:
        ready = next((cell for cell in waiting if cell.needs & all_names <= defined), waiting[0])
        waiting.remove(ready)
        ordered.append(ready.text)
        defined |= ready.defines
    return ordered


def _cell(statement: ast.stmt, lines: list[str]) -> _Cell | None:
    """Return the cell that a statement at the top level of a marimo file holds."""
    match statement:
        case ast.With(items=[ast.withitem(context_expr=setup)]) if _app_attribute(setup) == "setup":
            return _Cell(_body(statement, statement.body, lines))
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            kinds = {_app_attribute(decorator) for decorator in statement.decorator_list}
        case _:
            return None
    if kinds & {"function", "class_definition"}:
        text = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
        return _Cell(text, defines=frozenset([statement.name]))
    if "cell" not in kinds or isinstance(statement, ast.ClassDef):
        return None
    *body, last = statement.body
    defines = frozenset(node.id for node in ast.walk(last) if isinstance(node, ast.Name))
    if not isinstance(last, ast.Return):
        body, defines = statement.body, frozenset()
    arguments = statement.args
    needs = frozenset(argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    return _Cell(_body(statement, body, lines), needs, defines)


def _app_attribute(node: ast.expr) -> str:
    """Return "cell" for `app.cell` and `app.cell(…)`, and likewise for the other attributes of the app."""
    match node.func if isinstance(node, ast.Call) else node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == _APP:
            return attribute
    return ""


def _body(header: ast.stmt, body: list[ast.stmt], lines: list[str]) -> str:
    """Return a cell's statements as text for the top level: `if True:` keeps their indentation valid."""
    if not body or body[0].lineno == header.lineno:
        return ""
    first = min([body[0].lineno, *(decorator.lineno for decorator in getattr(body[0], "decorator_list", ()))])
    return "\n".join(["if True:", *lines[first - 1 : body[-1].end_lineno]])
