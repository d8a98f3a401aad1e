"""Attempts to break the promises of the sandbox, each a line of Python that `self_test` runs in a worker."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attempt:
    """A line of Python that breaks a promise, and the locks of which each one refuses it."""

    promise: str
    lock: str
    line: str
    refused: str = "PermissionError"
    """the exceptions, or ends of the worker, that show a refusal"""


ATTEMPT_PROGRAM = """
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
def attempt(line, given):
    exec(line, globals() | given)
"""

ATTEMPTS = (
    Attempt("reads nobody's file", "landlock", "open(file).close()"),
    Attempt("reads nothing of this project", "landlock", "open(code).close()"),
    Attempt("reads nothing of the system's", "landlock", "open('/etc/passwd').close()"),
    Attempt("reads no process's environment", "landlock, user", "open(f'/proc/{grader}/environ').close()"),
    Attempt("lists no folder", "landlock", "os.listdir(folder)"),
    Attempt("writes nothing elsewhere", "landlock", "open(folder + '/new', 'w').close()"),
    Attempt("writes nothing beside its scratch folder", "user", "open('../new', 'w').close()"),
    Attempt("empties no file", "seccomp, landlock", "os.truncate(file, 0)"),
    Attempt("opens no file in an odd way", "seccomp, landlock", "os.open(file, os.O_WRONLY | os.O_RDWR | os.O_TRUNC)"),
    Attempt("locks no file", "seccomp", "fcntl.flock(open(os.__file__), fcntl.LOCK_SH | fcntl.LOCK_NB)"),
    Attempt("leaves no trace in what it reads", "times", "refuse_where(not any(map(is_traced, libraries)))"),
    Attempt("reaches no address", "seccomp", "socket.socket()"),
    Attempt("has no socket of any kind", "seccomp", "socket.socketpair()"),
    Attempt("starts no process", "seccomp", "os.fork() or os._exit(0)"),
    Attempt("becomes no other program", "seccomp, landlock", "os.execv('/bin/true', ['true'])"),
    Attempt("signals no process", "seccomp, landlock, user", "os.kill(grader, 0)"),
    Attempt("traces no process", "seccomp, landlock, user", "system_call('ptrace', 0x4206, grader, 0, 0)"),
    Attempt("leaves nothing in the kernel", "seccomp", "system_call('semctl', libc.semget(0, 1, 0o600), 0, REMOVE)"),
    Attempt("waits for no other process", "seccomp", "system_call('syscall', FUTEX, word, WAKE, 1)", "BlockingIOError"),
    Attempt("raises none of its limits", "seccomp", "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))", "ValueError"),
    Attempt("takes no more memory than it may", "limits", "mmap.mmap(-1, memory_bytes)", "OSError"),
    Attempt("writes no file longer than it may", "limits", "open('long', 'wb').truncate(file_bytes + 1)", "OSError"),
    Attempt("opens no more files than it may", "limits", "[open(os.devnull) for _ in range(open_files)]", "OSError"),
    Attempt(
        "has no more processor time than it may",
        "limits",
        "refuse_where(0 <= resource.getrlimit(resource.RLIMIT_CPU)[1] <= submission_seconds)",
    ),
    Attempt("inherits no variable of the grader", "zygote", "refuse_where(os.environ.items() <= variables.items())"),
    Attempt("inherits no descriptor of the grader", "zygote", "refuse_where(sum(map(is_open, range(1024))) == 4)"),
    Attempt(
        "starts no more threads than it may",
        "limits, watch",
        "[threading.Thread(target=time.sleep, args=(1,)).start() for _ in range(tasks + 8)]; time.sleep(1)",
        "RuntimeError, started more than",
    ),
    Attempt(
        "writes no more in all than it may",
        "watch",
        "[open(name, 'wb').write(bytes(file_bytes // 2 + 4096)) for name in 'ab']; time.sleep(1)",
        "wrote more than",
    ),
)
