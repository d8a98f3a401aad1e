"""Idea: read what others handed in, the gradebook, and the results so far.

Stopped by: Landlock.
"""

import glob
import os
import shutil

for name in TARGETS["files"]:
    path = os.path.join(TARGETS["folder"], name)
    with attempt(f"reading {name}"):
        with open(path, "rb") as file:
            found_nothing(name, file.read().decode())
    with attempt(f"copying {name}"):
        shutil.copyfile(path, "copy")
with attempt("looking for them"):
    refuse_unless(glob.glob(os.path.join(TARGETS["folder"], "*")))
with attempt("listing the folder above the scratch folder"):
    os.listdir("..")
