"""Idea: flags of open that do more than open: empty a file that may only be read, make one without a name, leave no access time.

Stopped by: seccomp: each way to open a file has a list of flags that may come with it.
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
SYS_OPENAT2, HERE = 437, -100
with attempt("emptying a file that is opened to read"):
    os.close(os.open(os.path.join(TARGETS["folder"], TARGETS["files"][0]), os.O_RDONLY | os.O_TRUNC))
with attempt("emptying a module of the standard library"):
    os.close(os.open(contextlib.__file__, os.O_RDONLY | os.O_TRUNC | os.O_APPEND))
for name in ("O_NOATIME", "O_DIRECT", "O_SYNC", "O_DSYNC", "O_ASYNC", "O_PATH"):
    with attempt(f"to read with {name}"):
        os.close(os.open(contextlib.__file__, os.O_RDONLY | getattr(os, name)))
with attempt("to write with O_TMPFILE"):
    os.close(os.open(".", os.O_RDWR | os.O_TMPFILE))
with attempt("bits that no flag has"):
    refuse_unless(libc.syscall(257, HERE, b"here", ctypes.c_uint64(os.O_RDWR | os.O_CREAT | 1 << 40), 0o600) >= 0)
with attempt("openat2"):
    how = (ctypes.c_uint64 * 3)(os.O_WRONLY | os.O_CREAT, 0o600, 0)
    refuse_unless(libc.syscall(SYS_OPENAT2, HERE, b"here", how, 24) >= 0)
with attempt("creat"):
    refuse_unless(libc.creat(b"here", 0o600) >= 0)
