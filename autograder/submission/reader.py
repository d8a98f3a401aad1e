"""From a hand-in that was found to a submission that can be graded: bytes, text, Python."""

from __future__ import annotations

import hashlib

from autograder.submission import archive, disk, notebook, python, text
from autograder.submission.choice import CODE, suffix
from autograder.submission.names import printable
from autograder.submission.records import HandIn, Problem, Refused, Submission


def read(hand_in: HandIn) -> Submission:
    """Reads one hand-in. Whatever is wrong with it becomes the submission's `problem`; nothing is raised."""
    digest = ""
    cells: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problem: Problem | None = hand_in.problem
    try:
        if hand_in.path is not None:
            data = disk.read(hand_in.path)
            digest = hashlib.sha256(data).hexdigest()
            if problem is None:
                name = hand_in.member or hand_in.path.name
                cells, notes = _cells(data if hand_in.member is None else archive.read(data, hand_in.member), name)
    except Refused as refused:
        problem = problem or refused.problem
    return Submission(
        student=hand_in.student,
        assignment=hand_in.assignment,
        file=hand_in.file,
        sha256=digest,
        cells=cells,
        notes=hand_in.notes + notes,
        problem=problem,
        superseded=hand_in.superseded,
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
