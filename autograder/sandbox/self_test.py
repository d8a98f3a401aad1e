"""Does the wall hold on this machine? A worker tries to break each promise, in one line of Python.

`require` is asked before anything is graded: where one gets through, nothing runs and nobody gets a grade. Each attempt
is harmless where the wall fails: it asks for little more than the limits allow, and touches nothing but what is set up
for it. Only a refusal counts as held: a line that fails in any other way has shown nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course import PACKAGE
from autograder.protocol.call import Call, Reply
from autograder.safe_path import use_safe_path
from autograder.sandbox import confine, wire
from autograder.sandbox.client import (
    LIBRARIES,
    Sandbox,
    SandboxError,
    Worker,
    WorkerDiedError,
    WorkerSlowError,
    environment,
)
from autograder.sandbox.limits import LIMITS, MIB


class BrokenPromiseError(Exception):
    """A promise of the wall does not hold here. The message says which, and how to fix it."""


@dataclass(frozen=True)
class Finding:
    """A promise, and whether it holds on this machine."""

    promise: str
    lock: str
    detail: str = ""
    """what got through; empty where the promise holds"""

    @property
    def held(self) -> bool:
        """True if nothing got through."""
        return not self.detail

    @property
    def fix(self) -> str:
        """The advice for a person who wants the promise to hold."""
        return FIX[self.lock.split(", ")[0]]


@dataclass(frozen=True)
class Attempt:
    """A line of Python that breaks a promise, and the locks that refuse it, each of them alone."""

    promise: str
    lock: str
    line: str
    refused: str = "PermissionError"
    """the exceptions, or ends of the worker, that show that it was refused"""


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
    Attempt("takes no more memory than it may", "limits", "mmap.mmap(-1, memory)", "OSError"),
    Attempt("writes no file longer than it may", "limits", "open('long', 'wb').truncate(files + 1)", "OSError"),
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
        "[open(name, 'wb').write(bytes(files // 2 + 4096)) for name in 'ab']; time.sleep(1)",
        "wrote more than",
    ),
)

FIX = {
    "landlock": (
        "Use Linux 5.13 or newer with `landlock` named in /sys/kernel/security/lsm (else boot with lsm=landlock,… in "
        "front of the list); a container must allow the landlock system calls, as Docker's default profile does."
    ),
    "seccomp": "Install libseccomp (libseccomp2 on Debian and Ubuntu) and use a kernel with seccomp filters.",
    **dict.fromkeys(
        ("limits", "user"),
        "Run as an ordinary user, or as root with the capabilities SETUID and SETGID: the kernel limits no other root.",
    ),
    "session": "Run the grader where a process may set its parent-death signal (every Linux since 2.1.57).",
    "times": "Mount the file system of the interpreter and of numpy with relatime, the default of Linux, or noatime.",
    "watch": "Mount /proc readable, and keep the temporary folder on a local disk.",
    "zygote": "Report it, with what is said here: this is the grader's own doing on any Linux.",
}
WITHOUT_SANDBOX = "`--isolation none` grades without the wall: only for code that you trust."

ATTEMPT_TIMEOUT_SECONDS = 20.0
"""Time for an attempt on a busy machine."""

SUSPENDED_SECONDS = 0.05
"""Time for which a suspended worker has to stand still."""

END_TIMEOUT_SECONDS = 2.0
"""Time within which a worker ends after its zygote."""


def examine(disabled_locks: Collection[str] = ()) -> list[Finding]:
    """Try to break every promise; `disabled_locks` leaves locks off, as the tests of this table do."""
    limits = replace(LIMITS, files=2 * MIB)  # less to write
    confine.settle_access_times(confine.packages_in(LIBRARIES))
    try:
        with closing(Sandbox(disabled_locks, limits)) as sandbox, _given(sandbox) as given:
            worker = _Examined(sandbox, given)
            found = [Finding(one.promise, one.lock, worker.lets_through(one)) for one in ATTEMPTS]
            return found + [Finding(promise, lock, look(worker)) for promise, lock, look in OUTSIDE_CHECKS]
    except SandboxError as error:
        lock = next((name for name in FIX if f"{name}: " in str(error)), "zygote")
        return [Finding("a worker starts and puts on its locks", lock, str(error))]


def require() -> None:
    """Raise BrokenPromiseError if a promise does not hold here."""
    for one in examine():
        if not one.held:
            raise BrokenPromiseError(
                f"the wall does not hold here: {one.promise} ({one.detail}). {one.fix} {WITHOUT_SANDBOX}"
            )


@contextmanager
def _given(sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """Yield the variables of the attempts: the limits, and a folder with a file that every user may write."""
    with tempfile.TemporaryDirectory(prefix="canaries-") as folder:
        file = Path(folder) / "file"
        file.write_bytes(b"whereabouts")
        Path(folder).chmod(0o777)
        file.chmod(0o666)
        yield {
            **vars(sandbox.limits),
            "folder": folder,
            "file": str(file),
            "code": str(PACKAGE / "course.py"),
            "libraries": sorted(
                map(str, (*Path(os.__file__).parent.glob("*.py"), *Path(np.__file__).parent.glob("*.py")))
            ),
            "grader": os.getpid(),
            "variables": environment(sandbox.scratch),
        }


class _Examined:
    """A sandbox, and the worker that makes the next attempt."""

    def __init__(self, sandbox: Sandbox, given: dict[str, Any]) -> None:
        self.sandbox = sandbox
        self.given = given
        self.worker: Worker | None = None

    def running(self) -> Worker:
        """Return a worker that has loaded the program."""
        if self.worker is None:
            self.worker = self.sandbox.open()
            self.worker.ask(
                wire.load_request("attempts", (ATTEMPT_PROGRAM,), "attempts.py", ATTEMPT_TIMEOUT_SECONDS),
                ATTEMPT_TIMEOUT_SECONDS,
            )
        return self.worker

    def ask(self, line: str, seconds: float = ATTEMPT_TIMEOUT_SECONDS) -> Reply:
        """Return the reply to a line. Raise WorkerDiedError."""
        return self.running().ask(wire.request(Call("attempt", (line, self.given))), seconds)

    def end(self) -> str:
        """Begin the next attempt in a new worker; returns what this one was ended for."""
        worker, self.worker = self.worker, None
        return worker.close() if worker is not None else ""

    def lets_through(self, attempt: Attempt) -> str:
        """Return in words what was not refused; empty if the attempt was."""
        try:
            raised = self.ask(attempt.line).raised
            ended = f"{raised.kind}: {raised.message}" if raised is not None else ""
        except WorkerDiedError as error:
            ended = self.end() or str(error)
        if any(ended.startswith(one) for one in attempt.refused.split(", ")):
            return ""
        return f"`{attempt.line}` " + (f"ended with {ended}" if ended else "was let through")


def _has_privileges(examined: _Examined) -> str:
    lines = Path(f"/proc/{examined.running().process}/status").read_text(encoding="utf-8").splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    held = [f"capabilities {status[name][0]}" for name in ("CapPrm", "CapEff", "CapAmb") if int(status[name][0], 16)]
    if status["NoNewPrivs"] != ["1"]:
        held.append("new privileges may be gained")
    if os.geteuid() == 0 and "0" in status["Uid"][:3]:
        held.append("the user id is root's")
    return ", ".join(held)


def _runs_on(examined: _Examined) -> str:
    process = examined.running().process
    try:
        examined.ask("while True: pass", seconds=0.05)
    except WorkerDiedError as error:
        examined.end()
        return "" if isinstance(error, WorkerSlowError) and _is_gone(process) else f"the process {process} {error}"
    return "a call that never returns did"


def _runs_while_suspended(examined: _Examined) -> str:
    """Look for a thread that goes on while its process is suspended."""
    examined.ask("threading.Thread(target=tick, daemon=True).start()")
    worker = examined.running()
    worker.suspend()
    time.sleep(2 * SUSPENDED_SECONDS)
    stood = f"max(b - a for a, b in zip(ticks, ticks[1:] + [time.monotonic()])) > {SUSPENDED_SECONDS}"
    raised = examined.ask(f"refuse_where({stood})").raised
    examined.end()
    return "" if raised is not None and raised.kind == "PermissionError" else f"the process {worker.process}"


def _is_imported(examined: _Examined) -> str:
    """Start an interpreter beside a file that is named like a module of the standard library."""
    use_safe_path()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "socket.py").touch()
        line = "import socket; print(socket.__file__)"
        found = subprocess.run(
            [sys.executable, "-S", "-c", line], cwd=folder, capture_output=True, text=True, check=False
        )
        return f"an interpreter took {found.stdout}" if folder in found.stdout else found.stderr


def _outlives_the_grader(examined: _Examined) -> str:
    """End the zygote, and wait for its worker to end; has to come last."""
    worker = examined.running()
    os.kill(examined.sandbox.process.pid, signal.SIGKILL)
    deadline = time.monotonic() + END_TIMEOUT_SECONDS
    while not (gone := _is_gone(worker.process)) and time.monotonic() < deadline:
        time.sleep(0.005)
    worker.wire.close()
    return "" if gone else f"the process {worker.process}"


def _is_gone(process: int) -> bool:
    """Return True if a process has ended, collected by its parent or not."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


OUTSIDE_CHECKS: tuple[tuple[str, str, Callable[[_Examined], str]], ...] = (
    ("has no privilege and gains none", "user", _has_privileges),
    ("does nothing while its other process is asked", "zygote", _runs_while_suspended),
    ("runs no longer than it may", "zygote", _runs_on),
    ("is no module for what reads or grades it", "zygote", _is_imported),
    ("is gone when the grader is", "session", _outlives_the_grader),
)
"""Promises that are seen from outside: promise, lock, and a function that describes how it is broken."""
