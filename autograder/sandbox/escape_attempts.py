"""Attempts to break the sandbox's promises, each a line of Python that `self_test` runs in a worker."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EscapeAttempt:
    """A line of Python that would break a promise, and the locks that refuse it."""

    promise: str
    locks: str
    """comma-separated names of the locks, each of which is enough to refuse the line"""
    line: str
    refused: str = "PermissionError"
    """comma-separated beginnings of the texts that indicate a refusal (an exception, or how the worker ended)"""


ATTEMPT_HELPERS_SOURCE = """
import ctypes, fcntl, mmap, os, resource, socket, threading, time
libc, REMOVE = ctypes.CDLL(None, use_errno=True), 0
FUTEX, WAKE = {'x86_64': 202}.get(os.uname().machine, 98), 1
word = ctypes.byref(ctypes.c_int())
ticks = []
def tick():
    while len(ticks) < 10000:
        ticks.append(time.monotonic())
        time.sleep(0.001)
def system_call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
def is_open(descriptor):
    try:
        return bool(os.fstat(descriptor))
    except OSError:
        return False
def refuse_where(condition):
    if condition:
        raise PermissionError
def is_traced(path):
    before = os.stat(path).st_atime_ns
    open(path, 'rb').read(1)
    return os.stat(path).st_atime_ns != before
def attempt(line, variables):
    exec(line, globals() | variables)
"""
"""The file that a worker loads as its submission before the attempts; `attempt` runs a line of Python."""

ATTEMPTS = (
    EscapeAttempt("cannot read other people's files", "landlock", "open(file).close()"),
    EscapeAttempt("cannot read this project's files", "landlock", "open(code).close()"),
    EscapeAttempt("cannot read the system's files", "landlock", "open('/etc/passwd').close()"),
    EscapeAttempt("cannot read a process's environment", "landlock, user", "open(f'/proc/{grader}/environ').close()"),
    EscapeAttempt("cannot list a folder", "landlock", "os.listdir(folder)"),
    EscapeAttempt("cannot write to other folders", "landlock", "open(folder + '/new', 'w').close()"),
    EscapeAttempt("cannot write next to its scratch folder", "user", "open('../new', 'w').close()"),
    EscapeAttempt("cannot empty a file", "seccomp, landlock", "os.truncate(file, 0)"),
    EscapeAttempt(
        "cannot open a file with unusual flags",
        "seccomp, landlock",
        "os.open(file, os.O_WRONLY | os.O_RDWR | os.O_TRUNC)",
    ),
    EscapeAttempt("cannot lock a file", "seccomp", "fcntl.flock(open(os.__file__), fcntl.LOCK_SH | fcntl.LOCK_NB)"),
    EscapeAttempt("leaves no trace in the files it reads", "times", "refuse_where(not any(map(is_traced, libraries)))"),
    EscapeAttempt("cannot reach the network", "seccomp", "socket.socket()"),
    EscapeAttempt("cannot create a socket of any kind", "seccomp", "socket.socketpair()"),
    EscapeAttempt("cannot start a process", "seccomp", "os.fork() or os._exit(0)"),
    EscapeAttempt("cannot become another program", "seccomp, landlock", "os.execv('/bin/true', ['true'])"),
    EscapeAttempt("cannot signal a process", "seccomp, landlock, user", "os.kill(grader, 0)"),
    EscapeAttempt("cannot trace a process", "seccomp, landlock, user", "system_call('ptrace', 0x4206, grader, 0, 0)"),
    EscapeAttempt(
        "leaves nothing in the kernel", "seccomp", "system_call('semctl', libc.semget(0, 1, 0o600), 0, REMOVE)"
    ),
    EscapeAttempt(
        "shares no futex with another process",
        "seccomp",
        "system_call('syscall', FUTEX, word, WAKE, 1)",
        "BlockingIOError",
    ),
    EscapeAttempt(
        "cannot raise its limits", "seccomp", "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))", "ValueError"
    ),
    EscapeAttempt("cannot take more memory than allowed", "limits", "mmap.mmap(-1, memory_bytes)", "OSError"),
    EscapeAttempt(
        "cannot write a longer file than allowed", "limits", "open('long', 'wb').truncate(scratch_bytes + 1)", "OSError"
    ),
    EscapeAttempt(
        "cannot open more files than allowed", "limits", "[open(os.devnull) for _ in range(open_files)]", "OSError"
    ),
    EscapeAttempt(
        "cannot use more processor time than allowed",
        "limits",
        "refuse_where(0 <= resource.getrlimit(resource.RLIMIT_CPU)[1] <= submission_seconds)",
    ),
    EscapeAttempt(
        "inherits no variable from the grader", "zygote", "refuse_where(os.environ.items() <= variables.items())"
    ),
    EscapeAttempt(
        "inherits no descriptor from the grader", "zygote", "refuse_where(sum(map(is_open, range(1024))) == 4)"
    ),
    EscapeAttempt(
        "cannot start more threads than allowed",
        "limits, watch",
        "[threading.Thread(target=time.sleep, args=(1,)).start() for _ in range(tasks + 8)]; time.sleep(1)",
        "RuntimeError, started more than",
    ),
    EscapeAttempt(
        "cannot write more in total than allowed",
        "watch",
        "[open(name, 'wb').write(bytes(scratch_bytes // 2 + 4096)) for name in 'ab']; time.sleep(1)",
        "wrote more than",
    ),
)
