"""Break the solutions in every known way, and list the mutants that no suite notices: `make mutants [ASSIGNMENT=rope]`.

This tests the suites. A mutant is a solution with one small change inside its marked blocks; it must lose
points. If a mutant survives although its change makes a difference, a suite has a gap; if a mutant survives
because its change makes no difference, it is listed in `survivors.csv` with the reason. Each mutant runs in a
fork of a warm process, whereas mutmut and cosmic-ray start a test runner for each mutant, and do not know
that the code under test is a submission.
"""

from __future__ import annotations

import ast
import copy
import csv
import itertools
import os
import resource
import signal
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder import course
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.handout.stubs_and_recorded_values import BEGIN, END
from autograder.hints import catalogue

SECONDS = 30
"""Seconds after which a mutant counts as hanging; a submission that hangs loses points."""
CAUGHT, ALIVE = 0, 1

SYMMETRIC = {"max", "min", "maximum", "minimum", "broadcast_shapes", "result_type"}
"""Functions whose results do not depend on the order of their arguments."""
SWAPPED = "Add Sub, Mult Div, FloorDiv Mult, Mod FloorDiv, Pow Mult, BitXor BitOr, BitAnd BitOr, RShift LShift, Lt LtE"
SWAPPED += ", Lt GtE, LtE Gt, Gt GtE, Eq NotEq, Is IsNot, In NotIn, And Or"
NAMES = "sin cos, floor ceil, zeros ones, min max, minimum maximum, tril triu, any all, mean sum, float32 float64"
NAMES += ", repeat tile, log log2, cumsum cumprod, exp expm1, isnan isinf, abs negative"


def _both_ways(pairs: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one, other in (pair.split() for pair in pairs.split(", ")):
        found.setdefault(one, []).append(other)
        found.setdefault(other, []).append(one)
    return found


OPERATORS, OTHER_NAMES = _both_ways(SWAPPED), _both_ways(NAMES)


@dataclass(frozen=True)
class Mutant:
    """A solution with one change."""

    function: str
    line: str
    """Changed line, as it appears in the solution."""
    change: str
    made: Callable[[], ast.Module]
    """Function that makes the changed tree, so that mutants can be listed without building their trees."""


def mutants(assignment: Assignment) -> Iterator[Mutant]:
    """Yield a mutant for every change to every node inside a solution's marked blocks, and to every answer.

    Checks of arguments are left out, because most of these checks are documentation.
    """
    source = assignment.solution.read_text(encoding="utf-8")
    lines, tree = source.split("\n"), ast.parse(source)
    marked = _marked_lines(lines) - _refusals(tree)
    seen: Counter[tuple[str, str, str]] = Counter()
    for index, node in enumerate(ast.walk(tree)):
        if (line := getattr(node, "lineno", None)) not in marked:
            continue
        for change, new in _changes(node):
            key = _enclosing(tree, line), lines[line - 1].strip(), change
            seen[key] += 1
            times = f", occurrence {seen[key]}" if seen[key] > 1 else ""
            yield Mutant(*key[:2], change + times, lambda index=index, new=new: _changed(tree, index, new))


def _changed(tree: ast.Module, index: int, new: ast.AST) -> ast.Module:
    """Return a copy of a tree with one of its nodes replaced."""
    broken = copy.deepcopy(tree)
    old = next(itertools.islice(ast.walk(broken), index, None))

    class Replacer(ast.NodeTransformer):
        """Transformer that replaces one node of a tree."""

        def visit(self, visited: ast.AST) -> ast.AST:
            """Return the new node for the node to replace; for any other node, visit its children."""
            return new if visited is old else self.generic_visit(visited)

    Replacer().visit(broken)
    return ast.fix_missing_locations(broken)


def _marked_lines(lines: list[str]) -> set[int]:
    marked, inside = set(), False
    for number, line in enumerate(lines, start=1):
        inside = line.strip() == BEGIN or line.startswith("ANSWERS") or (inside and line.strip() != END)
        if inside:
            marked.add(number)
    return marked


def _refusals(tree: ast.Module) -> set[int]:
    """Return the lines of `if …: raise …`, of `_check…` helpers, and of statements that only call a helper."""
    refusing: list[ast.stmt] = []
    for node in ast.walk(tree):
        called = node.value if isinstance(node, ast.Expr | ast.Assign | ast.Return) else None
        if (
            (isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Raise))
            or (isinstance(node, ast.FunctionDef) and node.name.startswith("_check"))
            or (isinstance(called, ast.Call) and ast.unparse(called.func).startswith("_check"))
        ):
            refusing.append(node)  # type: ignore[arg-type]
    return {line for node in refusing for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def _enclosing(tree: ast.Module, line: int) -> str:
    """Return the function or name that a line belongs to."""
    (node,) = (one for one in tree.body if one.lineno <= line <= (one.end_lineno or 0))
    return node.name if isinstance(node, ast.FunctionDef) else ast.unparse(getattr(node, "targets", [node])[0])


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the replacements of a node, each with a description."""
    yield from _other_operators(node)
    yield from _other_values(node)
    yield from _other_statements(node)
    if isinstance(node, ast.Call):
        yield from _other_arguments(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
        yield "operands swapped", _but(node, left=node.right, right=node.left)


def _but(node: ast.AST, **fields: object) -> ast.AST:
    """Return a copy of a node with some of its fields changed."""
    new = copy.deepcopy(node)
    vars(new).update(fields)
    return new


def _other_operators(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) | ast.Compare(ops=[op]):
            for name in OPERATORS.get(type(op).__name__, []):
                other = getattr(ast, name)()
                fields: dict[str, object] = {"ops": [other]} if isinstance(node, ast.Compare) else {"op": other}
                yield f"{type(op).__name__} to {name}", _but(node, **fields)
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield f"without {type(node.op).__name__}", node.operand


def _other_values(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Constant(value=bool(value)):
            yield f"{value} to {not value}", _but(node, value=not value)
        case ast.Constant(value=int(value)):
            yield f"{value} to {value + 1}", _but(node, value=value + 1)
            yield f"{value} to {value - 1}", _but(node, value=value - 1)
        case ast.Constant(value=float(value)):
            yield f"{value} doubled", _but(node, value=value * 2 + 0.5 * (value == 0))
        case ast.Attribute(attr=name):
            yield from ((f"{name} to {other}", _but(node, attr=other)) for other in OTHER_NAMES.get(name, []))
        case ast.Name(id=name):
            yield from ((f"{name} to {other}", _but(node, id=other)) for other in OTHER_NAMES.get(name, []))


def _other_statements(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.If() | ast.IfExp():
            yield "if never", _but(node, test=ast.Constant(False))
            yield "if always", _but(node, test=ast.Constant(True))
        case ast.Expr(value=ast.Call()):
            yield "without the call", ast.Pass()


def _other_arguments(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    for position, keyword in enumerate(call.keywords):
        if keyword.arg not in (None, "dtype", "strict"):
            others = call.keywords[:position] + call.keywords[position + 1 :]
            yield f"without {keyword.arg}", _but(call, keywords=others)
    called = ast.unparse(call.func).rpartition(".")[2]
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if len(call.args) == 2 and called not in SYMMETRIC and not starred:
        yield "arguments swapped", _but(call, args=call.args[::-1])


def lives(suite: Suite, made: Callable[[], ast.Module]) -> bool:
    """Return True if a mutant, graded in a child process with limited time and memory, keeps all points."""
    child = os.fork()
    if child == 0:
        os._exit(_grade(suite, made))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == ALIVE


def _grade(suite: Suite, made: Callable[[], ast.Module]) -> int:
    """Grade a mutant inside the child; any failure, including a hang or a crash, counts as catching it."""
    try:
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        module = types.ModuleType(suite.assignment.name)
        module.__file__ = str(suite.assignment.solution)
        exec(compile(made(), module.__file__, "exec"), module.__dict__)
        return (
            ALIVE if all(test_result.passed for test_result in suite.run(catalogue.ModuleBackend(module))) else CAUGHT
        )
    except BaseException:
        return CAUGHT


def explained(assignment: Assignment) -> set[tuple[str, str, str]]:
    """Return the mutants that make no difference, according to `survivors.csv`."""
    with Path(__file__).with_name("survivors.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["assignment"] == assignment.name]
    return {(row["function"], row["line"], row["change"]) for row in rows}


def main(names: list[str]) -> int:
    """Run the mutants of the specified assignments, or of all, and return how many survive.

    Mutants listed in `survivors.csv` are left out.
    """
    alive = 0
    for assignment in [course.find(name) for name in names] or course.term_assignments():
        suite, known = Suite(assignment), explained(assignment)
        solution = assignment.solution.read_text(encoding="utf-8")
        assert lives(suite, lambda text=solution: ast.parse(text)), "the children catch even the solution"
        made = [one for one in mutants(assignment) if (one.function, one.line, one.change) not in known]
        living = [one for one in made if lives(suite, one.made)]
        for one in living:
            print(f"{assignment.name}: {one.function}: {one.change}: {one.line}", flush=True)
        print(f"{assignment.name:<18} {len(made):>5} mutants {len(living):>4} alive", flush=True)
        alive += len(living)
    return alive


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
