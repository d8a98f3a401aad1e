"""Idea: room on the disk that a look into the folder does not show: files without names, removed files, room set aside.

Stopped by: no file without a name can be made, and none be removed: what was written is seen.
"""

import os

with attempt("a file without a name"):
    os.open(".", os.O_TMPFILE | os.O_RDWR)
with attempt("a file in memory"):
    os.memfd_create("x")
with attempt("a removed file"):
    with open("removed", "wb") as file:
        os.unlink("removed")
        refuse_unless(not os.path.exists("removed"))
with attempt("a file that is too long"):
    with open("long", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 1 << 30)
