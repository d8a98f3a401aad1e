"""What `autograder doctor` loads inside the wall as if it were a submission: each function tries to break one promise.

A probe returns, in words, what the wall let through; nothing, where it held. Only a refusal counts as held: a probe
that fails in any other way has shown nothing, and says so. Harmless where the wall fails: a probe asks for little more
than the limits allow, and touches nothing but what the doctor set up for it.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import resource
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

_Probe = TypeVar("_Probe", bound=Callable[..., object])

_libc = ctypes.CDLL(None, use_errno=True)

PTRACE_SEIZE = 0x4206
SYS_PIDFD_OPEN, SYS_PIDFD_GETFD, SYS_IO_URING_SETUP, SYS_OPENAT2 = 434, 438, 425, 437
SYS_CREAT_X86_64 = 85
LOCK_COMMANDS = {
    "F_GETLK": 5,
    "F_SETLK": 6,
    "F_SETLKW": 7,
    "F_OFD_GETLK": 36,
    "F_OFD_SETLK": 37,
    "F_OFD_SETLKW": 38,
    "F_SETLEASE": 1024,
    "F_GETLEASE": 1025,
}
IPC_CREAT, IPC_RMID = 0o1000, 0
A_LITTLE_MORE = 8
"""How far beyond a limit a probe goes."""


@dataclass(frozen=True)
class Promise:
    """What a submission cannot do."""

    words: str
    lock: str
    """what keeps it"""
    given: tuple[str, ...] = ()
    """what a probe is called with: names of canaries, limits, or `processes`"""
    ended_for: str = ""
    """its worker may also be ended for having too much of that"""


def promise(words: str, lock: str, *given: str, ended_for: str = "") -> Callable[[_Probe], _Probe]:
    """Stands above what examines a promise, and says which."""

    def marked(probe: _Probe) -> _Probe:
        probe.promise = Promise(words, lock, given, ended_for)  # type: ignore[attr-defined]
        return probe

    return marked


def _let_through(attempts: Mapping[str, Callable[[], object]]) -> str:
    """The attempts that nothing refused."""
    through = []
    for name, attempt in attempts.items():
        try:
            attempt()
        except PermissionError:
            continue
        except Exception as error:
            through.append(f"{name} ended with {type(error).__name__}: {error}")
        else:
            through.append(name)
    return ", ".join(through)


def _system_call(function: str, *arguments: object) -> int:
    result = int(getattr(_libc, function)(*arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def reads(paths: Iterable[str]) -> str:
    return _let_through({path: partial(_open, path) for path in paths})


def lists(folders: Iterable[str]) -> str:
    return _let_through({folder: partial(os.listdir, folder) for folder in folders})


def _open(path: str, mode: str = "rb") -> None:
    open(path, mode).close()


def writes(folder: str, file: str, home: str) -> str:
    """`folder` may be written by everybody, `file` is in it; `home` holds the scratch folder."""
    new = os.path.join(folder, "new")
    return _let_through(
        {
            "creating a file": lambda: _open(new, "wb"),
            "appending to a file": lambda: _open(file, "ab"),
            "emptying a file": lambda: os.truncate(file, 0),
            "creating a folder": lambda: os.mkdir(new + "-folder"),
            "a symbolic link": lambda: os.symlink(file, new + "-link"),
            "a hard link": lambda: os.link(file, new + "-hard"),
            "renaming a file": lambda: os.rename(file, file + "-renamed"),
            "changing a file's mode": lambda: os.chmod(file, 0o777),
            "changing a file's times": lambda: os.utime(file),
            "a link into the scratch folder": lambda: os.link(file, "link"),
            "a pipe with a name": lambda: os.mkfifo(new + "-pipe"),
            "a file beside the scratch folder": lambda: _open(os.path.join(home, "new"), "wb"),
        }
    )


def opens_in_odd_ways(file: str) -> str:
    """`file` may be written by everybody; a module of the standard library and the scratch folder may be read."""
    ways = {
        "neither to read nor to write": (file, os.O_WRONLY | os.O_RDWR),
        "a device neither to read nor to write": ("/dev/null", os.O_WRONLY | os.O_RDWR),
        "to read, and emptied": (file, os.O_RDONLY | os.O_TRUNC),
        "neither to read nor to write, and emptied": (file, os.O_WRONLY | os.O_RDWR | os.O_TRUNC),
        "to write, and emptied": (file, os.O_WRONLY | os.O_TRUNC),
        "as a path alone": (file, os.O_PATH),
        "a file without a name": (".", os.O_RDWR | os.O_TMPFILE),
        "without access times": (os.__file__, os.O_RDONLY | os.O_NOATIME),
        "past the kernel's cache": (os.__file__, os.O_RDONLY | os.O_DIRECT),
    }
    attempts: dict[str, Callable[[], object]] = {
        name: partial(_open_with, path, flags) for name, (path, flags) in ways.items()
    }
    how = (ctypes.c_uint64 * 3)(os.O_WRONLY, 0, 0)
    attempts["openat2"] = lambda: os.close(_system_call("syscall", SYS_OPENAT2, -100, file.encode(), how, 24))
    if platform.machine() == "x86_64":
        attempts["creat"] = lambda: os.close(_system_call("syscall", SYS_CREAT_X86_64, b"created", 0o600))
    return _let_through(attempts)


def _open_with(path: str, flags: int) -> None:
    os.close(os.open(path, flags))


@promise("locks no file", "seccomp")
def locks_files() -> str:
    """Of a file that every worker may read, and of its own."""
    with open(os.__file__, "rb") as shared, open("locked", "wb") as own:
        attempts: dict[str, Callable[[], object]] = {}
        for name, file in (("a shared file", shared), ("its own file", own)):
            # To unlock never waits.
            asked = struct.pack("hhqqi4x", fcntl.F_UNLCK, os.SEEK_SET, 0, 1, 0)
            attempts[f"flock on {name}"] = partial(fcntl.flock, file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            for command, number in LOCK_COMMANDS.items():
                attempts[f"{command} on {name}"] = partial(fcntl.fcntl, file, number, asked)
        return _let_through(attempts)


@promise("connects to nothing over TCP", "seccomp", "tcp")
def connects_tcp(port: int) -> str:
    return _let_through({"connecting": lambda: socket.create_connection(("127.0.0.1", port), 1).close()})


@promise("listens to nothing", "seccomp")
def listens_tcp() -> str:
    return _let_through({"listening": lambda: socket.create_server(("127.0.0.1", 0)).close()})


@promise("sends nothing over UDP", "seccomp", "udp")
def sends_udp(port: int) -> str:
    return _let_through({"sending": lambda: _send(socket.AF_INET, ("127.0.0.1", port))})


@promise("sends nothing to a unix socket", "seccomp", "unix")
def sends_unix(path: str) -> str:
    return _let_through({"sending": lambda: _send(socket.AF_UNIX, path)})


@promise("sends nothing to an abstract socket", "seccomp", "abstract")
def sends_abstract(name: str) -> str:
    return _let_through({"sending": lambda: _send(socket.AF_UNIX, "\0" + name)})


@promise("opens no other kind of socket", "seccomp")
def other_sockets() -> str:
    families = {"netlink": socket.AF_NETLINK, "vsock": socket.AF_VSOCK, "packet": socket.AF_PACKET}
    attempts = {name: partial(socket.socket, family, socket.SOCK_RAW) for name, family in families.items()}
    return _let_through({**attempts, "a pair of sockets": socket.socketpair})


def _send(family: int, address: str | tuple[str, int]) -> None:
    with socket.socket(family, socket.SOCK_DGRAM) as end:
        end.sendto(b"probe", address)


@promise("starts no process", "seccomp")
def starts_processes() -> str:
    return _let_through(
        {
            "fork": lambda: os.fork() or os._exit(0),
            "spawn": lambda: os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}), 0),
            "subprocess": lambda: subprocess.run([sys.executable, "-c", ""], check=False),
        }
    )


@promise("becomes no other program", "seccomp")
def becomes_another_program() -> str:
    """Where the wall fails, this is the last that is heard of the worker."""
    return _let_through({"execve": lambda: os.execv(sys.executable, [sys.executable, "-c", ""])})


@promise("signals no process", "seccomp", "processes")
def sends_signals(processes: Iterable[int]) -> str:
    """Only the signal 0, which is none, and only the question who gets one."""
    attempts: dict[str, Callable[[], object]] = {}
    for process in processes:
        attempts[f"kill {process}"] = partial(os.kill, process, 0)
        attempts[f"pidfd of {process}"] = partial(_system_call, "syscall", SYS_PIDFD_OPEN, process, 0)
        attempts[f"F_SETOWN of {process}"] = partial(fcntl.fcntl, 0, fcntl.F_SETOWN, process)
    return _let_through({**attempts, "kill of all": lambda: os.kill(-1, 0)})


@promise("touches no other process's memory or descriptors", "seccomp", "processes")
def touches_memory(processes: Iterable[int]) -> str:
    attempts: dict[str, Callable[[], object]] = {}
    for process in processes:
        attempts[f"ptrace of {process}"] = partial(_system_call, "ptrace", PTRACE_SEIZE, process, 0, 0)
        attempts[f"process_vm_readv of {process}"] = partial(_read_memory, process)
        attempts[f"memory file of {process}"] = partial(_open, f"/proc/{process}/mem")
    return _let_through({**attempts, "pidfd_getfd": partial(_system_call, "syscall", SYS_PIDFD_GETFD, 0, 0, 0)})


def _read_memory(process: int) -> int:
    """No process has anything at address 0: one that may be read says so, instead of refusing."""
    here = ctypes.create_string_buffer(8)
    vectors = (ctypes.c_void_p * 2)(ctypes.addressof(here), 8), (ctypes.c_void_p * 2)(0, 8)
    return _system_call("process_vm_readv", process, vectors[0], 1, vectors[1], 1, 0)


@promise("makes nothing in the kernel that stays when it ends", "seccomp")
def leaves_things_in_the_kernel() -> str:
    return _let_through(
        {
            "shared memory": lambda: _system_call(
                "shmctl", _system_call("shmget", 0, 4096, IPC_CREAT | 0o600), IPC_RMID, None
            ),
            "a message queue": lambda: _system_call(
                "msgctl", _system_call("msgget", 0, IPC_CREAT | 0o600), IPC_RMID, None
            ),
            "a file without a name": lambda: os.close(os.memfd_create("probe")),
            "io_uring": lambda: _system_call("syscall", SYS_IO_URING_SETUP, 1, ctypes.create_string_buffer(256)),
            "unshare": lambda: _system_call("unshare", 0),
        }
    )


@promise("starts no more threads than it may", "limits", "tasks", ended_for="threads")
def starts_threads(limit: int) -> str:
    """Where the kernel refuses none, the zygote has to end the worker."""
    release = threading.Event()
    try:
        for _ in range(limit + A_LITTLE_MORE):
            threading.Thread(target=release.wait).start()
        time.sleep(0.2)
        return f"{threading.active_count()} threads"
    except RuntimeError:
        return "" if threading.active_count() <= limit else f"{threading.active_count()} threads"
    finally:
        release.set()


@promise("takes no more memory than it may", "limits", "memory")
def takes_memory(limit: int) -> str:
    try:
        mmap.mmap(-1, limit).close()
    except OSError as error:
        return "" if error.errno == errno.ENOMEM else str(error)
    return f"{limit} bytes at once"


@promise("cannot write a file longer than the limit", "limits", "files")
def writes_a_long_file(limit: int) -> str:
    """A hole takes no room, but it is as long as it is."""
    with open("long", "wb") as file:
        try:
            file.truncate(limit + 1)
        except OSError as error:
            return "" if error.errno == errno.EFBIG else str(error)
    return f"a file of {limit + 1} bytes"


@promise("writes no more in all than it may", "watch", "files", ended_for="files")
def fills_its_folder(limit: int) -> str:
    """With two files, neither of which is too long. The zygote has to end the worker."""
    block = bytes(1 << 20)
    for name in ("one", "two"):
        with open(name, "wb") as file:
            for _ in range(limit // len(block) // 2 + 1):
                file.write(block)
    time.sleep(0.2)
    return f"{limit + 2 * len(block)} bytes in two files"


@promise("opens no more files than it may", "limits", "open_files")
def opens_files(limit: int) -> str:
    opened = []
    try:
        for _ in range(limit + A_LITTLE_MORE):
            opened.append(os.open(os.devnull, os.O_RDONLY))
        return f"{limit + A_LITTLE_MORE} descriptors"
    except OSError as error:
        return "" if error.errno == errno.EMFILE else str(error)
    finally:
        for descriptor in opened:
            os.close(descriptor)


@promise("has no more processor time than it may", "limits", "submission_seconds")
def has_processor_time(limit: int) -> str:
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    return "" if 0 <= most <= limit else f"{most} seconds"


@promise("raises none of its limits", "seccomp")
def raises_its_limits() -> str:
    nothing = (ctypes.c_ulong * 2)(0, 0)
    return _let_through({"setrlimit": lambda: _system_call("setrlimit", resource.RLIMIT_CORE, nothing)})


def prints(size: int) -> str:
    print("x" * size)
    return ""


def loops() -> None:
    while True:
        pass


def returns(numbers: int) -> np.ndarray:
    return np.broadcast_to(0.0, numbers)


def keeps_a_thread() -> str:
    """A thread that goes on between calls, for as long as the process lives."""
    threading.Thread(target=loops, daemon=True).start()
    return ""


def leaves_files() -> str:
    """So many that the folder itself grows by them."""
    for number in range(500):
        open(f"{number:0200}", "wb").close()
    return ""


def finds_files() -> list[str]:
    """The names in its folder, and the size of the folder itself where others were in it."""
    size = os.stat(".").st_size
    return [*os.listdir("."), *([f"room for names: {size} bytes"] if size > 1 << 14 else [])]


def finds_descriptors() -> list[int]:
    descriptors = []
    for descriptor in range(1024):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        descriptors.append(descriptor)
    return descriptors


def finds_environment() -> dict[str, str]:
    return dict(os.environ)
