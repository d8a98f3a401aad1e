"""Does the wall hold on this machine? Probes inside a real worker, a line for each promise with the lock that keeps it.

`require` is asked before anything is graded: where a promise does not hold, nothing runs and nobody gets a grade.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from autograder.checks import codec
from autograder.checks.codec import Foreign
from autograder.sandbox import probes, wire
from autograder.sandbox.backend import Source
from autograder.sandbox.client import PROJECT, Sandbox, SandboxError, Worker, WorkerDied, environment
from autograder.sandbox.limits import LIMITS, MIB, Limits

PROBE_SECONDS = 20.0
"""How long a probe may take on a busy machine."""

ENDS_WITHIN_SECONDS = 2.0
"""How soon a worker has to be gone once it has to go."""


class DoctorError(Exception):
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
    "landlock": "Use Linux 5.13 or newer with `landlock` named in /sys/kernel/security/lsm (else boot with lsm=landlock,… in "
    "front of the list); a container must allow the landlock system calls, as Docker's default profile does.",
    "seccomp": "Install libseccomp (libseccomp2 on Debian and Ubuntu) and use a kernel with seccomp filters.",
    "limits": "Run as an ordinary user, or as root with the capabilities SETUID and SETGID: the kernel limits no other root.",
    "user": "Run as an ordinary user, or as root with the capabilities SETUID and SETGID.",
    "session": "Run the grader where a process may set its parent-death signal (every Linux since 2.1.57).",
    "watch": "Mount /proc readable, and keep the temporary folder on a local disk.",
    "zygote": "Report it, with what is said here: this is the grader's own doing on any Linux.",
    "grader": "Report it, with what is said here: this is the grader's own doing on any Linux.",
}
ANY_WAY = "`--isolation none` grades without the wall: only for code that you trust."


EXAMINED = replace(LIMITS, files=2 * MIB)
"""The limits that the probes run into: less to write, and otherwise the same."""


def check(without: Collection[str] = ()) -> list[Finding]:
    """Try to break every promise of the wall; `without` leaves locks off, as the doctor's own tests do."""
    try:
        with ExitStack() as stack:
            sandbox = stack.enter_context(Sandbox(without, EXAMINED))
            examination = _Examination(sandbox, stack.enter_context(_canaries()))
            stack.callback(examination.end_worker)
            return [examination.finding(*promise) for promise in PROMISES]
    except SandboxError as error:
        lock = next((name for name in FIX if f"{name}: " in str(error)), "zygote")
        return [Finding("a worker starts and puts on its locks", lock, False, str(error), FIX[lock])]


def require() -> None:
    """Raises DoctorError where a promise does not hold here."""
    for finding in check():
        if not finding.held:
            raise DoctorError(f"the wall does not hold here: {finding.promise} ({finding.detail}). {finding.fix} {ANY_WAY}")


def print_table(console: Console) -> bool:
    """Print what holds, by which lock, and the limits. Returns whether everything holds."""
    findings = check()
    table = Table(title=f"The wall, as {'root' if os.geteuid() == 0 else 'an ordinary user'}", title_justify="left", box=None)
    for heading in ("", "a submission", "kept by", ""):
        table.add_column(heading, overflow="fold")
    for one in findings:
        table.add_row("[green]✓[/]" if one.held else "[red]✗[/]", one.promise, one.lock, one.detail)
    console.print(table)
    for sentence in dict.fromkeys(one.fix for one in findings if not one.held):
        console.print(f"[red]To fix it:[/] {sentence}")
    console.print(_limits_table())
    return all(one.held for one in findings)


def _limits_table() -> Table:
    table = Table(title="The limits", title_justify="left", box=None, show_header=False)
    for amount, what in (
        (f"{LIMITS.call_seconds:g} s", "one call, and loading the file"),
        (
            f"{LIMITS.submission_seconds:g} s",
            "all calls of a submission; processor time of a worker, and of the tests themselves",
        ),
        (f"{LIMITS.memory // MIB} MiB", "memory"),
        (f"{LIMITS.tasks}", "threads; no process but its own"),
        (f"{LIMITS.files // MIB} MiB", "files, in a scratch folder that is emptied for every worker"),
        (f"{LIMITS.file_count}", "files in it"),
        (f"{LIMITS.open_files}", "open descriptors"),
        (f"{LIMITS.output // 1024} KiB", "kept of what it prints"),
        (f"{LIMITS.numbers}", "numbers in one result"),
        (f"{LIMITS.message // MIB} MiB", "one reply"),
        (f"{LIMITS.replacements}", "replacements of a worker that ended"),
        (f"{LIMITS.slow_calls}", "calls of a function that did not return; then it is not called again"),
    ):
        table.add_row(amount, what)
    assert table.row_count == len(fields(Limits)), "every limit has its line"
    table.columns[0].justify = "right"
    return table


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
        self.limits = sandbox.limits
        self.canaries = canaries
        self.source = Source("probes", (Path(probes.__file__).read_text(encoding="utf-8"),))
        self.worker: Worker | None = None

    def finding(self, promise: str, lock: str, probe: Callable[[_Examination], str]) -> Finding:
        """Run one probe. A worker that dies of it shows that something is wrong."""
        try:
            detail = probe(self)
        except WorkerDied as error:
            detail = f"the probe's worker {self.end_worker() or error.why}"
        return Finding(promise, lock, not detail, detail, FIX[lock])

    def ask(self, probe: str, *args: Any, seconds: float = PROBE_SECONDS) -> Any:
        """What a probe returns. Raises WorkerDied."""
        if self.worker is None:
            self.worker = self.sandbox.open()
            raised = self.worker.ask(self.source.request(), PROBE_SECONDS).raised
            if raised is not None:
                return f"the probes could not be loaded: {raised.kind}: {raised.message}"
        reply = self.worker.ask(wire.request(probe, args, {}, False), seconds)
        if reply.raised is not None:
            return f"the probe ended with {reply.raised.kind}: {reply.raised.message}"
        return codec.decode(reply.value)

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


def _simply(probe: str, *arguments: Callable[[_Examination], Any]) -> Callable[[_Examination], str]:
    """A probe that says itself what it was let through."""
    return lambda examination: str(examination.ask(probe, *(argument(examination) for argument in arguments)))


def _is_ended(probe: str, limit: Callable[[_Examination], int], because: str) -> Callable[[_Examination], str]:
    """A probe that has to be refused, or its worker ended for that reason."""

    def run(examination: _Examination) -> str:
        try:
            return str(examination.ask(probe, limit(examination)))
        except WorkerDied as error:
            why = examination.end_worker()
            return "" if because in why else why or error.why

    return run


def _files(examination: _Examination) -> list[str]:
    """Files that are there, may be read by the grader, and are none of a submission's business."""
    home = [path for path in Path.home().glob(".*") if path.is_file()][:1]
    here = [path for path in (PROJECT / "pyproject.toml", *sorted((PROJECT / "solutions").glob("*.py"))) if path.is_file()]
    paths = [examination.canaries.file, Path(__file__), *here[:2], *home, "/etc/passwd"]
    processes = ["self", os.getpid(), examination.sandbox.process.pid]
    return [*map(str, paths), *(f"/proc/{process}/{name}" for process in processes for name in ("environ", "maps", "cmdline"))]


def _folders(examination: _Examination) -> list[str]:
    return [*map(str, (examination.canaries.folder, PROJECT, Path.home())), "/", "/proc", "/etc", tempfile.gettempdir()]


def _seconds(examination: _Examination) -> int:
    return int(examination.limits.submission_seconds)


def _others(examination: _Examination) -> list[int]:
    return [os.getpid(), examination.sandbox.process.pid]


def _writes_outside(examination: _Examination) -> str:
    through = _simply("writes", lambda one: str(one.canaries.folder), lambda one: str(one.canaries.file))(examination)
    if sorted(path.name for path in examination.canaries.folder.iterdir()) != ["file", "socket"]:
        through += " (the folder has changed)"
    elif examination.canaries.file.read_bytes() != SECRET:
        through += " (the file has changed)"
    return through


def _has_privileges(examination: _Examination) -> str:
    status = examination.status()
    held = [f"capabilities {status[name]}" for name in ("CapPrm", "CapEff", "CapAmb") if int(status[name], 16)]
    if status["NoNewPrivs"] != "1":
        held.append("new privileges may be gained")
    if os.geteuid() == 0 and "0" in status["Uid"].split()[:3]:
        held.append("the user id is root's")
    return ", ".join(held)


def _runs_on(examination: _Examination) -> str:
    try:
        examination.ask("loops", seconds=0.05)
    except WorkerDied as error:
        process = examination.worker.process if examination.worker else 0
        examination.end_worker()
        return "" if error.slow and _is_gone(process) else f"the process {process} {error.why}"
    return "a call that never returns did"


def _outlives_its_grading(examination: _Examination) -> str:
    through = _simply("keeps_a_thread")(examination)
    process = examination.worker.process if examination.worker else 0
    examination.end_worker()
    return through or ("" if _is_gone(process) else f"the process {process}")


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


def _keeps_all_output(examination: _Examination) -> str:
    through = _simply("prints", lambda one: 4 * one.limits.output)(examination)
    kept = len(examination.worker.output) if examination.worker else 0
    return through or ("" if 0 < kept <= examination.limits.output else f"{kept} bytes are kept")


def _returns_too_much(examination: _Examination) -> str:
    value = examination.ask("returns", examination.limits.numbers + 1)
    return "" if type(value) is Foreign else f"a result of {len(value)} numbers"


def _inherits(examination: _Examination) -> str:
    wanted = environment(examination.sandbox.scratch)
    environ = examination.ask("finds_environment")
    found = [f"{name} in the environment" for name in environ if environ[name] != wanted.get(name)]
    descriptors = examination.ask("finds_descriptors")
    return ", ".join([*found, *(f"descriptor {number}" for number in descriptors[4:])])


def _finds_what_others_left(examination: _Examination) -> str:
    through = _simply("leaves_a_file")(examination)
    examination.end_worker()
    found = examination.ask("finds_files")
    return through or ", ".join(found)


PROMISES: list[tuple[str, str, Callable[[_Examination], str]]] = [
    ("reads no file but the interpreter's, numpy's and its own", "landlock", _simply("reads", _files)),
    ("lists no other folder", "landlock", _simply("lists", _folders)),
    ("writes nothing outside its scratch folder", "landlock", _writes_outside),
    ("connects to nothing over TCP", "seccomp", _simply("connects_tcp", lambda one: one.canaries.tcp)),
    ("listens to nothing", "seccomp", _simply("listens_tcp")),
    ("sends nothing over UDP", "seccomp", _simply("sends_udp", lambda one: one.canaries.udp)),
    ("sends nothing to a unix socket", "seccomp", _simply("sends_unix", lambda one: one.canaries.unix)),
    ("sends nothing to an abstract socket", "seccomp", _simply("sends_abstract", lambda one: one.canaries.abstract)),
    ("opens no other kind of socket", "seccomp", _simply("other_sockets")),
    ("starts no process", "seccomp", _simply("starts_processes")),
    ("signals no process", "seccomp", _simply("sends_signals", _others)),
    ("touches no other process's memory or descriptors", "seccomp", _simply("touches_memory", _others)),
    ("leaves nothing in the kernel", "seccomp", _simply("leaves_things_in_the_kernel")),
    ("raises none of its limits", "seccomp", _simply("raises_its_limits")),
    ("has no privilege and gains none", "user", _has_privileges),
    ("inherits no descriptor and no variable of the grader", "zygote", _inherits),
    ("takes no more memory than it may", "limits", _simply("takes_memory", lambda one: one.limits.memory)),
    ("writes no longer file than it may", "limits", _simply("writes_a_long_file", lambda one: one.limits.files)),
    ("opens no more files than it may", "limits", _simply("opens_files", lambda one: one.limits.open_files)),
    ("has no more processor time than it may", "limits", _simply("has_processor_time", _seconds)),
    ("is kept no more output than it may print", "grader", _keeps_all_output),
    ("returns no more than fits the wire", "grader", _returns_too_much),
    ("becomes no other program", "seccomp", _simply("becomes_another_program")),
    ("starts no more threads than it may", "limits", _is_ended("starts_threads", lambda one: one.limits.tasks, "threads")),
    ("writes no more in all than it may", "watch", _is_ended("fills_its_folder", lambda one: one.limits.files, "files")),
    ("finds nothing of an earlier worker", "grader", _finds_what_others_left),
    ("runs no longer than it may", "grader", _runs_on),
    ("is gone when its grading ends, threads and all", "zygote", _outlives_its_grading),
    ("is gone when the grader is", "session", _outlives_the_zygote),
]
"""What a submission cannot do, the lock that keeps it, and the probe that tries to break it. Gentle probes come first."""
