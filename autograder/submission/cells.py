"""Cells of notebooks and of scripts saved from notebooks, without what only a notebook's host can run.

Left out are magics, shell and help lines, top-level `await`, and statements that use a module of the host:
calls of Otter, uploads of Colab, displays of IPython. `pass` replaces them, so lines keep their numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.checks.source import MAX_CODE
from autograder.submission.names import listed, printable
from autograder.submission.records import UnreadableError
from autograder.submission.syntax import DEFINITIONS, PYTHON, NotPythonError, parse, stored_names

MAX_CELLS = 2000
"""Maximum number of code cells, each of which is parsed separately."""
_MAX_LISTED = 8

_HOST_MODULES = ("otter", "IPython", "ipywidgets", "google.colab", "micropip", "piplite", "pyodide", "marimo")
_HOST_FUNCTION = "get_ipython"
_HOST_WORDS = (*_HOST_MODULES, _HOST_FUNCTION, "colab", "async", "await")
"""Words without which no statement needs a host."""

_CELL_MAGIC = re.compile(r"(?:\s*#[^\n]*\n)*\s*%%(\w*)[^\n]*")
_PYTHON_CELL_MAGICS = {"time", "timeit", "capture", "prun", "writefile", "file"}
"""Cell magics whose body is Python that the cell would have run or written to a file."""

_MAGIC_LINE = re.compile(r"^[ \t]*(?:[%!?]|\w[\w, ]*=[ \t]*[%!])|\?[ \t]*$", re.MULTILINE)
_CELL_MARK = re.compile(r"\n(?=# ?%%|# In ?\[)")
"""Line that begins a cell in a script of VS Code, Spyder, jupytext or nbconvert."""


@dataclass(frozen=True)
class Cells:
    """Python texts in order, their syntax trees, and notes on what was left out."""

    texts: tuple[str, ...]
    trees: tuple[ast.Module, ...]
    notes: tuple[str, ...]


def of_notebook(document: dict[str, Any]) -> Cells:
    """Return the code cells of a notebook.

    A cell that cannot run stays as "", so that cells keep their numbers.

    Raises:
        UnreadableError: the notebook has no cell that can run.
    """
    cells = document.get("cells")
    if not isinstance(cells, list):
        raise UnreadableError("The notebook has no list of cells: open it in Jupyter, save it, and hand it in again.")
    code = [cell.get("source", "") for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    texts = ["".join(map(str, source)) if isinstance(source, list) else str(source) for source in code]
    return of_sources([text.replace("\r\n", "\n").replace("\r", "\n") for text in texts])


def of_sources(sources: Sequence[str], *notes: str) -> Cells:
    """Return cells from their texts as a notebook has them. Raise UnreadableError if none can run."""
    if len(sources) > MAX_CELLS or sum(map(len, sources)) > MAX_CODE:
        most = f"{MAX_CELLS} code cells or {MAX_CODE // 1024} KiB of code"
        raise UnreadableError(f"The notebook has more than {most}: hand in only what you wrote.")
    cleaner = _Cleaner()
    cleaned: list[tuple[str, ast.Module]] = []
    fault = ""
    for number, source in enumerate(sources, 1):
        try:
            cleaned.append(cleaner.clean(_without_magics(source)))
        except NotPythonError as error:
            cleaned.append(("", ast.Module([], [])))
            fault = fault or f" (code cell {number} is not {PYTHON}: {error})"
    if all(isinstance(statement, ast.Pass) for _, tree in cleaned for statement in tree.body):
        raise UnreadableError(
            f"The notebook has no code cell that can be run{fault}: hand in the one with your functions."
        )
    changed = [number for number, (text, _) in enumerate(cleaned, 1) if text != sources[number - 1]]
    texts, trees = zip(*cleaned, strict=True)
    return Cells(texts, trees, (*notes, *_note("code cell", changed, fault)))


def of_script(text: str) -> Cells:
    """Return the text of a .py file as one cell.

    Raises:
        NotPythonError: the text is not Python, even without magics.
        UnreadableError: it holds no statement.
    """
    source, tree, dropped = text, None, set[int]()
    try:
        tree = parse(text)
    except NotPythonError:
        if not _MAGIC_LINE.search(text):
            raise
        first, pieces = 1, []
        for piece in _CELL_MARK.split(text):
            kept = _without_magics(piece)
            if piece.strip() and not kept:
                dropped.add(first)
            pieces.append(kept or "\n" * piece.count("\n"))
            first += piece.count("\n") + 1
        source = "\n".join(pieces)
    cleaner = _Cleaner()
    cleaned, tree = cleaner.clean(source, tree)
    if not tree.body:
        raise UnreadableError("The file holds no code: hand in the file that holds your functions.")
    return Cells((cleaned,), (tree,), _note("line", sorted(dropped | cleaner.lines), ""))


def _note(where: str, numbers: Sequence[int], fault: str) -> tuple[str, ...]:
    """Return the note on what was left out, if anything was."""
    what = "what only a notebook can run, such as magics, shell and help lines, uploads and calls of Otter"
    places = f"{where}{'s' * (len(numbers) > 1)} {listed([str(number) for number in numbers], _MAX_LISTED)}"
    return (f"Left out of {places}: {what}{fault}.",) if numbers else ()


def _without_magics(source: str) -> str:
    """Return a cell with its magics as calls of get_ipython(), its lines where they were.

    A cell that parses has no magics: a line may begin with % inside a string or a bracket.
    """
    if cell_magic := _CELL_MAGIC.match(source):
        if cell_magic[1] not in _PYTHON_CELL_MAGICS:
            return ""
        source = "\n" * cell_magic[0].count("\n") + source[cell_magic.end() :]
    try:
        parse(source)
    except NotPythonError:
        return _translated(source)
    return source


def _translated(source: str) -> str:
    """Return IPython's translation of a cell. Raise NotPythonError where IPython has none."""
    from IPython.core.inputtransformer2 import TransformerManager  # takes a third of a second

    manager: Any = TransformerManager()  # type: ignore[no-untyped-call]
    manager.cleanup_transforms = manager.line_transforms = []
    try:
        text: str = manager.transform_cell(source)
    except Exception as error:  # IPython expects cells that people typed
        raise NotPythonError(printable(str(error), 120)) from error
    return text if source.endswith("\n") else text.removesuffix("\n")


@dataclass
class _Cleaner:
    """Replaces statements that only a notebook's host can run. Names of the host last from cell to cell."""

    host_names: set[str] = field(default_factory=lambda: {_HOST_FUNCTION})
    lines: set[int] = field(default_factory=set)
    """lines of the last text at which something was left out"""

    def clean(self, source: str, tree: ast.Module | None = None) -> tuple[str, ast.Module]:
        """Return the text without the host's statements, and its tree. May raise NotPythonError."""
        tree = tree or parse(source)
        if len(self.host_names) == 1 and not any(word in source for word in _HOST_WORDS):
            return source, tree
        lines = source.split("\n")
        for node in reversed([*self._host_parts(tree.body, self.host_names)]):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            before = lines[first].encode()[: node.col_offset].decode()
            after = lines[last - 1].encode()[node.end_col_offset :].decode()
            if body := [] if before else self._magic_body(node):
                lines[first:last] = body
                continue
            self.lines.add(node.lineno)
            kept = f"{before}pass{after}" if isinstance(node, ast.stmt) else ""
            lines[first:last] = [kept, *[""] * (last - first - 1)]
        cleaned = "\n".join(lines)
        return cleaned, parse(cleaned)

    def _host_parts(
        self, body: Sequence[ast.stmt], hosts: set[str], *, in_function: bool = False
    ) -> Iterator[ast.stmt | ast.expr]:
        """Yield statements and decorators that need the host, in order. `hosts` holds names of its values."""
        for statement in body:
            parts = [*ast.iter_child_nodes(statement)]
            header = [part for part in parts if not isinstance(part, ast.stmt | ast.excepthandler | ast.match_case)]
            if isinstance(statement, DEFINITIONS):
                yield from (decorator for decorator in statement.decorator_list if _uses([decorator], hosts))
                hosts.discard(statement.name)
                yield from self._host_parts(statement.body, {_HOST_FUNCTION}, in_function=True)
                continue
            bound, is_hosts = _imported(statement) or (stored_names(*header), _uses(header, hosts))
            if not in_function and isinstance(statement, ast.AsyncFor | ast.AsyncWith):
                is_hosts = True
            if not in_function and any(isinstance(node, ast.Await) for part in header for node in ast.walk(part)):
                is_hosts = True
            if is_hosts:
                hosts |= bound
                yield statement
                continue
            hosts -= bound - {_HOST_FUNCTION}
            for inner in (statement, *(part for part in parts if part not in header)):
                nested = [part for part in ast.iter_child_nodes(inner) if isinstance(part, ast.stmt)]
                if inner is statement or not isinstance(inner, ast.stmt):
                    yield from self._host_parts(nested, hosts, in_function=in_function)

    def _magic_body(self, node: ast.AST) -> list[str]:
        """Return the Python lines in a cell magic that nbconvert wrote as a call; [] for other statements."""
        match node:
            case ast.Expr(
                ast.Call(
                    func=ast.Attribute(attr="run_cell_magic"),
                    args=[ast.Constant(magic), _, ast.Constant(str(body))],
                )
            ) if magic in _PYTHON_CELL_MAGICS:
                try:
                    return _Cleaner(self.host_names).clean(_without_magics(body))[0].split("\n")
                except NotPythonError:
                    return []
        return []


def _imported(statement: ast.stmt) -> tuple[set[str], bool] | None:
    """Return the names that an import binds, and True if all are the host's; None for any other statement."""
    match statement:
        case ast.Import(names=aliases):
            modules = [alias.name for alias in aliases]
        case ast.ImportFrom(module=module, names=aliases):
            modules = [f"{module}.{alias.name}" for alias in aliases]
        case _:
            return None
    bound = {alias.asname or alias.name.split(".")[0] for alias in aliases}
    return bound, all(any(f"{name}.".startswith(f"{host}.") for host in _HOST_MODULES) for name in modules)


def _uses(parts: Sequence[ast.AST], names: set[str]) -> bool:
    """Return True if these parts of a tree read one of the names."""
    nodes = (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Name))
    return any(node.id in names and isinstance(node.ctx, ast.Load) for node in nodes)
