"""One cell's text, without what only a notebook's host can run.

One rule holds for notebooks and for all scripts that notebook tools save. `pass` replaces each statement that
imports a module of the host, calls `get_ipython` (IPython's spelling of magics, shell and help lines), awaits,
or reads a name that such a statement bound. A cell of marimo, which is a function, is read as its body.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograder.submission.names import printable
from autograder.submission.syntax import DEFINITIONS, NotPythonError, parse, stored_names, top_level

_HOST = r"(?:otter|IPython|ipywidgets|google|micropip|piplite|pyodide|marimo)\b[\w.]*"
_HOST_IMPORT = re.compile(rf"import {_HOST}(?: as \w+)?|from {_HOST} import .*")

_CELL_MAGIC = re.compile(r"(?:\s*#[^\n]*\n)*\s*%%(\w*)[^\n]*")
_PYTHON_CELL_MAGICS = {"time", "timeit", "capture", "prun", "writefile", "file"}
"""Cell magics whose body is Python that the cell would have run or written to a file."""
_MAGIC_LINE = re.compile(r"^[ \t]*(?:[%!?]|\w[\w, ]*=[ \t]*[%!])|\?[ \t]*$", re.MULTILINE)
_NESTED = (ast.stmt, ast.excepthandler, ast.match_case)
_LINE_END = 1 << 30


class Cell(NamedTuple):
    """Python text, its syntax tree, and the lines of which something was left out."""

    text: str
    tree: ast.Module
    left_out: list[int]


class _Edit(NamedTuple):
    """Replacement of a part of a text: lines count from 1, columns in bytes from 0."""

    first: int
    start: int
    last: int
    end: int
    kept: str = "pass"


@dataclass
class Cleaner:
    """Cleans the cells of one file in order: names that the host gave to one cell are known in the next."""

    host_names: set[str] = field(default_factory=lambda: {"get_ipython", "mo"})
    """`mo` is what marimo calls itself, perhaps in the last of its cells"""

    def clean(self, source: str) -> Cell:
        """Return the cell, its lines where they were. Raise NotPythonError if it is none."""
        left_out = []
        if magic := _CELL_MAGIC.match(source):
            begin = magic[0].count("\n")
            left_out.append(begin + 1)
            body = source[magic.end() :]
            source = "\n" * begin + (body if magic[1] in _PYTHON_CELL_MAGICS else "\n" * body.count("\n"))
        text = _without_magics(source)
        edits = sorted(self._edits(parse(text)), reverse=True)
        lines = text.split("\n")
        for edit in edits:
            before = lines[edit.first - 1].encode()[: edit.start].decode()
            after = lines[edit.last - 1].encode()[edit.end :].decode()
            blank = [""] * (edit.last - edit.first)
            lines[edit.first - 1 : edit.last] = [before + edit.kept + after, *blank]
        text = "\n".join(lines)
        return Cell(text, parse(text), left_out + [edit.first for edit in reversed(edits)])

    def _edits(self, block: ast.AST) -> Iterator[_Edit]:
        """Yield what leaves out the statements and decorators of a block that need the host."""
        done = 0, 0
        for statement in top_level(block):
            end = statement.end_lineno or 0, statement.end_col_offset or 0
            if (statement.lineno, statement.col_offset) < done:
                continue
            header = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, _NESTED)]
            bound = _imported(statement) or stored_names(*header)
            if _is_marimo_cell(statement):
                yield _marimo_header(statement)
                yield from self._edits(statement)
                done = end
            elif isinstance(statement, DEFINITIONS):
                for decorator in filter(self._needs_host, statement.decorator_list):
                    yield _Edit(decorator.lineno, 0, decorator.end_lineno or 0, _LINE_END, "")
                self.host_names.discard(statement.name)
            elif any(map(self._needs_host, header)) or _is_hosts(statement, block):
                yield _Edit(statement.lineno, statement.col_offset, *end)
                self.host_names |= bound
                done = end
            else:
                self.host_names -= bound

    def _needs_host(self, part: ast.AST) -> bool:
        """Return True for a part of a tree that awaits, or that reads a name of the host."""
        return any(
            isinstance(node, ast.Await)
            or (isinstance(node, ast.Name) and node.id in self.host_names and isinstance(node.ctx, ast.Load))
            for node in ast.walk(part)
        )


def _is_hosts(statement: ast.stmt, block: ast.AST) -> bool:
    """Return True for a statement that needs the host whatever its names are, or that ends a cell of marimo."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return bool(_HOST_IMPORT.fullmatch(ast.unparse(statement)))
    is_cells_end = isinstance(statement, ast.Return) and not isinstance(block, ast.Module)
    return is_cells_end or isinstance(statement, ast.AsyncFor | ast.AsyncWith)


def _imported(statement: ast.stmt) -> set[str]:
    """Return the names that an import binds; none for any other statement."""
    aliases = statement.names if isinstance(statement, ast.Import | ast.ImportFrom) else []
    return {alias.asname or alias.name.partition(".")[0] for alias in aliases}


def _is_marimo_cell(statement: ast.stmt) -> bool:
    """Return True for a function under `@app.cell`, and for `with app.setup`."""
    wrappers = getattr(statement, "decorator_list", []) or getattr(statement, "items", [])
    return bool(wrappers) and ast.unparse(wrappers[0]).startswith(("app.cell", "app.setup"))


def _marimo_header(cell: Any) -> _Edit:
    """Return what makes the statements of a cell of marimo run: `if True:` keeps their indentation valid."""
    first = min(cell.lineno, *(decorator.lineno for decorator in getattr(cell, "decorator_list", [])), _LINE_END)
    body = min(getattr(node, "lineno", _LINE_END) for node in ast.walk(cell.body[0]))
    return _Edit(first, 0, body - 1, _LINE_END, "if True:")


def _without_magics(source: str) -> str:
    """Return a cell with its magics as calls of get_ipython(). Raise NotPythonError if it is no cell.

    A cell that parses has no magics: a line may begin with % inside a string or a bracket.
    """
    try:
        parse(source)
        return source
    except NotPythonError:
        if not _MAGIC_LINE.search(source):
            raise
    from IPython.core.inputtransformer2 import TransformerManager  # takes a third of a second

    manager: Any = TransformerManager()  # type: ignore[no-untyped-call]
    manager.cleanup_transforms = manager.line_transforms = []
    try:
        text: str = manager.transform_cell(source)
    except Exception as error:  # IPython expects cells that people typed
        raise NotPythonError(printable(str(error), 120)) from error
    return text if source.endswith("\n") else text.removesuffix("\n")
