"""A warm interpreter that forks workers: starting Python and numpy for each submission would take ten times as long.

Run as a script by `client`, in an empty environment, with one socket to the grader. What comes first over it says what
it needs to know, and that is no answer to anything. Then an order asks for a worker (two descriptors come along) or for
its end; one worker lives at a time. While one lives, the zygote watches it, whatever the grader is busy with, for what
no limit of the kernel bounds.
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
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from autograder.sandbox.limits import Limits

PRELOADED = """
    abc argparse array ast base64 bisect builtins calendar cmath codecs collections collections.abc concurrent.futures
    contextlib contextvars copy copyreg csv dataclasses datetime decimal difflib dis doctest enum errno fractions
    functools gc glob hashlib heapq html inspect io itertools json keyword linecache locale logging math numbers
    operator os pathlib pickle platform pprint queue random re reprlib secrets select shutil signal statistics string
    struct subprocess sys tempfile textwrap threading time timeit tokenize traceback types typing unicodedata unittest
    unittest.mock uuid warnings weakref zlib numpy.fft numpy.lib.stride_tricks numpy.linalg numpy.polynomial
    numpy.random numpy.testing numpy.typing
"""
"""What submissions import: quick then, and found even where the interpreter's folder is not open to a worker."""

ANSWER = struct.Struct("<iB")
"""The answer to an order: the process id of a new worker, or the exit status of an ended one and its place in EXCESS.
The first answer, before any order, says that the zygote is ready."""

EXCESS = ("nothing", "files", "threads")
"""What a worker had too much of."""

FAILED = len(EXCESS)
"""In the place of an excess: the zygote cannot start. The number counts the bytes that follow, and these say why."""

LENGTH = struct.Struct("<I")

FORK, END = b"F", b"K"
"""The orders of the grader: a worker, or its end."""

WATCH_SECONDS = 0.01
"""How often a worker is looked at."""


def main(descriptor: int) -> NoReturn:
    """Load, prepare the locks, then serve the grader until it hangs up."""
    grader = socket.socket(fileno=descriptor)
    size = grader.recv(LENGTH.size, socket.MSG_WAITALL)
    if not size:
        os._exit(0)
    plan = json.loads(grader.recv(LENGTH.unpack(size)[0], socket.MSG_WAITALL))
    os.environ.update(plan["environment"])
    os.chdir(Path(plan["scratch"]).parent)
    try:
        zygote = _Zygote(grader, plan)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"[:2000].encode("utf-8", "replace")
        grader.sendall(ANSWER.pack(len(why), FAILED) + why)
        os._exit(1)
    zygote.serve()


class _Zygote:
    def __init__(self, grader: socket.socket, plan: dict[str, Any]) -> None:
        project, libraries, disabled = plan["project"], plan["libraries"], plan["disabled_locks"]
        sys.path += [project, libraries]
        from autograder.sandbox import confine, worker
        from autograder.sandbox.limits import Limits

        for name in PRELOADED.split():
            importlib.import_module(name)
        self.grader = grader
        self.scratch = plan["scratch"]
        self.limits = Limits(**plan["limits"])
        self.watching = confine.WATCH not in disabled
        self.work = worker.run
        self.worker: _Child | None = None
        self.locks = confine.Locks(self.limits, Path(self.scratch), confine.packages_in(libraries), disabled)
        _forget(project, libraries)
        gc.freeze()  # a worker's collector then leaves alone, and unwritten, what workers share

    def serve(self) -> NoReturn:
        """Obey the grader's orders; between them, keep an eye on the worker."""
        self._answer(0)
        while True:
            pause = WATCH_SECONDS if self.worker and self.watching else None
            if not select.select([self.grader], [], [], pause)[0]:
                assert self.worker is not None
                self.worker.watch()
                continue
            order, descriptors, _, _ = socket.recv_fds(self.grader, 1, 2)
            if order == FORK:
                self._fork(*descriptors)
            elif order == END and self.worker is not None:
                status, excess = self.worker.end(), self.worker.excess
                self.worker = None
                self._answer(status, excess)
            else:
                self._end()

    def _fork(self, end: int, output: int) -> None:
        self.locks.before_fork()
        child = os.fork()
        if child == 0:
            self.work(end, output, self.scratch, self.locks)
        os.close(end)
        os.close(output)
        self.worker = _Child(child, self.scratch, self.limits)
        self._answer(child)

    def _end(self) -> NoReturn:
        """The grader has hung up, or was killed: nothing stays behind."""
        if self.worker is not None:
            self.worker.end()
        remove(Path(self.scratch).parent)
        os._exit(0)

    def _answer(self, number: int, excess: str = "nothing") -> None:
        self.grader.sendall(ANSWER.pack(number, EXCESS.index(excess)))


def remove(home: Path) -> None:
    """Remove the folder that holds the scratch folder."""
    with contextlib.suppress(FileNotFoundError):
        home.chmod(0o700)
        shutil.rmtree(home)


def _forget(*folders: str) -> None:
    """Leave nothing of the grader in what a submission inherits.

    It finds the standard library and numpy, and no other package that this machine happens to have; nor the names of
    the files beside them, which the import system remembers.
    """
    sys.path[:] = [path for path in sys.path if path not in folders]
    for path in list(sys.path_importer_cache):
        if path.startswith(folders):
            del sys.path_importer_cache[path]
    sys.argv[:] = sys.orig_argv[:] = [""]
    os.environ.pop("LD_LIBRARY_PATH", None)


class _Child:
    """The worker that lives now, seen from outside."""

    def __init__(self, process: int, scratch: str, limits: Limits) -> None:
        self.process = process
        self.scratch = scratch
        self.limits = limits
        self.excess = "nothing"

    def watch(self) -> None:
        """Kill it where it has too much of something, and remember of what."""
        if self._has_too_many_files():
            self.excess = "files"
        elif self._has_too_many_threads():
            self.excess = "threads"
        if self.excess != "nothing":
            os.kill(self.process, signal.SIGKILL)

    def _has_too_many_files(self) -> bool:
        """Nothing in the folder is opened or followed, and not more is looked at than tells."""
        size = 0
        for count, entry in enumerate(os.scandir(self.scratch), start=1):
            size += entry.stat(follow_symlinks=False).st_blocks * 512
            if size > self.limits.files or count > self.limits.file_count:
                return True
        return False

    def _has_too_many_threads(self) -> bool:
        try:
            return len(os.listdir(f"/proc/{self.process}/task")) > self.limits.tasks
        except OSError:
            return False  # it has just ended

    def end(self) -> int:
        """Kill it, threads and all (it can have no children), wait until it is gone, and return how it ended."""
        os.kill(self.process, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


if __name__ == "__main__":
    main(int(sys.argv[1]))
