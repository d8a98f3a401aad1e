"""A grade as text for a student, before or after hidden results are published, or for teaching staff.

Students may read everything about a public test. About a hidden test, they may read the rule, one of a few kinds of
mistake, and one known cause per question, but never an input, an expected or actual value, or text that the submission
printed or raised. A submission can be written to fail in a way that depends on a hidden input; allowing only a few
kinds of mistake limits what such a failure can reveal (see `redacted`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from autograder.checks.function_status import FunctionStatus, function_statuses
from autograder.checks.proxy import load_failure_message
from autograder.checks.result_markdown import (
    Audience,
    code_block,
    escape_markdown,
    mistakes_text,
    points_text,
    status_note,
)
from autograder.checks.results import Phase, TestResult, by_question, points_possible, points_won
from autograder.course import Assignment
from autograder.grading import answer_key
from autograder.grading.grade import Grade
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure_kinds import STOPPED, UNFINISHED, Kind, SubmissionStatus
from autograder.submission import Submission

_STOPPED_MESSAGE_BY_STATUS = {
    SubmissionStatus.TIMEOUT: "Your code used up all of its time.",
    SubmissionStatus.KILLED: "Your code repeatedly ended its own process, or returned too much.",
}
"""Messages for the student, keyed by the status of a submission that was stopped."""

_KINDS_REDACTED_TO_RAISED = frozenset({Kind.RAISED, *UNFINISHED, *STOPPED})
"""Kinds of failure that a student sees only as "an exception" if the test is hidden."""


def redacted(test_results: Sequence[TestResult]) -> list[TestResult]:
    """Return the results that a student may read. Results of public tests and answers are not changed.

    A failed hidden test keeps only one of seven kinds of mistake and the likely cause, which `with_unfiltered_causes`
    adds only once per question. If a public test found a function unfinished, hidden tests that received no value from
    it are left out.
    """
    public = [result for result in test_results if result.test.phase is Phase.PUBLIC]
    unfinished = {result.test.question for result in public if result.is_unfinished}
    readable: list[TestResult] = []
    for result in test_results:
        if result.test.phase is not Phase.HIDDEN or result.passed:
            readable.append(result)
        elif result.kind not in _KINDS_REDACTED_TO_RAISED:
            readable.append(TestResult(result.test, result.kind, hint=result.hint))
        elif result.test.question not in unfinished:
            readable.append(TestResult(result.test, Kind.RAISED, hint=result.hint))
    # Do not show how far a value in a hidden test is from the correct one.
    return [replace(one, kind=Kind.VALUE) if one.kind is Kind.PRECISION else one for one in readable]


def function_texts(test_results: Sequence[TestResult], audience: Audience) -> list[tuple[FunctionStatus, str]]:
    """Return each function with a text about its own mistakes or, if there are none, its status."""
    reference = "" if audience is Audience.STAFF else "\n\nSee the lesson, section `{}`."
    right = "nothing wrong in the public tests" if audience is Audience.BEFORE_RELEASE else "complete"
    texts = []
    for function in function_statuses(redacted(test_results) if audience is Audience.AFTER_RELEASE else test_results):
        if function.mistakes:
            text = mistakes_text(function, audience) + reference.format(function.name)
        else:
            text = _capitalized(status_note(function) or right)
        texts.append((function, text))
    return texts


def _capitalized(text: str) -> str:
    """Return the text with an initial capital."""
    return text[:1].upper() + text[1:]


def body(grade: Grade, audience: Audience) -> str:
    """Return a grade's text, without the title and the notes on how the file was read.

    If the audience is BEFORE_RELEASE, the grade must not include hidden tests.
    """
    if grade.reason_not_run:
        return not_graded(grade.reason_not_run)
    questions = by_question(grade.test_results)
    blocks: list[str] = []
    lines: dict[str, list[str]] = defaultdict(list)
    for function, text in function_texts(grade.test_results, audience):
        results = questions[function.name]
        if function.mistakes:
            blocks.append(f"## `{function.name}`: {points_text(results)}\n\n{text}")
        else:
            lines[text].append(f"`{function.name}` ({points_won(results):g})")
    listed = "\n".join(f"- {text}: {', '.join(names)}." for text, names in lines.items())
    parts = [_sentence_on_public_points(grade)] if audience is Audience.BEFORE_RELEASE else []
    parts += [*_stop_paragraphs(grade), *blocks, "## The other functions" if blocks and listed else "", listed]
    parts.append(_answers(questions.get(ANSWERS, []), grade.assignment, audience))
    return "\n\n".join(filter(None, parts))


def _sentence_on_public_points(grade: Grade) -> str:
    """Return a text about the public points and the points that depend on hidden tests."""
    public = [result for result in grade.test_results if not result.test.hidden]
    return (
        f"{points_text(public)} public points. The other {grade.max_score - points_possible(public):g} of"
        f" {grade.max_score:g} points are decided by hidden tests, which check the same rules on other inputs."
    )


def _stop_paragraphs(grade: Grade) -> list[str]:
    """Return paragraphs on problems that affect the whole submission or occurred while the file was loaded."""
    parts = (
        [f"**{_STOPPED_MESSAGE_BY_STATUS[grade.status]}** Tests that had already passed count."]
        if grade.status in _STOPPED_MESSAGE_BY_STATUS
        else []
    )
    if grade.failure is not None:
        parts.append("**This happened while your file was loaded.** The rest is graded:")
        parts.append(code_block(load_failure_message(grade.failure)))
        parts.append(_defined_before_failure(grade))
        if grade.failure.missing_import or "ImportError" in grade.failure.bases:
            parts.append(
                "Only numpy and the standard library can be imported when your code is graded,"
                " without modules that open windows or connections."
            )
    return parts


def _defined_before_failure(grade: Grade) -> str:
    """Return a message about the functions that a file defines before it stops; empty if it runs to the end."""
    if grade.failure is None or grade.failure.missing_import:
        return ""
    functions = by_question(result for result in grade.test_results if result.test.phase is Phase.PUBLIC)
    unknown = {Kind.NOT_REACHED, Kind.KILLED}
    defined = [f"`{name}`" for name, group in functions.items() if unknown.isdisjoint(result.kind for result in group)]
    return f"It defines {', '.join(defined)}." if defined else f"It defines no function of {grade.assignment}."


def _answers(results: Sequence[TestResult], assignment: str, audience: Audience) -> str:
    """Return the section on the submission's ANSWERS.

    For students, the section lists wrong numbers but no wrong yes-or-no answers, because that would give away the right
    ones. Otter's texts give the reasons once hidden results are published.
    """
    right = answer_key.answers(Assignment(assignment))
    sentences = (
        f"- {escape_markdown(wrong_quiz_answer_text(result))}"
        f"{'' if result.test.points else ' (For practice, without points.)'}"
        for result in results
        if not result.passed
        and (result.is_mistake or result.test.points)
        and (
            audience is Audience.STAFF
            or result.is_unfinished
            or not right[answer_key.quiz_question_key(result.test)].is_yes_or_no
        )
    )
    lines = [*dict.fromkeys(sentences)]  # if the file stops, all answers get the same sentence
    if not results or (audience is Audience.BEFORE_RELEASE and not lines):
        return ""
    points = "" if audience is Audience.BEFORE_RELEASE else f": {points_text(results)}"
    return "\n".join([f"## `{ANSWERS}`{points}\n", *lines]).strip()


def wrong_quiz_answer_text(result: TestResult) -> str:
    """Return the text for a wrong or missing answer."""
    return f"{result.message}. {result.hint or ''}".strip()


def not_graded(reason: str) -> str:
    """Return the feedback for a submission none of whose functions could be called."""
    return f"**Not graded.** {escape_markdown(_capitalized(reason))}"


def markdown_page(submission: Submission, grade: Grade, score: float, *texts: str) -> str:
    """Return a page: a title, the notes on how the submission's file was read, and `texts`.

    The title and the notes are specific to one submission, whereas identical files share the text of `body`.
    """
    title = f"# {submission.assignment or 'No assignment'}: {score:g} of {grade.max_score:g} points"
    return "\n\n".join(filter(None, [title, reading_notes(submission, grade), *texts])) + "\n"


def reading_notes(submission: Submission, grade: Grade) -> str:
    """Return the notes on how the submission's file was read, as Markdown."""
    return "\n".join(f"- {escape_markdown(sentence)}" for sentence in relevant_reading_notes(submission, grade))


def relevant_reading_notes(submission: Submission, grade: Grade) -> Sequence[str]:
    """Return the notes on how the submission's file was read.

    If a file implements no function, the last note says so. That note is left out if the file stopped with an
    exception, which then explains why no function is implemented.
    """
    is_explained = not submission.is_written and grade.failure is not None and not grade.failure.missing_import
    return submission.notes[:-1] if is_explained else submission.notes
