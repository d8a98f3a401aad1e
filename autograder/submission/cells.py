"""The text of one cell, without the lines that only a notebook's host can run.

One rule holds for notebooks and for all scripts that notebook tools save. `pass` replaces each statement
that imports one of the host's modules, calls `get_ipython` (IPython's spelling of magics, shell and help lines),
awaits, or reads a name that such a statement bound. A marimo cell, which is a function, is read as its body.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from autograder.submission.names import printable
from autograder.submission.syntax_trees import DEFINITIONS, NotPythonError, parse, stored_names, top_level

_HOST = r"(?:otter|IPython|ipywidgets|google|micropip|piplite|pyodide|marimo)\b[\w.]*"
_HOST_IMPORT = re.compile(rf"import {_HOST}(?: as \w+)?|from {_HOST} import .*")
_CELL_MAGIC = re.compile(r"(?:\s*#[^\n]*\n)*\s*%%(\w*)[^\n]*")
_PYTHON_CELL_MAGICS = {"time", "timeit", "capture", "prun", "writefile", "file"}
_MAGIC_LINE = re.compile(r"^[ \t]*(?:[%!?]|\w[\w, ]*=[ \t]*[%!])|\?[ \t]*$", re.MULTILINE)
_MARIMO_CELL = ("app.cell", "app.setup")
_LINE_END_COLUMN = 1 << 30

_Edit = tuple[int, int, int, int, str]
"""The replacement of a part of a text: first line and byte, last line and end, and the new text."""


class CellCleaner:
    """Cleaner for the cells of one file, in order: names that the host gave to one cell are known in the next."""

    def __init__(self) -> None:
        self.host_names = {"get_ipython", "mo"}  # mo is marimo, which only the last cell may import under this name

    def clean(self, source: str) -> tuple[str, list[int]]:
        """Return the cell and the lines with omissions. Raise NotPythonError if it is not Python."""
        left_out = []
        if magic := _CELL_MAGIC.match(source):
            before, body = magic[0].count("\n"), source[magic.end() :]
            source = "\n" * before + (body if magic[1] in _PYTHON_CELL_MAGICS else "\n" * body.count("\n"))
            left_out = [before + 1]
        source = _magics_as_calls(source)
        lines, edits = source.split("\n"), sorted(self._edits(parse(source)))
        for first, start, last, end, text in reversed(edits):  # lines keep their numbers
            before_it = lines[first - 1].encode()[:start].decode()
            after_it = lines[last - 1].encode()[end:].decode()
            lines[first - 1 : last] = [before_it + text + after_it, *[""] * (last - first)]
        return "\n".join(lines), left_out + [edit[0] for edit in edits]

    def _edits(self, block: ast.AST) -> Iterator[_Edit]:
        """Yield the replacements for the statements and decorators in a block that need the host."""
        done = 0, 0
        for statement in top_level(block):
            end = statement.end_lineno or 0, statement.end_col_offset or 0
            if (statement.lineno, statement.col_offset) < done:
                continue
            nested = (ast.stmt, ast.excepthandler, ast.match_case)
            header = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, nested)]
            wrappers = getattr(statement, "decorator_list", []) or getattr(statement, "items", [])
            if wrappers and ast.unparse(wrappers[0]).startswith(_MARIMO_CELL):
                yield _marimo_header(statement)
                yield from self._edits(statement)
                done = end
            elif isinstance(statement, DEFINITIONS):
                for decorator in filter(self._needs_host, statement.decorator_list):
                    yield decorator.lineno, 0, decorator.end_lineno or 0, _LINE_END_COLUMN, ""
                self.host_names.discard(statement.name)
            elif any(map(self._needs_host, header)) or _is_hosts(statement, block):
                yield statement.lineno, statement.col_offset, *end, "pass"
                self.host_names |= stored_names(*header)
                done = end
            else:
                self.host_names -= stored_names(*header)

    def _needs_host(self, part: ast.AST) -> bool:
        """Return True for a part of a tree that awaits, or that reads one of the host's names."""
        nodes = [*ast.walk(part)]
        read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        return not read.isdisjoint(self.host_names) or any(isinstance(node, ast.Await) for node in nodes)


def _is_hosts(statement: ast.stmt, block: ast.AST) -> bool:
    """Return True for a statement that needs the host in any case, or that ends a marimo cell."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return bool(_HOST_IMPORT.fullmatch(ast.unparse(statement)))
    is_cells_end = isinstance(statement, ast.Return) and not isinstance(block, ast.Module)
    return is_cells_end or isinstance(statement, ast.AsyncFor | ast.AsyncWith)


def _marimo_header(cell: Any) -> _Edit:
    """Return the replacement that makes a marimo cell's statements run: `if True:` keeps their indentation valid."""
    first = min(node.lineno for node in (cell, *getattr(cell, "decorator_list", ())))
    body = min(getattr(node, "lineno", _LINE_END_COLUMN) for node in ast.walk(cell.body[0]))
    return first, 0, body - 1, _LINE_END_COLUMN, "if True:"


def _magics_as_calls(source: str) -> str:
    """Return a cell with its magics as calls to get_ipython(). Raise NotPythonError if it is not a cell.

    A cell that parses has no magics, since a line inside a string or a bracket may begin with %.
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
