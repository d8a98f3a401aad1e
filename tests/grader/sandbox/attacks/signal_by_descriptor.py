"""Idea: let the kernel send the signal: the owner of a pipe is told when it can be written to, and may be anybody.

Stopped by: seccomp: a descriptor's owner cannot be set.
"""

import fcntl
import os
import signal

F_SETSIG, F_NOTIFY = 10, 1026
read_end, write_end = os.pipe()
with attempt("another process as a pipe's owner"):
    fcntl.fcntl(read_end, fcntl.F_SETOWN, TARGETS["process"])
with attempt("another process's group as a pipe's owner"):
    fcntl.fcntl(read_end, fcntl.F_SETOWN, -TARGETS["process"])
with attempt("another signal than SIGIO"):
    fcntl.fcntl(read_end, F_SETSIG, int(signal.SIGTERM))
with attempt("being told of changes to a folder"):
    fcntl.fcntl(os.open(".", os.O_RDONLY), F_NOTIFY, 1)
with attempt("being told at all"):
    fcntl.fcntl(read_end, fcntl.F_SETFL, os.O_ASYNC)
os.write(write_end, b"x")
