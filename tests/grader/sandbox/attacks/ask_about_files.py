"""Idea: learn what there is without reading it: sizes, times and owners of files, names that exist and names that do not.

Not stopped: stat and access answer for a path that is asked for in full. Stopped by Landlock: content, and the names in a folder.
"""

import os

print("TRIED asking about files", flush=True)
secret = os.path.join(TARGETS["folder"], TARGETS["files"][0])
assert os.stat(secret).st_size
assert not any(os.access(f"{secret}-{number}", os.F_OK) for number in range(10_000))
with attempt("the content of a file whose size is known"):
    open(secret, "rb").close()
with attempt("the names in its folder"):
    os.listdir(TARGETS["folder"])
with attempt("other access times"):
    os.utime(contextlib.__file__)
with attempt("the room on its disk"):
    os.statvfs(secret)
