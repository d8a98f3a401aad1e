"""Idea: fill every message, and with it gradebook and report: values described in megabytes, long texts, long
exceptions, long output.

Stopped by the grader: whatever is kept has its bound where the grader reads it, and not only where a worker writes it.
"""

import itertools
import struct

from autograder.protocol import codec

print("o" * 10**6)
header = codec.encode((None, 0, ()))
LONG = "d" * (7 << 20)
turns = itertools.count()


def answer(name, args):
    turn = next(turns) % 4
    if turn == 0:
        raise ValueError(LONG)
    if turn == 1:
        return LONG
    if turn == 2:
        return {LONG[:100_000]: [LONG[:100_000]] * 8}
    reply = struct.pack("<I", len(header)) + header + b"!" + struct.pack("<I", len(LONG)) + LONG.encode()
    for descriptor in wire_descriptors():
        rest = memoryview(struct.pack("<I", len(reply)) + reply)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    return None


in_every_call(answer)
