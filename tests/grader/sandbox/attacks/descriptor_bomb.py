"""Idea: descriptors without end, and pipes made as large as they get.

Stopped by: the limit on descriptors; the size of a pipe is not to be changed.
"""

import fcntl
import os

F_SETPIPE_SZ = 1031
with attempt("a larger pipe"):
    fcntl.fcntl(os.pipe()[1], F_SETPIPE_SZ, 1 << 20)
with attempt("500 descriptors"):
    for _ in range(250):
        os.pipe()
