"""Write the states of lesson pages for many files; the same script runs in this machine's Python and in Pyodide.

The script runs in a folder like a checkout, and reads `items.json`, whose items consist of a lesson, the text
of a student's file, the number of a known mistake, if any, to put into the loaded module, and True for hidden tests.
"""

from __future__ import annotations

import gc
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.laptop.in_process_test_run import LoadedFile, LocalContext
from autograder.laptop.page_results import page_results
from autograder.laptop.progress_after_run import AssignmentProgress
from autograder.laptop.public_or_self_study import context_class
from autograder.laptop.terminal_or_tab import TERMINAL, CheckPlace
from autograder.site import int64_numpy
from autograder.site.tab import TAB, CallTimeLimiter

IN_TAB = sys.platform == "emscripten"


class WithMistake(LocalContext):
    """Checks of a student's file into which a known mistake has been put."""

    number: int | None = None

    def load_file(self, assignment: str) -> LoadedFile:
        """Load the file and put the mistake into its module."""
        file = super().load_file(assignment)
        if self.number is not None:
            from autograder.course import find
            from autograder.hints import catalogue

            file.module = catalogue.solution_with_mistake(
                find(assignment), catalogue.entries(find(assignment))[self.number]
            )
        return file


def state(lesson: str, text: str, number: int | None, self_study: bool, place: CheckPlace) -> Any:
    """Return the state of a lesson's page for a file."""
    Path("assignments", lesson, f"{lesson}.py").write_text(text, "utf-8")
    if IN_TAB:
        int64_numpy.distinguish_int32_if_named(text)
    if self_study:
        run = context_class(self_study)(place)
    else:
        run = WithMistake(Path(), place)
        run.number = number
    run.run_tests([lesson])
    return page_results([AssignmentProgress(lesson, run)])[lesson]


def ignore(*_: object) -> None:
    """Do nothing at the beginning and end of a call."""


def main() -> None:
    """Write `states.json`, with a state for each item."""
    sys.dont_write_bytecode = True
    gc.freeze()
    place = replace(TAB, pytest_options=TERMINAL.pytest_options)
    if IN_TAB:
        int64_numpy.use_int64()
        place = replace(TAB, limit_call=CallTimeLimiter(ignore, ignore).limit)
    items = json.loads(Path("items.json").read_text("utf-8"))
    states = [state(*item, place) for item in items]
    Path("states.json").write_text(json.dumps(states), "utf-8")


if __name__ == "__main__":
    main()
