"""A Python that begins with its libraries loaded: each process is forked from one that has loaded them.

`python forked_python.py serve SOCKET` is the process that forks. `python forked_python.py start SOCKET -m MODULE …`, or
-c, or a script, runs that in the folder, with the environment and with the open files of whoever starts it, and
ends as it ends. Nothing of this project is loaded before the fork, so the course may be any copy. What is started with
other options, as the sandbox is, begins as always.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import ctypes
import fcntl
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

LIBRARIES = """
    click distributed.cli.dask_scheduler distributed.cli.dask_worker hypothesis ipykernel.kernelapp jinja2 markdown_it
    matplotlib.pyplot matplotlib_inline.backend_inline mdit_py_plugins nbformat numpy otter.run.run_autograder pandas
    pygments pytest rich.console rich.progress rich.table yaml
""".split()
CHILDREN = "FORKED_CHILDREN"
"""In the environment: the interpreter by which the process starts others of its kind."""
MOST = 1 << 20
"""bytes of a request"""
MOST_FILES = 253
"""of a request, by the kernel"""
NUMBER = struct.Struct("i")
DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG, in Linux's linux/prctl.h"""


def serve(path: str) -> None:
    """Fork a process for everybody who asks, until killed."""
    # A kernel reads this as soon as it is loaded, and ends with that process.
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    del sys.path[0]  # this file's folder
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # or every process would soon have a copy of its own of all that is loaded
    server = os.getpid()
    asking: dict[int, socket.socket] = {}
    ended, child_signal = socket.socketpair()
    child_signal.setblocking(False)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        signal.set_wakeup_fd(child_signal.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, ended, *asking.values()], [], [])
            if ended in ready:
                ended.recv(MOST)
                _tell(asking)
            elif listener in ready:
                who, _ = listener.accept()
                message, files, _, _ = socket.recv_fds(who, MOST, MOST_FILES)
                process = os.fork()
                if process == 0:
                    _end_with(server)
                    break
                asking[process] = who
                for file in files:
                    os.close(file)
            else:
                _kill(asking, ready)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for unwanted in (ended, child_signal, who, *asking.values()):
        unwanted.close()
    _end(functools.partial(_run, files, **json.loads(message)))


def _end_with(server: int) -> None:
    """This process ends with the one that it was forked from: whoever asked for it may be gone before it is killed."""
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)


def _tell(asking: dict[int, socket.socket]) -> None:
    """Tell who asked how the processes have ended that did."""
    with contextlib.suppress(ChildProcessError):
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            if process in asking:
                with asking.pop(process) as who, contextlib.suppress(OSError):  # who asked may have ended before
                    who.send(NUMBER.pack(os.waitstatus_to_exitcode(status)))


def _kill(asking: dict[int, socket.socket], gone: list[socket.socket]) -> None:
    """Kill the processes of those who were killed while they waited."""
    for process in [process for process, who in asking.items() if who in gone]:
        os.kill(process, signal.SIGKILL)
        asking.pop(process).close()


def _end(run: Callable[[], None]) -> None:
    """Run, and end as Python ends, but for taking apart all that is loaded."""
    status: Any = 0
    try:
        run()
    except SystemExit as error:
        status = error.code
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if status is not None and not isinstance(status, int):
        print(status, file=sys.stderr)
        status = 1
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit((status or 0) & 0xFF)


def _run(
    files: list[int],
    numbers: list[int],
    cores: list[int],
    environment: dict[str, str],
    folder: str,
    words: list[str],
) -> None:
    """Be the process that was asked for; `numbers`: what its open files are called there."""
    os.sched_setaffinity(0, cores)
    aside = [fcntl.fcntl(file, fcntl.F_DUPFD, max(numbers) + 1) for file in files]
    for file in files:
        os.close(file)
    for file, number in zip(aside, numbers, strict=True):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding="utf-8", closefd=False)  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8", closefd=False)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = os.fdopen(
        2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )  # type: ignore[misc]
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.executable = os.environ.pop(CHILDREN, sys.executable)
    path = list(filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)))
    is_safe = words[0] == "-P"
    words = words[is_safe:]
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path[:0] = path if is_safe else [folder, *path]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        sys.argv = ["-c", *words[2:]]
        sys.path[:0] = path if is_safe else [folder, *path]
        exec(words[1], {"__name__": "__main__"})
    else:
        sys.argv = words
        sys.path[:0] = path if is_safe else [os.path.dirname(os.path.abspath(words[0])), *path]
        runpy.run_path(words[0], run_name="__main__")


def _open_files() -> list[int]:
    """What is open here, but for the folder in which that stands."""
    numbers = []
    for number in map(int, os.listdir("/proc/self/fd")):
        with contextlib.suppress(OSError):
            os.fstat(number)
            numbers.append(number)
    return numbers


def start(path: str, *words: str) -> int:
    """Have a process started here, and wait for its end: its exit code, or minus the signal that ended it."""
    if words[0].startswith("-") and words[0] not in ("-P", "-m", "-c"):
        os.environ.pop("PWD", None)  # the shell's, which stands before this
        os.execv(sys.executable, [sys.executable, *words])
    numbers = _open_files()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Jupyter's way of asking a kernel to end its cell
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(path)
        asked = {
            "numbers": numbers,
            "cores": list(os.sched_getaffinity(0)),
            "environment": dict(os.environ),
            "folder": os.getcwd(),
            "words": words,
        }
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", numbers))]
        asking.sendmsg([json.dumps(asked).encode()], rights)
        answer = asking.recv(NUMBER.size)
    return int(NUMBER.unpack(answer)[0]) if answer else 1


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        status = start(*sys.argv[2:])
        if status < 0:
            os.kill(os.getpid(), -status)
        sys.exit(status)
