"""Idea: open a file neither to read nor to write. Landlock has no right for that, so it asks nothing; as root, any file opens.

Stopped by: seccomp: a file is opened to read, to write, or both.
"""

import os

NEITHER = os.O_WRONLY | os.O_RDWR
paths = [os.path.join(TARGETS["folder"], name) for name in TARGETS["files"]]
for path in (*paths, "/etc/passwd", "/dev/ptmx", "/dev/null", f"{project()}/solutions/rope.py", f"{project()}/tests/hidden/seed.txt"):
    with attempt(f"neither to read nor to write: {path}"):
        os.close(os.open(path, NEITHER))
    with attempt(f"emptying {path}"):
        os.close(os.open(path, NEITHER | os.O_TRUNC))
    with attempt(f"the path alone: {path}"):
        os.close(os.open(path, os.O_PATH))
