"""Fingerprints of a program, which names, comments, layout, messages and the order of functions do not change.

Every run of twelve nodes in a function's syntax tree becomes a fingerprint. (Fingerprints are the k-grams of
Schleimer, Wilkerson and Aiken 2003, "Winnowing", but all k-grams are kept.) Separate processes make the
fingerprints of a class and import this module, so its imports are few.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import zlib
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autograder.course import Assignment
from autograder.submission.syntax_trees import NotPythonError, parse

NODES_PER_FINGERPRINT = 12
"""Number of syntax tree nodes in one fingerprint."""
MAX_FINGERPRINTS = 32768
"""Maximum number of fingerprints per submission; a solution has a few hundred to a thousand."""

Fingerprints = NDArray[np.uint64]

NO_FINGERPRINTS: Fingerprints = np.empty(0, dtype=np.uint64)
_POWERS = np.array(
    [pow(0x9E3779B97F4A7C15, exponent, 2**64) for exponent in range(NODES_PER_FINGERPRINT)], dtype=np.uint64
)


class ProgramPrints(NamedTuple):
    """The fingerprints of a submission."""

    prints: Fingerprints = NO_FINGERPRINTS
    """distinct fingerprints, in the order of the code"""
    functions: NDArray[np.intp] = np.empty(0, dtype=np.intp)
    """for each fingerprint, the number of the first function that contains it"""

    def without(self, others: Fingerprints) -> ProgramPrints:
        """Return the program without the fingerprints in `others`."""
        kept = ~np.isin(self.prints, others)
        return ProgramPrints(self.prints[kept], self.functions[kept])


class Handout(NamedTuple):
    """The code that every student of an assignment receives."""

    kept_names: Set[str]
    """names that every student's file contains, which therefore count as part of the code"""
    prints: Fingerprints

    @classmethod
    def of(cls, assignment: Assignment) -> Handout:
        """Return the handout of an assignment."""
        texts = [path.read_text("utf-8") for path in sorted(assignment.folder.glob("*.py"))]
        statements = [node for text in texts for node in parse(text).body]
        defined = (node.name for node in statements if isinstance(node, ast.FunctionDef | ast.ClassDef))
        kept_names = {*dir(builtins), *defined}
        return cls(kept_names, _program(kept_names, texts).prints)

    def program_beyond(self, cells: Iterable[str]) -> ProgramPrints:
        """Return the part of a submission that is not in the handout."""
        prints, functions = _program(self.kept_names, cells).without(self.prints)
        kept = np.sort(np.argsort(prints)[:MAX_FINGERPRINTS])  # the smallest, so that copies keep the same ones
        return ProgramPrints(prints[kept], functions[kept])


def _program(kept_names: Set[str], cells: Iterable[str]) -> ProgramPrints:
    """Return the fingerprints of all functions, and of the code outside functions, which counts as one more function.

    Signatures, imports and the quiz are left out, since the handout dictates them. Names in `kept_names` are kept.
    """
    fingerprint_sets = [NO_FINGERPRINTS]
    for cell in cells:
        outside: list[str] = []
        with contextlib.suppress(NotPythonError):  # a cell of a notebook that was left out
            for node in parse(cell).body:
                match node:
                    case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                        fingerprint_sets.append(fingerprints([*_nodes(node.body, kept_names)]))
                    case ast.Import() | ast.ImportFrom() | ast.Assign(targets=[ast.Name(id="ANSWERS")]):
                        pass
                    case _:
                        outside += _nodes([node], kept_names)
        fingerprint_sets.append(fingerprints(outside))
    all_prints = np.concatenate(fingerprint_sets)
    first = np.sort(np.unique(all_prints, return_index=True)[1])
    ends = np.cumsum([len(prints) for prints in fingerprint_sets])
    return ProgramPrints(all_prints[first], np.searchsorted(ends, first, side="right"))


def _nodes(body: Sequence[ast.AST], kept_names: Set[str]) -> Iterator[str]:
    """Yield the nodes, depth first, as words that a student's names and messages do not change."""
    todo = list(reversed(body))
    while todo:
        match todo.pop():
            case ast.Expr(value=ast.Constant()) | ast.expr_context():
                pass  # a docstring, or whether a name is read or written
            case ast.Name(id=name):
                yield name if name in kept_names else "name"
            case ast.arg():
                yield "argument"
            case ast.JoinedStr() | ast.Constant(value=str() | bytes()):
                yield "text"
            case ast.Constant(value=int() | float() | complex() as value):
                yield str(hash(value))  # 2 equals 2.0, and a number may be too long to write out
            case ast.Constant(value=value):
                yield str(value)
            case ast.AnnAssign(target=target, value=value):
                yield "Assign"
                todo += [part for part in (value, target) if part is not None]
            case node:
                yield node.attr if isinstance(node, ast.Attribute) else type(node).__name__
                todo += reversed(list(ast.iter_child_nodes(node)))


def fingerprints(nodes: Sequence[str]) -> Fingerprints:
    """Return a number for every run of twelve nodes, the same in every process and on every machine."""
    if len(nodes) < NODES_PER_FINGERPRINT:
        return NO_FINGERPRINTS
    numbers = np.array([zlib.crc32(node.encode()) for node in nodes], dtype=np.uint64)
    return np.lib.stride_tricks.sliding_window_view(numbers, NODES_PER_FINGERPRINT) @ _POWERS
