"""Idea: the worker knows where the grader's code lies; the solutions, tests and catalogues lie beside it.

Stopped by: Landlock: nothing of the project is readable.
"""

import os

for path in (
    "solutions/rope.py",
    "tests/hidden/test_rope.py",
    "tests/hidden/seed.txt",
    "tests/public/test_rope.py",
    "tests/public/expected/rope.json",
    "tests/misconceptions/rope.py",
    "autograder/sandbox/worker.py",
):
    with attempt(f"reading {path}"):
        open(os.path.join(project(), path)).close()
    with attempt(f"reading {path} through a file descriptor"):
        os.close(os.open(os.path.join(project(), path), os.O_RDONLY | os.O_NOFOLLOW))
