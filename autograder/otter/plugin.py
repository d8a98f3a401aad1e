"""The Otter plugin, which grades the submission in the sandbox and gives Otter's kernel a trusted notebook to run.

Without this plugin, Otter would execute the submission in the process that contains the tests. The plugin
therefore removes the whole submission from the working directory of Otter's kernel before the kernel can
import or unpickle any part of the submission.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import nbformat
from otter.plugins import AbstractOtterPlugin
from otter.test_files import GradingResults

from autograder import course
from autograder.grading.feedback import reading_notes
from autograder.grading.grader import grade_alone
from autograder.grading.otter_scoring import passed_test_names, set_summaries
from autograder.module_search_path import use_safe_path
from autograder.sandbox import self_test
from autograder.sandbox.confine import ALL_LOCKS
from autograder.submission import read_submission_bounded

MOVED_SUBMISSION_FOLDER = "handed_in"
"""Folder next to the submission folder; `gradescope_entry` moves the submission into it."""


class GradingPlugin(AbstractOtterPlugin):  # type: ignore[misc]
    """The plugin; its settings are the assignment's name, the hash of the suite in the zip, and "isolation"."""

    def before_grading(self, config: Any) -> None:
        """Read the submission, and empty its folder before Otter looks for logs or starts the kernel."""
        use_safe_path()  # Otter's kernel also starts in a folder whose file names the student chose
        self.assignment = course.find(self.plugin_config["assignment"])
        if self.assignment.grading_hash != self.plugin_config["suite"]:
            raise RuntimeError(
                "this zip was built from a different version of the course from the one installed here: "
                f"build it again with `autograder build {self.assignment.name}`"
            )
        path = Path(self.submission_path)
        assignments = [assignment.name for assignment in course.term_assignments()]
        upload = path.parent.with_name(MOVED_SUBMISSION_FOLDER)
        self.submission = read_submission_bounded(
            upload if upload.is_dir() else path, self.assignment.name, assignments
        )
        _remove_all_but_tests(path.parent)
        # Otter reads the file again before it asks for the driver.
        path.write_text(_PLACEHOLDER_NOTEBOOK_JSON if path.suffix == ".ipynb" else "", encoding="utf-8")

    def before_execution(self, submission: Any) -> Any:
        """Grade the submission, and return the notebook that Otter runs instead, which lists the passed tests."""
        disabled_locks = ALL_LOCKS if self.plugin_config.get("isolation") == "none" else ()
        if not disabled_locks:
            self_test.require()
        os.unlink(self.submission_path)
        self.grade = grade_alone(self.assignment, self.submission, disabled_locks)
        names = sorted(passed_test_names(self.grade.test_results))
        cell = nbformat.v4.new_code_cell(_PASSED_TESTS_CELL_TEMPLATE.format(passed=names))  # type: ignore[no-untyped-call]
        return nbformat.v4.new_notebook(cells=[cell])  # type: ignore[no-untyped-call]

    def after_grading(self, results: GradingResults) -> None:
        """Show students everything that they may see before hidden results are published.

        Output from earlier plugins comes first; if one of them hides all results, students see nothing else.
        """
        set_summaries(list(results.results.values()), self.grade.test_results, self.assignment)
        if not results.all_hidden:
            texts = (results.output, reading_notes(self.submission, self.grade), self.grade.public_feedback)
            results.set_output("\n\n".join(filter(None, texts)))


_PASSED_TESTS_CELL_TEMPLATE = """\
from autograder.grading.otter_namespace import otter_namespace

result = otter_namespace({passed!r})["result"]
"""

_PLACEHOLDER_NOTEBOOK_JSON = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


def _remove_all_but_tests(folder: Path) -> None:
    """Remove everything except Otter's tests. Links are removed but never followed."""
    for entry in os.scandir(folder):
        if entry.name == "tests":  # Otter's folder replaces any submitted folder or file of that name
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
