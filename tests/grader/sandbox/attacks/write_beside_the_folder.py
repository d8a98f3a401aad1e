"""Idea: the folder is new for every worker, and the one around it is not: leave the note there.

Stopped by: its mode lets nobody write into it, and a worker can change no mode.
"""

import os

with attempt("finding a note"):
    refuse_unless(set(os.listdir("..")) - {"files"})
with attempt("a note beside the folder"):
    open("../note", "w").close()
with attempt("another mode"):
    os.chmod("..", 0o700)
with attempt("another folder"):
    os.mkdir("../more")
with attempt("a file by the folder's own name"):
    os.rmdir("../files")
    os.close(os.open("../files", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
