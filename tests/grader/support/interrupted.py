"""Runs that are interrupted at a moment that is counted and not timed: no test hangs on how fast a machine is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from autograder import course

GRADE = "import sys\nfrom autograder.cli import main\nmain(sys.argv[1:])\n"

SIGNAL_ITSELF = """
import fnmatch, os, sys
number, pattern, left = int(sys.argv.pop(1)), sys.argv.pop(1), int(sys.argv.pop(1))
def count(event, arguments):
    global left
    if event in ("open", "kept") and fnmatch.fnmatch(str(arguments[0]), pattern):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), number)
sys.addaudithook(count)
from autograder.batch import run
from autograder.batch.gradebook import Gradebook
run.KEEP_EVERY, add = 0.01, Gradebook.add
def add_and_say(self, graded):
    add(self, graded)
    if graded:
        sys.audit("kept", f"{self.out}/kept")
Gradebook.add = add_and_say
"""
"""Sends itself a signal as it opens the n-th file whose path fits a pattern; that grades were kept counts as a file
`kept`. Every grade is kept as it comes."""


def grade(folder: Path, out: Path, *options: str, root: Path = course.ROOT) -> subprocess.Popen[str]:
    """`autograder grade`, as a process of its own."""
    return _start(GRADE, "grade", str(folder), "--out", str(out), *options, root=root)


def grade_until(
    number: signal.Signals, opened: int, pattern: str, folder: Path, out: Path, *options: str
) -> subprocess.Popen[str]:
    """The same; a signal comes as it opens the n-th file under OUT whose path there fits the pattern."""
    words = (str(int(number)), f"{out}/{pattern}", str(opened), "grade", str(folder), "--out", str(out), *options)
    return _start(SIGNAL_ITSELF + GRADE, *words, root=course.ROOT)


def _start(script: str, *words: str, root: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": str(root)}
    command = [sys.executable, "-c", script, *words]
    return subprocess.Popen(
        command,
        env=environment,
        cwd=root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
