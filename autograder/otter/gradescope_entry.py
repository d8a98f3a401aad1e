"""The entry point of a Gradescope container, which gives Otter a file that it accepts for every submission.

Otter stops with an error if it finds two Python files, an invalid notebook, or code in a subfolder, as in a repository
clone, and students would get no result. This module therefore moves the whole submission aside, where the plugin reads
it, and leaves one empty file for Otter. Finally, it marks Otter's output as Markdown, because Otter cannot do so.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from otter.run.run_autograder import main as run_autograder

from autograder.grading.otter_scoring import GRADESCOPE_MARKDOWN_SETTING
from autograder.otter.plugin import MOVED_SUBMISSION_FOLDER


def grade_in_container(folder: str, assignment: str) -> None:
    """Grade the contents of `folder`/submission, and write `folder`/results/results.json."""
    submission, upload = Path(folder, "submission"), Path(folder, MOVED_SUBMISSION_FOLDER)
    if not upload.is_dir():  # while debugging, a developer might run this script twice
        upload.mkdir()
        for path in submission.iterdir():
            shutil.move(path, upload)
    (submission / f"{assignment}.py").touch()
    run_autograder(folder)
    results = Path(folder, "results", "results.json")
    results.write_text(
        json.dumps(json.loads(results.read_text(encoding="utf-8")) | GRADESCOPE_MARKDOWN_SETTING), encoding="utf-8"
    )
