"""`python -m autograder.checks [ASSIGNMENT…]`, which is what `make check` runs: starts the checks and watches over
them.

The checks run in a process of their own (`screen`). A call that never returns, or ends Python, ends that process; it is
then started again without that call, so that the rest is still told. With `--watch` it is started at every save, and
with `--page` the browser shows what it said (`lesson_server`).

Light on purpose: the process that watches loads neither numpy nor pytest.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from autograder.laptop.lesson_server import serving
from autograder.laptop.limit import stuck_call

WRONG_USE, INTERRUPTED = 2, 130
"""Exit codes."""

MAX_RUNS = 12
"""How often the checks are started for one command: once more for each function that does not return."""

END_TIMEOUT = 6
"""Seconds to end after Ctrl-C; a call that does not listen ends by its own limit before that."""

POLL = 0.4
"""Seconds between two looks at the files, with `--watch`."""


def main(arguments: Sequence[str]) -> int:
    """The exit code: 0, or 1 with --strict where a public test does not pass, 2 for wrong use, 130 when stopped."""
    write_every_letter()
    options = parser().parse_args(arguments)
    try:
        if options.page:
            return _page(options.assignments)
        return _watch(arguments, options.assignments) if options.watch else _check(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def write_every_letter() -> None:
    """A pipe or a file gets UTF-8, whatever the machine's own encoding; a terminal that lacks a letter shows `?`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=stream.encoding if stream.isatty() else "utf-8", errors="replace")


def parser() -> argparse.ArgumentParser:
    """The command line, of this process and of the one that it starts."""
    parser = argparse.ArgumentParser("python -m autograder.checks", description="Where you stand, by the public tests.")
    parser.add_argument(
        "assignments",
        nargs="*",
        metavar="ASSIGNMENT",
        help="for example rope, or rope.apply_rope: all of them where none is named",
    )
    parser.add_argument("--watch", action="store_true", help="check again at every save, and show the next thing to do")
    parser.add_argument(
        "--page",
        action="store_true",
        help="the same in the browser: the lesson shows what the checks say, at every save",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit code 1 unless every public test of them passes, for automatic checks",
    )
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    return parser


def _check(arguments: Sequence[str], quietly: bool = False) -> int:
    """Run the checks, again without each call that does not return."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for run in range(MAX_RUNS):
            log = Path(folder, f"{run}.log")
            status = _run([*arguments, "--log", str(log)], quietly)
            stuck = stuck_call(log)
            if status is None:
                if stuck is not None:
                    print(f"Stopped while {stuck.function} was running.", file=sys.stderr)
                return INTERRUPTED
            if stuck is None:
                return status
    print("Too many functions do not return: fix those that you know first.", file=sys.stderr)
    return 1


def _run(arguments: Sequence[str], quietly: bool) -> int | None:
    """One run's exit code; None after Ctrl-C."""
    where = subprocess.DEVNULL if quietly else None
    with subprocess.Popen(
        [sys.executable, "-m", "autograder.laptop.screen", *arguments], stdout=where, stderr=where
    ) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            # It had the same Ctrl-C, and says what was running; unless that was numpy, which does not listen.
            with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                child.wait(END_TIMEOUT)
            child.kill()
            return None


def _watch(arguments: Sequence[str], names: Sequence[str]) -> int:
    """Check at every save, until Ctrl-C."""
    if len(names) != 1:
        print("Name one assignment to watch, for example: python -m autograder.checks rope --watch", file=sys.stderr)
        return WRONG_USE
    folder = Path("assignments", names[0].partition(".")[0])
    seen = None
    while True:
        now = _saved(folder)
        if now != seen:
            seen = now
            status = _check(arguments)
            if status in (WRONG_USE, INTERRUPTED):
                return status
            print("\nWatching. Save the file to check again; Ctrl-C ends.", flush=True)
        time.sleep(POLL)


def _page(names: Sequence[str]) -> int:
    """Show the lesson in the browser and check at every save, until Ctrl-C."""
    if len(names) != 1:
        print("Name one assignment, for example: python -m autograder.checks rope --page", file=sys.stderr)
        return WRONG_USE
    with serving(names[0]) as served, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if served is None:
            print(f"There is no course/{names[0]}.html here. Run this in the folder of the handout.", file=sys.stderr)
            return WRONG_USE
        (server, pictures), report = served, Path(folder, "report.json")
        print(f"The lesson: {server.url(f'{names[0]}.html')}", flush=True)
        webbrowser.open(server.url(f"{names[0]}.html"))
        seen, everything = None, True
        while True:
            now = _saved(Path("assignments", names[0]))
            if now != seen:
                seen = now
                server.state.update(checking=True)
                status = _check([*names, "--watch", "--report", str(report)])
                if status in (WRONG_USE, INTERRUPTED):
                    return status
                server.state.update(checking=False, **json.loads(report.read_text("utf-8")))
                pictures.start()
                if everything:  # once: where the student stands in all lessons, for the map
                    everything = False
                    _check(["--report", str(report)], quietly=True)
                    server.state.update(**json.loads(report.read_text("utf-8")))
                print("\nThe page shows it. Save the file to check again; Ctrl-C ends.", flush=True)
            if (drawn := pictures.finished()) is not None:
                server.state.update(pictures=drawn)
            time.sleep(POLL)


def _saved(folder: Path) -> dict[str, int]:
    """When each of a folder's files was saved last. One that an editor is just replacing is not there for a moment."""
    saved = {}
    for path in [*folder.glob("*.py"), *folder.glob("*.ipynb")]:
        with contextlib.suppress(FileNotFoundError):
            saved[path.name] = path.stat().st_mtime_ns
    return saved
