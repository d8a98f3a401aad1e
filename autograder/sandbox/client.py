"""The grader's side of the sandbox, which starts workers, sends requests, and never waits forever."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course import PACKAGE_FOLDER
from autograder.protocol.call import Reply
from autograder.protocol.codec import MalformedError
from autograder.sandbox import wire, zygote
from autograder.sandbox.limits import LIMITS, Limits

WORKER_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # Otherwise, the C library would set aside 64 MiB of address space for each thread.
    "MALLOC_ARENA_MAX": "1",
    # Keep freed memory for the next large array, since fetching new pages takes time.
    "MALLOC_MMAP_THRESHOLD_": str(16 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(64 << 20),
    # Use one thread for linear algebra, so that forking is safe and results are the same on any machine.
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"),
}
"""Environment variables of zygotes and workers, except those that depend on the scratch folder."""

NUMPY_PARENT_FOLDER = str(Path(np.__file__).resolve().parents[1])
"""Folder that numpy is installed in."""

PROCESS_SETUP_TIMEOUT_SECONDS = 60.0
"""Time limit for starting, forking and locking a process, none of which counts as the submission's time."""


MAX_SENT_AHEAD_BYTES = 64 * 1024
"""Maximum size, in bytes, of requests sent ahead; the connection can hold them before the worker reads any."""


class SandboxError(BaseException):
    """Raised if the sandbox does not work on this machine; the message says what is wrong and what to do.

    It is not a subclass of Exception, because it must stop grading even in the middle of a test, and code that searches
    for a smaller failing example must not mistake it for an error in the submission.
    """


class WorkerDiedError(Exception):
    """Raised if the worker ended, or was killed, before it replied. The message is for the student."""


class WorkerTimeoutError(WorkerDiedError):
    """Raised if the worker did not reply in time."""


class Sandbox:
    """A zygote and its worker, of which there is at most one at a time."""

    def __init__(self, disabled_locks: Collection[str] = (), limits: Limits = LIMITS) -> None:
        """Start a zygote without the disabled locks."""
        self.disabled_locks = disabled_locks
        self.limits = limits
        # A submission can read this path, whose short, fixed prefix reveals nothing about the grader.
        self.home = Path(tempfile.mkdtemp(prefix="scratch-"))
        self.scratch = self.home / "files"
        self._renew_scratch()
        self.process, self.control = _start_zygote(environment(self.scratch))
        self.control.settimeout(PROCESS_SETUP_TIMEOUT_SECONDS)
        zygote.send_message(
            self.control,
            project=str(PACKAGE_FOLDER.parent),
            libraries=NUMPY_PARENT_FOLDER,
            scratch=str(self.scratch),
            disabled_locks=list(disabled_locks),
            limits=asdict(limits),
        )

    @functools.cached_property
    def second_sandbox(self) -> Sandbox:
        """A second sandbox with the same settings, for a submission's second process; started only once."""
        return Sandbox(self.disabled_locks, self.limits)

    def open(self) -> Worker:
        """Fork a worker in a new scratch folder, and wait for its locks. This can raise SandboxError."""
        ours, theirs = socket.socketpair()
        worker = Worker(self, ours)
        try:
            with theirs, contextlib.suppress(OSError):  # a zygote that has ended has already sent the reason
                socket.send_fds(self.control, [zygote.FORK], [theirs.fileno()])
            worker.process = self._receive_zygote_message()["process"]
            if raised := worker.ask(None, PROCESS_SETUP_TIMEOUT_SECONDS).raised:
                raise WorkerDiedError(f"{raised.kind}: {raised.message}")
        except (OSError, WorkerDiedError) as error:
            ours.close()
            raise SandboxError(f"the sandbox could not be set up ({error}): run `autograder doctor`") from error
        return worker

    def kill_worker(self) -> zygote.WorkerEnd:
        """Kill the current worker unless the zygote has already done so, and wait for it to end."""
        try:
            self.control.sendall(zygote.END)
            ended = self._receive_zygote_message()
        except OSError as error:
            raise SandboxError(f"a worker could not be ended ({error}): run `autograder doctor`") from error
        self._renew_scratch()
        return zygote.WorkerEnd(ended["status"], ended["exceeded_limit"])

    def _receive_zygote_message(self) -> dict[str, Any]:
        """Return the zygote's next message. Raise OSError for an error message or a closed connection."""
        try:
            message = self.control.recv(zygote.MAX_MESSAGE_BYTES)
        except ConnectionResetError:  # the zygote has ended, and its last message follows
            message = self.control.recv(zygote.MAX_MESSAGE_BYTES)
        if not message:
            raise ConnectionResetError("the process that starts workers has ended")
        answer: dict[str, Any] = json.loads(message)
        if "error" in answer:
            raise OSError(answer["error"])
        return answer

    def _renew_scratch(self) -> None:
        """Make a new folder for the next worker, since a used folder's size reveals how many files it contained."""
        self.home.chmod(0o700)
        shutil.rmtree(self.scratch, ignore_errors=True)  # before the first worker, there is no folder
        self.scratch.mkdir(0o700)
        # Landlock covers everything below `home`, so the folder in it can change. Nobody can list `home` itself or
        # write to it. If a worker's files belong to a separate user, that user becomes the owner of `scratch` and can
        # pass through `home`.
        self.home.chmod(0o111)

    def close(self) -> None:
        """End the zygote, which ends its worker first, and remove the scratch folder."""
        if "second_sandbox" in vars(self):
            self.second_sandbox.close()
        self.control.close()
        try:
            self.process.wait(PROCESS_SETUP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        zygote.remove_sandbox_folder(self.home)


def _start_zygote(variables: dict[str, str]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # keeps messages whole
    # -s and -S leave out site-packages, and -P keeps the script's folder off the path.
    process = subprocess.Popen(
        [sys.executable, "-s", "-S", "-P", str(Path(zygote.__file__)), str(theirs.fileno())],
        # Without this variable from the grader's environment, the interpreter might not start.
        env=variables | {name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    theirs.close()
    return process, control


def environment(scratch: Path) -> dict[str, str]:
    """Return the environment variables for a zygote and a worker that use this scratch folder."""
    return {**WORKER_ENVIRONMENT, "HOME": str(scratch), "TMPDIR": str(scratch)}


class Worker:
    """A locked-down process with at most one submission in it."""

    process: int

    def __init__(self, sandbox: Sandbox, wire_end: socket.socket) -> None:
        self.sandbox = sandbox
        self.wire = wire_end
        self._unread = bytearray()
        self.sent: deque[bytes] = deque()
        """requests whose replies have not been read yet, in order"""
        self.is_suspended = False

    def suspend(self) -> None:
        """Stop all of the process's threads until the next request; return once they have stopped."""
        if self.is_suspended:
            return
        self._signal(signal.SIGSTOP)
        self.is_suspended = True
        deadline = time.monotonic() + PROCESS_SETUP_TIMEOUT_SECONDS
        while not thread_states(self.process) <= {"T", "Z", "X"}:
            if time.monotonic() > deadline:
                raise SandboxError("a worker could not be suspended: run `autograder doctor`")
            time.sleep(0.0002)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, number)

    def send_ahead(self, requests: Sequence[bytes]) -> None:
        """Send as many requests as the connection can hold; the caller must later pass them all to `ask`, in order.

        The worker then computes the replies without waiting for the grader. A suspended worker starts on its next
        request.
        """
        sizes = itertools.accumulate(map(len, requests))
        batch = [request for request, size in zip(requests, sizes, strict=True) if size <= MAX_SENT_AHEAD_BYTES]
        if not batch or self.sent:
            return
        self.wire.settimeout(0)
        try:
            self.wire.sendall(b"".join(batch))
            self.sent.extend(batch)
        except OSError:  # the worker has ended, or forged replies before reading the requests
            with contextlib.suppress(OSError):
                self.wire.shutdown(socket.SHUT_WR)  # a partial request cannot be continued, so end the worker

    def ask(self, request: bytes | None, seconds: float) -> Reply:
        """Send a request and return the reply. For None, return a new worker's first reply, which needs no request.

        Skip replies to earlier requests that were sent ahead. Raise WorkerDiedError if there is no reply; the worker is
        then unusable.
        """
        if self.is_suspended:
            self._signal(signal.SIGCONT)
            self.is_suspended = False
        deadline = time.monotonic() + seconds
        try:
            self.wire.settimeout(seconds)
            while self.sent:
                is_reply = self.sent.popleft() == request
                reply = self._receive_reply(deadline)
                if is_reply:
                    return reply
            if request is not None:  # a new worker sends its first reply without a request
                self.wire.sendall(request)
            return self._receive_reply(deadline)
        except TimeoutError as error:
            raise WorkerTimeoutError(f"did not return within {round(seconds, 1):g} seconds") from error
        except (BrokenPipeError, ConnectionResetError) as error:
            raise WorkerDiedError("ended its process") from error

    def _receive_reply(self, deadline: float) -> Reply:
        size = int.from_bytes(self._receive(wire.LENGTH.size, deadline), "little")
        try:
            if size > self.sandbox.limits.reply_bytes:
                raise MalformedError("a reply that is too long")
            return wire.unpack_reply(self._receive(size, deadline))
        except MalformedError as error:
            raise WorkerDiedError("answered with something other than a result") from error

    def _receive(self, size: int, deadline: float) -> bytes:
        """Return `size` bytes. Raise WorkerDiedError if the connection is closed, and TimeoutError at the deadline."""
        while len(self._unread) < size:
            if (seconds := deadline - time.monotonic()) <= 0:
                raise TimeoutError
            self.wire.settimeout(seconds)
            if not (part := self.wire.recv(1 << 16)):
                raise WorkerDiedError("ended its process")
            self._unread += part
        data = bytes(self._unread[:size])
        del self._unread[:size]
        return data

    def kill_or_describe_end(self) -> str:
        """Kill the process. Return a description of the limit or crash that had ended it, or an empty string."""
        try:
            status, ending = self.sandbox.kill_worker()
        finally:
            self.wire.close()
        if not ending and status in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT):
            how = f"{signal.Signals(-status).name}, typical of endless recursion or running out of memory"
            ending = f"ended its process ({how})"
        return ending


def thread_states(process: int) -> set[str]:
    """Return the kernel's letters for the states of a process's threads; the set is empty if the process is gone."""
    tasks, states = f"/proc/{process}/task", set()
    with contextlib.suppress(OSError):  # the process might have just ended
        for task in os.listdir(tasks):
            with contextlib.suppress(OSError), open(f"{tasks}/{task}/stat", "rb") as stat:  # so might a thread
                states.add(stat.read().rpartition(b")")[2].split()[0].decode("ascii"))
    return states
