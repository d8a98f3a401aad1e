"""The clean base of a grader: an interpreter in an empty environment that has loaded numpy, and nothing else.

    python base.py -c PROGRAM …    or    -m MODULE …

runs what `python` would run so, and forks a zygote first. So grader and workers lie at the same addresses, which are
random in every grader. A processor predicts branches by their addresses: two interpreters that take turns and lie
elsewhere lose a fifth of their time by it. What the zygote inherits is as empty as if it had been started alone.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from multiprocessing import context, popen_spawn_posix, spawn
from pathlib import Path
from typing import Any

LOADER_PATH = "LD_LIBRARY_PATH"
"""The one variable of the grader's environment that comes along, since the interpreter may not start without it."""

WAITING = "WHEREABOUTS_ZYGOTE"
"""The variable that tells a grader of the zygote beside it: the number of its process, and the descriptor to it."""

SETTINGS = {
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # The C library would set aside 64 MiB of address space for each thread.
    "MALLOC_ARENA_MAX": "1",
    # One thread for linear algebra: forking is safe, and results are the same whatever the machine.
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"),
}
"""The environment of a zygote."""


def clean_environment() -> dict[str, str]:
    """What a zygote is started with."""
    return SETTINGS | {name: os.environ[name] for name in (LOADER_PATH,) if name in os.environ}


class Forked:
    """A child process, as far as its parent has to know it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.has_ended = False

    def kill(self) -> None:
        if not self.has_ended:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, seconds: float = 60.0) -> None:
        """Until it has ended. Raises subprocess.TimeoutExpired."""
        deadline = time.monotonic() + seconds
        while not self.has_ended:
            self.has_ended = os.waitpid(self.pid, os.WNOHANG)[0] != 0
            if not self.has_ended and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("zygote", seconds)
            time.sleep(0 if self.has_ended else 0.001)


def take_zygote() -> tuple[Forked, socket.socket] | None:
    """The zygote that waits beside this process, for whoever asks first."""
    process, descriptor = map(int, os.environ.pop(WAITING, "0 0").split())
    try:
        is_ours = process != 0 and os.waitpid(process, os.WNOHANG)[0] == 0
    except ChildProcessError:  # the variable came along from another process
        is_ours = False
    return (Forked(process), socket.socket(fileno=descriptor)) if is_ours else None


def _begin(arguments: list[str]) -> None:
    """Start again in an empty environment; what this process knows waits in memory until the zygote is forked."""
    import numpy

    known = os.memfd_create("known", 0)
    os.write(known, json.dumps({"environment": dict(os.environ), "arguments": arguments}).encode("utf-8"))
    libraries = str(Path(numpy.__file__).resolve().parents[1])
    flags = ["-s", "-S", "-P"]
    os.execve(sys.executable, [sys.executable, *flags, __file__, CLEAN, str(known), libraries], clean_environment())


CLEAN = "--clean"


class _Popen(popen_spawn_posix.Popen):
    def _launch(self, process: Any) -> None:
        honest = spawn.get_command_line
        spawn.get_command_line = lambda **facts: through_base(honest(**facts))
        try:
            super()._launch(process)  # type: ignore[misc]
        finally:
            spawn.get_command_line = honest


class _Process(context.SpawnProcess):
    @staticmethod
    def _Popen(process: Any) -> Any:
        return _Popen(process)


class Context(context.SpawnContext):
    """For graders of `multiprocessing`: each is a new interpreter, with a zygote beside it."""

    Process = _Process


def through_base(command: list[str]) -> list[str]:
    """The command that does the same from a clean base."""
    return [command[0], __file__, *command[1:]]


def _go_on(known: int, libraries: str) -> None:
    """Load numpy, fork the zygote, and become the grader."""
    sys.path.append(libraries)
    import numpy  # noqa: F401

    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        _become_zygote(theirs)
    theirs.close()
    with os.fdopen(known, "rb") as file:
        file.seek(0)
        told = json.load(file)
    os.environ.clear()
    os.environ.update(told["environment"])
    os.environ[WAITING] = f"{child} {ours.detach()}"
    _run(told["arguments"])


def _become_zygote(control: socket.socket) -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    descriptor = os.dup2(control.detach(), 3)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))
    import runpy

    runpy.run_path(str(Path(__file__).with_name("zygote.py")))["main"](descriptor)


def _run(arguments: list[str]) -> None:
    import runpy
    import site

    sys.path.pop()
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    site.main()
    place = next(index for index, word in enumerate(arguments) if word in ("-c", "-m"))
    way, what, *rest = arguments[place:]
    sys.argv[:] = [way, *rest]
    if way == "-m":
        sys.path.insert(0, os.getcwd())
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(compile(what, "<string>", "exec"), sys.modules["__main__"].__dict__)


if __name__ == "__main__":
    if sys.argv[1] == CLEAN:
        _go_on(int(sys.argv[2]), sys.argv[3])
    else:
        _begin(sys.argv[1:])
