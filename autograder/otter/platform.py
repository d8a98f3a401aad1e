"""The entry point of a Gradescope container: whatever a student submits, Otter gets what it can take.

Left alone, Otter stops with an error at two Python files, at a notebook that is none, and at code in a folder, as in
the clone of a repository; and students would get no result. So all that was handed in is put aside, where the plugin
reads it, and Otter finds one empty file. What Otter has written is then marked as Markdown, which it cannot do itself.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from otter.run.run_autograder import main as run_autograder

from autograder.grading.scoring import MARKDOWN
from autograder.otter.plugin import UPLOAD_FOLDER


def main(folder: str, assignment: str) -> None:
    """Grade what lies in `folder`/submission, and leave `folder`/results/results.json."""
    submission, upload = Path(folder, "submission"), Path(folder, UPLOAD_FOLDER)
    if not upload.is_dir():  # who looks for a mistake starts it twice
        upload.mkdir()
        for path in submission.iterdir():
            shutil.move(path, upload)
    (submission / f"{assignment}.py").touch()
    run_autograder(folder)
    results = Path(folder, "results", "results.json")
    results.write_text(json.dumps(json.loads(results.read_text(encoding="utf-8")) | MARKDOWN), encoding="utf-8")
