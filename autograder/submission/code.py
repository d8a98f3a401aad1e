"""Bytes to Python text: what a file or a zip holds, read without running, unpacking or following anything of it."""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import json
import os
import re
import tokenize
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from autograder.checks import source as python
from autograder.checks.source import MAX_CODE, Source, is_stub
from autograder.course import Assignment
from autograder.protocol.call import ANSWERS
from autograder.submission.names import listed, printable, stem_and_suffix
from autograder.submission.records import Unreadable

CODE = (".py", ".ipynb")
READ = (*CODE, ".zip")

MIB = 1 << 20
MAX_FILE = 4 * MIB
MAX_ENTRIES, MAX_PATH, MAX_CELLS = 10_000, 1000, 2000
"""in one student's folder; characters of a name in a zip; code cells, each of which is parsed by itself"""

_JUNK = {"__macosx", "__pycache__", "node_modules", "site-packages", "venv", "env", "thumbs.db", "desktop.ini"}


def is_junk(name: str) -> bool:
    """What systems and tools leave behind. Code may begin with a dot, unless macOS or Emacs put it: names are odd."""
    if name.startswith("."):
        return name != ".." and (name.startswith(("._", ".#")) or not name.endswith(READ))
    return name.endswith("~") or name.casefold() in _JUNK


def read_bytes(path: Path, limit: int = MAX_FILE) -> bytes:
    """The bytes of a file. Raises Unreadable for more than `limit` bytes; OSError for a link."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # or a pipe would wait for a writer
    with open(descriptor, "rb") as file:
        return _bounded(file.read(limit + 1), limit)


def _bounded(data: bytes, limit: int = MAX_FILE) -> bytes:
    if len(data) > limit:
        most = f"{limit // MIB} MiB"
        raise Unreadable(f"The file is larger than {most}: hand in only the code, without data or a notebook's output.")
    return data


def files_below(folder: Path) -> list[str]:
    """All files below a folder as "/"-separated paths in order; no link to a folder is followed. Junk is left out."""

    def closed(error: OSError) -> None:
        if error.filename == os.fspath(folder):  # what lies beside a closed folder may still be all that is needed
            raise error

    paths: list[str] = []
    seen = 0
    for place, folders, files in os.walk(folder, onerror=closed):
        seen += len(folders) + len(files)
        if seen > MAX_ENTRIES:
            raise Unreadable(f"The folder holds more than {MAX_ENTRIES} files: hand in only the file that you wrote.")
        folders[:] = [name for name in folders if not is_junk(name)]
        paths += [os.path.relpath(os.path.join(place, name), folder) for name in files if not is_junk(name)]
    return sorted(paths)


@contextlib.contextmanager
def _opened(data: bytes) -> Iterator[zipfile.ZipFile]:
    """A zip. What zipfile's parts raise (BadZipFile, OverflowError, struct.error …) becomes Unreadable."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive
    except Exception as error:
        reason = printable(str(error), 250) or type(error).__name__
        raise Unreadable(f"The zip cannot be read ({reason}): hand in the .py or .ipynb file itself.") from error


def zip_members(data: bytes) -> list[tuple[str, zipfile.ZipInfo]]:
    """The files in a zip by name, junk left out. Raises Unreadable for what is none."""
    with _opened(data) as archive:
        named = [(one.filename.replace("\\", "/"), one) for one in archive.infolist() if not one.is_dir()]
    kept = [(name, one) for name, one in named if len(name) <= MAX_PATH and not any(map(is_junk, name.split("/")))]
    return sorted(kept, key=lambda member: member[0])


def read_member(data: bytes, member: zipfile.ZipInfo) -> bytes:
    """The content of one file in a zip. Raises Unreadable where it is damaged, encrypted or too large."""
    with _opened(data) as archive, archive.open(member) as file:
        content = file.read(MAX_FILE + 1)
    return _bounded(content)


@dataclass(frozen=True)
class Code:
    """The Python text of one file."""

    cells: tuple[str, ...]
    notes: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    """what its top level binds; `written` is what is bound to more than a stub has"""
    written: frozenset[str] = frozenset()


@functools.cache
def functions(assignment: str) -> frozenset[str]:
    """The functions that an assignment asks for: those of its stub. None where there is no such stub."""
    return frozenset(name for name in Source(Assignment(assignment).stub).functions if not name.startswith("_"))


def read_code(data: bytes, name: str) -> Code:
    """Of a .py or .ipynb file. Where name and content disagree, the content decides. Raises Unreadable."""
    text, notes = _decoded(data)
    is_named_so = stem_and_suffix(name)[1] == ".ipynb"
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        if is_named_so and text.lstrip().startswith("{"):
            reason = f"damaged ({printable(str(error), 120)})"
            raise Unreadable(f"The notebook is {reason}: open it in Jupyter, save it, and hand it in again.") from error
        notebook = None
    if isinstance(notebook, dict) and (is_named_so or isinstance(notebook.get("cells"), list)):
        return _notebook(notebook, notes)
    try:
        tree = parse(text)
    except NotPython as error:
        raise Unreadable(f"The file is not Python ({error}): fix that, run the file, and hand it in again.") from error
    if not tree.body:
        raise Unreadable("The file holds no code: hand in the file that holds your functions.")
    return Code((text,), notes, *_bound([tree]))


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a file: UTF-16 where it has that mark, else as Python itself would read it."""
    try:
        utf_16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        encoding = "utf-16" if utf_16 else tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = io.TextIOWrapper(io.BytesIO(data), encoding).read()  # with \n as Python's own line ends
    except (SyntaxError, ValueError, LookupError) as error:
        reason = printable(str(error), 120)
        raise Unreadable(f"The file is not text ({reason}): hand in the .py or .ipynb file, saved as UTF-8.") from error
    notes = () if encoding.startswith("utf-8") else (f"It was read as {encoding}.",)
    return text, notes


class NotPython(Exception):
    """Text that does not parse: why, with the line where that is known."""


def parse(text: str) -> ast.Module:
    """The syntax tree. Raises NotPython, and nothing else, for any text that has none."""
    try:
        return python.parse(text)
    except (SyntaxError, ValueError) as error:
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
        raise NotPython(line + printable(getattr(error, "msg", str(error)), 120)) from error


def _bound(trees: Iterable[ast.Module]) -> tuple[frozenset[str], frozenset[str]]:
    """The names that texts bind which run one after the other, and those that are bound to more than a stub binds."""
    names: set[str] = set()
    written: set[str] = set()
    for statement in chain.from_iterable(map(_top_level, trees)):
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound, is_open = {name}, is_stub(statement.body)
            case ast.Assign(value=value) | ast.AnnAssign(value=value):
                stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
                bound = {node.id for node in stored if isinstance(node.ctx, ast.Store)}
                answers = value.values if ANSWERS in bound and isinstance(value, ast.Dict) else [value]
                is_open = all(isinstance(answer, ast.Constant) and answer.value is None for answer in answers)
            case _:
                continue
        names |= bound
        (written.difference_update if is_open else written.update)(bound)
    return frozenset(names), frozenset(written)


def _top_level(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements that run when the text does, those inside `if`, `try`, `with` and loops too, in order."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt):
            yield part
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            yield from _top_level(part)


_CELL_MAGIC = re.compile(r"\s*%%(\w*)[^\n]*")
_BODY_IS_PYTHON = {"time", "timeit", "capture", "prun", "writefile", "file"}
"""Cell magics whose body is ordinary Python that the cell would have run or written to a file."""

_MAGIC = re.compile(r".*\bget_ipython\(\).*", re.DOTALL)
_OTTER = re.compile(r"import otter|from otter[\w.]* import [\w, ]+|(?:\w+ *= *otter|otter|grader)\.[^;]*")
"""Statements that only serve Otter's checks, which is not there behind the wall."""


def _notebook(document: dict[str, Any], notes: tuple[str, ...]) -> Code:
    """Code cells in order. One of which nothing can be run stays, as "", so that the cells keep their numbers."""
    sources = _sources(document)
    left_out = [_MAGIC, _OTTER] if any("otter" in source for source in sources) else [_MAGIC]
    cells: list[str] = []
    fault = ""
    for number, source in enumerate(sources, 1):
        try:
            cells.append(_python(source, left_out))
        except NotPython as error:
            cells.append("")
            fault = fault or f" (code cell {number} is not Python: {error})"
    trees = [parse(cell) for cell in cells]
    if all(isinstance(statement, ast.Pass) for tree in trees for statement in tree.body):
        raise Unreadable(f"The notebook has no code cell that can be run{fault}: hand in the one with your functions.")
    changed = [str(number) for number, cell in enumerate(cells, 1) if cell != sources[number - 1]]
    if changed:
        what = "what is no Python, magic, shell and help lines, and calls of Otter"
        notes += (f"Left out of code cells {listed(changed, 8)}: {what}{fault}.",)
    return Code(tuple(cells), notes, *_bound(trees))


def _sources(document: dict[str, Any]) -> list[str]:
    cells = document.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("The notebook has no list of cells: open it in Jupyter, save it, and hand it in again.")
    code = [cell.get("source", "") for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    joined = ["".join(map(str, source)) if isinstance(source, list) else str(source) for source in code]
    if len(joined) > MAX_CELLS or sum(map(len, joined)) > MAX_CODE:
        most = f"{MAX_CELLS} code cells or {MAX_CODE // 1024} KiB of code"
        raise Unreadable(f"The notebook has more than {most}: hand in only what you wrote.")
    return joined


def _python(source: str, left_out: list[re.Pattern[str]]) -> str:
    """The cell with `pass` for what is left out, its lines where they were. One that parses has no magic: a line may
    begin with % inside a string or a bracket."""
    if cell_magic := _CELL_MAGIC.match(source):
        if cell_magic[1] not in _BODY_IS_PYTHON:
            return ""
        source = "\n" * cell_magic[0].count("\n") + source[cell_magic.end() :]
    try:
        tree = parse(source)
    except NotPython:
        source = _without_magic(source)
        tree = parse(source)
    lines = source.split("\n")
    for statement in ast.walk(tree):
        if isinstance(statement, ast.stmt) and not hasattr(statement, "body"):
            first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
            text = "\n".join(lines[first:last])
            if any(pattern.fullmatch(text.strip()) for pattern in left_out):
                indent = text[: len(text) - len(text.lstrip())]
                lines[first:last] = [f"{indent}pass", *[""] * (last - first - 1)]
    return "\n".join(lines)


def _without_magic(source: str) -> str:
    """IPython's own translation of magic, shell and help lines into calls of get_ipython()."""
    from IPython.core.inputtransformer2 import TransformerManager  # takes a third of a second

    manager: Any = TransformerManager()  # type: ignore[no-untyped-call]
    manager.cleanup_transforms = manager.line_transforms = []
    try:
        text: str = manager.transform_cell(source)
    except Exception as error:  # it was written for cells of people
        raise NotPython(printable(str(error), 120)) from error
    return text if source.endswith("\n") else text.removesuffix("\n")
