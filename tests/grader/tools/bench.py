"""Benchmarks: `make bench` measures, in one run, the speed and memory that the course promises.

Most lines are ratios of two measurements made side by side, because a single duration means little on a
machine that others also use. A repeated measurement is reported as its median, or as its mean if it is
processor time; processor time includes that of all child processes.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from autograder import course, handout
from autograder.course import Assignment
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.otter import package
from autograder.protocol.call import ANSWERS
from autograder.site import build
from tests.grader.site.conftest import PATH, window
from tests.grader.support import browsing, pyodide_runs
from tests.grader.support.pyodide_runs import Item
from tests.grader.tools import fetch_pyodide

ASSIGNMENT = "rope"
"""Assignment to grade, chosen because it has more value tests than any other."""

HUNDREDS, THOUSANDS = 200, 2000
MIN_OTTER_RATIO, MAX_PIP_SHARE = 40, 0.25
"""Limits promised in README.md: the throughput of grading divided by that of `otter run`, and the time of
`make setup` divided by that of pip."""

CHECKS = 8
"""Number of checks that are measured both in a browser tab and on this machine."""

ROUNDS = 4

SIDE_BY_SIDE_ROUNDS = 20
"""Number of times that the measurements of processor time are made in turn."""

_COORDINATOR = """
import ctypes, json, os, resource, sys, time
ctypes.CDLL(None).prctl(36, 1)  # a subreaper: sandboxes whose grader has ended are its children, and their time counts
begin = time.monotonic()
from pathlib import Path
from autograder.batch.gradebook import Gradebook
from autograder.batch.run import grade
written, add = [], Gradebook.add
def add_and_note(*grade):
    add(*grade)
    written.append(time.monotonic())
Gradebook.add = add_and_note
grade([Path(sys.argv[1])], Path(sys.argv[2]), jobs=int(sys.argv[3]))
seconds = time.monotonic() - begin
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
warm_seconds = max(written) - min(written)
time.sleep(1)
while os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG):
    pass
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
busy = sum(one.ru_utime + one.ru_stime for one in used)
memory = int(status["VmHWM"].split()[0]) / 1024
found = {"seconds": seconds, "busy": busy, "warm_seconds": warm_seconds, "memory": memory}
print(json.dumps(found))
"""
"""Script that imports only the modules of `autograder grade`, because the imports of this file would hide
what grading a class needs."""


@dataclass(frozen=True)
class Line:
    """A promise, with the measurement that shows whether it is kept."""

    what: str
    expected: str
    ratio: float
    kept: bool
    measured: str
    unit: str = "×"


def run(console: Console) -> None:
    """Measure everything and print the table."""
    measures = [setting_up, throughput, processor_time, checking, browser_tab, large_classes, own_tests]
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, Progress(console=console, transient=True) as progress:
        task = progress.add_task("", total=len(measures))
        for number, measure in enumerate(measures):
            progress.update(task, description=measure.__doc__)
            lines += measure(Path(folder, str(number)), course.find(ASSIGNMENT))
            progress.advance(task)
    console.print(_table(lines))
    console.print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} at the end.", highlight=False)


def _table(lines: list[Line]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("what", "expected", "ratio", "measured"):
        table.add_column(name, justify="right" if name in ("expected", "ratio") else "left", overflow="fold")
    for line in lines:
        style = "green" if line.kept else "red"
        table.add_row(line.what, line.expected, f"[{style}]{line.ratio:.3g} {line.unit}[/]", line.measured)
    return table


def _at_least(what: str, expected: float, ratio: float, measured: str) -> Line:
    return Line(what, f"≥ {expected:g} ×", ratio, ratio >= expected, measured)


def _at_most(what: str, expected: float, ratio: float, measured: str) -> Line:
    return Line(what, f"≤ {expected:g} ×", ratio, ratio <= expected, measured)


def setting_up(folder: Path, assignment: Assignment) -> Iterator[Line]:
    """Measure setting up a fresh checkout with empty caches, and installing its lock with pip."""
    checkout, python = folder / "checkout", folder / "pip" / "bin" / "python"
    shutil.copytree(course.ROOT, checkout, ignore=shutil.ignore_patterns(".*", "dist", "results"))
    environment = os.environ | {"UV_CACHE_DIR": str(folder / "cache"), "PIP_NO_CACHE_DIR": "1", "PYTHON": BASE_PYTHON}
    lock = ["--no-deps", "--require-hashes", "-r", str(course.ROOT / "requirements.lock")]
    ways = {
        "make setup": [["make", "setup"]],
        "pip": [[BASE_PYTHON, "-m", "venv", str(python.parents[1])], [str(python), "-m", "pip", "install", *lock]],
    }
    seconds = {}
    for name, commands in ways.items():
        begin = time.monotonic()
        for command in commands:
            done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=False)
            if done.returncode:
                return  # no package index, no line
        seconds[name] = time.monotonic() - begin
    ours, pip = seconds["make setup"], seconds["pip"]
    yield _at_most(
        "`make setup` against pip, same lock, empty caches",
        MAX_PIP_SHARE,
        ours / pip,
        f"{ours:.0f} s against {pip:.0f} s",
    )


BASE_PYTHON = os.path.realpath(sys.executable)
"""Path of the Python interpreter that created this environment."""


def throughput(folder: Path, assignment: Assignment) -> Iterator[Line]:
    """Measure grading the same submissions by `otter run` and by `grade --jobs 1`."""
    size = ROUNDS**2
    make_class(folder / "class", assignment, size)
    (archive,) = package.build([assignment], folder)
    files = sorted((folder / "class" / assignment.name).iterdir())
    otter, runs = [], []
    for number, file in enumerate(files, start=1):
        begin = time.monotonic()
        command = [sys.executable, "-m", "otter", "run", "-a", str(archive), "-o", str(folder), str(file)]
        subprocess.run(command, env=os.environ | {"PYTHONPATH": str(course.ROOT)}, check=True, capture_output=True)
        otter.append(time.monotonic() - begin)
        if number % ROUNDS == 0:
            runs.append(_coordinated(folder, 1))
    otters = statistics.median(otter)
    ours = statistics.median(run["warm_seconds"] / (size - 1) for run in runs)
    measured = f"{otters:.2f} s against {1000 * ours:.0f} ms a submission"
    yield _at_least("throughput of `grade --jobs 1` against `otter run`", MIN_OTTER_RATIO, otters / ours, measured)


def processor_time(folder: Path, assignment: Assignment) -> Iterator[Line]:
    """Measure grading correct and wrong submissions behind the wall, and running the suite without a wall."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})  # the cost of moving between cores depends on the machine
    solution = catalogue.ModuleBackend(catalogue.solution(assignment))
    suite, text = Suite(assignment), assignment.solution.read_text("utf-8")
    functions = dict.fromkeys(test.question for test in suite.tests if test.question != ANSWERS)
    wrong = [(_mistaken(text, function),) for function in functions]
    with contextlib.closing(Grader()) as grader:

        def graded(*files: tuple[str, ...]) -> float:
            return _processor_seconds(lambda: [grader.grade(assignment, cells) for cells in files], grader) / len(files)

        right, bare, mistaken, empty = [], [], [], []
        for _ in range(SIDE_BY_SIDE_ROUNDS):  # side by side, because the speed of a core changes every second
            right.append(graded((text,)))
            bare.append(_processor_seconds(lambda: suite.run(solution), grader))
            mistaken.append(graded(*wrong))
            begin = time.monotonic()
            for _ in range(TIMES):
                grader.grade(assignment, ("",))
            empty.append((time.monotonic() - begin) / TIMES)
    os.sched_setaffinity(0, before)
    ours, runner, theirs, nothing = (1000 * statistics.fmean(seconds) for seconds in (right, bare, mistaken, empty))
    measured = f"{ours:.0f} ms against {runner:.0f} ms on the solution in one warm process"
    yield _at_most("processor time of a grading against the grader's own runner", 2.0, ours / runner, measured)
    measured = f"{theirs:.0f} ms against {ours:.0f} ms, a mistake in each of {len(wrong)} functions"
    yield _at_most(
        "processor time of a wrong submission, causes and all, against a right one", 1.5, theirs / ours, measured
    )
    measured = f"{nothing:.0f} ms here, where it takes {runner:.0f} ms"
    what = f"wall time of grading a file without any function, where the runner takes {RUNNER} ms"
    yield Line(what, "≤ 15 ms", scaled := nothing * RUNNER / runner, scaled <= 15, measured, "ms")


RUNNER = 37
"""Time in milliseconds that the suite takes in one warm process, on the machine for which the limit of 15 ms
was set."""

TIMES = 2
"""Repetitions per measurement."""


def _processor_seconds(way: Callable[[], object], grader: Grader) -> float:
    """Return the processor time of one run in this process and its sandboxes."""
    way()
    begin = _used(grader)
    for _ in range(TIMES):
        way()
    return (_used(grader) - begin) / TIMES


def _used(grader: Grader) -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    seconds = own.ru_utime + own.ru_stime
    for sandbox in (grader.sandbox, vars(grader.sandbox).get("second_sandbox")):
        if sandbox is not None:
            stat = Path(f"/proc/{sandbox.process.pid}/stat").read_text(encoding="ascii")
            seconds += sum(map(int, stat.rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
    return seconds


def large_classes(folder: Path, assignment: Assignment) -> Iterator[Line]:
    """Measure grading classes of hundreds and of thousands of students."""
    runs = {}
    for size in (HUNDREDS, THOUSANDS):
        make_class(folder / str(size) / "class", assignment, size)
        runs[size] = _coordinated(folder / str(size), len(os.sched_getaffinity(0)))
    few, many = runs[HUNDREDS], runs[THOUSANDS]
    what = f"{THOUSANDS} distinct submissions against {HUNDREDS}"
    measured = f"{many['seconds']:.0f} s against {few['seconds']:.1f} s"
    yield _at_most(f"time for {what}", 10.5, many["seconds"] / few["seconds"], measured)
    cores = len(os.sched_getaffinity(0))
    measured = f"{many['busy']:.0f} s of processor time in {many['seconds']:.0f} s on {cores} cores"
    yield _at_least(
        f"processors kept busy over {THOUSANDS} distinct submissions",
        0.9,
        many["busy"] / many["seconds"] / cores,
        measured,
    )
    measured = f"{many['memory']:.0f} MiB against {few['memory']:.0f} MiB at their peaks"
    yield _at_most(f"memory of the coordinator at {what}", 1.2, many["memory"] / few["memory"], measured)


def checking(folder: Path, assignment: Assignment) -> Iterator[Line]:
    """Measure how long a student's check of a finished assignment takes, compared with plain pytest."""
    handout.build_handout(folder.with_suffix(".zip"))
    stub = folder / assignment.stub.relative_to(course.ROOT)
    stub.write_text(assignment.solution.read_text("utf-8"), "utf-8")
    tests = assignment.public_tests.relative_to(course.ROOT)
    ways = {"check": ["autograder.checks", assignment.name], "pytest": ["pytest", "-q", str(tests)]}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(2 * ROUNDS):
        for name, words in ways.items():
            begin = time.monotonic()
            subprocess.run([sys.executable, "-m", *words], cwd=folder, check=True, capture_output=True)
            seconds[name].append(time.monotonic() - begin)
    check, pytest = (statistics.median(seconds[name]) for name in ways)
    measured = f"{check:.2f} s against {pytest:.2f} s"
    yield _at_most(f"`make check ASSIGNMENT={assignment.name}` against bare pytest", 1.3, check / pytest, measured)


def browser_tab(folder: Path, assignment: Assignment) -> Iterator[Line]:
    """Measure a check in a browser tab."""
    if shutil.which("npm") is None:
        return  # without Node.js there is no line
    folder.mkdir()
    site = build.build(folder / PATH, str(fetch_pyodide.fetch()))
    item = (assignment.name, assignment.solution.read_text("utf-8"), None, False)
    seconds = {}
    for name, run in (
        ("tab", lambda items: pyodide_runs.in_pyodide(items, site, next(site.glob("pyodide-*")), folder)),
        ("home", lambda items: pyodide_runs.natively(items, site, folder)),
    ):
        few, many = (_child_seconds(run, [item] * count) for count in (1, 1 + CHECKS))
        seconds[name] = (many - few) / CHECKS, few
    (tab, first), (home, _) = seconds["tab"], seconds["home"]
    megabytes = sum(len(gzip.compress(path.read_bytes())) for path in _loaded_first(site, assignment)) / 1e6
    yield Line("site: bytes until the first verdict", "≤ 13 MB", megabytes, megabytes <= 13, "as gzip", " MB")
    yield _at_most("a check in a tab against one at home", 2.5, tab / home, f"{tab:.2f} s, {home:.2f} s of processor")
    yield _at_most(
        "a start in a tab against a check there", 12, (first - tab) / tab, f"{first - tab:.1f} s of processor"
    )
    if browsing.executable() is not None:
        yield from _in_chromium(site, assignment)


def _in_chromium(site: Path, assignment: Assignment) -> Iterator[Line]:
    """Measure a page that runs Python: the memory that it uses, and the time that replacing its worker takes."""
    with browsing.launched() as browser, window(browser, site) as opened:
        idle = _descendants_seconds()
        opened.open(assignment.name)
        opened.wait_for("functions are right")
        started = _descendants_seconds()
        opened.page.evaluate("navigator.serviceWorker.ready.then(() => null)")  # then the whole site is kept
        kept = _descendants_seconds()
        opened.page.evaluate("replace('was ended for a measurement.')")
        opened.write(assignment.solution.read_text("utf-8"))
        opened.page.wait_for_function("() => checked === code.text()")
        restarted = _descendants_seconds()
        renderers = [folder for folder in _descendants() if "--type=renderer" in (folder / "cmdline").read_text()]
        megabytes = max(map(_proportional_kilobytes, renderers)) / 1e3
    first, second = started - idle, restarted - kept
    measured = f"{second:.1f} s against {first:.1f} s of processor, in all processes of Chromium"
    yield _at_most(
        "a replaced worker until the next verdict against a page's first verdict", 1, second / first, measured
    )
    what = "site: memory of a page after a restart, of its process in Chromium"
    yield Line(
        what, f"≤ {PAGE_MEGABYTES} MB", megabytes, megabytes <= PAGE_MEGABYTES, "as a share of what it has", " MB"
    )


PAGE_MEGABYTES = 400
"""Megabytes that a page may use, a tenth of the memory of a small laptop."""


def _descendants() -> list[Path]:
    """Return the folder in /proc of every process that this process has started, directly or indirectly."""
    parents: dict[str, list[Path]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            parents.setdefault(stat.read_text("utf-8").rpartition(")")[2].split()[1], []).append(stat.parent)
    waiting, found = [str(os.getpid())], []
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += [folder.name for folder in children]
    return found


def _descendants_seconds() -> float:
    """Return the processor time of all processes that this process has started, including ended ones."""
    stats = [(folder / "stat").read_text("utf-8").rpartition(")")[2].split() for folder in _descendants()]
    return sum(int(ticks) for stat in stats for ticks in stat[11:15]) / os.sysconf("SC_CLK_TCK")


def _proportional_kilobytes(process: Path) -> int:
    """Return the memory that a process uses; memory that several processes share counts in proportion."""
    sizes = re.search(r"(?m)^Pss: +(\d+)", (process / "smaps_rollup").read_text("utf-8"))
    return int(sizes[1]) if sizes else 0


def _loaded_first(site: Path, assignment: Assignment) -> Iterator[Path]:
    """Yield the files that a browser loads before a lesson's first result."""
    named, hashed = r"(course|dials|search|minisearch)\.\w+", r"(page|worker|codemirror|tab|course|libraries)-.+"
    ours = rf"{assignment.name}\.html|{named}|{hashed}"
    yield from (path for path in site.iterdir() if re.fullmatch(ours, path.name))
    engine = (*build.PYODIDE_FILES, "pyodide.asm", "numpy-")
    yield from (path for path in site.glob("pyodide-*/*") if path.name.startswith(engine))


def _child_seconds(run: Callable[[list[Item]], object], items: list[Item]) -> float:
    """Return the processor time that a run uses in child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(items)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def own_tests(folder: Path, assignment: Assignment) -> Iterator[Line]:
    """Measure a run of the course's own tests."""
    for target, expected in (("quick", 20), ("test", 300)):
        begin = time.monotonic()
        subprocess.run(["make", target], cwd=course.ROOT, check=True, capture_output=True)
        seconds = time.monotonic() - begin
        yield Line(f"`make {target}`", f"≤ {expected} s", seconds, seconds <= expected, "on two idle cores", "s")


def make_class(folder: Path, assignment: Assignment, size: int) -> None:
    """Write distinct submissions: of every five, two are complete, two have one mistake, and one is barely begun."""
    (folder / assignment.name).mkdir(parents=True)
    solution, stub = (path.read_text("utf-8") for path in (assignment.solution, assignment.stub))
    functions = [test.question for test in Suite(assignment).tests if test.question != ANSWERS]
    for number in range(size):
        wrong = functions[number % len(functions)]
        text = (solution, solution, _mistaken(solution, wrong), _mistaken(solution, wrong), stub)[number % 5]
        (folder / assignment.name / f"student{number:04}.py").write_text(f"# submission {number}\n{text}", "utf-8")


def _mistaken(solution: str, function: str) -> str:
    """Return the solution with one function changed to return a nearly right value."""
    return f"""{solution}


_right = {function}


def {function}(*args, **kwargs):
    result = _right(*args, **kwargs)
    return tuple(part * 1.01 for part in result) if isinstance(result, tuple) else result * 1.01
"""


def _coordinated(folder: Path, jobs: int) -> dict[str, float]:
    """Run a batch in a separate process and return the measurements that it prints."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        command = [sys.executable, "-c", _COORDINATOR, str(folder / "class"), out, str(jobs)]
        done = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": str(course.ROOT)}, check=True, stdout=subprocess.PIPE, text=True
        )
    said: dict[str, float] = json.loads(done.stdout)
    return said


if __name__ == "__main__":
    run(Console())
