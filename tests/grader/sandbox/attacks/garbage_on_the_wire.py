"""Idea: break the reader: lengths that lie, headers cut short, random bytes on every descriptor; half a reply, a byte
at a time; no wire at all.

Stopped by the grader: the reader believes no length, a reply has to be complete within the time of a call, and what is
malformed, or closed, ends the worker and not the grader.
"""

import itertools
import random
import struct
import time

garbage = itertools.cycle(
    [
        b"\xff" * 4,
        struct.pack("<I", 2**31),
        struct.pack("<II", 4, 2**32 - 1),
        struct.pack("<II", 8, 1) + b"l\xff\xff\xff",
        struct.pack("<I", 0),
        random.Random(0).randbytes(1000),
        struct.pack("<II", 10, 6) + b"m\x01\x00\x00\x00",
    ]
)


def babble(name, args):
    if name == FUNCTIONS[-1]:
        for descriptor in wire_descriptors():
            os.write(descriptor, struct.pack("<I", 1000))
            for _ in range(200):
                os.write(descriptor, b"x")
                time.sleep(0.05)
    if name == FUNCTIONS[-2]:
        os.closerange(0, 256)
        while True:
            pass
    for descriptor in wire_descriptors():
        os.write(descriptor, next(garbage))
    raise NotImplementedError


in_every_call(babble)
