"""A notebook to Python text, read as plain JSON: code cells in order, without what only a notebook understands."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.checks.parsing import MAX_CODE
from autograder.submission import bindings, python
from autograder.submission.bindings import Bindings
from autograder.submission.names import listed, printable
from autograder.submission.python import NotPython
from autograder.submission.records import Refused

# Cell magics whose body is ordinary Python that the cell would have run or written to a file.
_BODY_IS_PYTHON = {"time", "timeit", "capture", "prun", "writefile", "file"}
_CELL_MAGIC = re.compile(r"\s*%%(\w*)[^\n]*")

# A line that begins a statement and is IPython's: %magic, !shell, ?help, x = %magic, x = !shell, help?
# A shell line may go on after a backslash.
_LINE_MAGIC = re.compile(
    r"(?P<indent>[ \t]*)" r"(?:[%!?]|[^\W\d][\w.,\[\] \t]*=[ \t]*[%!]|[\w.*]+\?{1,2}[ \t]*(?=\n|\Z))" r"(?:\\\n|[^\n])*"
)
# The pieces between which a statement can end; a newline that stands alone ends it where no bracket is open.
_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    r"|'''(?:\\.|[^\\])*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*"?'
    r"|'(?:\\.|[^'\\\n])*'?"
    r"|\#[^\n]*|\\\n|\n|[(\[{]|[)\]}]|[^\"'#\\\n()\[\]{}]+|.",
    re.DOTALL,
)

MAX_CELLS = 2000
"""Code cells: each is parsed by itself, and a notebook of people has a few dozen."""

_LISTED = 8
"""cells that a note names"""


def is_notebook(text: str, named_so: bool) -> bool:
    """Whether the text is a notebook, whatever its file is called: JSON with cells.

    Under a notebook's name it is meant as one, however damaged: it begins as one does, or is JSON of another kind.
    """
    begins_so = text.lstrip().startswith("{")
    if begins_so == named_so:
        return begins_so
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return named_so or _code_cells(document) is not None


def read(text: str) -> tuple[tuple[str, ...], tuple[str, ...], Bindings]:
    """The Python text of each code cell, notes on what was left out, and what is written. Raises Refused where there is
    no code.

    A cell of which nothing can be run stays, as "", so that the cells keep their numbers.
    """
    otters = {"otter"}
    cells = [_read_cell(source, otters) for source in _sources(text)]
    if not any(cell.runs for cell in cells):
        first = next((f" (code cell {number}, {cell.fault})" for number, cell in enumerate(cells, 1) if cell.fault), "")
        raise Refused(
            f"Nothing in the notebook can be run{first}: run all its cells once, and hand it in again.",
            f"No code cell of the notebook is left to run{first}.",
        )
    return tuple(cell.text for cell in cells), tuple(_notes(cells)), bindings.joined(cell.bindings for cell in cells)


@dataclass(frozen=True)
class _Cell:
    """What is left of a code cell, and what was taken from it."""

    text: str = ""
    runs: bool = False
    """whether a statement of the student's own is left"""
    magic: bool = False
    otter: bool = False
    fault: str = ""
    """why it is not Python, where it is not"""
    bindings: Bindings = field(default_factory=Bindings)


def _notes(cells: list[_Cell]) -> Iterator[str]:
    faulty = [(number, cell.fault) for number, cell in enumerate(cells, 1) if cell.fault]
    yield from (f"Code cell {number} is not Python ({fault}) and was left out." for number, fault in faulty[:_LISTED])
    if len(faulty) > _LISTED:
        yield f"{len(faulty) - _LISTED} more code cells are not Python and were left out."
    if magic := [number for number, cell in enumerate(cells, 1) if cell.magic]:
        yield f"Magic, shell and help lines were left out of code {_listed(magic)}."
    if otters := [number for number, cell in enumerate(cells, 1) if cell.otter]:
        yield f"Lines that call Otter's grader were left out of code {_listed(otters)}."


def _read_cell(source: str, otters: set[str]) -> _Cell:
    """`otters`: what stands for Otter or for something that came from it; grows by what the cell makes of it."""
    python_text = _without_magic(source)
    try:
        tree = python.parse(python_text)
    except NotPython as error:
        return _Cell(fault=error.fault)
    unwanted = [statement for statement in tree.body if _is_otters(statement, otters)]
    return _Cell(
        text=_passed_over(python_text, unwanted),
        runs=any(not isinstance(statement, ast.Pass) for statement in set(tree.body) - set(unwanted)),
        magic=python_text != source,
        otter=bool(unwanted),
        bindings=bindings.of(tree),
    )


def _sources(text: str) -> list[str]:
    try:
        cells = _code_cells(json.loads(text))
    except RecursionError as error:
        raise _damaged("it is nested too deeply") from error
    except ValueError as error:
        raise _damaged(printable(str(error), 120)) from error
    if cells is None:
        raise _damaged("it has no list of cells")
    if len(cells) > MAX_CELLS:
        raise Refused(
            f"The notebook has more than {MAX_CELLS} code cells: hand in only what you wrote.",
            f"The notebook has {len(cells):,} code cells, and at most {MAX_CELLS} are read.",
        )
    sources = [_source(cell) for cell in cells]
    if not any(source.strip() for source in sources):
        raise Refused(
            "The notebook has no code cell with code in it: hand in the notebook that holds your functions.",
            "The notebook has no code cell with code in it.",
        )
    if sum(map(len, sources)) > MAX_CODE:
        raise Refused(
            f"The notebook has more than {MAX_CODE // 1024} KiB of code: hand in only what you wrote.",
            f"The notebook has more than {MAX_CODE // 1024} KiB of code.",
        )
    return sources


def _code_cells(notebook: Any) -> list[dict[str, Any]] | None:
    """The code cells of nbformat 4 (cells) or 3 (worksheets of cells); None where there is no list of cells."""
    if not isinstance(notebook, dict):
        return None
    sheets = notebook["worksheets"] if isinstance(notebook.get("worksheets"), list) else [notebook]
    lists = [sheet["cells"] for sheet in sheets if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)]
    if not lists:
        return None
    return [cell for cells in lists for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _without_magic(source: str) -> str:
    """The cell without what IPython alone understands, its lines where they were.

    A cell that parses has nothing of the kind, however it looks: a line may begin with % inside a string or a bracket.
    """
    cell_magic = _CELL_MAGIC.match(source)
    if cell_magic:
        if cell_magic[1] not in _BODY_IS_PYTHON:
            return ""
        source = "\n" * cell_magic[0].count("\n") + source[cell_magic.end() :]
    try:
        python.parse(source)
        return source
    except NotPython:
        return _without_line_magic(source)


def _without_line_magic(source: str) -> str:
    kept = []
    position = 0
    while position < len(source):
        magic = _LINE_MAGIC.match(source, position)
        if magic:
            # pass, because the line may be all that a block holds
            kept.append(f"{magic['indent']}pass" + "\n" * magic[0].count("\n"))
            position = magic.end()
        end = _statement_end(source, position)
        kept.append(source[position:end])
        position = end
    return "".join(kept)


def _statement_end(source: str, position: int) -> int:
    """Where the line that begins at `position` ends, with all lines that continue it."""
    depth = 0
    for piece in _PIECE.finditer(source, position):
        if piece[0] in ("(", "[", "{"):
            depth += 1
        elif piece[0] in (")", "]", "}"):
            depth = max(0, depth - 1)
        elif piece[0] == "\n" and depth == 0:
            return piece.end()
    return len(source)


def _is_otters(statement: ast.stmt, otters: set[str]) -> bool:
    """Whether a statement only serves Otter's checks: behind the wall there is no Otter."""
    match statement:
        case ast.Import(names=names) if all(name.name.split(".")[0] == "otter" for name in names):
            otters.update(name.asname for name in names if name.asname)
        case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] == "otter":
            otters.update(name.asname or name.name for name in names)
        case ast.Assign(targets=targets, value=ast.Call() as call) if _root(call) in otters:
            otters.update(target.id for target in targets if isinstance(target, ast.Name))
        case _:
            return isinstance(statement, ast.Expr) and _root(statement.value) in otters
    return True


def _root(expression: ast.expr) -> str | None:
    """`grader` of `grader.check("q1")`."""
    while isinstance(expression, ast.Call | ast.Attribute):
        expression = expression.func if isinstance(expression, ast.Call) else expression.value
    return expression.id if isinstance(expression, ast.Name) else None


def _passed_over(source: str, statements: list[ast.stmt]) -> str:
    """The cell with these statements replaced by `pass`, its lines where they were."""
    if not statements:
        return source
    text = source.encode()  # the tree counts columns in bytes
    starts = [0, *(match.end() for match in re.finditer(rb"\n", text))]
    kept: list[bytes] = []
    position = missing = 0
    for statement in statements:
        last = statement.end_lineno or statement.lineno
        begin = starts[statement.lineno - 1] + statement.col_offset
        kept += [_with_lines(text[position:begin], missing), b"pass"]
        if b"\n" in text[position:begin]:
            missing = 0
        missing += last - statement.lineno
        position = starts[last - 1] + (statement.end_col_offset or 0)
    rest = text[position:] if b"\n" in text[position:] else text[position:] + b"\n"
    kept.append(_with_lines(rest, missing) if missing else text[position:])
    return b"".join(kept).decode()


def _with_lines(text: bytes, missing: int) -> bytes:
    """The text with so many more line ends where its first line ends, if it ends here."""
    first, end, rest = text.partition(b"\n")
    return first + end * (1 + missing) + rest if end else text


def _listed(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"cell {numbers[0]}"
    if len(numbers) > _LISTED:
        return f"cells {listed([str(number) for number in numbers], _LISTED)}"
    return f"cells {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _damaged(reason: str) -> Refused:
    return Refused(
        f"The notebook is damaged ({reason}): open it in Jupyter, save it, and hand it in again.",
        f"The notebook cannot be read as JSON with cells ({reason}).",
    )
