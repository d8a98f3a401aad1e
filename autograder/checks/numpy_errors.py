"""Explanations of numpy exceptions: the shapes involved, and the rule.

numpy prints shapes without spaces, calls axes "dimensions" and describes matrix products with gufunc signatures. For
students who do not know these terms, this module adds a sentence that explains the message.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable

_SHAPE = r"\(([\d, ]*)\)"
"""Pattern of a shape in a message of numpy. A student's message may use the same words, but no sizes: "shape (n,)"."""


def explanation(message: str, line: int | None = None) -> str:
    """Return a sentence that explains numpy's message, or an empty string if the table does not cover it.

    `line` is the line of the student's file that raised the exception.
    """
    for pattern, explain in _EXPLANATIONS:
        if match := pattern.search(message):
            words = explain(*match.groups()) if callable(explain) else explain.format(*match.groups())
            return f"Line {line}: {words}." if line else f"{words[:1].upper()}{words[1:]}."
    return ""


def _shapes(text: str) -> list[tuple[int, ...]]:
    """Return the original shapes in numpy's message, without the remapped shapes, which follow an arrow."""
    originals = re.findall(rf"(?<!->){_SHAPE}", text, re.ASCII)
    return [tuple(map(int, re.findall(r"\d+", sizes))) for sizes in originals]


def _joined(shapes: list[tuple[int, ...]]) -> str:
    return " and ".join(map(str, shapes))


def _clash(shapes: list[tuple[int, ...]]) -> str:
    """Return the clashing sizes on the last axis where shapes do not broadcast, or an empty string if all do."""
    for sizes in itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1):
        different = sorted({size for size in sizes if size != 1}, key=sizes.index)
        if len(different) > 1:
            return f"{different[0]} meets {different[1]}"
    return ""


def _broadcast(text: str) -> str:
    shapes = _shapes(text)
    if "requested shape" in text and "->" in text:  # in matrix products, the last two axes follow a different rule
        clash = _clash([shape[:-2] for shape in shapes[:2]])
        return f"the leading axes of the shapes {_joined(shapes[:2])} do not fit: {clash}, and neither is 1"
    if "->" in text:  # einsum: one letter stands for two sizes
        return f"in einsum, one letter stands for axes of different sizes of the shapes {_joined(shapes)}"
    met = f"shapes {_joined(shapes)} do not fit together"
    clash = _clash(shapes)
    return f"{met}: compared from the last axis, {clash}, and neither is 1" if clash else met


def _assigned(values: str, target: str) -> str:
    value, room = _shapes(f"({values})")[0], _shapes(f"({target})")[0]
    return f"values of shape {value} are assigned to a part of an array that has shape {room}"


def _in_place_shapes(target: str, result: str) -> str:
    array, broadcast = _shapes(f"({target})")[0], _shapes(f"({result})")[0]
    return f"a result of shape {broadcast} cannot replace an array of shape {array} in place: write x = x + y"


def _not_aligned(first: str, second: str) -> str:
    shapes = _shapes(f"({first}) ({second})")
    return f"the shapes {_joined(shapes)} meet in a product, which needs equal sizes on the axes that it sums over"


def _reshaped(size: str, shape: str) -> str:
    sizes = [int(part) if part.isdigit() else -1 for part in re.findall(r"\w+", shape, re.ASCII)]
    product = math.prod(each for each in sizes if each != -1)
    return f"an array of {size} numbers does not fill shape {tuple(sizes)}: these sizes multiply to {product}"


def _out_of_bounds(index: str, axis: str, size: str) -> str:
    return f"index {index} is not on axis {axis}, which has {size} entries: the last index is {int(size) - 1}"


_EXPLANATION_TABLE: list[tuple[str, str | Callable[..., str]]] = [
    # Broadcasting
    (r"operands could not be broadcast together with (?:remapped )?shapes? (.*)", _broadcast),
    (r"objects cannot be broadcast to a single shape\.(.*)", _broadcast),
    (r"indexing arrays could not be broadcast together with shapes (.*)", _broadcast),
    (rf"could not broadcast input array from shape {_SHAPE} into shape {_SHAPE}", _assigned),
    (rf"value array of shape {_SHAPE} could not be broadcast to indexing result of shape {_SHAPE}", _assigned),
    (rf"output operand with shape {_SHAPE} doesn't match the broadcast shape {_SHAPE}", _in_place_shapes),
    # Products of matrices
    (
        r"Input operand \d has a mismatch in its core .*\(size (\d+) is different from (\d+)\)",
        "a @ b needs as many columns of a as rows of b: a has {1} columns, b has {0} rows (.T reverses all axes;"
        " np.swapaxes(b, -1, -2) swaps the last two)",
    ),
    (r"Input operand 1 does not have enough", "the right side of @ is a single number, but @ multiplies arrays: use *"),
    (r"Input operand 0 does not have enough", "the left side of @ is a single number, but @ multiplies arrays: use *"),
    (rf"shapes {_SHAPE} and {_SHAPE} not aligned", _not_aligned),
    (r"array is not broadcastable to correct shape", "values do not broadcast to the shape of the array they change"),
    (r"shape-mismatch for sum", "tensordot sums over axes of different sizes"),
    (r"einstein sum subscripts string contains too many subscripts", "einsum names more axes than an array has"),
    (r"operand has more dimensions than subscripts", "einsum names fewer axes than an array has: begin with ..."),
    # Indices and masks
    (
        r"did not match indexed array along \w+ (\d+); .*? is (\d+) but .*? is (\d+)",
        "a mask with {2} entries is used on axis {0}, where the array has {1} (np.where(mask, x, y) broadcasts a mask;"
        " an index does not)",
    ),
    (
        r"cannot assign (\d+) input values to the (\d+) output values where the mask is true",
        "the mask is True at {1} entries, but {0} values are assigned there",
    ),
    (r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)", _out_of_bounds),
    (
        r"too many indices for array: array is (\d+)-dimensional, but (\d+) were indexed",
        "an array with {0} axes is indexed with {1} indices",
    ),
    (
        r"only integer scalar arrays can be converted to a scalar index"
        r"|arrays used as indices must be of integer|only integers, slices|`indices` must be an integer array",
        "an index must be a whole number, a slice, or an array of whole numbers or booleans",
    ),
    (
        r"invalid index to scalar variable|len\(\) of unsized object|iteration over a 0-d array",
        "a single number has no entries",
    ),
    (
        r"`indices` and `arr` must have the same number of dimensions",
        "the indices need as many axes as the array: np.expand_dims adds one",
    ),
    # Axes and shapes
    (r"cannot reshape array of size (\d+) into shape \(([\w, -]*)\)", _reshaped),
    (
        r"axis (-?\d+) is out of bounds for array of dimension (\d+)",
        "axis {0} does not exist: the number of axes is {1}, and the first is axis 0",
    ),
    (r"axes don't match array", "transpose names a different number of axes from what the array has"),
    (r"array split does not result in an equal division", "the axis cannot be cut into parts of equal size"),
    (r"cannot select an axis to squeeze out which has size not equal to one", "squeeze removes only axes of size 1"),
    (
        r"along dimension (\d+), the array at index (\d+) has size (\d+) and .* (\d+) has size (\d+)",
        "joined arrays may differ only in the axis along which they are joined: on axis {0}, {2} meets {4}",
    ),
    (
        r"the array at index (\d+) has (\d+) dimension\(s\) and the array at index (\d+) has (\d+)",
        "joined arrays need the same number of axes: {1} meets {3}",
    ),
    (r"all input arrays must have the same shape", "stacked arrays need the same shape"),
    (r"need at least one array", "there is nothing to join: the list is empty"),
    (r"inhomogeneous shape", "a nested list has rows of different lengths, or arrays of different shapes"),
    (r"negative dimensions are not allowed", "a size is negative"),
    # Numbers and types
    (
        r"truth value of an array with more than one element",
        "an array of several values is neither True nor False (`is None` tests whether an argument was passed, and"
        " np.where chooses entry by entry)",
    ),
    (
        r"only .*arrays can be converted to Python scalars|can only convert an array of size 1",
        "an array is used where a single number is needed",
    ),
    (
        r"Cannot cast ufunc '\w+' output from dtype\('(\w+)'\) to dtype\('(\w+)'\)",
        "a {0} result cannot be stored in a {1} array: write x = x + y, or make x a float array first",
    ),
    (r"assignment destination is read-only|output array is read-only", "this array cannot be changed: copy it first"),
    (r"Cannot cast array data from dtype\('(\w+)'\) to dtype\('(\w+)'\)", "{0} values are used where {1} is needed"),
    (r"larger sample than population", "there are fewer values than are drawn without replacement"),
    (r"index can't contain negative values", "np.pad was called with a negative number of rows"),
    (r"Integers to negative integer powers", "whole numbers have no negative powers in numpy: write 2.0 ** x"),
    (
        r"ufunc '(invert|bitwise_\w+|left_shift|right_shift)' not supported for the input types",
        "{0} works only on whole numbers or booleans",
    ),
    (r"ufunc '(\w+)' not supported for the input types", "{0} does not work on values of this type"),
    (r"boolean subtract", "booleans cannot be subtracted: a != b shows where they differ"),
    (r"boolean negative", "booleans have no sign: ~mask is True where a mask is False"),
    (r"zero-size array to reduction operation (\w+)", "the {0} of no values is not defined: an axis is empty"),
    (r"attempt to get (\w+) of an empty sequence", "the {0} of no values is not defined: an axis is empty"),
    (r"'float' object cannot be interpreted as an integer", "a whole number is needed: // returns one, / does not"),
]

_EXPLANATIONS = [(re.compile(pattern, re.ASCII), explain) for pattern, explain in _EXPLANATION_TABLE]
