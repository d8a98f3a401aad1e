"""Conversion of plain values to bytes and back; only plain values pass between a submission and a test.

The plain values are None, bool, int, float, str, list, tuple, dict with str keys, and numpy arrays and
scalars of the usual bool, integer and float dtypes, each of exactly that class. A fraction becomes the nearest
float; a description replaces any other value from a submission. Decoding builds only plain values: it looks
up no class and runs no code, and it trusts a length only if that many bytes follow.
"""

from __future__ import annotations

import io
import itertools
import math
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

MAX_DEPTH = 16
"""Maximum depth of nested containers; no result in the course is deeper."""

MAX_VALUES_PER_MESSAGE = 100_000
"""Maximum number of values in one message, including containers and their contents, so that a few bytes cannot claim a
lot of memory."""

MAX_NUMBERS_PER_MESSAGE = 1 << 18
"""Maximum count of numbers in all arrays of one message, four times the course's largest result; eight bytes of text
count as one number. This also limits how much work a test does to multiply two results, and how much memory a reply
takes."""

MAX_MESSAGE_BYTES = 8 << 20
"""Maximum size, in bytes, of one message."""

MAX_DESCRIPTION_CHARACTERS = 500
"""Maximum length, in characters, of the description that replaces a value."""

MAX_INT_BYTES = 64
"""Maximum size, in bytes, of an encoded Python integer."""

MAX_AXES = 16
"""Maximum number of axes in an encoded array."""

_COUNT, _FLOAT = struct.Struct("<I"), struct.Struct("<d")
_SHAPE_FORMATS = [struct.Struct(f"<{axes}Q") for axes in range(MAX_AXES + 1)]

_SPELLING_BY_DTYPE = {
    np.dtype(name): b"\x03" + np.dtype(name).str.encode("ascii")
    for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
}
"""The bytes that stand for each supported dtype, in this machine's byte order: the length of its name, and the name. C
types of the same kind and width (long, long long) count as one dtype."""

DEFAULT_INTEGER_TYPE_NUMBERS = {kind.num for kind in map(np.dtype, "ilq") if kind == np.dtype(int)}
"""numpy's type numbers for all signed C integer types that are as wide as the default integer. Default integers are
written as int64, which they are on nearly every machine, because a value must not depend on the machine."""

_DTYPE_BY_SPELLING = {spelling: dtype for dtype, spelling in _SPELLING_BY_DTYPE.items()}
_NUMPY_SCALAR_TYPES = frozenset(np.dtype(code).type for code in "?bhilqBHILQefd")
_CONSTANTS = {b"N": None, b"T": True, b"F": False}


class MalformedError(ValueError):
    """Raised for bytes that this encoder cannot have written, and for a value that is too large for a message."""


@dataclass(frozen=True, eq=False)
class Foreign:
    """A replacement for a value that cannot be encoded; `description` is text that the submission can control.

    No two replacements are equal, so a value that cannot be encoded never matches an expected one.
    """

    description: str

    def __repr__(self) -> str:
        """Return the description."""
        return self.description


def encode(value: object) -> bytes:
    """Return the bytes of a value.

    Parts that are not plain become Foreign; a value that is too large becomes a single Foreign.
    """
    try:
        return _Encoder().bytes_of(value)
    except MalformedError as error:
        return _Encoder().bytes_of(Foreign(str(error)))


def encode_request(*values: object) -> bytes:
    """Return the bytes of a request. Raise MalformedError if the request is too large.

    Only requests may contain a random number generator, which some of the course's functions take as an argument.
    """
    return _Encoder(request=True).bytes_of(values)


def decode(data: bytes, writeable: bool = True) -> Any:
    """Return the value that the bytes encode. Raise MalformedError if they are not an encoded value.

    With `writeable`, arrays are copied. Without it, the bytes come from a worker and must not contain a generator.
    """
    decoder = _Decoder(data, writeable)
    try:
        value = decoder.read(0)
    except (struct.error, UnicodeDecodeError) as error:
        raise MalformedError(f"cut short, or not text: {error.__class__.__name__}") from error
    if decoder.data.read(1):
        raise MalformedError("more bytes than the value")
    return value


class _Bounded:
    """A counter of the values and numbers in a message that is being encoded or decoded."""

    items = numbers = 0

    def count_value(self, depth: int) -> None:
        """Count one value, nested in `depth` containers. Raise MalformedError if a limit is exceeded."""
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_VALUES_PER_MESSAGE:
            raise MalformedError(f"{self.items:,} values in {depth} containers, too large to compare")

    def count_numbers(self, numbers: int, what: str, size: object) -> None:
        """Count more numbers. Raise MalformedError, worded with `what` and `size`, if the total is too large."""
        self.numbers += numbers
        if self.numbers > MAX_NUMBERS_PER_MESSAGE:
            raise MalformedError(f"{what} {size}, too large to compare")


def _size_ignoring_empty_axes(shape: tuple[int, ...]) -> int:
    """Return the number of entries in an array; in an empty array, each axis of length 0 counts as length 1.

    The result is a Python integer, so it cannot overflow.
    """
    return math.prod(shape) or math.prod(max(axis, 1) for axis in shape)


class _Encoder(_Bounded):
    def __init__(self, request: bool = False) -> None:
        self.request = request
        self.out: list[bytes] = []

    def bytes_of(self, value: object) -> bytes:
        self.write(value, 0)
        data = b"".join(self.out)
        if len(data) > MAX_MESSAGE_BYTES:
            raise MalformedError("very many bytes, too large to compare")
        return data

    def write(self, value: Any, depth: int) -> None:
        """Append a value by its exact type. Subclasses of plain types are foreign, so their methods never run."""
        self.count_value(depth)
        kind = type(value)
        if kind is np.ndarray or kind in _NUMPY_SCALAR_TYPES:
            self._array(b"a" if kind is np.ndarray else b"g", np.asarray(value))
        elif kind is float:
            self.out.append(b"d" + _FLOAT.pack(value))
        elif kind is str:
            # A lone surrogate becomes a question mark, because printing it later would fail.
            data = value.encode("utf-8", "replace")
            self.count_numbers(len(data) // 8, "a text of bytes:", len(data))
            self._counted(b"s", data)
        elif kind is int and (size := value.bit_length() // 8 + 1) <= MAX_INT_BYTES:
            self._counted(b"i", value.to_bytes(size, "little", signed=True))
        elif kind is list or kind is tuple:
            self._container(b"l" if kind is list else b"t", len(value), value, depth)
        elif kind is dict and all(type(key) is str for key in value):
            self._container(b"m", len(value), itertools.chain.from_iterable(value.items()), depth)
        elif value is None or kind is bool:
            self.out.append(b"N" if value is None else b"T" if value else b"F")
        elif kind is np.random.Generator and self.request and value.bit_generator.state["bit_generator"] == "PCG64":
            self.out.append(b"r")
            self.write(value.bit_generator.state, depth + 1)
        else:
            self._not_plain(value)

    def _not_plain(self, value: Any) -> None:
        """Append a fraction as the nearest float, and a description for any other value."""
        kind = type(value)
        if kind is Fraction and abs(value) <= sys.float_info.max:
            self.out.append(b"d" + _FLOAT.pack(float(value)))
        else:
            self._foreign(value.description if kind is Foreign else _kind_name(kind))

    def _container(self, tag: bytes, size: int, items: Iterable[Any], depth: int) -> None:
        self.out.append(tag + _COUNT.pack(size))
        for item in items:
            self.write(item, depth + 1)

    def _counted(self, tag: bytes, data: bytes) -> None:
        self.out.append(tag + _COUNT.pack(len(data)) + data)

    def _foreign(self, description: str) -> None:
        self._counted(b"!", description[:MAX_DESCRIPTION_CHARACTERS].encode("utf-8", "replace"))

    def _array(self, tag: bytes, value: np.ndarray) -> None:
        if value.dtype.num in DEFAULT_INTEGER_TYPE_NUMBERS:
            value = value.astype(np.int64, copy=False)
        spelling, axes = _SPELLING_BY_DTYPE.get(value.dtype), value.ndim
        if spelling is None or axes > MAX_AXES:
            self._foreign(f"an array of shape {value.shape}, dtype {value.dtype}")
            return
        # Count the numbers before writing them, because an array of equal numbers can be larger than any memory.
        self.count_numbers(_size_ignoring_empty_axes(value.shape), "an array of shape", value.shape)
        self.out.append(b"%c%b%c" % (tag, spelling, axes) + _SHAPE_FORMATS[axes].pack(*value.shape) + value.tobytes())


def _kind_name(kind: type) -> str:
    """Return a description of a class for a message."""
    if kind is int:
        return "a very long int"
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")[:120]


class _Decoder(_Bounded):
    def __init__(self, data: bytes, writeable: bool) -> None:
        self.data = io.BytesIO(data)
        self.writeable = writeable

    def read(self, depth: int) -> Any:
        self.count_value(depth)
        tag = self.data.read(1)
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag == b"a":
            return self._array()
        if tag == b"g" and (array := self._array()).ndim == 0:
            return array[()]
        if tag == b"d":
            return self._unpack(_FLOAT)[0]
        if tag == b"i" and len(data := self._bytes()) <= MAX_INT_BYTES:
            return int.from_bytes(data, "little", signed=True)
        if tag == b"s":
            return self._text()
        if tag == b"!":  # shorten and clean the description, since a submission could forge it
            description = self._text()[:MAX_DESCRIPTION_CHARACTERS]
            return Foreign("".join(character if character.isprintable() else "?" for character in description))
        if tag in (b"l", b"t"):
            items = self._items(self._unpack(_COUNT)[0], depth)
            return items if tag == b"l" else tuple(items)
        if tag == b"m":
            return self._dict(depth)
        return self._generator(tag, depth)

    def _items(self, count: int, depth: int) -> list[Any]:
        return [self.read(depth + 1) for _ in range(count)]

    def _dict(self, depth: int) -> dict[str, Any]:
        items = self._items(2 * self._unpack(_COUNT)[0], depth)
        if not all(type(key) is str for key in items[::2]):
            raise MalformedError("a dict with a key that is not text")
        return dict(zip(items[::2], items[1::2], strict=True))

    def _generator(self, tag: bytes, depth: int) -> np.random.Generator:
        """Return a random number generator, the only value that is allowed in requests but not in replies."""
        if tag == b"r" and self.writeable:  # a reply must not contain a generator
            bits = np.random.PCG64()
            bits.state = self.read(depth + 1)
            return np.random.Generator(bits)
        raise MalformedError(f"no value has the tag {tag!r} and what follows it")

    def _unpack(self, form: struct.Struct) -> tuple[Any, ...]:
        return form.unpack(self.data.read(form.size))

    def _bytes(self, size: int | None = None) -> bytes:
        """Return the next `size` bytes; without a size, read the number of bytes first."""
        expected: int = self._unpack(_COUNT)[0] if size is None else size
        data = self.data.read(expected)
        if len(data) < expected:
            raise MalformedError(f"{expected} bytes promised, {len(data)} available")
        return data

    def _text(self) -> str:
        data = self._bytes()
        self.count_numbers(len(data) // 8, "a text of bytes:", len(data))
        return str(data, "utf-8")

    def _array(self) -> np.ndarray:
        header = self.data.read(5)
        dtype, axes = _DTYPE_BY_SPELLING.get(header[:4]), header[4] if len(header) == 5 else MAX_AXES + 1
        if dtype is None or axes > MAX_AXES:
            raise MalformedError(f"an array of an unknown dtype, or of {axes} axes")
        shape = self._unpack(_SHAPE_FORMATS[axes])
        self.count_numbers(_size_ignoring_empty_axes(shape), "an array of shape", shape)
        data = self._bytes(math.prod(shape) * dtype.itemsize)
        if dtype.kind == "b":  # a bool is 0 or 1, but bytes from outside can have any value
            data = (np.frombuffer(data, np.uint8) != 0).tobytes()
        array = np.ndarray(shape, dtype, data)
        return array.copy() if self.writeable else array


NONE = encode(None)
