"""What a container of Gradescope or `otter grade` starts: it hands Otter what Otter can take, whatever was handed in.

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
from autograder.otter.plugin import HANDED_IN


def main(folder: str, assignment: str) -> None:
    """Grade what lies in `folder`/submission, and leave `folder`/results/results.json."""
    submission, handed_in = Path(folder, "submission"), Path(folder, HANDED_IN)
    _move_all(submission, handed_in)
    (submission / f"{assignment}.py").touch()
    metadata = Path(folder, "submission_metadata.json")
    if not metadata.is_file() or not metadata.stat().st_size:  # as in the containers of `otter grade`
        metadata.write_text("{}", encoding="utf-8")
    try:
        run_autograder(folder)
        results = Path(folder, "results", "results.json")
        results.write_text(json.dumps(json.loads(results.read_text(encoding="utf-8")) | MARKDOWN), encoding="utf-8")
    finally:
        # `otter grade` fetches the file that it has put there.
        _move_all(handed_in, submission)


def _move_all(source: Path, target: Path) -> None:
    """Everything in one folder into the other, which holds nothing else afterwards."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(exist_ok=True)
    for path in source.iterdir():
        shutil.move(path, target)
