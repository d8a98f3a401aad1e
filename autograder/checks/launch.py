"""`python -m autograder.checks [ASSIGNMENT…]`, which is what `make check` runs: starts the checks and watches over them.

The checks run in a process of their own (`screen`). A call that never returns, or ends Python, ends that process; it is then
started again without that call, so that the rest is still told. With `--watch` it is started at every save.

Light on purpose: the process that watches loads neither numpy nor pytest.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from autograder.checks.spelling import spell_out

DONE = "done"
"""The last line of the log of a run that came to its end."""

MAX_RUNS = 12
"""How often the checks are started for one command: once more for each function that does not return."""

PATIENCE = 6
"""Seconds to end after Ctrl-C; a call that does not listen ends by its own limit before that."""

POLL = 0.4
"""Seconds between two looks at the files, with `--watch`."""


def main(arguments: Sequence[str]) -> int:
    """The exit code: 0, or 1 with --strict where a public test does not pass, 2 for wrong use, 130 when stopped."""
    spell_out(sys.stdout, sys.stderr)
    options = _parser().parse_args(arguments)
    words = [*options.assignments, *(["--strict"] if options.strict else []), *(["--next"] if options.watch else [])]
    try:
        return _watch(words, options.assignments) if options.watch else _check(words)
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m autograder.checks", description="Where you stand, by the public tests.")
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="for example rope; all of them where none is named")
    parser.add_argument("--watch", action="store_true", help="check again at every save, and show the next thing to do")
    parser.add_argument("--strict", action="store_true", help="exit code 1 unless every public test passes, for automatic checks")
    return parser


def _check(words: list[str]) -> int:
    """Run the checks, again without each call that does not return."""
    stuck: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for number in range(MAX_RUNS):
            log = Path(folder, f"log{number}")
            status = _run([*words, "--log", str(log), "--stuck", json.dumps(stuck)], log)
            lines = _lines(log)
            call = _stuck(lines)
            if call is None or lines[-1] == DONE:
                return status
            stuck.append(call)
    print("Too many functions do not return: fix those that you know first.", file=sys.stderr)
    return 1


def _run(words: list[str], log: Path) -> int:
    with subprocess.Popen([sys.executable, "-m", "autograder.checks.screen", *words]) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            # It had the same Ctrl-C, and says what was running; unless that was numpy, which does not listen.
            with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                child.wait(PATIENCE)
            child.kill()
            lines = _lines(log)
            call = _stuck(lines)
            if call is not None and lines[-1] != DONE:
                print(f"Stopped while {call['function']} was running.", file=sys.stderr)
            raise


def _lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []


def _stuck(lines: list[str]) -> dict[str, object] | None:
    """The last call of a process, from its log: the calls in order, then what `faulthandler` says of where it was."""
    calls = [line for line in lines if line.startswith("[")]
    if not calls:
        return None
    function, number, file = json.loads(calls[-1])
    after = lines[lines.index(calls[-1]) + 1 :]
    places = [match for match in (re.match(r'  File "(.*)", line (\d+) in ', line) for line in after) if match]
    line = next((int(match[2]) for match in places if Path(match[1]).name == file), None)
    return {"function": function, "number": number, "line": line, "ended": not any("Timeout (" in line for line in after)}


def _watch(words: list[str], names: Sequence[str]) -> int:
    """Check at every save, until Ctrl-C."""
    if len(names) != 1:
        print("Name one assignment to watch, for example: python -m autograder.checks rope --watch", file=sys.stderr)
        return 2
    folder = Path("assignments", names[0])
    seen = None
    while True:
        now = _saved(folder)
        if now != seen:
            seen = now
            if _check(words) == 2:
                return 2
            print("\nWatching. Save the file to check again; Ctrl-C ends.", flush=True)
        time.sleep(POLL)


def _saved(folder: Path) -> dict[str, int]:
    """When each of a folder's files was saved last. One that an editor is just replacing is not there for a moment."""
    found = {}
    for path in [*folder.glob("*.py"), *folder.glob("*.ipynb")]:
        with contextlib.suppress(FileNotFoundError):
            found[path.name] = path.stat().st_mtime_ns
    return found
