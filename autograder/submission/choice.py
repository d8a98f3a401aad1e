"""Choose the file that counts as a student's submission for each assignment.

The file with implemented functions counts or, if there are several, the likeliest of them. If two files are equally
likely, the submission names both and neither is graded.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.protocol.call import ANSWERS
from autograder.submission import bounded_reading, platforms
from autograder.submission.assignment_mentions import words_besides_assignment
from autograder.submission.candidates import Candidate, StudentFiles
from autograder.submission.code import functions
from autograder.submission.last_commit import last_commit_time
from autograder.submission.records import Problem, Submission, Upload, problem_of
from autograder.submission.untrusted_names import printable, semicolon_list, stem_and_suffix

_MAX_LISTED_FILES = 3
_MIN_FILES_WITHOUT_STUDENT_NAME = 3
"""Minimum number of files such as rope.py and rope (1).py in one folder that suggests a download without names."""


def read_uploads_of_student(uploads: Sequence[Upload], assignments: Sequence[str]) -> list[Submission]:
    """Return one student's submission for each assignment. Any fault becomes a submission's `problem`."""
    uploads = [replace(upload, submitted=upload.submitted or last_commit_time(upload.path)) for upload in uploads]
    last, readable = uploads[-1], [upload for upload in uploads if not upload.problem]
    try:
        if problem := _packed_download(last) if readable else last.problem:
            return [_submission_before_reading(last, last.assignment, problem)]
        files = StudentFiles(readable, assignments)
        return [_choose(files, assignment) for assignment in files.assignments_to_grade()]
    except Exception as error:  # any unforeseen error from the file system or a parser
        return [_submission_before_reading(last, last.assignment, problem_of(error))]


def cut_off_submission(uploads: Sequence[Upload], why: str) -> Submission:
    """Return a submission with a problem, for a student whose files exceeded the reading limits."""
    problem = Problem(f"It could not be read, because that {why}: hand in one plain .py or .ipynb file.")
    return _submission_before_reading(uploads[-1], uploads[-1].assignment, problem)


def _submission_before_reading(upload: Upload, assignment: str, problem: Problem | None) -> Submission:
    """Return a submission with the facts that are known before its upload is read."""
    notes = (f"{upload.person.platform} marks it as late.",) if upload.late else ()
    submission = Submission(
        upload.student, assignment, upload.label, person=upload.person, notes=notes, problem=problem
    )
    return replace(submission, submitted=upload.submitted, late=upload.late)


def _choose(files: StudentFiles, assignment: str) -> Submission:
    """Return the submission for one assignment, which is "" if unknown."""
    ranked = files.ranked_candidates(assignment) if assignment else []
    if not ranked:
        return _submission_before_reading(files.last, assignment, _no_file(files, assignment))
    first = [candidate for candidate in ranked if candidate.is_written(assignment)] or ranked
    tied = [candidate for candidate in first if candidate.likeliest_first_key == first[0].likeliest_first_key]
    if len(tied) > 1 and not tied[0].fault:
        return _submission_before_reading(
            files.last, assignment, _several(assignment, [candidate.upload.label for candidate in tied])
        )
    chosen, code = tied[0], tied[0].code
    submission = replace(_submission_before_reading(chosen.upload, assignment, code.problem), sha256=code.sha256)
    if code.problem:
        return submission
    doubts = [*_doubts(assignment, chosen, ranked)]
    earlier = [candidate.label for candidate in ranked if candidate.age > chosen.age]
    notes = [*submission.notes, *code.notes]
    notes += [f"{semicolon_list(earlier, _MAX_LISTED_FILES)} came earlier and is not graded."] if earlier else []
    notes += [*doubts, *_why_no_function_written(chosen, assignment, files.assignments)]
    doubt = " ".join([*doubts, *_doubts_about_student_names(files)])
    is_written = chosen.is_written(assignment)
    return replace(submission, cells=code.cells, notes=tuple(notes), doubt=doubt, is_written=is_written)


def _packed_download(upload: Upload) -> Problem | None:
    """Return a problem for the instructor if the upload is a platform's zip of a whole class."""
    if upload.person.platform or stem_and_suffix(upload.file)[1] != ".zip":
        return None
    with contextlib.suppress(Exception):  # damaged bytes can raise any exception
        top = bounded_reading.top_of_zip(upload.path)
        is_gradescope_export = platforms.is_gradescope_export(*top)
        if platform := platforms.GRADESCOPE if is_gradescope_export else platforms.class_download_platform(*top):
            what = f"{printable(upload.label)} is a download from {platform}"
            sentence = f"{what}: unpack it if you have not yet, and delete the zip"
            return Problem(f"{sentence}.", sentence, is_class_download=True)
    return None


def _no_file(files: StudentFiles, assignment: str) -> Problem:
    """Return the problem for when no file belongs to the assignment or no name contains an assignment."""
    if not assignment and files.plain_else_zipped:
        first, example = files.plain_else_zipped[0], f"{files.assignments[0]}.py"
        advice = f"name the file after it, as in {example} (staff may grade it with --assignment NAME)"
        return first.fault or Problem(
            f"The name {first.label} does not contain one assignment: {advice}.",
            f"the name {first.label} does not contain one assignment; add --assignment NAME",
        )
    names = [printable(name) for name in files.received_file_names]
    missing = "There is no .py or .ipynb file" + (f" for {assignment}" if assignment else "")
    others = f", but {semicolon_list(names, _MAX_LISTED_FILES)}" if names else ", because the folder or zip is empty"
    which = f"{assignment}.py or {assignment}.ipynb" if assignment else "the file with your functions"
    return Problem(f"{missing}{others}: hand in {which}.")


def _several(assignment: str, labels: Sequence[str]) -> Problem:
    """Return the problem for a student with several equally likely files."""
    which = " and ".join(map(printable, labels[:2])) + (f" ({len(labels)} in all)" if len(labels) > 2 else "")
    archive = labels[0].partition("!")[0] if "!" in labels[0] else ""
    folder = printable(archive or os.path.commonpath(labels))
    action = f"unpack {folder} and grade the new folder" if archive else f"grade the folder {folder} by itself"
    advice = "keep only the one that counts" + (f"; if these are several students' files, {action}" if folder else "")
    return Problem(
        f"Several files could be {assignment}, {which}: hand in one, {assignment}.py or {assignment}.ipynb.",
        f"{which} could each be {assignment}; {advice}",
    )


def _doubts(assignment: str, chosen: Candidate, ranked: list[Candidate]) -> Iterator[str]:
    """Yield a message about other files that the student might have meant to submit."""
    missing = (functions(assignment) | {ANSWERS}) - chosen.code.implemented_names
    rivals = [rival for rival in ranked if rival.fault or rival.name_match or rival.code.implemented_names & missing]
    later = [rival.label for rival in rivals if rival.age < chosen.age]
    beside = [rival.label for rival in rivals if rival.age == chosen.age and rival is not chosen]
    if later:
        names = semicolon_list(later, _MAX_LISTED_FILES)
        yield f"{names} came later, but no function of {assignment} is written there: {chosen.label} counts."
    if beside:
        names = semicolon_list(beside, _MAX_LISTED_FILES)
        yield f"Also found but not graded: {names}. Move what counts into {chosen.label}."


def _why_no_function_written(chosen: Candidate, assignment: str, assignments: Sequence[str]) -> Iterator[str]:
    """Yield a message that explains a score of zero if the file implements none of the assignment's functions."""
    expected = functions(assignment)
    if chosen.is_written(assignment) or not expected:
        return
    if chosen.code.bound_names & expected:
        yield f"No function of {assignment} is written yet: all are as in the original stub."
    else:
        other = next((f", but those of {name}" for name in assignments if chosen.is_written(name)), "")
        yield f"The file defines none of the functions of {assignment} at the beginning of a line{other}."


def _doubts_about_student_names(files: StudentFiles) -> Iterator[str]:
    """Yield a message to staff if file names in a student's folder seem to contain different people's names."""
    if files.last.person.platform:
        return
    without_student_name = [
        candidate
        for candidate in files.plain_else_zipped
        if candidate.name_match and not words_besides_assignment(candidate.upload.path.stem, candidate.assignment)
    ]
    for folder, count in Counter(os.path.dirname(candidate.upload.label) for candidate in without_student_name).items():
        if count >= _MIN_FILES_WITHOUT_STUDENT_NAME:
            yield (
                f"If the {count} files that are named only after the assignment are from several students, name each"
                f" file after its student, and grade the folder {printable(folder)} by itself."
            )
            return
    named = {
        words: candidate.label
        for candidate in files.plain_else_zipped
        if candidate.name_match == 1 and candidate.upload.path.parent in files.folders
        if (words := words_besides_assignment(candidate.upload.path.stem, candidate.assignment))
    }
    first, *others = named.items() or [(frozenset(), "")]
    if other := next((label for words, label in others if words.isdisjoint(first[0])), ""):
        folder = printable(os.path.dirname(first[1]))
        yield f"If {first[1]} and {other} are from several students, grade the folder {folder} by itself."
