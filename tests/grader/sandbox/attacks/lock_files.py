"""Idea: two submissions that are graded at the same time talk by locks on a file that both may read.

Stopped by: seccomp: no lock of any kind, and no question about one.
"""

import ctypes
import fcntl
import os
import struct

COMMANDS = {"F_GETLK": 5, "F_SETLK": 6, "F_SETLKW": 7, "F_OFD_GETLK": 36, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}
libc = ctypes.CDLL(None, use_errno=True)
with open(contextlib.__file__, "rb") as shared, open("own", "wb") as own:
    for file in (shared, own):
        with attempt(f"flock of {file.name}"):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        for name, command in COMMANDS.items():
            with attempt(f"{name} of {file.name}"):
                kind = fcntl.F_RDLCK if file is shared else fcntl.F_WRLCK
                if name.endswith("W"):
                    kind = fcntl.F_UNLCK
                fcntl.fcntl(file, command, struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 1, 0))
        with attempt(f"lockf of {file.name}"):
            refuse_unless(libc.lockf(file.fileno(), 2, ctypes.c_long(1)) >= 0)
        with attempt(f"a lease of {file.name}"):
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
