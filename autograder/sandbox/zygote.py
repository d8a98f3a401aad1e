"""A warm interpreter that forks workers, since starting Python and numpy for each submission takes ten times as long.

`client` runs this module as a script, in an empty environment, with one socket to the grader. The grader's first
message contains the zygote's settings but no answers to tests. After that, each order either starts a worker (and comes
with the descriptor for its connection) or ends the worker; there is only one worker at a time. The zygote replies in
JSON and, if it cannot start, gives the reason. While there is a worker, the zygote enforces the limits that the kernel
does not, even if the grader is busy.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from autograder.sandbox.limits import Limits

PRELOADED_MODULES = """
    argparse array bisect calendar cmath concurrent.futures copy csv dataclasses datetime decimal difflib fractions
    hashlib heapq inspect json logging numbers pickle pprint queue random secrets statistics string tempfile textwrap
    threading timeit typing uuid numpy.fft numpy.lib.stride_tricks numpy.linalg numpy.polynomial numpy.random
"""
"""Modules that submissions often import. Each additional module would slow down every fork of a worker."""

FORK, END = b"F", b"K"
"""The grader's two orders: start a worker, and end it."""

MAX_MESSAGE_BYTES = 1 << 16
"""Maximum size, in bytes, of a message between the grader and the zygote."""

WORKER_WATCH_INTERVAL_SECONDS = 0.05
"""Time between checks of a worker's limits."""


def main(descriptor: int) -> NoReturn:
    """Load the modules, prepare the locks, and serve the grader until it closes the connection."""
    grader = socket.socket(fileno=descriptor)
    if not (message := grader.recv(MAX_MESSAGE_BYTES)):
        os._exit(0)
    plan = json.loads(message)
    os.chdir(Path(plan["scratch"]).parent)
    try:
        zygote = _ZygoteServer(grader, plan)
    except Exception as error:
        send_message(grader, error=f"{type(error).__name__}: {error}"[:2000])
        os._exit(1)
    zygote.serve()


def send_message(end: socket.socket, **facts: object) -> None:
    """Send a message in one piece. If the connection is closed, the next attempt to receive a message notices."""
    with contextlib.suppress(OSError):
        end.sendall(json.dumps(facts).encode("ascii"))


class _ZygoteServer:
    def __init__(self, grader: socket.socket, plan: dict[str, Any]) -> None:
        project, libraries, disabled = plan["project"], plan["libraries"], plan["disabled_locks"]
        sys.path += [project, libraries]
        from autograder.sandbox import confine, worker
        from autograder.sandbox.limits import Limits

        for name in PRELOADED_MODULES.split():
            importlib.import_module(name)
        importlib.import_module("autograder.sandbox.function_substitutes")  # a worker cannot read the project's files
        self.grader = grader
        self.scratch = plan["scratch"]
        self.limits = Limits(**plan["limits"])
        self.watching = confine.WATCH_LOCK not in disabled
        self.work = worker.run
        self.worker: _WorkerProcess | None = None
        self.locks = confine.Locks(self.limits, Path(self.scratch), confine.allowed_packages(libraries), disabled)
        _forget_grader_paths(project, libraries)
        gc.freeze()  # a worker's garbage collector must not write to memory shared by all workers

    def serve(self) -> NoReturn:
        """Obey the grader's orders and, between orders, enforce the worker's limits."""
        while True:
            pause = WORKER_WATCH_INTERVAL_SECONDS if self.worker and self.watching else None
            if not select.select([self.grader], [], [], pause)[0]:
                assert self.worker is not None
                self.worker.enforce_limits()
                continue
            order = b""
            with contextlib.suppress(ConnectionResetError):  # the grader might have ended early
                order, descriptors, _, _ = socket.recv_fds(self.grader, 1, 1)
            if order == FORK:
                self._fork(*descriptors)
                continue
            status, exceeded_limit = self.worker.kill() if self.worker is not None else WorkerEnd(0, "")
            if order != END:  # the grader has closed the connection or was killed, so leave no files behind
                remove_sandbox_folder(Path(self.scratch).parent)
                os._exit(0)
            self.worker = None
            send_message(self.grader, status=status, exceeded_limit=exceeded_limit)

    def _fork(self, end: int) -> None:
        child = os.fork()
        if child == 0:
            self.work(end, self.scratch, self.locks)
        os.close(end)
        self.worker = _WorkerProcess(child, self.scratch, self.limits)
        send_message(self.grader, process=child)


def remove_sandbox_folder(home: Path) -> None:
    """Remove a sandbox's folder, which contains the scratch folder."""
    with contextlib.suppress(FileNotFoundError):
        home.chmod(0o700)
        shutil.rmtree(home)


def _forget_grader_paths(*folders: str) -> None:
    """Remove from this process all traces of the grader that a submission would inherit.

    A submission finds the standard library and numpy, but no other packages on this machine and no names of
    neighbouring files, which the import system caches.
    """
    sys.path[:] = [path for path in sys.path if path not in folders]
    for path in list(sys.path_importer_cache):
        if path.startswith(folders):
            del sys.path_importer_cache[path]
    sys.argv[:] = sys.orig_argv[:] = [""]
    os.environ.pop("LD_LIBRARY_PATH", None)


class WorkerEnd(NamedTuple):
    """The end of a worker."""

    exit_status: int
    """negative for a signal"""
    exceeded_limit: str
    """description of the limit that the worker exceeded; empty if it did not exceed any"""


class _WorkerProcess:
    """The current worker's process as the zygote sees it from outside."""

    def __init__(self, process: int, scratch: str, limits: Limits) -> None:
        self.process = process
        self.scratch = scratch
        self.limits = limits
        self.exceeded_limit = ""
        """description of the limit that the worker has exceeded; empty if there is none"""

    def enforce_limits(self) -> None:
        """Kill the worker if it exceeds a limit that the kernel does not enforce."""
        if self._is_scratch_too_full():
            self.exceeded_limit = (
                f"wrote more than {self.limits.scratch_bytes >> 20} MiB or {self.limits.file_count} files"
            )
        elif self._has_too_many_threads():
            self.exceeded_limit = f"started more than {self.limits.tasks} threads"
        if self.exceeded_limit:
            os.kill(self.process, signal.SIGKILL)

    def _is_scratch_too_full(self) -> bool:
        """Return True if the scratch folder exceeds a limit, without opening files or following links."""
        size = 0
        for count, entry in enumerate(os.scandir(self.scratch), start=1):
            size += entry.stat(follow_symlinks=False).st_blocks * 512
            if size > self.limits.scratch_bytes or count > self.limits.file_count:
                return True
        return False

    def _has_too_many_threads(self) -> bool:
        try:
            return len(os.listdir(f"/proc/{self.process}/task")) > self.limits.tasks
        except OSError:
            return False  # the process has just ended

    def kill(self) -> WorkerEnd:
        """Kill the worker with all its threads, and wait for it to end; a worker has no child processes."""
        os.kill(self.process, signal.SIGKILL)
        return WorkerEnd(os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1]), self.exceeded_limit)


if __name__ == "__main__":
    main(int(sys.argv[1]))
