"""Breaks the solutions in every way it knows and lists what the suites do not notice: `make mutants [ASSIGNMENT=rope]`.

The suites are what is tested here. A mutant is a solution with one small change inside its marked blocks; it must lose
points. Those that live although the change makes a difference are holes in a suite; those that live because the change
makes none are listed, each with its reason, in `survivors.csv`.

Why not mutmut or cosmic-ray: both start a test runner for each mutant, some 1.5 s for suites that take 0.1 s, and
neither knows that the code under test is a submission. Here a warm process forks for each mutant and says whether it
loses points.
"""

from __future__ import annotations

import ast
import copy
import csv
import functools
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
from typing import TypeGuard

from autograder import course
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.handout.stubs import BEGIN, END
from autograder.hints import catalogue

SURVIVORS = Path(__file__).with_name("survivors.csv")
SECONDS = 30
"""A mutant that runs longer hangs, and a submission that hangs loses points."""

CAUGHT, ALIVE = 0, 1

SYMMETRIC = {"max", "min", "maximum", "minimum", "broadcast_shapes", "result_type"}
"""Functions that do not care for the order of their arguments."""

OPERATORS: dict[type[ast.AST], list[type[ast.AST]]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Div],
    ast.Div: [ast.Mult],
    ast.FloorDiv: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.Pow: [ast.Mult],
    ast.BitXor: [ast.BitOr],
    ast.BitAnd: [ast.BitOr],
    ast.BitOr: [ast.BitAnd],
    ast.RShift: [ast.LShift],
    ast.LShift: [ast.RShift],
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}

NAMES = {
    "sin": "cos", "cos": "sin", "floor": "ceil", "ceil": "floor", "zeros": "ones", "ones": "zeros", "min": "max",
    "max": "min",
    "minimum": "maximum", "maximum": "minimum", "tril": "triu", "triu": "tril", "any": "all", "all": "any",
    "mean": "sum", "sum": "mean",
    "float32": "float64", "float64": "float32", "ValueError": "KeyError", "IndexError": "KeyError", "repeat": "tile",
    "tile": "repeat",
    "log": "log2", "cumsum": "cumprod", "exp": "expm1", "isnan": "isinf", "abs": "negative",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed solution."""

    function: str
    line: str
    """the line it changes, as it stands in the solution"""
    change: str
    made: Callable[[], ast.Module]
    """makes the changed tree: whoever only wants to know which mutants there are waits for none"""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.function, self.line, self.change


def mutants(assignment: Assignment) -> Iterator[Mutant]:
    """Every change of every node inside the marked blocks of a solution, and of every answer. Paperwork aside: most
    refusals are documentation, and dtypes are asked for in one test an assignment."""
    source = assignment.solution.read_text(encoding="utf-8")
    lines = source.split("\n")
    tree = ast.parse(source)
    marked = _marked_lines(lines) - _refusals(tree)
    seen: Counter[tuple[str, str, str]] = Counter()
    for index, node in enumerate(ast.walk(tree)):
        line = getattr(node, "lineno", None)
        if line not in marked:
            continue
        for change, mutate in _changes(node):
            name = _enclosing(tree, line)
            key = (name, lines[line - 1].strip(), change)
            seen[key] += 1
            if seen[key] > 1:
                change = f"{change}, occurrence {seen[key]}"
            yield Mutant(name, lines[line - 1].strip(), change, functools.partial(_changed, tree, index, mutate))


def _changed(tree: ast.Module, index: int, mutate: Callable[[ast.Module, ast.AST], None]) -> ast.Module:
    """A copy of a tree with one node changed."""
    broken = copy.deepcopy(tree)
    mutate(broken, next(itertools.islice(ast.walk(broken), index, None)))
    return ast.fix_missing_locations(broken)


def _marked_lines(lines: list[str]) -> set[int]:
    marked, inside = set(), False
    for number, line in enumerate(lines, start=1):
        if line.strip() in (BEGIN, END):
            inside = line.strip() == BEGIN
        elif inside:
            marked.add(number)
    start = next(number for number, line in enumerate(lines, start=1) if line.startswith("ANSWERS"))
    return marked | set(range(start, len(lines) + 1))


def _refusals(tree: ast.Module) -> set[int]:
    """The lines that only refuse bad arguments: `if …: raise …`, what is computed for this `if` alone, the helpers
    `_check…`, and the lines that only call one."""
    refusing: list[ast.stmt] = [
        step for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for step in _asked_by_refusals(node)
    ]
    for node in ast.walk(tree):
        if _refuses(node):
            refusing.append(node)
        elif isinstance(node, ast.Expr | ast.Assign | ast.Return) and isinstance(node.value, ast.Call):
            if ast.unparse(node.value.func).startswith("_check"):
                refusing.append(node)
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("_check"):
            refusing.append(node)
    return {line for node in refusing for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def _refuses(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Raise)


def _asked_by_refusals(function: ast.FunctionDef) -> Iterator[ast.Assign]:
    """The assignments whose name stands nowhere but in refusals."""
    refused = {name for step in function.body if _refuses(step) for name in ast.walk(step)}
    for step in function.body:
        if isinstance(step, ast.Assign) and isinstance(target := step.targets[0], ast.Name):
            uses = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == target.id]
            if all(one in refused for one in uses if one is not target):
                yield step


def _enclosing(tree: ast.Module, line: int) -> str:
    for node in tree.body:
        if node.lineno <= line <= (node.end_lineno or 0):
            return (
                node.name
                if isinstance(node, ast.FunctionDef)
                else "ANSWERS"
                if isinstance(node, ast.Assign)
                else "module"
            )
    return "module"


Change = tuple[str, Callable[[ast.Module, ast.AST], None]]


def _changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) | ast.AugAssign(op=operator):
            for other in OPERATORS.get(type(operator), []):
                yield f"{type(operator).__name__} to {other.__name__}", _set("op", other())
        case ast.Compare(ops=[operator]):
            for other in OPERATORS.get(type(operator), []):
                yield f"{type(operator).__name__} to {other.__name__}", _set("ops", [other()])
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield f"without {type(node.op).__name__}", _replace(node.operand)
        case ast.Constant(value=bool(value)):
            yield f"{value} to {not value}", _set("value", not value)
        case ast.Constant(value=int(value)):
            yield f"{value} to {value + 1}", _set("value", value + 1)
            yield f"{value} to {value - 1}", _set("value", value - 1)
        case ast.Constant(value=float(value)):
            yield f"{value} doubled", _set("value", value * 2 + 0.5 * (value == 0))
        case ast.Attribute(attr=name) if name in NAMES:
            yield f"{name} to {NAMES[name]}", _set("attr", NAMES[name])
        case ast.Name(id=name) if name in NAMES:
            yield f"{name} to {NAMES[name]}", _set("id", NAMES[name])
        case ast.Raise():
            yield "without raise", _replace(ast.Pass())
        case ast.If():
            yield "if never", _set("test", ast.Constant(False))
            yield "if always", _set("test", ast.Constant(True))
        case ast.IfExp():
            yield "always else", _set("test", ast.Constant(False))
            yield "never else", _set("test", ast.Constant(True))
        case ast.Expr(value=ast.Call()):
            yield "without the call", _replace(ast.Pass())
        case ast.JoinedStr():
            yield "without its values", _replace(ast.Constant("wrong"))
    if isinstance(node, ast.Call):
        for place, keyword in enumerate(node.keywords):
            if keyword.arg not in (None, "dtype", "strict"):
                yield f"without {keyword.arg}", _without_keyword(place)
        called = ast.unparse(node.func).rpartition(".")[2]
        if (
            len(node.args) == 2
            and called not in SYMMETRIC
            and not any(isinstance(argument, ast.Starred) for argument in node.args)
        ):
            yield "arguments swapped", _swap
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
        yield "operands swapped", _swap_operands


def _set(field: str, value: object) -> Callable[[ast.Module, ast.AST], None]:
    return lambda tree, node: setattr(node, field, value)


def _replace(new: ast.AST) -> Callable[[ast.Module, ast.AST], None]:
    def mutate(tree: ast.Module, node: ast.AST) -> None:
        replacement = copy.deepcopy(new)

        class Replacer(ast.NodeTransformer):
            def visit(self, visited: ast.AST) -> ast.AST:
                return replacement if visited is node else self.generic_visit(visited)

        Replacer().visit(tree)

    return mutate


def _without_keyword(place: int) -> Callable[[ast.Module, ast.AST], None]:
    def mutate(tree: ast.Module, node: ast.AST) -> None:
        assert isinstance(node, ast.Call)
        del node.keywords[place]

    return mutate


def _swap(tree: ast.Module, node: ast.AST) -> None:
    assert isinstance(node, ast.Call)
    node.args.reverse()


def _swap_operands(tree: ast.Module, node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.left, node.right = node.right, node.left


def loses_points(suite: Suite, mutant: Mutant) -> bool:
    """Whether a mutant loses points, found out in a child process with bounded time and memory."""
    child = os.fork()
    if child == 0:
        os._exit(_grade(suite, mutant))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != ALIVE


def _grade(suite: Suite, mutant: Mutant) -> int:
    """Inside the child. Anything that goes wrong, a hang and a crash included, is a mutant that is caught."""
    try:
        signal.alarm(SECONDS)
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        module = types.ModuleType(suite.assignment.name)
        module.__file__ = str(suite.assignment.solution)
        exec(compile(mutant.made(), module.__file__, "exec"), module.__dict__)
        return ALIVE if all(test_result.passed for test_result in suite.run(catalogue.Module(module))) else CAUGHT
    except BaseException:
        return CAUGHT


def explained() -> dict[str, dict[tuple[str, str, str], str]]:
    """Assignment → mutant → why it makes no difference, from `survivors.csv`."""
    reasons: dict[str, dict[tuple[str, str, str], str]] = {}
    with SURVIVORS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            reasons.setdefault(row["assignment"], {})[(row["function"], row["line"], row["change"])] = row["reason"]
    return reasons


def main(names: list[str]) -> int:
    """Run the mutants of some assignments, or of all, but for those that are known to make no difference; returns how
    many live."""
    total = alive = 0
    reasons = explained()
    for assignment in [course.find(name) for name in names] or course.assignments():
        suite = Suite(assignment)
        # Everything that is loaded once is loaded now, and not in each child.
        assert all(test_result.passed for test_result in suite.run(catalogue.Module(catalogue.solution(assignment))))
        unchanged = Mutant("", "", "", functools.partial(ast.parse, assignment.solution.read_text(encoding="utf-8")))
        assert not loses_points(suite, unchanged), "the children catch even the solution"
        known = reasons.get(assignment.name, {})
        count = survived = 0
        for mutant in mutants(assignment):
            if mutant.key in known:
                continue
            count += 1
            if not loses_points(suite, mutant):
                survived += 1
                print(f"{assignment.name}: {mutant.function}: {mutant.change}: {mutant.line}", flush=True)
        total, alive = total + count, alive + survived
        print(
            f"{assignment.name:<18} {count:>5} mutants {survived:>4} alive  {1 - survived / count:7.2%} caught",
            flush=True,
        )
    print(f"{'all':<18} {total:>5} mutants {alive:>4} alive  {1 - alive / total:7.2%} caught")
    return alive


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
