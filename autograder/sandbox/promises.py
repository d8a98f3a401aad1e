"""What the wall promises, and the proof of each promise: a probe inside a real worker tries to break it.

`require` is asked before anything is graded: where a promise does not hold, nothing runs and nobody gets a grade. A
promise stands above what examines it: a probe in `probes`, which runs inside the wall, or a function here that uses
several.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.course import PACKAGE
from autograder.protocol.call import Call
from autograder.protocol.codec import Foreign
from autograder.sandbox import probes, wire
from autograder.sandbox.backend import Program
from autograder.sandbox.client import Sandbox, SandboxError, Worker, WorkerDied, WorkerSlow, environment
from autograder.sandbox.limits import LIMITS, MIB
from autograder.sandbox.probes import Promise, promise

PROBE_SECONDS = 20.0
"""How long a probe may take on a busy machine."""

ENDS_WITHIN_SECONDS = 2.0
"""How soon a worker has to be gone once it has to go."""


class BrokenPromise(Exception):
    """A promise of the wall does not hold here. The message says which, and how to fix it."""


@dataclass(frozen=True)
class Finding:
    """One promise, and whether it holds on this machine."""

    promise: str
    lock: str
    held: bool
    detail: str
    """what a probe was let through; empty where the promise holds"""
    fix: str
    """what to do about it"""


FIX = {
    "landlock": (
        "Use Linux 5.13 or newer with `landlock` named in /sys/kernel/security/lsm (else boot with lsm=landlock,… in "
        "front of the list); a container must allow the landlock system calls, as Docker's default profile does."
    ),
    "seccomp": "Install libseccomp (libseccomp2 on Debian and Ubuntu) and use a kernel with seccomp filters.",
    "limits": (
        "Run as an ordinary user, or as root with the capabilities SETUID and SETGID: the kernel limits no other root."
    ),
    "user": "Run as an ordinary user, or as root with the capabilities SETUID and SETGID.",
    "session": "Run the grader where a process may set its parent-death signal (every Linux since 2.1.57).",
    "watch": "Mount /proc readable, and keep the temporary folder on a local disk.",
    **dict.fromkeys(
        ("zygote", "grader"), "Report it, with what is said here: this is the grader's own doing on any Linux."
    ),
}
ANY_WAY = "`--isolation none` grades without the wall: only for code that you trust."


EXAMINED = replace(LIMITS, files=2 * MIB)
"""The limits that the probes run into: less to write, and otherwise the same."""


def examine(disabled_locks: Collection[str] = ()) -> list[Finding]:
    """Try to break every promise of the wall; `disabled_locks` leaves locks off, as the doctor's own tests do."""
    try:
        with ExitStack() as stack:
            sandbox = stack.enter_context(Sandbox(disabled_locks, EXAMINED))
            examination = _Examination(sandbox, stack.enter_context(_canaries()))
            stack.callback(examination.end_worker)
            return [examination.finding(probe) for probe in PROMISES]
    except SandboxError as error:
        lock = next((name for name in FIX if f"{name}: " in str(error)), "zygote")
        return [Finding("a worker starts and puts on its locks", lock, False, str(error), FIX[lock])]


def require() -> None:
    """Raises BrokenPromise where a promise does not hold here."""
    for finding in examine():
        if not finding.held:
            raise BrokenPromise(
                f"the wall does not hold here: {finding.promise} ({finding.detail}). {finding.fix} {ANY_WAY}"
            )


@dataclass(frozen=True)
class _Canaries:
    """What a probe may try to touch: set up for it, watched from outside."""

    folder: Path
    file: Path
    tcp: int
    udp: int
    unix: str
    abstract: str


SECRET = b"whereabouts"


@contextmanager
def _canaries() -> Iterator[_Canaries]:
    """A folder that anybody may write, a file in it, and listeners of every kind."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="canaries-")))
        file = folder / "file"
        file.write_bytes(SECRET)
        folder.chmod(0o777)
        file.chmod(0o666)
        unix, abstract = str(folder / "socket"), f"whereabouts-{os.getpid()}-{time.monotonic_ns()}"
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        for address in (unix, f"\0{abstract}"):
            stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)).bind(address)
        os.chmod(unix, 0o777)
        yield _Canaries(folder, file, tcp.getsockname()[1], udp.getsockname()[1], unix, abstract)


class _Examination:
    """One sandbox under examination, and the worker that the next probe runs in."""

    def __init__(self, sandbox: Sandbox, canaries: _Canaries) -> None:
        self.sandbox = sandbox
        self.canaries = canaries
        self.processes = [os.getpid(), sandbox.process.pid]
        """of the grader and its zygote"""
        self.given = {**vars(canaries), **vars(sandbox.limits), "processes": self.processes}
        self.source = Program("probes", (Path(probes.__file__).read_text(encoding="utf-8"),))
        self.worker: Worker | None = None

    def finding(self, probe: Any) -> Finding:
        """Examine one promise. A worker that dies of it shows that something is wrong."""
        promise: Promise = probe.promise
        try:
            if probe.__module__ == __name__:
                detail = probe(self)
            else:
                detail = self.try_to(
                    probe.__name__, *(self.given[name] for name in promise.given), ended_for=promise.ended_for
                )
        except WorkerDied as error:
            detail = f"the probe's worker {self.end_worker() or error.why}"
        return Finding(promise.words, promise.lock, not detail, detail, FIX[promise.lock])

    def ask(self, probe: str, *args: Any, seconds: float = PROBE_SECONDS) -> Any:
        """What a probe returns. Raises WorkerDied."""
        if self.worker is None:
            self.worker = self.sandbox.open()
            raised = self.worker.ask(self.source.request(), PROBE_SECONDS).raised
            if raised is not None:
                return f"the probes could not be loaded: {raised.kind}: {raised.message}"
        reply = self.worker.ask(wire.request(Call(probe, args)), seconds)
        if reply.raised is not None:
            return f"the probe ended with {reply.raised.kind}: {reply.raised.message}"
        return reply.value

    def try_to(self, probe: str, *args: Any, ended_for: str = "") -> str:
        """What a probe says that it was let through; nothing where its worker was ended for having too much of
        something, and may be."""
        try:
            return str(self.ask(probe, *args))
        except WorkerDied as error:
            if not ended_for:
                raise
            why = self.end_worker()
            return "" if ended_for in why else why or error.why

    def end_worker(self) -> str:
        """Begin the next probe in a new worker."""
        worker, self.worker = self.worker, None
        return worker.close() if worker is not None else ""

    def status(self) -> dict[str, str]:
        """What the kernel says of the worker."""
        self.ask("finds_files")
        assert self.worker is not None
        lines = Path(f"/proc/{self.worker.process}/status").read_text(encoding="utf-8").splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@promise("reads no file but the interpreter's, numpy's and its own", "landlock")
def _reads(examination: _Examination) -> str:
    home = [path for path in Path.home().glob(".*") if path.is_file()][:1]
    here = [
        path
        for path in (PACKAGE.parent / "pyproject.toml", *sorted((PACKAGE.parent / "solutions").glob("*.py")))
        if path.is_file()
    ]
    paths = [examination.canaries.file, Path(__file__), *here[:2], *home, "/etc/passwd"]
    of_processes = [
        f"/proc/{process}/{name}"
        for process in ["self", *examination.processes]
        for name in ("environ", "maps", "cmdline")
    ]
    return examination.try_to("reads", [*map(str, paths), *of_processes])


@promise("lists no other folder", "landlock")
def _lists(examination: _Examination) -> str:
    folders = [
        *map(str, (examination.canaries.folder, PACKAGE.parent, Path.home())),
        "/",
        "/proc",
        "/etc",
        tempfile.gettempdir(),
    ]
    return examination.try_to("lists", folders)


@promise("opens files to read or to write, and with no flag but those that this takes", "seccomp")
def _opens(examination: _Examination) -> str:
    through = examination.try_to("opens_in_odd_ways", str(examination.canaries.file))
    if examination.canaries.file.read_bytes() != SECRET:
        examination.canaries.file.write_bytes(SECRET)
        through += " (the file has changed)"
    return through


@promise("writes nothing outside its scratch folder", "landlock")
def _writes(examination: _Examination) -> str:
    through = examination.try_to(
        "writes", str(examination.canaries.folder), str(examination.canaries.file), str(examination.sandbox.home)
    )
    if sorted(path.name for path in examination.canaries.folder.iterdir()) != ["file", "socket"]:
        through += " (the folder has changed)"
    elif examination.canaries.file.read_bytes() != SECRET:
        through += " (the file has changed)"
    return through


@promise("has no privilege and gains none", "user")
def _has_privileges(examination: _Examination) -> str:
    status = examination.status()
    held = [f"capabilities {status[name]}" for name in ("CapPrm", "CapEff", "CapAmb") if int(status[name], 16)]
    if status["NoNewPrivs"] != "1":
        held.append("new privileges may be gained")
    if os.geteuid() == 0 and "0" in status["Uid"].split()[:3]:
        held.append("the user id is root's")
    return ", ".join(held)


@promise("inherits no descriptor and no variable of the grader", "zygote")
def _inherits(examination: _Examination) -> str:
    wanted = environment(examination.sandbox.scratch)
    environ = examination.ask("finds_environment")
    variables = [f"{name} in the environment" for name in environ if environ[name] != wanted.get(name)]
    descriptors = examination.ask("finds_descriptors")
    return ", ".join([*variables, *(f"descriptor {number}" for number in descriptors[4:])])


@promise("cannot make the grader keep more output than the limit", "grader")
def _keeps_all_output(examination: _Examination) -> str:
    through = examination.try_to("prints", 4 * LIMITS.output)
    kept = len(examination.worker.output) if examination.worker else 0
    return through or ("" if 0 < kept <= LIMITS.output else f"{kept} bytes are kept")


@promise("returns no more than fits the wire", "grader")
def _returns_too_much(examination: _Examination) -> str:
    value = examination.ask("returns", LIMITS.numbers + 1)
    return "" if type(value) is Foreign else f"a result of {len(value)} numbers"


@promise("finds nothing of an earlier worker", "grader")
def _finds_what_others_left(examination: _Examination) -> str:
    through = examination.try_to("leaves_files")
    examination.end_worker()
    return through or ", ".join(examination.ask("finds_files"))


@promise("runs no longer than it may", "grader")
def _runs_on(examination: _Examination) -> str:
    try:
        examination.ask("loops", seconds=0.05)
    except WorkerDied as error:
        process = examination.worker.process if examination.worker else 0
        examination.end_worker()
        return "" if isinstance(error, WorkerSlow) and _is_gone(process) else f"the process {process} {error.why}"
    return "a call that never returns did"


@promise("is gone when its grading ends, threads and all", "zygote")
def _outlives_its_grading(examination: _Examination) -> str:
    through = examination.try_to("keeps_a_thread")
    process = examination.worker.process if examination.worker else 0
    examination.end_worker()
    return through or ("" if _is_gone(process) else f"the process {process}")


@promise("is gone when the grader is", "session")
def _outlives_the_zygote(examination: _Examination) -> str:
    """Kills the zygote: has to come last."""
    examination.ask("finds_files")
    assert examination.worker is not None
    process = examination.worker.process
    os.kill(examination.sandbox.process.pid, signal.SIGKILL)
    deadline = time.monotonic() + ENDS_WITHIN_SECONDS
    while not (gone := _is_gone(process)) and time.monotonic() < deadline:
        time.sleep(0.005)
    examination.worker.hang_up()
    examination.worker = None
    return "" if gone else f"the process {process}"


def _is_gone(process: int) -> bool:
    """Whether a process runs no more; one that nobody has collected yet does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


PROMISES = [
    thing
    for room in (vars(probes), dict(globals()))
    for thing in room.values()
    if isinstance(getattr(thing, "promise", None), Promise)
]
"""What examines each of them, in this order: the last one ends the zygote."""
