"""Idea: flags of open that do more than open, room on the disk that does not show, and locks that two submissions talk
by.

Stopped by the system: seccomp: each way to open a file has a list of flags that may come with it; no lock of any kind.
"""

import fcntl
import struct

PUBLIC = contextlib.__file__  # open to be read, and to be nothing else where the wall fails
HERE, OPENAT, OPENAT2 = -100, 257, 437
open("own", "wb").close()
attempts(
    """
    os.close(os.open("own", os.O_RDONLY | os.O_TRUNC | os.O_APPEND))
    os.utime("own")
    os.close(os.open(".", os.O_RDWR | os.O_TMPFILE))
    system_call(OPENAT, HERE, b"here", ctypes.c_uint64(os.O_RDWR | os.O_CREAT | 1 << 40), 0o600)
    system_call(OPENAT2, HERE, b"here", (ctypes.c_uint64 * 3)(os.O_WRONLY | os.O_CREAT, 0o600, 0), 24)
    system_call("creat", b"here", 0o600)
    os.memfd_create("x")
    os.unlink(open("removed", "wb").name); refuse_unless(not os.path.exists("removed"))
    os.posix_fallocate(os.open("long", os.O_CREAT | os.O_WRONLY, 0o600), 0, 1 << 30)
    os.mkdir("deep"); os.rmdir("deep")
    os.mkfifo("pipe")
    os.chmod("removed", 0)
    """
)
for name in ("O_NOATIME", "O_DIRECT", "O_SYNC", "O_DSYNC", "O_ASYNC", "O_PATH"):
    attempts("os.close(os.open(PUBLIC, os.O_RDONLY | flag))", flag=getattr(os, name))
for path, mode, kind in ((PUBLIC, "rb", fcntl.F_RDLCK), ("own", "wb", fcntl.F_WRLCK)):
    with open(path, mode) as file:
        attempts(
            """
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            system_call("lockf", file.fileno(), 2, ctypes.c_long(1))
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            """,
            file=file,
        )
        for command, what in {5: kind, 6: kind, 7: fcntl.F_UNLCK, 36: kind, 37: kind, 38: fcntl.F_UNLCK}.items():
            wanted = struct.pack("hhqqi4x", what, os.SEEK_SET, 0, 1, 0)
            attempts("fcntl.fcntl(file, command, wanted)", file=file, command=command, wanted=wanted)
