"""Idea: reach a closed file by another way: links, dots, descriptors without access, another root.

Stopped by: Landlock judges the file, not the path to it; links, roots and mounts need system calls that are not allowed.
"""

import ctypes
import os

secret = os.path.join(TARGETS["folder"], TARGETS["files"][0])
with attempt("a symbolic link"):
    os.symlink(secret, "link")
    open("link").close()
with attempt("a hard link"):
    os.link(secret, "hard")
    open("hard").close()
with attempt("dots"):
    open(os.path.join(os.getcwd(), *[".."] * 20, secret.lstrip("/"))).close()
with attempt("through /proc/self/root"):
    open(f"/proc/self/root{secret}").close()
with attempt("a descriptor without access, opened again"):
    descriptor = os.open(secret, os.O_PATH)
    open(f"/proc/self/fd/{descriptor}").close()
with attempt("a descriptor without access, as a copy's source"):
    os.copy_file_range(os.open(secret, os.O_PATH), os.open("copied", os.O_CREAT | os.O_WRONLY), 100)
with attempt("from inside the folder"):
    os.chdir(TARGETS["folder"])
    open(TARGETS["files"][0]).close()
with attempt("another root"):
    os.chroot(TARGETS["folder"])
with attempt("a handle"):
    refuse_unless(ctypes.CDLL(None).open_by_handle_at(3, None, 0) >= 0)
