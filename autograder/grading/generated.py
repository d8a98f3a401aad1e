"""Mistakes that nobody had to write down: each made from a solution by one regular change, with a hint made from the change.

Two sources. A function's signature: an argument ignored, negated, exchanged with its neighbour, one too far; a result
mirrored, negated, upside down. And its source: an operator, a sign, a step left out or done twice, an axis, a constant.
A hint names the kind of change and where to look, in the names that the definition uses, and never the line.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import itertools
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from autograder.course import Assignment
from autograder.grading import catalogue
from autograder.grading.catalogue import Misconception

Implementation = Callable[..., Any]

SIGNATURE = "signature"
"""The origin of a mistake that changes nothing but what goes into a function or comes out of it: what that refuses, it refuses still."""


# From the signature


@functools.cache
def of_signature(assignment: Assignment, function: str) -> list[Misconception]:
    """The mistakes that can be told from a function's arguments and results alone. Their hints are the plainer ones."""
    right = vars(catalogue.right(assignment))[function]
    signature = inspect.signature(right)
    found = []

    def add(name: str, hint: str, implementation: Implementation, coarse: bool = False) -> None:
        found.append(Misconception(f"{function}: {name}", function, hint, SIGNATURE, implementation, coarse))

    for name, parameter in signature.parameters.items():
        for what, hint, change in _ARGUMENT_CHANGES:
            coarse = change is _float32
            add(f"{name} {what}", hint if coarse else f"`{name}` {hint}", _with_argument(right, signature, name, change), coarse)
        if parameter.default is not inspect.Parameter.empty:
            fixed = _with_argument(right, signature, name, functools.partial(_constant, parameter.default))
            add(f"{name} ignored", f"`{name}` is not used: your result is the one for its default. The rule is to use what the caller passes.", fixed)
    for one, other in itertools.pairwise(signature.parameters):
        hint = f"`{one}` and `{other}` are exchanged: your result is the one with each in the other's place."
        add(f"{one} and {other} exchanged", hint, _exchanged(right, signature, one, other))
    for what, hint, change in _RESULT_CHANGES:
        add(f"result {what}", hint, _with_result(right, change), change is _float32)
    return found


class _NotApplicable(Exception):
    """A change that makes no sense of this argument: the call is as if it were refused, which explains nothing."""


def _constant(value: object, given: object) -> object:
    return value


def _with_argument(right: Implementation, signature: inspect.Signature, name: str, change: Callable[[Any], Any]) -> Implementation:
    def mistaken(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        bound.arguments[name] = change(bound.arguments[name])
        return right(*bound.args, **bound.kwargs)

    return mistaken


def _exchanged(right: Implementation, signature: inspect.Signature, one: str, other: str) -> Implementation:
    def mistaken(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        bound.arguments[one], bound.arguments[other] = bound.arguments[other], bound.arguments[one]
        return right(*bound.args, **bound.kwargs)

    return mistaken


def _with_result(right: Implementation, change: Callable[[Any], Any]) -> Implementation:
    def mistaken(*args: Any, **kwargs: Any) -> Any:
        value = right(*args, **kwargs)
        return tuple(map(change, value)) if isinstance(value, tuple) else change(value)

    return mistaken


def _array(value: Any, dimensions: int = 1) -> np.ndarray:
    if isinstance(value, str | bool | dict) or value is None:
        raise _NotApplicable
    array = np.asarray(value)
    if array.ndim < dimensions or array.dtype.kind not in "iuf":
        raise _NotApplicable
    return array


def _number(value: Any) -> Any:
    if isinstance(value, bool | str | dict) or value is None or (np.ndim(value) and np.asarray(value).dtype.kind not in "iuf"):
        raise _NotApplicable
    return value if isinstance(value, int | float) else np.asarray(value)


def _root(value: Any) -> Any:
    if np.any(_number(value) < 0):  # NaN is the root of anything
        raise _NotApplicable
    return np.sqrt(_number(value))


def _boolean(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return not value
    array = np.asarray(value)
    if array.dtype.kind != "b":
        raise _NotApplicable
    return ~array


def _float32(value: Any) -> Any:
    if isinstance(value, float):
        return float(np.float32(value))
    return _array(value, 0).astype(np.float32).astype(np.result_type(np.asarray(value).dtype, np.float32))


COARSE = "Something on the way is rounded to single precision. The rule is to compute in float64 and to convert at the end."

_ARGUMENT_CHANGES: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("negated", "enters with the opposite sign.", lambda value: -_number(value)),
    ("without sign", "enters without its sign.", lambda value: np.abs(_number(value))),
    ("one too far", "is one too large where it is used: your result is the one for the next whole number.", lambda value: _number(value) + 1),
    ("one too near", "is one too small where it is used: your result is the one for the whole number before.", lambda value: _number(value) - 1),
    ("whole", "is cut to a whole number. The rule is to use it as it is.", lambda value: np.trunc(_number(value))),
    ("clipped", "counts as 0 where it is negative. The rule is to use it as it is.", lambda value: np.maximum(_number(value), 0)),
    ("counted", "is not used: your result is the one for 0, 1, 2, … in its place.", lambda value: np.arange(len(_array(value)))),
    ("zero", "is not used: your result is the one for 0 in its place.", lambda value: _number(value) * 0),
    ("one", "is not used: your result is the one for 1 in its place.", lambda value: _number(value) * 0 + 1),
    ("doubled", "enters twice: your result is the one for twice its value.", lambda value: _number(value) * 2),
    ("halved", "enters only half: your result is the one for half its value.", lambda value: _number(value) / 2),
    ("squared", "enters squared.", lambda value: _number(value) ** 2),
    ("rooted", "enters as its square root.", _root),
    ("upside down", "enters upside down: your result is the one for 1 divided by it.", lambda value: 1 / _number(value)),
    ("rounded", COARSE, _float32),
    ("transposed", "is transposed: its last two axes are exchanged.", lambda value: np.swapaxes(_array(value, 2), -1, -2)),
    ("reversed rows", "is read from its end along the sequence.", lambda value: np.flip(_array(value, 2), -2)),
    ("reversed", "is read from its end.", lambda value: np.flip(_array(value), -1)),
    ("inverted", "is inverted: true is taken for false.", _boolean),
]  # fmt: skip

_RESULT_CHANGES: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("negated", "Your result has the opposite sign.", lambda value: -_number(value)),
    ("inverted", "Your result is inverted: true stands for false.", _boolean),
    ("without sign", "Your result has lost its sign.", lambda value: np.abs(_number(value))),
    ("upside down", "Your result is upside down: 1 divided by what is wanted.", lambda value: 1 / _number(value)),
    ("transposed", "Your result is transposed: its last two axes are exchanged.", lambda value: np.swapaxes(np.asarray(value), -1, -2)),
    ("reversed", "Your result is reversed along its last axis.", lambda value: np.flip(_array(value), -1)),
    ("reversed rows", "The rows of your result are in reversed order.", lambda value: np.flip(_array(value, 2), -2)),
    ("one too large", "Your result is one too large: look at where the count begins and ends.", lambda value: _number(value) + 1),
    ("one too small", "Your result is one too small: look at where the count begins and ends.", lambda value: _number(value) - 1),
    ("doubled", "Your result is twice as large as it should be.", lambda value: _number(value) * 2),
    ("halved", "Your result is half as large as it should be.", lambda value: _number(value) / 2),
    ("squared", "Your result is the square of what is wanted.", lambda value: _number(value) ** 2),
    ("rooted", "Your result is the square root of what is wanted.", lambda value: np.sqrt(_number(value))),
    ("rounded", COARSE, _float32),
]  # fmt: skip


# From the source


Part = ast.FunctionDef | ast.Assign


@functools.cache
def parts(assignment: Assignment) -> dict[str, Part]:
    """The functions, constants and tables of a solution as syntax, in their order."""
    found: dict[str, Part] = {}
    for node in ast.parse(assignment.solution.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                found[name] = node
    return found


@functools.cache
def own_parts(assignment: Assignment, function: str) -> list[str]:
    """A function and the helpers that only the solution has, in their order: a student writes all that in one place."""
    known, found = parts(assignment), [function]
    for name in found:
        for node in ast.walk(known[name]):
            if isinstance(node, ast.Name) and node.id.startswith("_") and node.id in known and node.id not in found:
                found.append(node.id)
    return [name for name in known if name in found]


@functools.cache
def of_source(assignment: Assignment, function: str) -> list[Misconception]:
    """The mistakes that are one small change of the solution."""
    found = []
    own = own_parts(assignment, function)
    for name in own:
        helper = f" (in the part “{name.strip('_').replace('_', ' ')}”)" if name != function else ""
        for line, what, where in changes(parts(assignment)[name]):
            location = f"{where}{helper}: compare that step with the definition of `{function}`."
            coarse = FLOAT32 in what
            hint = COARSE if coarse else f"{what} {location}"
            implementation = _built(assignment, function, own, name)
            origin = f"{name}:{line}"
            found.append(Misconception(f"{what}, {origin}", function, hint, origin, implementation, coarse, f"Something is not right {location}"))
    return found


def _built(assignment: Assignment, function: str, own: list[str], changed: str) -> Implementation:
    """The function with one of its parts changed: its helpers live in a room of their own, so that no other function sees the change."""
    room = dict(vars(catalogue.right(assignment)))
    for part in own:
        exec(_compile(assignment, part) if part == changed else _compiled(assignment, part), room)
    return room[function]  # type: ignore[no-any-return]


def _compile(assignment: Assignment, name: str) -> types.CodeType:
    with warnings.catch_warnings(action="ignore"):  # a changed line may be one that Python warns of
        return compile(ast.Module([parts(assignment)[name]], []), str(assignment.solution), "exec", dont_inherit=True)


_compiled = functools.cache(_compile)


def changes(part: Part) -> Iterator[tuple[int, str, str]]:
    """Every regular change of a part, with its line and in words, what and where: made in the part itself until the next is asked for.

    To change a copy each time took longer than all else that is done for a hint. The part is whole again whenever this ends: it is
    shared by all submissions of a process, and whoever asks may be stopped by one of them.
    """
    arguments = [one.arg for one in part.args.args] if isinstance(part, ast.FunctionDef) else []
    slots = list(_slots(part, part, ("body", "value")))
    axes = [slot.node for slot in slots if isinstance(slot.node, ast.keyword) and slot.node.arg == "axis"]
    if len(axes) > 1:
        yield from _along_another_axis(part, axes)
    for slot in slots:
        where = _where(slot.statement)
        for what, new in _replacements(slot.node, slot.statement, arguments):
            slot.put(ast.fix_missing_locations(ast.copy_location(new, slot.node)))
            try:
                yield slot.statement.lineno, what, where
            finally:
                slot.put(slot.node)


def _along_another_axis(part: Part, axes: list[ast.keyword]) -> Iterator[tuple[int, str, str]]:
    """Somebody who takes a wrong axis takes it in all steps."""
    right = [one.value for one in axes]
    try:
        for axis in (-1, -2):
            for one in axes:
                one.value = ast.copy_location(ast.Constant(axis), one)
            yield part.lineno, f"All steps run along the {_AXES[axis]}, and another one is right,", "on the way"
    finally:
        for one, value in zip(axes, right, strict=True):
            one.value = value


class _Slot(NamedTuple):
    """A node of a statement, and what puts another node in its place."""

    statement: ast.stmt
    node: ast.AST
    put: Callable[[ast.AST], None]


def _slots(statement: ast.stmt, parent: ast.AST, fields: Iterable[str]) -> Iterator[_Slot]:
    """All nodes in some fields of a node; what is said to a bad argument is not looked at."""
    for field in fields:
        value: Any = getattr(parent, field, None)
        items = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in items:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Raise):
                inside = child if isinstance(child, ast.stmt) else statement
                yield _Slot(
                    inside, child, functools.partial(setattr, parent, field) if index is None else functools.partial(value.__setitem__, index)
                )
                yield from _slots(inside, child, child._fields)


_OPERATORS: dict[type[ast.AST], list[tuple[type[ast.AST], str]]] = {
    ast.Add: [(ast.Sub, "A sum and a difference are exchanged")],
    ast.Sub: [(ast.Add, "A difference and a sum are exchanged")],
    ast.Mult: [(ast.Div, "A product and a quotient are exchanged")],
    ast.Div: [(ast.Mult, "A quotient and a product are exchanged"), (ast.FloorDiv, "A division is rounded down")],
    ast.FloorDiv: [(ast.Mult, "A quotient and a product are exchanged"), (ast.Div, "A division is not rounded down")],
    ast.Mod: [(ast.FloorDiv, "A remainder and a quotient are exchanged")],
    ast.Pow: [(ast.Mult, "A power is computed as a product")],
    ast.BitXor: [(ast.BitOr, "Two ways to combine bits are exchanged"), (ast.BitAnd, "Two ways to combine bits are exchanged")],
    ast.BitAnd: [(ast.BitOr, "“And” and “or” are exchanged")],
    ast.BitOr: [(ast.BitAnd, "“Or” and “and” are exchanged")],
    ast.RShift: [(ast.LShift, "Bits are shifted the wrong way")],
    ast.LShift: [(ast.RShift, "Bits are shifted the wrong way")],
    ast.Lt: [(ast.LtE, "The limit itself is on the wrong side of a comparison"), (ast.GtE, "A comparison points the wrong way")],
    ast.LtE: [(ast.Lt, "The limit itself is on the wrong side of a comparison"), (ast.Gt, "A comparison points the wrong way")],
    ast.Gt: [(ast.GtE, "The limit itself is on the wrong side of a comparison"), (ast.LtE, "A comparison points the wrong way")],
    ast.GtE: [(ast.Gt, "The limit itself is on the wrong side of a comparison"), (ast.Lt, "A comparison points the wrong way")],
    ast.Eq: [(ast.NotEq, "“Equal” and “not equal” are exchanged")],
    ast.NotEq: [(ast.Eq, "“Not equal” and “equal” are exchanged")],
    ast.Is: [(ast.IsNot, "A condition is the wrong way round")],
    ast.IsNot: [(ast.Is, "A condition is the wrong way round")],
    ast.In: [(ast.NotIn, "A condition is the wrong way round")],
    ast.NotIn: [(ast.In, "A condition is the wrong way round")],
    ast.And: [(ast.Or, "“And” and “or” are exchanged")],
    ast.Or: [(ast.And, "“Or” and “and” are exchanged")],
}

_ALIKE = [
    {"sin", "cos"}, {"floor", "ceil", "rint", "trunc"}, {"zeros", "ones"}, {"minimum", "maximum"}, {"tril", "triu"}, {"any", "all"},
    {"min", "max", "mean", "sum"}, {"float32", "float64"}, {"repeat", "tile"}, {"log", "log2", "log10"}, {"cumsum", "cumprod"}, {"exp", "expm1"},
    {"isnan", "isinf"}, {"argmax", "argmin"},
]  # fmt: skip
"""Names that are taken for each other."""

_SIMILAR = {name: sorted(names - {name}) for names in _ALIKE for name in names}

FLOAT32 = "float32"
_ANGLES = ("outer", "log", "frequencies", "rope_frequencies", "_rope_frequencies", "rotations_in_context", "rope_cos_sin")
"""Steps whose digits matter far along a sequence."""

_COUNTS = ("arange", "linspace")
_NO_VARIABLES = ("np", "len", "range", "zip", "float", "int", "tuple", "list", "max", "min", "abs", "sum")
_TRIANGLES = ("tri", "tril", "triu", "diag", "eye")


Replacement = tuple[str, ast.AST]
"""What is wrong with a node that stands in the place of another, and that node."""


def _replacements(node: ast.AST, statement: ast.stmt, arguments: list[str]) -> Iterator[Replacement]:
    match node:
        case ast.BinOp():
            yield from _operators(node)
            yield from _in_single_precision(node)
            yield from _operands(node)
        case ast.BoolOp() | ast.AugAssign() | ast.Compare(ops=[_]):
            yield from _operators(node)
        case ast.UnaryOp(op=ast.USub()):
            or_axis = ", or an axis is the wrong one," if isinstance(node.operand, ast.Constant) else ""
            yield f"A minus sign is missing{or_axis}", node.operand
        case ast.UnaryOp(op=ast.Not() | ast.Invert()):
            yield "A condition is the wrong way round", node.operand
        case ast.Constant():
            yield from _constants(node.value)
        case ast.Attribute() | ast.Name():
            yield from _names(node, statement, arguments)
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape") as shape, slice=axis):
            yield from _sizes(node, shape, name, axis, statement, arguments)
        case ast.IfExp():
            yield "One of two cases is treated like the other", node.body
            yield "One of two cases is treated like the other", node.orelse
        case ast.If():
            yield "A case is not told apart", _with(node, test=ast.Constant(False))
            yield "A case is taken for all", _with(node, test=ast.Constant(True))
        case ast.Expr(value=ast.Call() as called):
            yield f"The step {_step(called)} is left out", ast.Pass()
        case ast.Call():
            yield from _calls(node)
            yield from _counts(node)
            yield from _in_single_precision(node)


def _operators(node: ast.BinOp | ast.BoolOp | ast.AugAssign | ast.Compare) -> Iterator[Replacement]:
    operator = node.ops[0] if isinstance(node, ast.Compare) else node.op
    for other, what in _OPERATORS.get(type(operator), []):
        yield what, _with(node, ops=[other()]) if isinstance(node, ast.Compare) else _with(node, op=other())


def _in_single_precision(node: ast.BinOp | ast.Call) -> Iterator[Replacement]:
    loses_digits = isinstance(node.op, ast.Mult | ast.Pow | ast.Div) if isinstance(node, ast.BinOp) else _name(node) in _ANGLES
    if loses_digits:
        yield FLOAT32, ast.Call(ast.Attribute(ast.Name("np", ast.Load()), FLOAT32, ast.Load()), [node], [])


def _operands(node: ast.BinOp) -> Iterator[Replacement]:
    """Both in the other order, and each alone."""
    if (result := _NOT_COMMUTATIVE.get(type(node.op))) is not None:
        yield f"A {result} is taken the wrong way round", _with(node, left=node.right, right=node.left)
    if not isinstance(node.op, ast.MatMult):
        part = _OPERANDS.get(type(node.op), "factor")
        yield f"A {part} is left out", node.left
        yield f"A {part} is left out", node.right


_NOT_COMMUTATIVE = {ast.Sub: "difference", ast.Pow: "power", ast.MatMult: "product", ast.Div: "quotient", ast.FloorDiv: "quotient"}
_OPERANDS = {ast.Add: "term", ast.Sub: "term", ast.Pow: "exponent"}


def _constants(value: object) -> Iterator[Replacement]:
    match value:
        case bool():
            yield f"A switch is {not value} that should be the other", ast.Constant(not value)
        case int():
            for new in (value + 1, value - 1):
                yield "A number is one off, or an axis is the wrong one,", ast.Constant(new)
        case float():
            yield "A constant is not the one of the definition", ast.Constant(value * 2 + 0.5 * (value == 0))


def _names(node: ast.Attribute | ast.Name, statement: ast.stmt, arguments: list[str]) -> Iterator[Replacement]:
    """Numpy's names that are taken for each other, and the other names that are at hand."""
    field = "attr" if isinstance(node, ast.Attribute) else "id"
    name = getattr(node, field)
    if name in _SIMILAR and (field == "attr" or name not in arguments):
        for other in _SIMILAR[name]:
            yield f"“{other}” stands where “{name}” belongs", _with(node, **{field: other})
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        for other in _others(name, statement, arguments):
            yield f"{_quoted(other, arguments)} stands where {_quoted(name, arguments)} belongs", _with(node, id=other)


_AXES = {-1: "last axis", -2: "last axis but one"}


def _sizes(
    node: ast.Subscript, shape: ast.Attribute, name: str, written_axis: ast.expr, statement: ast.stmt, arguments: list[str]
) -> Iterator[Replacement]:
    """The size of another array, or along another axis."""
    try:
        axis = int(ast.literal_eval(written_axis))
    except (ValueError, TypeError):
        return
    if axis not in _AXES:
        return
    right = f"the size of {_quoted(name, arguments)} along its {_AXES[axis]}"
    for other in (name, *_others(name, statement, arguments)):
        for index, words in _AXES.items():
            if (other, index) != (name, axis):
                wrong = _with(shape, value=ast.Name(other, ast.Load()))
                what = f"The size of {_quoted(other, arguments)} along its {words} stands where {right} belongs,"
                yield what, _with(node, value=wrong, slice=ast.UnaryOp(ast.USub(), ast.Constant(-index)))


def _calls(node: ast.Call) -> Iterator[Replacement]:
    for index, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            rest = [*node.keywords[:index], *node.keywords[index + 1 :]]
            yield f"“{keyword.arg}” is missing in the step {_step(node)}", _with(node, keywords=rest)
    starred = any(isinstance(one, ast.Starred) for one in node.args)
    if len(node.args) >= 2 and not starred:
        swapped = [node.args[1], node.args[0], *node.args[2:]]
        yield f"Two inputs of the step {_step(node)} are exchanged", _with(node, args=swapped)
    if isinstance(node.func, ast.Attribute) and not _is_numpy(node.func.value):
        yield f"The step {_step(node)} is left out", node.func.value
    elif node.args and not starred:
        yield f"The step {_step(node)} is left out", node.args[0]
        yield f"The step {_step(node)} is done twice", _with(node, args=[node, *node.args[1:]])


def _counts(node: ast.Call) -> Iterator[Replacement]:
    """Numbers that begin, end or run otherwise; triangles that lie otherwise."""
    if _name(node) in _COUNTS:
        yield "A count begins and ends one too far", ast.BinOp(node, ast.Add(), ast.Constant(1))
        yield "A count begins and ends one too early", ast.BinOp(node, ast.Sub(), ast.Constant(1))
        yield "A count runs backwards", ast.Subscript(node, ast.Slice(step=ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Load())
    if _name(node) in _TRIANGLES and not any(keyword.arg == "k" for keyword in node.keywords):
        for shift in (1, -1):
            yield "A diagonal is one off", _with(node, keywords=[*node.keywords, ast.keyword("k", ast.Constant(shift))])
        yield "A triangle is on the wrong side", ast.Attribute(node, "T", ast.Load())


def _with(node: Any, **fields: Any) -> Any:
    """A copy of a node with some fields replaced."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _others(name: str, statement: ast.stmt, arguments: list[str]) -> list[str]:
    """The names that could stand in the place of one: those read in the same statement, and the function's arguments."""
    nodes = list(ast.walk(statement))
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    read = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    possible = [one for one in dict.fromkeys([*read, *arguments]) if one not in called | {"np"} and not one.startswith("_")]
    return [other for other in possible if other != name] if name in possible and name not in _NO_VARIABLES else []


def _is_numpy(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "np"


def _name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""


def _step(node: ast.Call) -> str:
    return f"“{_name(node).strip('_').replace('_', ' ')}”"


def _quoted(name: str, arguments: list[str]) -> str:
    return f"`{name}`" if name in arguments else f"“{name}”"


def _where(statement: ast.stmt) -> str:
    """Where a statement stands, by what it makes."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AugAssign) else []
    names = list(dict.fromkeys(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)))
    if names:
        return f"where {' and '.join(f'“{name}”' for name in names[:3])} is made"
    if isinstance(statement, ast.Return):
        return "in what is returned"
    return "in a condition" if isinstance(statement, ast.If) else "on the way"
