"""Idea: write forged replies into the connection to the grader: a reply "passed", values that a test may
expect, or an extra reply before each call, so that each later request gets the answer to an earlier one.

Defence: no reply can mean "passed". A forged value is only a value, and an answer to a different request is a
wrong answer.
"""

import struct

from autograder.protocol import codec

header = codec.encode((None, 0, ()))


def forge(name, args):
    for value in (True, "passed", {"score": 20, "max_score": 20}, args[0] if args else None):
        frame = struct.pack("<I", len(header)) + header + codec.encode(value)
        on_the_wire(struct.pack("<I", len(frame)) + frame)
    return args[0] if args else 20.0


in_every_call(forge)
tried()
