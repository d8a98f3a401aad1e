"""Idea: promise a reply and never send it, a byte at a time.

Stopped by: a reply has to be complete within the time of a call.
"""

import os
import struct
import time

print("TRIED half a reply")


def dribble(name, args):
    for descriptor in wire_descriptors():
        os.write(descriptor, struct.pack("<I", 1000))
        for _ in range(200):
            os.write(descriptor, b"x")
            time.sleep(0.05)


in_every_call(dribble)
