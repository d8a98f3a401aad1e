"""Idea: a folder keeps, in its own size, how many names were in it: tell the next worker a number by it.

Stopped by: every worker has a new folder.
"""

import os

with attempt("a folder that was fuller"):
    refuse_unless(os.stat(".").st_size > 1 << 14)


def fill(name, args):
    with contextlib.suppress(OSError):
        for number in range(900):
            os.close(os.open(f"{number:0240}", os.O_CREAT | os.O_WRONLY, 0o600))
    os._exit(0)


in_every_call(fill)
