"""Idea: send replies that crash or mislead a reader. Some values are equal to everything, claim to be arrays,
take over numpy, contain NaN, or are expensive to read or multiply. Some exceptions are named after test
results, misbehave when their text or name is read, or would end a program. Some texts contain markup, control
characters, formulas or megabytes of data.

Defence: the grader accepts only values of exact built-in types and plain arrays, of limited depth, number and
size. The worker describes each exception, and the grader refuses a description that exceeds the limits.
Messages are shortened and quoted wherever they appear, and never become a table column.
"""

import itertools
import struct

import numpy as np

from autograder.protocol import codec

LONG = "d" * (7 << 20)
TEXTS = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'></td></table>\n"
    "```\n~~~\n# rope: 20 of 20 points\n\n[a link](javascript:alert(1)) ![](http://127.0.0.1/x)\n"
    "</pre><iframe srcdoc='x'>&lt;&#60;\n{{ 7 * 7 }} {% raw %} ${7*7} [bold red]rich[/]",
    "\x1b[2J\x1b[1A\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x9b31m\x90q\x9c\r20 of 20\x08\x08\x00\x7f",
    "\u202e02 fo 02\u2066\u200b\u2028\u2029\ufeff\ufffe\U000e0041" + "a" + "\u0301" * 1000,
    *("=cmd|' /C calc'!A0", "@SUM(1+1)", "\t=1+1", 'a",=1+1,"', "\ud800", LONG),
]


class Anything:
    __array_priority__ = 1e9
    __array_interface__ = {"shape": (1,), "typestr": "<f8", "version": 3, "data": (0, False)}
    __class__ = np.ndarray

    def _yes(self, *args, **kwargs):
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __hash__ = object.__hash__


class Text(str):
    def __getitem__(self, index):
        raise SystemExit

    __len__ = __getitem__


class Hostile(BaseException):
    def __str__(self):
        return Text("x" * 10**6)

    @property
    def __traceback__(self):
        raise KeyboardInterrupt

    __class__ = __traceback__


Hostile.__name__ = Hostile.__qualname__ = "K" * 10**6
Hostile.__module__ = "\ud800"
rude = {"__eq__": lambda *args: True, "__sub__": lambda *args: 0, "__hash__": None, "__str__": lambda self: "0"}
VALUES = [
    *(Anything(), type("float", (float,), rude)(1), np.full((3, 4), None, dtype=object), 10**100_000),
    *(type(LONG[:10**6], (), {"__module__": LONG})(), {LONG[:100_000]: [LONG[:100_000]] * 8}, LONG, {1: 2}, None),
    *(np.broadcast_to(1.0, (10**6, 10**6)), np.full(4, np.nan), np.ones((1, 1 << 18)), np.ones((1 << 18, 1), "i1")),
    *(np.ones((512, 512)), np.ones((1, 50_000), "?"), (np.zeros(2), 1)),
]
outcomes = "Skipped Exit Failed Stopped BrokenTestError SandboxError Wrong OutcomeException".split()
kinds = [type(name, (BaseException,), {"__module__": "builtins"}) for name in outcomes]
kinds += [type(text[:150].translate({0: 32, 10: 32, 0xD800: 32}), (Exception,), {}) for text in TEXTS]
kinds += [KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration, MemoryError]
ERRORS = list(zip(kinds, itertools.cycle(TEXTS)))
header = codec.encode((None, 0, ()))
DESCRIBED = struct.pack("<I", len(header)) + header + b"!" + struct.pack("<I", len(LONG)) + LONG.encode()
LAST = object()
turns = itertools.cycle([*VALUES, *ERRORS, LAST])


def send_hostile_value(name, args):
    turn = next(turns)
    if turn is LAST:
        tried()
        print(*TEXTS[:-2], flush=True)
        print("o" * 10**6)
        on_the_wire(struct.pack("<I", len(DESCRIBED)) + DESCRIBED)
        raise Hostile
    if type(turn) is tuple and len(turn) == 2 and isinstance(turn[0], type):
        error, other = turn[0](turn[1]), Hostile()
        error.__cause__, other.__context__ = other, error
        raise error
    return turn


in_every_call(send_hostile_value)
ANSWERS = dict(zip(ANSWERS, itertools.cycle(TEXTS)))
raise kinds[len(outcomes)](TEXTS[0])
