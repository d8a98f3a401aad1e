"""Idea: if not a better grade, then no grades: remove, rename, lock away.

Stopped by: Landlock and the list of system calls; removing seems to work and does nothing.
"""

import os
import shutil

path = os.path.join(TARGETS["folder"], TARGETS["files"][0])
with attempt("removing"):
    os.unlink(path)
    refuse_unless(not os.path.exists(path))
with attempt("removing all"):
    shutil.rmtree(TARGETS["folder"], ignore_errors=True)
    refuse_unless(not os.path.exists(path))
with attempt("renaming"):
    os.rename(path, path + "-gone")
with attempt("changing the mode"):
    os.chmod(path, 0)
with attempt("changing the owner"):
    os.chown(path, 1, 1)
with attempt("changing the times"):
    os.utime(path, (0, 0))
with attempt("an extended attribute"):
    os.setxattr(path, "user.grade", b"20")
