"""Idea: leave modules, links and odd names in the scratch folder, for the next worker to import or to stumble over.

Stopped by: the folder is flat, new for every worker, and on nobody's import path.
"""

import os

print("TRIED leaving files")
for name in ("numpy.py", "rope.py", "sitecustomize.py", "usercustomize.py", "-rf", "a\nb", " ", "☃", b"\xff\xfe", "..."):
    with open(name, "wb") as file:
        file.write(b"raise SystemExit('poisoned')")
with attempt("a folder that cannot be emptied"):
    os.mkdir("deep")
with attempt("a pipe that blocks whoever opens it"):
    os.mkfifo("pipe")
with attempt("a link out"):
    os.symlink(TARGETS["folder"], "out")
with attempt("a file that nobody may touch"):
    os.chmod("rope.py", 0)
