"""Runs interrupted after a set number of events rather than a set time, which would depend on the machine."""

from __future__ import annotations

import fnmatch
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from autograder import bounded_processes, course
from autograder.batch import run
from autograder.batch.gradebook import Gradebook
from tests.grader.support.fake_graders import Direct

GRADE = "import sys\nfrom autograder.cli import main\nmain(sys.argv[1:])\n"


def grade(folder: Path, out: Path, *options: str, scratch: Path) -> subprocess.Popen[str]:
    """Start `autograder grade` as a separate process, with its temporary files in `scratch`."""
    environment = os.environ | {"PYTHONPATH": str(course.ROOT), "TMPDIR": str(scratch)}
    command = [sys.executable, "-c", GRADE, "grade", str(folder), "--out", str(out), *options]
    return subprocess.Popen(
        command,
        env=environment,
        cwd=course.ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def coordinator_killed(moment: int, folder: Path, out: Path) -> bool:
    """Run a batch with fake graders, kill it when it opens a file under OUT or stores a grade for the n-th time, and
    return True if it was killed. The run may finish before it reaches that moment."""
    process = multiprocessing.get_context("forkserver").Process(target=_until_killed, args=(moment, folder, out))
    process.start()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def _until_killed(moment: int, folder: Path, out: Path) -> None:
    left, add = moment, Gradebook.add

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event == "kept" or (
            event in ("open", "sqlite3.connect") and fnmatch.fnmatch(str(arguments[0]), f"*{out}/*")
        ):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def add_and_say(self: Gradebook, *grade: Any) -> None:
        add(self, *grade)
        sys.audit("kept")

    sys.addaudithook(count)
    Gradebook.add = add_and_say  # type: ignore[method-assign]
    run.Processes = Direct  # type: ignore[assignment,misc]
    bounded_processes.map_bounded = lambda function, things: map(function, things)  # type: ignore[assignment,arg-type,return-value]
    bounded_processes.run_in_subprocess = lambda function, *arguments: function(*arguments)
    run.grade([folder], out)
