"""Idea: fill the disk, by what is long and by very many small files.

Stopped by the system: the limit on a file's length, and the zygote's watch over the folder.
"""

import time

print("TRIED filling the disk", flush=True)


def fill(name, args):
    if FUNCTIONS.index(name) % 2:
        with attempt("512 MiB"):
            for number in range(64):
                with open(f"{name}-{number}", "wb") as file:
                    file.write(b"x" * (8 << 20))
                time.sleep(0.01)
    else:
        with attempt("100 000 files"):
            for number in range(100_000):
                open(f"{name}-{number}", "wb").close()
    raise NotImplementedError


in_every_call(fill)
