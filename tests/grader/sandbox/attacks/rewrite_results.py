"""Idea: write the grade oneself: the gradebook, the table of grades, the results.

Stopped by: Landlock; and a worker never learns where they are.
"""

import os

for name in TARGETS["files"]:
    path = os.path.join(TARGETS["folder"], name)
    with attempt(f"overwriting {name}"):
        with open(path, "wb") as file:
            file.write(b"20 of 20")
    with attempt(f"appending to {name}"):
        with open(path, "ab") as file:
            file.write(b"20 of 20")
    with attempt(f"emptying {name}"):
        os.truncate(path, 0)
    with attempt(f"replacing {name}"):
        with open("mine", "wb") as file:
            file.write(b"20 of 20")
        os.replace("mine", path)
with attempt("a result beside them"):
    open(os.path.join(TARGETS["folder"], "results.json"), "wb").close()
