"""Plain values to bytes and back: what may cross between a submission and a test.

Plain is: None, bool, int, float, str, list, tuple, dict with str keys, numpy arrays and scalars of the usual bool,
integer and float dtypes, each of exactly that class. Whatever else a submission returns is opaque: described by name,
and no more. Decoding builds these values and nothing else: no class is looked up, no code runs, and a length is
believed only when that many bytes are really there.
"""

from __future__ import annotations

import io
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

_SPELLED = {
    np.dtype(name): b"\x03" + np.dtype(name).str.encode("ascii")
    for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
}
"""The dtypes that may cross, in this machine's byte order, and how each is written: the length of its name, and that.
Two names of C for one type (long, long long) are one."""

_DTYPES = {spelling: dtype for dtype, spelling in _SPELLED.items()}


class Malformed(ValueError):
    """Bytes that no encoder of ours wrote, or a value for which no message has room."""


@dataclass(frozen=True, eq=False)
class Foreign:
    """Stands where a value was that may not cross; `description` is text that the submission may control.

    No two are equal: what could not cross agrees with nothing.
    """

    description: str


def encode(value: object, request: bool = False) -> bytes:
    """The bytes of a plain value; what is not plain becomes a Foreign inside it, and a value that is too large one
    Foreign. Only a request may hold a generator of random numbers: one course function draws from it."""
    try:
        return _Encoder(request).bytes_of(value)
    except Malformed as error:
        return _Encoder(request).bytes_of(Foreign(str(error)))


def message(*values: object) -> bytes:
    """The bytes of some values side by side. Raises Malformed where no message has room for them."""
    return _Encoder(request=True).bytes_of(values)


def decode(data: bytes, writeable: bool = True) -> Any:
    """The value of some bytes. Raises Malformed for what is none.

    Arrays are copied where they are to be `writeable`. Where not, the bytes came from a worker, and hold no generator.
    """
    decoder = _Decoder(data, writeable)
    try:
        value = decoder.read(0)
    except (struct.error, UnicodeDecodeError) as error:
        raise Malformed(f"cut short, or no text: {error.__class__.__name__}") from error
    if decoder.data.read(1):
        raise Malformed("more bytes than the value")
    return value


class _Bounded:
    """Counts what one message holds, on its way in or out."""

    items = numbers = 0

    def enter(self, depth: int) -> None:
        """One more value, in so many containers."""
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            raise Malformed(f"{self.items:,} values in {depth} containers, too large to compare")

    def grow(self, numbers: int, what: str, size: object) -> None:
        """So many more numbers."""
        self.numbers += numbers
        if self.numbers > MAX_NUMBERS:
            raise Malformed(f"{what} {size}, too large to compare")


def _extent(shape: tuple[int, ...]) -> int:
    """Numbers of an array, or the steps of a loop over its axes where one of them is empty. In Python's own integers: a
    product that would overflow is simply too large."""
    return math.prod(shape) or math.prod(max(axis, 1) for axis in shape)


class _Encoder(_Bounded):
    def __init__(self, request: bool) -> None:
        self.request = request
        self.out: list[bytes] = []

    def bytes_of(self, value: object) -> bytes:
        self.write(value, 0)
        data = b"".join(self.out)
        if len(data) > MAX_BYTES:
            raise Malformed("very many bytes, too large to compare")
        return data

    def write(self, value: Any, depth: int) -> None:
        self.enter(depth)
        writer = _WRITERS.get(type(value))
        if writer is not None:
            writer(self, value, depth)
        else:  # the value itself is asked nothing
            kind = type(value)
            self.foreign(f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")[:120])

    def foreign(self, description: str) -> None:
        self._bytes(b"!", description[:MAX_DESCRIPTION].encode("utf-8", "replace"))

    def _bytes(self, tag: bytes, data: bytes) -> None:
        self.out.append(tag + _COUNT.pack(len(data)) + data)

    def _constant(self, value: bool | None, depth: int) -> None:
        self.out.append(b"N" if value is None else b"T" if value else b"F")

    def _int(self, value: int, depth: int) -> None:
        size = value.bit_length() // 8 + 1
        if size > MAX_INT_BYTES:
            self.foreign("an int too large to compare")
        else:
            self._bytes(b"i", value.to_bytes(size, "little", signed=True))

    def _float(self, value: float, depth: int) -> None:
        self.out.append(b"d" + _FLOAT.pack(value))

    def _str(self, value: str, depth: int) -> None:
        """Half a surrogate pair is a question mark: later, somebody would fail to print it."""
        data = value.encode("utf-8", "replace")
        self.grow(len(data) // 8, "a text of bytes:", len(data))
        self._bytes(b"s", data)

    def _sequence(self, value: list[Any] | tuple[Any, ...], depth: int) -> None:
        self.out.append((b"l" if type(value) is list else b"t") + _COUNT.pack(len(value)))
        for item in value:
            self.write(item, depth + 1)

    def _dict(self, value: dict[Any, Any], depth: int) -> None:
        if not all(type(key) is str for key in value):
            self.foreign("a dict whose keys are not all texts")
            return
        self.out.append(b"m" + _COUNT.pack(len(value)))
        for key, item in value.items():
            self.write(key, depth + 1)
            self.write(item, depth + 1)

    def _generator(self, value: np.random.Generator, depth: int) -> None:
        state = value.bit_generator.state
        if not self.request or state["bit_generator"] != "PCG64":
            self.foreign("numpy.random.Generator")
            return
        self.out.append(b"r")
        self.write(state, depth + 1)

    def _array(self, value: np.ndarray, depth: int, tag: bytes = b"a") -> None:
        spelling, axes = _SPELLED.get(value.dtype), value.ndim
        if spelling is None or axes > MAX_AXES:
            self.foreign(f"an array of shape {value.shape}, dtype {value.dtype}")
            return
        # Before the numbers are laid out: an array of equal ones may exceed any memory.
        self.grow(_extent(value.shape), "an array of shape", value.shape)
        self.out.append(b"%c%b%c" % (tag, spelling, axes) + _SHAPES[axes].pack(*value.shape) + value.tobytes())

    def _scalar(self, value: np.generic, depth: int) -> None:
        self._array(np.asarray(value), depth, b"g")


_WRITERS: dict[type, Callable[[_Encoder, Any, int], None]] = {
    **dict.fromkeys((type(None), bool), _Encoder._constant),
    int: _Encoder._int,
    float: _Encoder._float,
    str: _Encoder._str,
    **dict.fromkeys((list, tuple), _Encoder._sequence),
    dict: _Encoder._dict,
    np.random.Generator: _Encoder._generator,
    np.ndarray: _Encoder._array,
    **dict.fromkeys((dtype.type for dtype in map(np.dtype, "?bhilqBHILQefd")), _Encoder._scalar),
    Foreign: lambda encoder, value, depth: encoder.foreign(value.description),
}
"""By the exact type: a class that a submission derives from one of these is foreign."""


class _Decoder(_Bounded):
    def __init__(self, data: bytes, writeable: bool) -> None:
        self.data = io.BytesIO(data)
        self.writeable = writeable

    def read(self, depth: int) -> Any:
        self.enter(depth)
        reader = _READERS.get(self.data.read(1))
        if reader is None:
            raise Malformed("an unknown tag")
        return reader(self, depth)

    def unpack(self, form: struct.Struct) -> tuple[Any, ...]:
        return form.unpack(self.data.read(form.size))

    def bytes(self, size: int | None = None) -> bytes:
        """So many bytes; as many as stands in front of them, where no size is named."""
        wanted: int = self.unpack(_COUNT)[0] if size is None else size
        data = self.data.read(wanted)
        if len(data) < wanted:
            raise Malformed(f"{wanted} bytes promised, {len(data)} there")
        return data

    def items_in(self, depth: int, each: int = 1) -> list[Any]:
        """The values of a container, where each of its entries is so many."""
        return [self.read(depth + 1) for _ in range(each * self.unpack(_COUNT)[0])]

    def _int(self, depth: int) -> int:
        data = self.bytes()
        if len(data) > MAX_INT_BYTES:
            raise Malformed(f"an int of {len(data)} bytes")
        return int.from_bytes(data, "little", signed=True)

    def _text(self, depth: int) -> str:
        data = self.bytes()
        self.grow(len(data) // 8, "a text of bytes:", len(data))
        return str(data, "utf-8")

    def _foreign(self, depth: int) -> Foreign:
        """Its description is cut and cleaned here, where nobody can keep it from that."""
        description = self._text(depth)[:MAX_DESCRIPTION]
        return Foreign("".join(character if character.isprintable() else "?" for character in description))

    def _dict(self, depth: int) -> dict[str, Any]:
        items = self.items_in(depth, 2)
        if not all(type(key) is str for key in items[::2]):
            raise Malformed("a dict key that is not text")
        return dict(zip(items[::2], items[1::2], strict=True))

    def _generator(self, depth: int) -> np.random.Generator:
        """As numpy's own default, in the state that was sent. A reply cannot hold one."""
        if not self.writeable:
            raise Malformed("a generator of random numbers")
        bits = np.random.PCG64()
        bits.state = self.read(depth + 1)
        return np.random.Generator(bits)

    def _array(self, depth: int) -> np.ndarray:
        header = self.bytes(5)
        dtype, axes = _DTYPES.get(header[:4]), header[4]
        if dtype is None or axes > MAX_AXES:
            raise Malformed(f"an array of an unknown dtype, or of {axes} axes")
        shape = self.unpack(_SHAPES[axes])
        self.grow(_extent(shape), "an array of shape", shape)
        data = self.bytes(math.prod(shape) * dtype.itemsize)
        if dtype.kind == "b":  # a view could make a bool of any byte
            array = np.ndarray(shape, np.uint8, data).astype(bool)
        else:
            array = np.ndarray(shape, dtype, data)
            array = array.copy() if self.writeable else array
        array.flags.writeable = self.writeable
        return array

    def _scalar(self, depth: int) -> Any:
        array = self._array(depth)
        if array.ndim:
            raise Malformed("a scalar with axes")
        return array[()]


_READERS: dict[bytes, Callable[[_Decoder, int], Any]] = {
    b"N": lambda decoder, depth: None,
    b"T": lambda decoder, depth: True,
    b"F": lambda decoder, depth: False,
    b"i": _Decoder._int,
    b"d": lambda decoder, depth: decoder.unpack(_FLOAT)[0],
    b"s": _Decoder._text,
    b"!": _Decoder._foreign,
    b"r": _Decoder._generator,
    b"l": _Decoder.items_in,
    b"t": lambda decoder, depth: tuple(decoder.items_in(depth)),
    b"m": _Decoder._dict,
    b"a": _Decoder._array,
    b"g": _Decoder._scalar,
}

NONE = encode(None)
