"""Plain values to bytes and back: what may cross between a submission and a test.

Plain is: None, bool, int, float, str, list, tuple, dict with str keys, numpy arrays of the usual bool, integer, float
and complex dtypes and numpy scalars of the real ones, each of exactly that class. Whatever else a submission returns is
opaque: described by name, and no more. Decoding builds these values and nothing else: no class is looked up, no code
runs, and a length is believed only when that many bytes are really there.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

MAX_DEPTH = 16
"""Containers nested deeper than this are no answer to any question of the course."""

MAX_ITEMS = 100_000
"""Values in one message, containers counted with their contents: bounds the memory that small bytes can ask for."""

MAX_NUMBERS = 1 << 18
"""Numbers in all arrays of one message together, four times the largest result of the course, and eight bytes of text
count as one: bounds what a test that multiplies two results can be made to compute, and the memory of a reply."""

MAX_BYTES = 8 << 20
"""Bytes of one message."""

MAX_DESCRIPTION = 500
"""Characters of the words for a value that may not cross. All of them are printable."""

MAX_INT_BYTES = 64
MAX_AXES = 16

_COUNT, _FLOAT = struct.Struct("<I"), struct.Struct("<d")
_SHAPES = [struct.Struct(f"<{axes}Q") for axes in range(MAX_AXES + 1)]

_DTYPES = {
    np.dtype(name).str.encode("ascii"): np.dtype(name)
    for name in """
        bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128
    """.split()
}
_SPELLED = {dtype: spelling for spelling, dtype in _DTYPES.items()}
"""The dtypes that may cross, in this machine's byte order. Two names of C for one type (long, long long) are one."""

_SCALAR_TYPES = frozenset(scalar for scalar in np.sctypeDict.values() if np.dtype(scalar).kind in "biuf")


class Malformed(ValueError):
    """Bytes that no encoder of ours wrote."""


class _TooLarge(Exception):
    """A value that no message has room for; says in words what it is."""


@dataclass(frozen=True, eq=False)
class Foreign:
    """Stands where a value was that may not cross; `description` is text that the submission may control.

    No two are equal: what could not cross agrees with nothing.
    """

    description: str


def describe(value: object) -> str:
    """A few harmless words for a value of a wrong type, asking the value itself nothing."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}" if kind.__module__ != "builtins" else kind.__qualname__
    return _printable(name[:120])


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)


def encode(value: object, request: bool = False) -> bytes:
    """The bytes of a plain value; what is not plain becomes a Foreign inside it, and a value that is too large one
    Foreign. Only a request may hold a generator of random numbers: one course function draws from it."""
    encoder = _Encoder(request)
    try:
        encoder.write(value, 0)
    except _TooLarge as error:
        encoder = _Encoder(request)
        encoder.foreign(f"{error}, too large to compare")
    return b"".join(encoder.out)


def message(*values: object) -> bytes:
    """The bytes of some values side by side. Raises ValueError where no message has room for them."""
    data = encode(values, request=True)
    if data[:1] != b"t":
        raise ValueError(f"{decode(data).description}: no request can carry that")
    return data


def _extent(shape: tuple[int, ...]) -> int:
    """Numbers of an array, or the steps of a loop over its axes where one of them is empty. In Python's own integers: a
    product that would overflow is simply too large."""
    return math.prod(max(axis, 1) for axis in shape)


class _Encoder:
    def __init__(self, request: bool) -> None:
        self.request = request
        self.out: list[bytes] = []
        self.items = self.numbers = self.bytes = 0

    def write(self, value: Any, depth: int) -> None:
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            raise _TooLarge("containers in containers" if depth > MAX_DEPTH else "very many values")
        _WRITERS.get(type(value), _Encoder._other)(self, value, depth)

    def foreign(self, description: str) -> None:
        self._text(b"!", _printable(description)[:MAX_DESCRIPTION].encode("utf-8"))

    def _put(self, data: bytes) -> None:
        self.bytes += len(data)
        if self.bytes > MAX_BYTES:
            raise _TooLarge("very many bytes")
        self.out.append(data)

    def _other(self, value: object, depth: int) -> None:
        self.foreign(describe(value))

    def _generator(self, value: np.random.Generator, depth: int) -> None:
        state = value.bit_generator.state
        if not self.request or state["bit_generator"] != "PCG64":
            self.foreign(describe(value))
            return
        self._put(b"r")
        self.write([state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]], depth)

    def _int(self, value: int, depth: int) -> None:
        size = value.bit_length() // 8 + 1
        if size > MAX_INT_BYTES:
            self.foreign("an int too large to compare")
        else:
            self._put(b"i" + _COUNT.pack(size) + value.to_bytes(size, "little", signed=True))

    def _text(self, tag: bytes, data: bytes) -> None:
        self.numbers += len(data) // 8
        if self.numbers > MAX_NUMBERS:
            raise _TooLarge(f"a text of {len(data):,} bytes")
        self._put(tag + _COUNT.pack(len(data)) + data)

    def _str(self, value: str, depth: int) -> None:
        if _is_unicode(value):
            self._text(b"s", value.encode("utf-8"))
        else:
            self.foreign("a str that is not Unicode text")

    def _sequence(self, value: list[Any] | tuple[Any, ...], depth: int) -> None:
        items = list(value)
        self._put((b"l" if type(value) is list else b"t") + _COUNT.pack(len(items)))
        for item in items:
            self.write(item, depth + 1)

    def _dict(self, value: dict[Any, Any], depth: int) -> None:
        pairs = list(value.items())
        if not all(type(key) is str and _is_unicode(key) for key, _ in pairs):
            self.foreign("a dict whose keys are not all texts")
            return
        self._put(b"m" + _COUNT.pack(len(pairs)))
        for key, item in pairs:
            self.write(key, depth + 1)
            self.write(item, depth + 1)

    def _array(self, value: np.ndarray, depth: int, tag: bytes = b"a") -> None:
        spelling, axes = _SPELLED.get(value.dtype), value.ndim
        if spelling is None or axes > MAX_AXES:
            what = f"dtype {value.dtype.str!r}" if spelling is None else f"{axes} axes"
            self.foreign(f"an array of {what}")
            return
        self.numbers += _extent(value.shape)
        # Asked before the numbers are laid out: an array of equal numbers may be larger than any memory.
        if self.numbers > MAX_NUMBERS:
            raise _TooLarge(f"an array of shape {value.shape}")
        header = b"%c%c%b%c" % (tag, len(spelling), spelling, axes)
        self._put(header + _SHAPES[axes].pack(*value.shape) + value.tobytes())

    def _scalar(self, value: np.generic, depth: int) -> None:
        self._array(np.asarray(value), depth, b"g")


_WRITERS: dict[type, Callable[[_Encoder, Any, int], None]] = {
    type(None): lambda encoder, value, depth: encoder._put(b"N"),
    bool: lambda encoder, value, depth: encoder._put(b"T" if value else b"F"),
    int: _Encoder._int,
    float: lambda encoder, value, depth: encoder._put(b"d" + _FLOAT.pack(value)),
    str: _Encoder._str,
    list: _Encoder._sequence,
    tuple: _Encoder._sequence,
    dict: _Encoder._dict,
    np.random.Generator: _Encoder._generator,
    np.ndarray: _Encoder._array,
    **dict.fromkeys(_SCALAR_TYPES, _Encoder._scalar),
    Foreign: lambda encoder, value, depth: encoder.foreign(value.description),
}
"""By the exact type: a class that a submission derives from one of these is foreign."""


NONE = encode(None)


def _is_unicode(text: str) -> bool:
    """Whether it holds no half of a surrogate pair: later, somebody would fail to print it."""
    try:
        return text.isascii() or bool(text.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def decode(data: bytes, writeable: bool = True) -> Any:
    """The value of some bytes. Raises Malformed for what is none.

    Arrays are copied where they are to be `writeable`. Where not, the bytes came from a worker, and hold no generator.
    """
    if len(data) > MAX_BYTES:
        raise Malformed(f"{len(data)} bytes")
    decoder = _Decoder(data, writeable)
    try:
        value = decoder.read(0)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise Malformed(f"cut short, or no text: {error.__class__.__name__}") from error
    if decoder.at != len(data):
        raise Malformed(f"{len(data) - decoder.at} bytes too many")
    return value


class _Decoder:
    def __init__(self, data: bytes, writeable: bool) -> None:
        self.data = data
        self.writeable = writeable
        self.at = self.items = self.numbers = 0

    def read(self, depth: int) -> Any:
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            raise Malformed("nested too deep, or too many values")
        reader = _READERS.get(self._byte())
        if reader is None:
            raise Malformed("an unknown tag")
        return reader(self, depth)

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _take(self, size: int) -> bytes:
        begin = self.at
        if size > len(self.data) - begin:
            raise Malformed(f"{size} bytes promised, {len(self.data) - begin} there")
        self.at = begin + size
        return self.data[begin : self.at]

    def _unpack(self, form: struct.Struct) -> tuple[Any, ...]:
        begin = self.at
        self.at = begin + form.size
        return form.unpack_from(self.data, begin)

    def _count(self) -> int:
        """How many bytes follow, or values of at least a byte."""
        count: int = self._unpack(_COUNT)[0]
        if count > len(self.data) - self.at:
            raise Malformed(f"{count} promised in {len(self.data) - self.at} bytes")
        return count

    def _generator(self, depth: int) -> np.random.Generator:
        """As numpy's own default, in the state that was sent. A reply cannot hold one."""
        if not self.writeable:
            raise Malformed("a generator of random numbers")
        state, inc, has_uint32, uinteger = self.read(depth)
        bits = np.random.PCG64()
        both: Any = {"state": state, "inc": inc}
        bits.state = {"bit_generator": "PCG64", "state": both, "has_uint32": has_uint32, "uinteger": uinteger}
        return np.random.Generator(bits)

    def _float(self, depth: int) -> float:
        value: float = self._unpack(_FLOAT)[0]
        return value

    def _int(self, depth: int) -> int:
        size = self._count()
        if size > MAX_INT_BYTES:
            raise Malformed(f"an int of {size} bytes")
        return int.from_bytes(self._take(size), "little", signed=True)

    def _text(self, depth: int) -> str:
        size = self._count()
        self.numbers += size // 8
        if self.numbers > MAX_NUMBERS:
            raise Malformed(f"a text of {size} bytes")
        return str(self._take(size), "utf-8")

    def _foreign(self, depth: int) -> Foreign:
        description = self._text(depth)
        if len(description) > MAX_DESCRIPTION or not description.isprintable():
            raise Malformed("a description that is none of ours")
        return Foreign(description)

    def _list(self, depth: int) -> list[Any]:
        return [self.read(depth + 1) for _ in range(self._count())]

    def _dict(self, depth: int) -> dict[str, Any]:
        pairs = [(self.read(depth + 1), self.read(depth + 1)) for _ in range(self._count())]
        if not all(type(key) is str for key, _ in pairs):
            raise Malformed("a dict key that is not text")
        return dict(pairs)

    def _array(self, depth: int) -> np.ndarray:
        dtype = _DTYPES.get(self._take(self._byte()))
        axes = self._byte()
        if dtype is None or axes > MAX_AXES:
            raise Malformed(f"an array of an unknown dtype, or of {axes} axes")
        shape = self._unpack(_SHAPES[axes])
        self.numbers += _extent(shape)
        if self.numbers > MAX_NUMBERS:
            raise Malformed(f"an array of shape {shape}")
        try:
            array = np.ndarray(shape, dtype, self._take(math.prod(shape) * dtype.itemsize))
        except ValueError as error:
            raise Malformed(f"an array of shape {shape}") from error
        if dtype.kind == "b":
            array = np.asarray(array.view(np.uint8) != 0)  # a view can make a bool of any byte
        array = array.copy() if self.writeable else array
        array.flags.writeable = self.writeable
        return array

    def _scalar(self, depth: int) -> np.generic:
        array = self._array(depth)
        if array.ndim or array.dtype.kind == "c":
            raise Malformed("no numpy scalar")
        return array.flat[0]  # type: ignore[no-any-return]


_READERS: dict[int, Callable[[_Decoder, int], Any]] = {
    ord("N"): lambda decoder, depth: None,
    ord("T"): lambda decoder, depth: True,
    ord("F"): lambda decoder, depth: False,
    ord("i"): _Decoder._int,
    ord("d"): _Decoder._float,
    ord("s"): _Decoder._text,
    ord("!"): _Decoder._foreign,
    ord("r"): _Decoder._generator,
    ord("l"): _Decoder._list,
    ord("t"): lambda decoder, depth: tuple(decoder._list(depth)),
    ord("m"): _Decoder._dict,
    ord("a"): _Decoder._array,
    ord("g"): _Decoder._scalar,
}
