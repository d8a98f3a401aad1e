"""The grader's side of the wall: opens workers, sends requests, waits, and never waits for ever."""

from __future__ import annotations

import contextlib
import json
import math
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

MACHINE_SECONDS = 60.0
"""How long the machine may take over what is its own business: to start, to fork, to lock. No submission pays for
that."""

STARTS = 3
"""How often a zygote is started before the machine is given up on."""


class SandboxError(BaseException):
    """The wall itself does not work here. The message says what is wrong and what to do.

    Not an Exception: raised in the middle of a test, it has to end the grading, and no search for a smaller failing
    example or for the test's result may take it for a mistake of the submission.
    """


class ZygoteGone(SandboxError):
    """The process that starts workers has ended, and with it the worker: nothing that a submission can do."""


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
        self.disabled_locks = list(disabled_locks)
        self.limits = limits
        self._start()

    def _start(self) -> None:
        # A short fixed prefix: nothing about the grader shows in the path that a submission can ask for.
        self.home = Path(tempfile.mkdtemp(prefix="scratch-"))
        self.scratch = self.home / "files"
        self._make_scratch()
        self.control, theirs = socket.socketpair()
        self.control.settimeout(MACHINE_SECONDS)
        self.is_ready = False
        script = str(Path(zygote.__file__))
        # -s, -S: no site-packages; -P: no script folder on the path.
        self.process = subprocess.Popen(
            [sys.executable, "-s", "-S", "-P", script, str(theirs.fileno())],
            env=environment(self.scratch) | _loader_path(),
            cwd=self.home,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )
        theirs.close()
        assert self.process.stdin is not None
        libraries = str(Path(np.__file__).resolve().parents[1])
        plan = {"project": str(PACKAGE.parent), "libraries": libraries, "scratch": str(self.scratch)}
        with contextlib.suppress(BrokenPipeError), self.process.stdin as pipe:
            json.dump(plan | {"disabled_locks": self.disabled_locks, "limits": asdict(self.limits)}, pipe)

    def _stop(self) -> None:
        """End the zygote, which ends its worker first, and see that its folder is gone."""
        self.control.close()
        try:
            self.process.wait(MACHINE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        zygote.remove(self.home)

    def open(self) -> Worker:
        """Fork a fresh worker in a new scratch folder. Raises SandboxError."""
        for _ in range(STARTS):
            try:
                return self._open()
            except OSError:
                self._stop()
                self._start()
        raise SandboxError("the sandbox could not start a worker: run `autograder doctor` to see why")

    def _open(self) -> Worker:
        self._wait_until_ready()
        (ours, theirs), (read_end, write_end) = socket.socketpair(), os.pipe()
        try:
            socket.send_fds(self.control, [zygote.FORK], [theirs.fileno(), write_end])
            process, _ = self._answer()
        except OSError:
            ours.close()
            os.close(read_end)
            raise
        finally:
            theirs.close()
            os.close(write_end)
        worker = Worker(self, process, ours, read_end)
        worker.wait_until_locked()
        return worker

    def _wait_until_ready(self) -> None:
        if self.is_ready:
            return
        try:
            self._answer()
        except ConnectionError as error:
            assert self.process.stdout is not None
            said = self.process.stdout.read(2000).strip()
            if not said:
                raise
            raise SandboxError(f"the sandbox could not be set up ({said}): run `autograder doctor`") from error
        self.is_ready = True

    def end_worker(self) -> tuple[int, str]:
        """Kill the current worker, wait until it is gone; its exit status (negative: a signal) and what it had too much
        of."""
        try:
            self.control.sendall(zygote.END)
            ended = self._answer()
        except OSError as error:
            self._stop()
            self._start()
            raise ZygoteGone("the process that starts workers has ended, again: run `autograder doctor`") from error
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
        """End the zygote; nothing of the sandbox is left."""
        self._stop()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def busy_seconds(process: int) -> float:
    """Seconds for which a process has computed, all its threads together, or was ready to and lacked a processor: on a
    busy machine no submission pays for that. Without end where this system does not tell."""
    try:
        with open(f"/proc/{process}/schedstat", encoding="ascii") as file:
            delayed, turns = map(int, file.read().split()[1:])
        return time.clock_gettime(~process << 3 | _PROCESSOR_CLOCK) + delayed / 1e9 if turns else math.inf
    except OSError:
        return math.inf


def withheld_seconds() -> float:
    """Seconds for which this machine gave its processors to others, or waited for a disk: swapping is no sleep."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            _, _, _, _, _, disk, _, _, others, *_ = file.readline().split()
    except OSError:
        return math.inf
    return (int(disk) + int(others)) / os.sysconf("SC_CLK_TCK")


_PROCESSOR_CLOCK = 2
"""What Linux calls a process's clock of processor time, beside the number of the process: clock_getcpuclockid(3)."""

_SETTINGS = {
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # The C library would set aside 64 MiB of address space for each thread.
    "MALLOC_ARENA_MAX": "1",
    # One thread for linear algebra: forking is safe, and results are the same whatever the machine.
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"),
}


def environment(scratch: Path) -> dict[str, str]:
    """All that a submission finds in its environment."""
    return {**_SETTINGS, "HOME": str(scratch), "TMPDIR": str(scratch)}


def _loader_path() -> dict[str, str]:
    """What an interpreter in an unusual place may need to start; the zygote then drops it."""
    return {name: os.environ[name] for name in (zygote.LOADER_PATH,) if name in os.environ}


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
        wire_end.setblocking(False)
        os.set_blocking(output, False)
        self._poll = select.poll()
        self._poll.register(output, select.POLLIN)
        self._poll.register(wire_end, select.POLLIN)

    def wait_until_locked(self) -> None:
        """Raises SandboxError where the worker cannot put its locks on."""
        try:
            raised = self._receive_reply(MACHINE_SECONDS).raised
        except WorkerDied as error:
            raised = Raised("WorkerDied", (), f"it {error.why}")
        if raised is not None:
            self.close()
            message = f"the sandbox could not lock a worker ({raised.kind}: {raised.message}): run `autograder doctor`"
            raise SandboxError(message)

    def ask(self, request: bytes, seconds: float) -> Reply:
        """Send one request and wait for its reply. Raises WorkerDied, and then the worker is of no more use."""
        begin = time.monotonic()
        try:
            self._send(request, begin + seconds)
            return self._receive_reply(seconds - (time.monotonic() - begin))
        except TimeoutError as error:
            raise WorkerSlow(seconds) from error

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

    def _send(self, data: bytes, deadline: float) -> None:
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self.wire.send(rest) :]
            except BlockingIOError:
                self._poll.modify(self.wire, select.POLLOUT)
                self._wait(deadline)
                self._poll.modify(self.wire, select.POLLIN)
            except (BrokenPipeError, ConnectionResetError) as error:
                raise WorkerDied("ended its process") from error

    def _receive(self, size: int, deadline: float) -> None:
        """Until there are so many bytes to read."""
        while len(self._unread) < size:
            self._wait(deadline)
            try:
                part = self.wire.recv(1 << 16)
            except ConnectionResetError:
                part = b""
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

    def busy_seconds(self) -> float:
        """Seconds for which it has computed, or lacked a processor."""
        return busy_seconds(self.process)

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
