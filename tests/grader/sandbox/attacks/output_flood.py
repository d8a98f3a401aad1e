"""Idea: print until the grader's memory is full.

Stopped by: the grader keeps the first 64 KiB and throws away the rest.
"""

import os

print("TRIED a flood of output", flush=True)


def flood(name, args):
    for _ in range(256):
        os.write(1, b"y" * (1 << 16))
        os.write(2, b"z" * (1 << 16))
    raise NotImplementedError


in_every_call(flood)
