"""A self-test of the sandbox on this machine, in which a worker tries to break each promise with one line of Python.

`require` runs before any grading: if an attempt succeeds, no submission runs and no student gets a grade. Each attempt
is harmless even if the sandbox fails: it requests little more than the limits allow, and it touches only files that the
self-test has created. A promise holds only if the sandbox refuses the attempt: a line that fails in any other way
proves nothing.
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
from typing import Any, NamedTuple

import numpy as np

from autograder.course import PACKAGE_FOLDER
from autograder.module_search_path import use_safe_path
from autograder.protocol.call import Call, Reply
from autograder.sandbox import confine, wire
from autograder.sandbox.client import (
    NUMPY_PARENT_FOLDER,
    Sandbox,
    SandboxError,
    Worker,
    WorkerDiedError,
    WorkerTimeoutError,
    environment,
    thread_states,
)
from autograder.sandbox.escape_attempts import ATTEMPT_HELPERS_SOURCE, ATTEMPTS, EscapeAttempt
from autograder.sandbox.limits import LIMITS, MIB


class BrokenPromiseError(Exception):
    """Raised if one of the sandbox's promises does not hold on this machine; the message names it and a fix."""


@dataclass(frozen=True)
class PromiseFinding:
    """A promise of the sandbox, with the attempt that broke it on this machine, if any."""

    promise: str
    locks: str
    """comma-separated names of the locks that keep the promise"""
    breach: str = ""
    """the attempt that succeeded; empty if the promise holds"""

    @property
    def held(self) -> bool:
        """True if no attempt succeeded."""
        return not self.breach

    @property
    def fix(self) -> str:
        """Advice on how to make the promise hold on this machine."""
        return FIX_BY_LOCK[self.locks.split(", ")[0]]


FIX_BY_LOCK = {
    "landlock": (
        "Use Linux 5.13 or newer with `landlock` listed in /sys/kernel/security/lsm (if not, boot with lsm=landlock,… "
        "in front of the list). A container must allow the landlock system calls, as Docker's default profile does."
    ),
    "seccomp": "Install libseccomp (libseccomp2 on Debian and Ubuntu) and use a kernel with seccomp filters.",
    **dict.fromkeys(
        ("limits", "user"),
        "Run as an ordinary user, or as root with the capabilities SETUID and SETGID: no other root has limits.",
    ),
    "session": "Run the grader on a system where a process may set its parent-death signal (Linux since 2.1.57).",
    "times": "Mount the file system of the interpreter and numpy with relatime (the default on Linux) or noatime.",
    "watch": "Mount /proc as readable, and keep the temporary folder on a local disk.",
    "zygote": "Report this message: the grader itself must keep this promise on any Linux.",
}
"""Advice on how to make each lock work on this machine, keyed by the lock's name."""

ISOLATION_NONE_ADVICE = "`--isolation none` grades without the sandbox: use it only for code that you trust."

ATTEMPT_TIMEOUT_SECONDS = 20.0
"""Maximum time for an attempt; long enough for a busy machine."""

MIN_SUSPENDED_SECONDS = 0.05
"""Minimum time during which no thread of a suspended worker is allowed to run."""

WORKER_END_TIMEOUT_SECONDS = 2.0
"""Maximum time between the zygote's end and its worker's."""


def examine(disabled_locks: Collection[str] = ()) -> list[PromiseFinding]:
    """Try to break every promise, and return the findings. Only tests of this module disable locks."""
    limits = replace(LIMITS, scratch_bytes=2 * MIB)  # a low limit, so that attempts need not write much
    confine.settle_access_times(confine.allowed_packages(NUMPY_PARENT_FOLDER))
    try:
        with closing(Sandbox(disabled_locks, limits)) as sandbox, _attempt_variables(sandbox) as variables:
            worker = _Examined(sandbox, variables)
            findings = [PromiseFinding(each.promise, each.locks, worker.lets_through(each)) for each in ATTEMPTS]
            return findings + [
                PromiseFinding(promise, lock, describe_breach(worker))
                for promise, lock, describe_breach in OUTSIDE_CHECKS
            ]
    except SandboxError as error:
        lock = next((name for name in FIX_BY_LOCK if f"{name}: " in str(error)), "zygote")
        return [PromiseFinding("starts in a worker with its locks", lock, str(error))]


def require() -> None:
    """Raise BrokenPromiseError if a promise does not hold on this machine."""
    for finding in examine():
        if not finding.held:
            raise BrokenPromiseError(
                f"the sandbox does not hold here: {finding.promise} ({finding.breach})."
                f" {finding.fix} {ISOLATION_NONE_ADVICE}"
            )


@contextmanager
def _attempt_variables(sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """Yield the variables for the attempts, keyed by name, such as the path of a folder that any user can write to."""
    with tempfile.TemporaryDirectory(prefix="canaries-") as folder:
        file = Path(folder) / "file"
        file.write_bytes(b"whereabouts")
        Path(folder).chmod(0o777)
        file.chmod(0o666)
        yield {
            **vars(sandbox.limits),
            "folder": folder,
            "file": str(file),
            "code": str(PACKAGE_FOLDER / "course.py"),
            "libraries": sorted(
                map(str, (*Path(os.__file__).parent.glob("*.py"), *Path(np.__file__).parent.glob("*.py")))
            ),
            "grader": os.getpid(),
            "variables": environment(sandbox.scratch),
        }


class _Examined:
    """A sandbox under examination, and the worker that makes the next attempt."""

    def __init__(self, sandbox: Sandbox, variables: dict[str, Any]) -> None:
        self.sandbox = sandbox
        self.variables = variables
        self.worker: Worker | None = None

    def running_worker(self) -> Worker:
        """Return a running worker that has loaded ATTEMPT_HELPERS_SOURCE."""
        if self.worker is None:
            self.worker = self.sandbox.open()
            self.worker.ask(
                wire.load_request("attempts", (ATTEMPT_HELPERS_SOURCE,), "attempts.py", ATTEMPT_TIMEOUT_SECONDS),
                ATTEMPT_TIMEOUT_SECONDS,
            )
        return self.worker

    def ask(self, line: str, seconds: float = ATTEMPT_TIMEOUT_SECONDS) -> Reply:
        """Return the reply to a line of Python. Raise WorkerDiedError if the worker ends instead."""
        return self.running_worker().ask(wire.request(Call("attempt", (line, self.variables))), seconds)

    def kill_or_describe_end(self) -> str:
        """End the worker. Return a description of the limit or crash that had ended it, or an empty string."""
        worker, self.worker = self.worker, None
        return worker.kill_or_describe_end() if worker is not None else ""

    def lets_through(self, attempt: EscapeAttempt) -> str:
        """Return a description of the attempt if it succeeds, or an empty string if the sandbox refuses it."""
        try:
            raised = self.ask(attempt.line).raised
            ended = f"{raised.kind}: {raised.message}" if raised is not None else ""
        except WorkerDiedError as error:
            ended = self.kill_or_describe_end() or str(error)
        if any(ended.startswith(refusal) for refusal in attempt.refused.split(", ")):
            return ""
        return f"`{attempt.line}` " + (f"ended with {ended}" if ended else "was not refused")


def _has_privileges(examined: _Examined) -> str:
    lines = Path(f"/proc/{examined.running_worker().process}/status").read_text(encoding="utf-8").splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    held = [f"capabilities {status[name][0]}" for name in ("CapPrm", "CapEff", "CapAmb") if int(status[name][0], 16)]
    if status["NoNewPrivs"] != ["1"]:
        held.append("new privileges may be gained")
    if os.geteuid() == 0 and "0" in status["Uid"][:3]:
        held.append("the user id is root's")
    return ", ".join(held)


def _outlives_its_timeout(examined: _Examined) -> str:
    process = examined.running_worker().process
    try:
        examined.ask("while True: pass", seconds=0.05)
    except WorkerDiedError as error:
        examined.kill_or_describe_end()
        return "" if isinstance(error, WorkerTimeoutError) and _is_gone(process) else f"the process {process} {error}"
    return "a call that must never return returned"


def _runs_while_suspended(examined: _Examined) -> str:
    """Return a description of the process if any of its threads runs while suspended; otherwise, an empty string."""
    examined.ask("threading.Thread(target=tick, daemon=True).start()")
    worker = examined.running_worker()
    worker.suspend()
    time.sleep(2 * MIN_SUSPENDED_SECONDS)
    stood = f"max(b - a for a, b in zip(ticks, ticks[1:] + [time.monotonic()])) > {MIN_SUSPENDED_SECONDS}"
    raised = examined.ask(f"refuse_where({stood})").raised
    examined.kill_or_describe_end()
    return "" if raised is not None and raised.kind == "PermissionError" else f"the process {worker.process}"


def _shadows_stdlib_for_grader(examined: _Examined) -> str:
    """Return a message if an interpreter imports `socket` from its current folder; otherwise, an empty string."""
    use_safe_path()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "socket.py").touch()
        line = "import socket; print(socket.__file__)"
        done = subprocess.run(
            [sys.executable, "-S", "-c", line], cwd=folder, capture_output=True, text=True, check=False
        )
        return f"an interpreter took {done.stdout}" if folder in done.stdout else done.stderr


def _worker_outlives_zygote(examined: _Examined) -> str:
    """End the zygote. Return a description of the worker's process if it survives; otherwise, an empty string.

    This must be the last check.
    """
    worker = examined.running_worker()
    os.kill(examined.sandbox.process.pid, signal.SIGKILL)
    deadline = time.monotonic() + WORKER_END_TIMEOUT_SECONDS
    while not (gone := _is_gone(worker.process)) and time.monotonic() < deadline:
        time.sleep(0.005)
    worker.wire.close()
    return "" if gone else f"the process {worker.process}"


def _is_gone(process: int) -> bool:
    """Return True if a process has ended, whether or not its parent has reaped it."""
    return thread_states(process) <= {"Z", "X"}


class OutsideCheck(NamedTuple):
    """A promise that the grader checks from outside the worker."""

    promise: str
    lock: str
    describe_breach: Callable[[_Examined], str]
    """returns an empty string if the promise holds"""


OUTSIDE_CHECKS = (
    OutsideCheck("has no privileges and cannot gain any", "user", _has_privileges),
    OutsideCheck("does nothing while its other process runs", "zygote", _runs_while_suspended),
    OutsideCheck("cannot run longer than allowed", "zygote", _outlives_its_timeout),
    OutsideCheck("is never imported by the programs that read or grade it", "zygote", _shadows_stdlib_for_grader),
    OutsideCheck("ends when the grader ends", "session", _worker_outlives_zygote),
)
"""Promises that the grader checks from outside the worker."""
