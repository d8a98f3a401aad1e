"""Removal of lines that only a notebook's host can run.

The same rule applies to notebooks and to scripts saved by notebook tools. Statements that import one of the host's
modules, call `get_ipython` (IPython's spelling of magics, shell and help lines), await, or read a name bound by such a
statement are replaced by `pass`. A marimo cell is a function, of which only the body is kept.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from autograder.submission.syntax_trees import DEFINITIONS, NotPythonError, assigned_or_imported_names, parse, top_level
from autograder.submission.untrusted_names import printable

_HOST_MODULE_PATTERN = r"(?:otter|IPython|ipywidgets|google|micropip|piplite|pyodide|marimo)\b[\w.]*"
_HOST_IMPORT = re.compile(rf"import {_HOST_MODULE_PATTERN}(?: as \w+)?|from {_HOST_MODULE_PATTERN} import .*")
_CELL_MAGIC = re.compile(r"(?:\s*#[^\n]*\n)*\s*%%(\w*)[^\n]*")
_PYTHON_CELL_MAGICS = {"time", "timeit", "capture", "prun", "writefile", "file"}
_MAGIC_LINE = re.compile(r"^[ \t]*(?:[%!?]|\w[\w, ]*=[ \t]*[%!])|\?[ \t]*$", re.MULTILINE)
_MARIMO_DECORATORS = ("app.cell", "app.setup")
_LINE_END_COLUMN = 1 << 30

_Edit = tuple[int, int, int, int, str]
"""A replacement in a text: first line, byte offset in it, last line, byte offset in it, and new text."""


class CellCleaner:
    """A cleaner for the cells of one file, in order; it remembers the names that code for the host has bound."""

    def __init__(self) -> None:
        self.host_names = {"get_ipython", "mo"}  # `mo` is marimo, which might be imported only in the last cell

    def clean(self, source: str) -> tuple[str, list[int]]:
        """Return the cleaned cell and the numbers of changed lines. Raise NotPythonError if it is not Python."""
        left_out = []
        if magic := _CELL_MAGIC.match(source):
            before, body = magic[0].count("\n"), source[magic.end() :]
            source = "\n" * before + (body if magic[1] in _PYTHON_CELL_MAGICS else "\n" * body.count("\n"))
            left_out = [before + 1]
        source = _magics_as_calls(source)
        lines, edits = source.split("\n"), sorted(self._host_code_edits(parse(source)))
        for first, start, last, end, text in reversed(edits):  # lines keep their numbers
            before_it = lines[first - 1].encode()[:start].decode()
            after_it = lines[last - 1].encode()[end:].decode()
            lines[first - 1 : last] = [before_it + text + after_it, *[""] * (last - first)]
        return "\n".join(lines), left_out + [edit[0] for edit in edits]

    def _host_code_edits(self, block: ast.AST) -> Iterator[_Edit]:
        """Yield replacements for the statements and decorators in a block that need the host."""
        done = 0, 0
        for statement in top_level(block):
            end = statement.end_lineno or 0, statement.end_col_offset or 0
            if (statement.lineno, statement.col_offset) < done:
                continue
            nested = (ast.stmt, ast.excepthandler, ast.match_case)
            header = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, nested)]
            wrappers = getattr(statement, "decorator_list", []) or getattr(statement, "items", [])
            if wrappers and ast.unparse(wrappers[0]).startswith(_MARIMO_DECORATORS):
                yield _marimo_cell_header_edit(statement)
                yield from self._host_code_edits(statement)
                done = end
            elif isinstance(statement, DEFINITIONS):
                for decorator in filter(self._needs_host, statement.decorator_list):
                    yield decorator.lineno, 0, decorator.end_lineno or 0, _LINE_END_COLUMN, ""
                self.host_names.discard(statement.name)
            elif any(map(self._needs_host, header)) or _runs_only_in_host(statement, block):
                yield statement.lineno, statement.col_offset, *end, "pass"
                self.host_names |= assigned_or_imported_names(*header)
                done = end
            else:
                self.host_names -= assigned_or_imported_names(*header)

    def _needs_host(self, part: ast.AST) -> bool:
        """Return True if a part of a tree contains `await` or reads one of the host's names.

        A name bound by a comprehension or lambda in the part is not the host's.
        """
        nodes = [*ast.walk(part)]
        read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        bound = assigned_or_imported_names(*(node.target for node in nodes if isinstance(node, ast.comprehension)))
        bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        return not (read - bound).isdisjoint(self.host_names) or any(isinstance(node, ast.Await) for node in nodes)


def _runs_only_in_host(statement: ast.stmt, block: ast.AST) -> bool:
    """Return True for statements that always need the host, and for the `return` that ends a marimo cell."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return bool(_HOST_IMPORT.fullmatch(ast.unparse(statement)))
    is_cells_end = isinstance(statement, ast.Return) and not isinstance(block, ast.Module)
    return is_cells_end or isinstance(statement, ast.AsyncFor | ast.AsyncWith)


def _marimo_cell_header_edit(cell: Any) -> _Edit:
    """Return an edit that replaces a marimo cell's header with `if True:`, which keeps the indentation valid."""
    first = min(node.lineno for node in (cell, *getattr(cell, "decorator_list", ())))
    body = min(getattr(node, "lineno", _LINE_END_COLUMN) for node in ast.walk(cell.body[0]))
    return first, 0, body - 1, _LINE_END_COLUMN, "if True:"


def _magics_as_calls(source: str) -> str:
    """Return a cell with its magics written as calls to get_ipython().

    Raise NotPythonError if IPython rejects the cell.

    A cell that parses has no magics: a line that begins with % is then part of a string or an expression.
    """
    try:
        parse(source)
        return source
    except NotPythonError:
        if not _MAGIC_LINE.search(source):
            raise
    from IPython.core.inputtransformer2 import TransformerManager  # this import takes a third of a second

    manager: Any = TransformerManager()  # type: ignore[no-untyped-call]
    manager.cleanup_transforms = manager.line_transforms = []
    try:
        text: str = manager.transform_cell(source)
    except Exception as error:  # IPython expects cells typed by people
        raise NotPythonError(printable(str(error), 120)) from error
    return text if source.endswith("\n") else text.removesuffix("\n")
