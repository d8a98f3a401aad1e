"""Idea: fill the disk.

Stopped by: the limit on a file's length, and the zygote's watch over the folder.
"""

import time

print("TRIED filling the disk", flush=True)


def fill(name, args):
    with attempt("512 MiB"):
        for number in range(64):
            with open(f"{name}-{number}", "wb") as file:
                file.write(b"x" * (8 << 20))
            time.sleep(0.01)
    raise NotImplementedError


in_every_call(fill)
