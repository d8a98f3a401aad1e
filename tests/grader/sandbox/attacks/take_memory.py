"""Idea: one block larger than the machine has, and small pieces that are kept for ever.

Stopped by the system: the limit on address space: MemoryError.
"""

import mmap

print("TRIED much memory")
kept = []


def in_pieces():
    try:
        for _ in range(2048):
            kept.append(b"x" * (1 << 20))
    finally:
        kept.clear()


def take(name, args):
    # Asked for and not touched: the limit is on what is asked for.
    attempts("mmap.mmap(-1, 4 << 30).close()\nbytearray(4 << 30)\nin_pieces()")
    raise NotImplementedError


in_every_call(take)
