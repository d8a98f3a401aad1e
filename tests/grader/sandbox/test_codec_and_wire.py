"""Tests of the codec and the wire: only permitted values arrive, and they arrive unchanged."""

from __future__ import annotations

import dataclasses
import decimal
import enum
import functools
import gc
import types
from fractions import Fraction
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.protocol import codec
from autograder.protocol.call import Call, Raised, Reply, perform
from autograder.protocol.codec import Foreign, MalformedError, decode, encode, encode_request
from autograder.sandbox import wire
from autograder.sandbox.limits import bounded_memory
from tests.grader.support.example_counts import examples

with_100_examples = examples(100)

NUMBER_DTYPES = "?bBhHiIlLefd"

texts = st.text(st.characters(exclude_categories=["Cs"]))
plain_arrays = arrays.arrays(
    st.sampled_from(NUMBER_DTYPES), arrays.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4)
)
scalars = plain_arrays.filter(lambda array: array.size).map(lambda array: array.flat[0])
numbers = st.booleans() | st.integers(-(2**500), 2**500) | st.floats() | scalars


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=4)
    return lists | lists.map(tuple) | st.dictionaries(texts, inner, max_size=4)


plain = st.recursive(st.none() | numbers | texts | plain_arrays, containers, max_leaves=20)


def is_same(arrived: Any, sent: Any) -> bool:
    """Return True if two values have the same type, dtype, shape and bits, where any two NaNs count as equal."""
    if type(arrived) is not type(sent):
        return False
    if isinstance(sent, np.ndarray | np.generic):
        return (
            arrived.dtype == sent.dtype
            and arrived.shape == sent.shape
            and np.array_equal(arrived, sent, equal_nan=True)
        )
    if isinstance(sent, list | tuple | dict):
        pairs = (arrived.items(), sent.items()) if isinstance(sent, dict) else (arrived, sent)
        return len(arrived) == len(sent) and all(map(is_same, *pairs))
    return repr(arrived) == repr(sent)


class FloatSubclass(float):
    pass


class AlwaysEqualArray(np.ndarray):
    def __array_ufunc__(self, *args: object, **kwargs: object) -> bool:
        return True

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return True


class AnswerEnum(enum.IntEnum):
    YES = 1


FOREIGN = [
    *(
        object(),
        FloatSubclass(1.0),
        AnswerEnum.YES,
        decimal.Decimal(1),
        b"bytes",
        {1.0, 2.0},
        range(3),
        slice(3),
        ...,
        np,
        type,
    ),
    *(1j, np.complex128(1j), np.longdouble(1), np.str_("a"), np.datetime64("2020-01-01"), 2**600),
    *({1: 2}, np.zeros(2, "complex64"), iter([1]), lambda: None, Foreign, Exception("no"), memoryview(b"a")),
    *(
        np.arange(3.0).view(AlwaysEqualArray),
        np.ma.masked_array([1.0, 2.0], mask=[True, False]),
        np.zeros((1, 1)).view(np.matrix),
    ),
    *(np.array([1.0, None], dtype=object), np.array(["a"]), np.zeros(2, dtype=[("a", "f8")]), np.zeros((1,) * 17)),
    *(np.array(["2020-01-01"], dtype="datetime64[D]"), np.zeros(2, ">f8"), np.zeros(2, np.clongdouble)),
]


@with_100_examples
@given(plain)
@example(np.zeros((2, 0, 4)))
@example(np.float64("nan"))
@example(-0.0)
@example(np.array(-0.0))
def test_a_plain_value_arrives_as_it_was(value: Any) -> None:
    assert is_same(decode(encode(value)), value)


def test_what_is_not_plain_is_described_and_goes_no_further() -> None:
    """A value that is not plain is replaced by a description, which is equal to no other value."""
    for value in FOREIGN:
        for described in (decode(encode(value)), decode(encode([value]))[0], decode(encode({"a": (value,)}))["a"][0]):
            assert type(described) is Foreign
            assert described.description.isprintable()
            assert 0 < len(described.description) < 200
            assert described != decode(encode(value))


@with_100_examples
@given(st.fractions())
@example(Fraction(5, 9))
def test_a_fraction_arrives_as_the_nearest_float(value: Fraction) -> None:
    assert is_same(decode(encode({"a": [value]})), {"a": [float(value)]})


@pytest.mark.parametrize("value", [Fraction(10) ** 400, -(Fraction(10) ** 400)])
def test_a_fraction_beyond_every_float_is_described(value: Fraction) -> None:
    assert type(decode(encode(value))) is Foreign


def test_arrays_of_any_layout_arrive() -> None:
    base = np.arange(24.0).reshape(2, 3, 4)
    for array in (base[::-1, :, ::2], np.asfortranarray(base), base.T, np.broadcast_to(1.5, (3, 4))):
        arrived = decode(encode(array))
        assert is_same(arrived, array) and arrived.flags.writeable
        assert not decode(encode(array), writeable=False).flags.writeable


def test_what_could_be_told_apart_and_means_the_same_arrives_as_one() -> None:
    odd = np.array([0, 1, 2, 255], dtype=np.uint8).view(bool)
    assert decode(encode(odd)).view(np.uint8).tolist() == [0, 1, 1, 1]
    assert decode(encode({"\ud800": "half a pair\udfff"})) == {"?": "half a pair?"}
    assert decode(b"!" + _packed_count(1000) + b"\x1b[2J" * 250).description == "?[2J" * 125


def test_what_is_too_large_is_one_foreign_value() -> None:
    endless: list[Any] = []
    endless.append(endless)
    wide: list[Any] = [1]
    for _ in range(14):
        wide = [wide, wide, wide]
    for value in (
        np.broadcast_to(1.0, (10**6, 10**6)),
        np.zeros(codec.MAX_NUMBERS_PER_MESSAGE + 1, dtype=bool),
        np.zeros((0, codec.MAX_NUMBERS_PER_MESSAGE + 1, 0)),  # numpy loops over the long axis of this empty array
        "x" * (8 * codec.MAX_NUMBERS_PER_MESSAGE + 8),
        [np.zeros(codec.MAX_NUMBERS_PER_MESSAGE // 2 + 1)] * 2,
        [0] * (codec.MAX_VALUES_PER_MESSAGE + 1),
        dict.fromkeys(map(str, range(codec.MAX_VALUES_PER_MESSAGE // 2 + 1))),
        "x" * (codec.MAX_MESSAGE_BYTES + 1),
        {"x" * codec.MAX_MESSAGE_BYTES: 1},
        endless,
        wide,
    ):
        assert type(decode(encode(value))) is Foreign


def _value_or_error(read: Any, data: bytes) -> Any:
    """Return the decoded value, or the class MalformedError if the data are malformed."""
    try:
        return read(data)
    except MalformedError as error:
        assert len(str(error)) < 1000
        return MalformedError


from_a_worker = functools.partial(decode, writeable=False)


@with_100_examples
@given(plain, st.data())
def test_a_damaged_message_is_a_value_or_malformed(value: Any, draw: st.DataObject) -> None:
    data = bytearray(encode(value))
    for _ in range(draw.draw(st.integers(1, 4))):
        place = draw.draw(st.integers(0, len(data) - 1))
        data[place] = draw.draw(st.integers(0, 255))
    cut = draw.draw(st.integers(0, len(data)))
    for damaged in (bytes(data), bytes(data[:cut]), bytes(data) + b"N"):
        _value_or_error(from_a_worker, damaged)


def _packed_count(number: int) -> bytes:
    return number.to_bytes(4, "little")


def _packed_array(dtype: bytes, shape: tuple[int, ...], data: bytes = b"", tag: bytes = b"a") -> bytes:
    sizes = b"".join(size.to_bytes(8, "little") for size in shape)
    return tag + bytes([len(dtype)]) + dtype + bytes([len(shape)]) + sizes + data


HOSTILE_MESSAGES = {
    "nothing": b"",
    "an unknown tag": b"?",
    "a list that promises more than there is": b"l" + _packed_count(2**32 - 1),
    "a text that promises more than there is": b"s" + _packed_count(2**32 - 1),
    "an int that promises more than there is": b"i" + _packed_count(2**32 - 1) + b"\x01" * 100,
    "text that is not UTF-8": b"s" + _packed_count(1) + b"\xff",
    "half a surrogate pair": b"s" + _packed_count(3) + b"\xed\xa0\x80",
    "lists in lists": (b"l" + _packed_count(1)) * 1000 + b"N",
    "lists in lists, wide": b"l" + _packed_count(10**5) + b"l\0\0\0\0" * 10**5,
    "a key that is no text": b"m" + _packed_count(1) + b"NN",
    "an array of no known dtype": _packed_array(b"|O", (1,), b"\0" * 8),
    "an array larger than all memory": _packed_array(b"<f8", (2**62, 2**62)),
    "a size that overflows to nothing": _packed_array(b"<f8", (2**32, 2**32)),
    "nothing, very wide": _packed_array(b"<f8", (0, 2**62)),
    "too many axes": _packed_array(b"<f8", (1,) * 64, b"\0" * 8),
    "a scalar with axes": _packed_array(b"<f8", (1,), b"\0" * 8, tag=b"g"),
    "complex numbers": _packed_array(b"<c8", (1,), b"\0" * 8),
    "a generator": encode_request(np.random.default_rng(1)),
    "more bytes than the value": b"NN",
    "too many bytes": b"s" + _packed_count(codec.MAX_MESSAGE_BYTES) + b"x" * codec.MAX_MESSAGE_BYTES,
}


def test_hostile_bytes_are_malformed() -> None:
    assert {
        what for what, data in HOSTILE_MESSAGES.items() if _value_or_error(from_a_worker, data) is not MalformedError
    } == set()


@pytest.mark.long
def test_small_bytes_ask_for_little_memory() -> None:
    tiny = _packed_array(b"|u1", (0,) * codec.MAX_AXES)
    for data in (
        b"l" + _packed_count(codec.MAX_VALUES_PER_MESSAGE - 1) + tiny * (codec.MAX_VALUES_PER_MESSAGE - 1),
        b"s" + _packed_count(codec.MAX_MESSAGE_BYTES - 9) + b"x" * (codec.MAX_MESSAGE_BYTES - 13) + "😀".encode(),
        _packed_array(b"<f8", (0, 2**40)),
    ):
        with bounded_memory(200 << 20):
            _value_or_error(from_a_worker, data)


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=wire.MAX_NAME_CHARACTERS)
name_tuples = st.lists(names, max_size=5).map(tuple)
raised = st.builds(Raised, names, name_tuples, names, st.none() | st.integers(0, 10**6), st.none() | names)
replies = st.builds(Reply, plain.map(encode), executed_lines=st.integers(0, 10**9), changed=name_tuples) | st.builds(
    Reply, raised=raised, executed_lines=st.integers(0, 10**9)
)


@with_100_examples
@given(replies)
def test_a_reply_arrives_as_it_was(reply: Reply) -> None:
    arrived = wire.unpack_reply(wire.pack_reply(reply)[wire.LENGTH.size :])
    assert arrived == reply
    assert is_same(arrived.value, reply.value)


def _packed_reply(header: Any, value: bytes = b"") -> bytes:
    encoded = encode(header)
    return _packed_count(len(encoded)) + encoded + value


def _packed_exception(**forged: Any) -> bytes:
    return _packed_reply((tuple((vars(Raised("K", (), "m", 1, "f")) | forged).values()), 1, ()))


FORGED_REPLIES = {
    "nothing": b"",
    "a header that promises more than there is": _packed_count(2**32 - 1),
    "a header that is no tuple": _packed_reply("done"),
    "lines that are no number": _packed_reply((None, "1", ())),
    "changed arguments that are no names": _packed_reply((None, 1, (1,))),
    "very many changed arguments": _packed_reply((None, 1, ("x",) * 10**4)),
    "a very long name": _packed_reply((None, 1, ("x" * 10**4,))),
    "an exception without a name": _packed_exception(kind=None),
    "an exception with a very long name": _packed_exception(kind="K" * 10**4),
    "an exception with very many bases": _packed_exception(bases=("B",) * 1000),
    "an exception with a very long message": _packed_exception(message="m" * 10**4),
    "an exception in a line that is no number": _packed_exception(line=1.5),
    "an exception and a value": _packed_exception() + b"N",
    "a very long header": _packed_reply((None, 1, ("x" * 10**5,))),
}


POINT = np.array(1.0)
"""Array without axes, which is a sequence without a length in numpy 2.5."""

FORGED_REPLIES |= {f"{part} is an array": _packed_exception(**{part: POINT}) for part in vars(Raised("K", (), "m"))}
FORGED_REPLIES |= {
    f"part {place} of a header is an array": _packed_reply((*header[:place], POINT, *header[place + 1 :]))
    for header in ((None, 1, ()), (("K", (), "m", 1, "f", False), 1, ()))
    for place in range(3)
}
FORGED_REPLIES |= {"a header is an array": _packed_reply(POINT)}


def test_forged_replies_are_malformed() -> None:
    assert {
        what for what, data in FORGED_REPLIES.items() if _value_or_error(wire.unpack_reply, data) is not MalformedError
    } == set()
    assert wire.unpack_reply(_packed_exception()).raised == Raised("K", (), "m", 1, "f")


@with_100_examples
@given(st.binary(max_size=200), st.binary(max_size=50))
def test_any_bytes_are_a_reply_or_malformed(header: bytes, value: bytes) -> None:
    for data in (header, _packed_count(len(header)) + header + value):
        arrived = _value_or_error(wire.unpack_reply, data)
        assert arrived is MalformedError or type(arrived) is Reply


def test_arguments_that_are_too_large_are_an_error() -> None:
    with pytest.raises(ValueError, match="too large"):
        wire.request(Call("f", (np.zeros(codec.MAX_NUMBERS_PER_MESSAGE + 1),)))


def test_a_request_may_hold_a_generator_and_a_reply_may_not() -> None:
    generator = np.random.default_rng(3)
    generator.integers(5, dtype=np.uint32)  # The generator keeps half of a 64-bit number.
    (arrived,) = wire.unpack_request(wire.request(Call("f", (generator,)))[wire.LENGTH.size :]).args
    assert arrived.bit_generator.state == generator.bit_generator.state
    another = np.random.Generator(np.random.MT19937(3))
    assert {type(one) for one in (decode(encode(generator)), *decode(encode_request(another)))} == {Foreign}


def test_a_measured_call_names_the_functions_whose_lines_do_not_count() -> None:
    for uncounted in ((), ("f", "g")):
        call = Call("f", (1.5,), {"axis": -1}, measured=True, uncounted=uncounted)
        arrived = wire.unpack_request(wire.request(call)[wire.LENGTH.size :])
        assert vars(arrived) == {key: value for key, value in vars(call).items() if key != "encoded"}


def test_lines_of_libraries_that_come_in_between_are_not_counted() -> None:
    """A library may run code in the middle of a student's call; Hypothesis, for example, records each garbage
    collection."""
    library, student = types.ModuleType("library"), types.ModuleType("student")
    library.__file__, student.__file__ = str(Path(np.__file__).parents[1] / "library.py"), "/student.py"
    watch = "def watch(phase, info):\n    seen = phase\n    return seen\n"
    work = "import gc\ndef f(often):\n    for _ in range(often):\n        gc.collect()\n    return 1\n"
    for module, source in ((library, watch), (student, work)):
        exec(compile(source, str(module.__file__), "exec"), module.__dict__)
    gc.callbacks.append(library.watch)
    try:
        assert [perform(student, Call("f", (often,), measured=True)).executed_lines for often in (0, 1, 5)] == [
            2,
            4,
            12,
        ]
    finally:
        gc.callbacks.remove(library.watch)


def test_every_field_of_an_exception_crosses_the_wire() -> None:
    """A field that only one side of the connection knows would be lost."""
    raised = Raised("KeyError", ("KeyError", "Exception"), "message", 3, "function", True)
    assert all(getattr(raised, field.name) != field.default for field in dataclasses.fields(Raised))
    packed = wire.pack_reply(Reply(raised=raised, executed_lines=7))
    assert wire.unpack_reply(packed[wire.LENGTH.size :]) == Reply(raised=raised, executed_lines=7)
