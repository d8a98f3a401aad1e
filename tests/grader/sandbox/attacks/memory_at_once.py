"""Idea: one block larger than the machine has.

Stopped by: the limit on address space: MemoryError.
"""

import mmap

import numpy as np

print("TRIED much memory")


def take(name, args):
    # Asked for and not touched: the limit is on what is asked for.
    with attempt("4 GiB at once"):
        mmap.mmap(-1, 4 << 30).close()
    with attempt("a large array"):
        np.empty(1 << 29)
    raise NotImplementedError


in_every_call(take)
