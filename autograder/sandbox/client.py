"""The grader's side of the wall: opens workers, sends requests, waits, and never waits for ever."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path

import numpy as np

from autograder.course import PACKAGE
from autograder.protocol.call import Raised, Reply
from autograder.protocol.codec import Malformed
from autograder.sandbox import wire, zygote
from autograder.sandbox.limits import LIMITS, MIB, Limits

SETTINGS = {
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # The C library would set aside 64 MiB of address space for each thread.
    "MALLOC_ARENA_MAX": "1",
    # One thread for linear algebra: forking is safe, and results are the same whatever the machine.
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"),
}
"""The environment of a zygote, and of a worker."""

LOADER_PATH = "LD_LIBRARY_PATH"
"""The one variable of the grader's environment that comes along, since the interpreter may not start without it."""

LIBRARIES = str(Path(np.__file__).resolve().parents[1])
"""Where numpy is installed."""

MACHINE_SECONDS = 60.0
"""How long the machine may take over what is its own business: to start, to fork, to lock. No submission pays for
that."""


class SandboxError(BaseException):
    """The wall itself does not work here. The message says what is wrong and what to do.

    Not an Exception: raised in the middle of a test, it has to end the grading, and no search for a smaller failing
    example or for the test's result may take it for a mistake of the submission.
    """


class WorkerDied(Exception):
    """The worker ended, or was ended, without a reply. The message is for a student."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class WorkerSlow(WorkerDied):
    """It did not reply in time."""

    def __init__(self, seconds: float) -> None:
        self.limit = f"within {round(seconds, 1):g} seconds"
        super().__init__(f"did not return {self.limit}")


class Sandbox:
    """One zygote and, at any time, at most one worker of it."""

    def __init__(self, disabled_locks: Collection[str] = (), limits: Limits = LIMITS) -> None:
        self.disabled_locks = disabled_locks
        self.limits = limits
        # A short fixed prefix: nothing about the grader shows in the path that a submission can ask for.
        self.home = Path(tempfile.mkdtemp(prefix="scratch-"))
        self.scratch = self.home / "files"
        self._make_scratch()
        self.process, self.control = _start_zygote()
        self.control.settimeout(MACHINE_SECONDS)
        self.is_ready = False
        plan = {
            "project": str(PACKAGE.parent),
            "libraries": LIBRARIES,
            "scratch": str(self.scratch),
            "environment": environment(self.scratch),
            "disabled_locks": list(disabled_locks),
            "limits": asdict(limits),
        }
        with contextlib.suppress(OSError):  # it is noticed where an answer is awaited
            self.control.sendall(wire.frame(json.dumps(plan).encode("utf-8")))

    @functools.cached_property
    def beside(self) -> Sandbox:
        """Another one, for a second process of the same submission; it stays as warm as this one."""
        return Sandbox(self.disabled_locks, self.limits)

    def open(self) -> Worker:
        """Fork a fresh worker in a new scratch folder. Raises SandboxError."""
        (ours, theirs), (read_end, write_end) = socket.socketpair(), os.pipe()
        try:
            if not self.is_ready:
                self._answer()
                self.is_ready = True
            socket.send_fds(self.control, [zygote.FORK], [theirs.fileno(), write_end])
            process, _ = self._answer()
        except (OSError, SandboxError) as error:
            ours.close()
            os.close(read_end)
            raise SandboxError(f"the sandbox could not be set up ({error}): run `autograder doctor`") from error
        finally:
            theirs.close()
            os.close(write_end)
        worker = Worker(self, process, ours, read_end)
        worker.wait_until_locked()
        return worker

    def end_worker(self) -> tuple[int, str]:
        """Kill the current worker, wait until it is gone; its exit status (negative: a signal) and what it had too much
        of."""
        try:
            self.control.sendall(zygote.END)
            ended = self._answer()
        except OSError as error:
            raise SandboxError("the process that starts workers has ended: run `autograder doctor`") from error
        self._renew_scratch()
        return ended

    def _answer(self) -> tuple[int, str]:
        data = b""
        while len(data) < zygote.ANSWER.size:
            part = self.control.recv(zygote.ANSWER.size - len(data))
            if not part:
                raise ConnectionResetError("the zygote is gone")
            data += part
        number, excess = zygote.ANSWER.unpack(data)
        if excess == zygote.FAILED:
            raise SandboxError(self.control.recv(number, socket.MSG_WAITALL).decode("utf-8", "replace"))
        return number, zygote.EXCESS[excess]

    def _renew_scratch(self) -> None:
        """A new folder for every worker: a folder keeps, in its own size, how many files were in it."""
        self.home.chmod(0o700)
        for entry in os.scandir(self.scratch):
            os.unlink(entry.path)
        self.scratch.rmdir()
        self._make_scratch()

    def _make_scratch(self) -> None:
        self.scratch.mkdir(0o700)
        # Landlock covers all below `home`, so that the folder in it may change; `home` itself nobody lists, or writes
        # into. Where a worker's files are its own user's, it becomes the owner of `scratch`, and passes through `home`
        # to it.
        self.home.chmod(0o111)

    def close(self) -> None:
        """End the zygote, which ends its worker first; nothing of the sandbox is left."""
        if "beside" in vars(self):
            self.beside.close()
        self.control.close()
        try:
            self.process.wait(MACHINE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        zygote.remove(self.home)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _start_zygote() -> tuple[subprocess.Popen[bytes], socket.socket]:
    control, theirs = socket.socketpair()
    # -s, -S: no site-packages; -P: no script folder on the path.
    process = subprocess.Popen(
        [sys.executable, "-s", "-S", "-P", str(Path(zygote.__file__)), str(theirs.fileno())],
        env=SETTINGS | {name: os.environ[name] for name in (LOADER_PATH,) if name in os.environ},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    theirs.close()
    return process, control


def environment(scratch: Path) -> dict[str, str]:
    """All that a submission finds in its environment."""
    return {**SETTINGS, "HOME": str(scratch), "TMPDIR": str(scratch)}


class Worker:
    """One locked process with at most one submission in it."""

    def __init__(self, sandbox: Sandbox, process: int, wire_end: socket.socket, output: int) -> None:
        self.sandbox = sandbox
        self.limits = sandbox.limits
        self.process = process
        self.wire = wire_end
        self.output = bytearray()
        self._unread = bytearray()
        self._output_end = output
        wire_end.settimeout(sandbox.limits.call_seconds)
        os.set_blocking(output, False)
        self._poll = select.poll()
        self._poll.register(output, select.POLLIN)
        self._poll.register(wire_end, select.POLLIN)

    def wait_until_locked(self) -> None:
        """Raises SandboxError where the worker cannot put its locks on."""
        try:
            raised = self._receive_reply(MACHINE_SECONDS).raised
        except (WorkerDied, OSError) as error:
            raised = Raised(type(error).__name__, (), f"it {error}")
        if raised is not None:
            self.close()
            message = f"the sandbox could not lock a worker ({raised.kind}: {raised.message}): run `autograder doctor`"
            raise SandboxError(message)

    def ask(self, request: bytes, seconds: float) -> Reply:
        """Send one request and wait for its reply. Raises WorkerDied, and then the worker is of no more use."""
        begin = time.monotonic()
        try:
            self.wire.sendall(request)
            return self._receive_reply(seconds - (time.monotonic() - begin))
        except TimeoutError as error:
            raise WorkerSlow(seconds) from error
        except (BrokenPipeError, ConnectionResetError) as error:
            raise WorkerDied("ended its process") from error

    def _receive_reply(self, seconds: float) -> Reply:
        deadline = time.monotonic() + seconds
        self._receive(wire.LENGTH.size, deadline)
        (size,) = wire.LENGTH.unpack_from(self._unread)
        try:
            if size > self.limits.message:
                raise Malformed("a reply that is too long")
            end = wire.LENGTH.size + size
            self._receive(end, deadline)
            reply = bytes(self._unread[wire.LENGTH.size : end])
            del self._unread[:end]
            return wire.unpack_reply(reply)
        except Malformed as error:
            raise WorkerDied("answered with something other than a result") from error

    def _receive(self, size: int, deadline: float) -> None:
        """Until there are so many bytes to read."""
        while len(self._unread) < size:
            self._wait(deadline)
            part = self.wire.recv(1 << 16)
            if not part:
                raise WorkerDied("ended its process")
            self._unread += part

    def _wait(self, deadline: float) -> None:
        """Until there is something to do on the wire; keeps the output pipe empty meanwhile. Raises TimeoutError."""
        while (seconds := deadline - time.monotonic()) > 0:
            ready = dict(self._poll.poll(1000 * seconds))
            if self._output_end in ready and self._drain() == b"":
                # Nobody can print any more. A pipe without writers would wake this loop again and again.
                self._poll.unregister(self._output_end)
            if self.wire.fileno() in ready:
                return
        raise TimeoutError

    def _drain(self) -> bytes | None:
        """Take what was printed, keep the beginning. None where there is nothing now, empty once nobody can print any
        more."""
        try:
            printed = os.read(self._output_end, 1 << 16)
        except BlockingIOError:
            return None
        self.output += printed[: self.limits.output - len(self.output)]
        return printed

    def take_output(self) -> None:
        """Take what was printed until now, as far as it is kept: a thread of the submission may print for ever."""
        while len(self.output) < self.limits.output and self._drain():
            pass

    def hang_up(self) -> None:
        """Take what was printed last, and let go of the wire: a worker that still runs ends itself at that."""
        self.take_output()
        self.wire.close()
        os.close(self._output_end)

    def close(self) -> str:
        """Kill the process and wait for its end; returns in words what ended it earlier, where that is known."""
        try:
            status, excess = self.sandbox.end_worker()
        finally:
            self.hang_up()
        if excess == "files":
            return f"wrote more than {self.limits.files // MIB} MiB or {self.limits.file_count} files"
        if excess == "threads":
            return f"started more than {self.limits.tasks} threads"
        if status in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT):
            return (
                f"ended its process ({signal.Signals(-status).name}, as endless recursion or running out of memory"
                " causes)"
            )
        return ""
