"""From a submission that was found to a submission that can be graded: bytes, text, Python."""

from __future__ import annotations

import hashlib

from autograder.submission import archive, disk, notebook, python, text
from autograder.submission.choice import CODE, suffix
from autograder.submission.names import printable
from autograder.submission.records import Problem, Refused, Submission, SubmissionFile


def read(submission_file: SubmissionFile) -> Submission:
    """Reads one submission. Whatever is wrong with it becomes the submission's `problem`; nothing is raised."""
    digest = ""
    cells: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: Problem | None = submission_file.problem
    try:
        if submission_file.path is not None:
            data = disk.read(submission_file.path)
            digest = hashlib.sha256(data).hexdigest()
            if problem is None:
                name = submission_file.member or submission_file.path.name
                cells, notes = _cells(data if submission_file.member is None else archive.read(data, submission_file.member), name)
    except Refused as refused:
        problem = problem or refused.problem
    return Submission(
        student=submission_file.student,
        assignment=submission_file.assignment,
        file=submission_file.file,
        sha256=digest,
        cells=cells,
        notes=submission_file.notes + notes,
        problem=problem,
        superseded=submission_file.superseded,
    )


def _cells(data: bytes, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The Python text of a .py or .ipynb file, and notes. Where name and content disagree, the content decides."""
    ending = suffix(name)
    if ending not in CODE:
        raise Refused(
            f"A {printable(ending) or 'file without an ending'} cannot be graded: hand in a .py or .ipynb file.",
            f"{printable(name)} is no .py, .ipynb or .zip file.",
        )
    source, notes = text.decode(data)
    if notebook.is_notebook(source):
        cells, more = notebook.read(source)
        named = () if ending == ".ipynb" else ("It is named as Python, and was read as the notebook that it is.",)
        return cells, notes + named + more
    if ending == ".ipynb" and source.lstrip().startswith("{"):
        notebook.read(source)
    python.check(source)
    named = () if ending == ".py" else ("It is named as a notebook, and was read as the Python text that it is.",)
    return (source,), notes + named
