"""A grade → words for a student, before and after hidden results are published, or for teaching staff.

Of a public test everything is told. Of a hidden one a student reads only its rule and one of a few kinds of mistake,
and one known cause per question: never an input, a expected or got value, or anything that the submission printed or
raised there. A submission can choose how it fails by the hidden input that it sees, so every kind that is told is a
word that it can say (`redacted`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from autograder.checks.function_state import FunctionState, function_states
from autograder.checks.proxy import stops
from autograder.checks.render import Audience, block, inline, note, quoted, scored
from autograder.checks.results import Phase, TestResult, by_question, points_possible, points_won
from autograder.course import Assignment
from autograder.grading import quiz
from autograder.grading.grade import Grade
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import STOPPED, UNFINISHED, Kind, Status
from autograder.submission import Submission

_STOPPED = {
    Status.TIMEOUT: "Your code used up all of its time.",
    Status.KILLED: "Your code ended its own process again and again.",
}

_NO_RESULT = frozenset({Kind.RAISED, *UNFINISHED, *STOPPED})
"""Kinds that are told as an exception where inputs are hidden."""


def redacted(test_results: Sequence[TestResult]) -> list[TestResult]:
    """What a student may be told of these results. Public tests and answers stay as they are.

    Of a hidden test: whether it passed, or one of seven kinds of mistake, with its likely cause, of which `with_causes`
    gives each question one. Where a public test found that the function is not finished, a hidden one without a result
    says nothing.
    """
    public = [result for result in test_results if result.test.phase is Phase.PUBLIC]
    unfinished = {result.test.question for result in public if result.is_unwritten}
    told: list[TestResult] = []
    for result in test_results:
        if result.test.phase is not Phase.HIDDEN or result.passed:
            told.append(result)
        elif result.kind not in _NO_RESULT:
            told.append(TestResult(result.test, result.kind, hint=result.hint))
        elif result.test.question not in unfinished:
            told.append(TestResult(result.test, Kind.RAISED, hint=result.hint))
    return told


def sections(test_results: Sequence[TestResult], audience: Audience) -> list[tuple[FunctionState, str]]:
    """What is told of each function: a block where it has a mistake of its own, else a few words."""
    see = "" if audience is Audience.STAFF else "\n\nSee the lesson, section `{}`."
    right = "nothing wrong in the public tests" if audience is Audience.BEFORE_RELEASE else "complete"
    told = []
    for function in function_states(redacted(test_results) if audience is Audience.AFTER_RELEASE else test_results):
        words = note(function) or right
        text = block(function, audience) + see.format(function.name) if function.own else words[:1].upper() + words[1:]
        told.append((function, text))
    return told


def body(grade: Grade, audience: Audience) -> str:
    """What there is to say of a grade, without a title and without how the file was read.

    AT_ONCE, of one that knows no hidden test.
    """
    if grade.not_run:
        return not_graded(grade.not_run)
    questions = by_question(grade.test_results)
    told = sections(grade.test_results, audience)
    parts = [_headline(grade)] if audience is Audience.BEFORE_RELEASE else []
    parts += _loading(grade)
    call_graph = [f"## `{one.name}`: {scored(questions[one.name])}\n\n{text}" for one, text in told if one.own]
    lines: dict[str, list[str]] = defaultdict(list)
    for one, text in told:
        if not one.own:
            lines[text].append(f"`{one.name}` ({points_won(questions[one.name]):g})")
    listed = "\n".join(f"- {words}: {', '.join(names)}." for words, names in lines.items())
    parts += [*call_graph, "## The other functions" if call_graph and listed else "", listed]
    parts.append(_answers(questions.get(ANSWERS, []), grade.assignment, audience))
    return "\n\n".join(filter(None, parts))


def _headline(grade: Grade) -> str:
    """What is decided and what is not: never that all tests passed, where hidden ones remain."""
    public = [result for result in grade.test_results if not result.test.hidden]
    return (
        f"{scored(public)} public points. The other {grade.max_score - points_possible(public):g} of"
        f" {grade.max_score:g} points are decided by hidden tests, which check the same rules on other inputs."
    )


def _loading(grade: Grade) -> list[str]:
    """What went wrong before any function was called, or with the submission as a whole."""
    parts = [f"**{_STOPPED[grade.status]}** What had passed before that counts."] if grade.status in _STOPPED else []
    if grade.failure is not None:
        parts.append("**While your file was loaded, this happened.** The rest is graded:")
        parts.append(quoted(stops(grade.failure)))
        if grade.failure.left_out or "ImportError" in grade.failure.bases:
            parts.append("Numpy and the standard library are all that can be imported when your code is graded.")
    return parts


def _answers(given: Sequence[TestResult], assignment: str, audience: Audience) -> str:
    """What is told of answers. A student's wrong number is named, and nothing of a yes or no: that would tell which is
    right. The hidden tests' own words give the reasons, once they are published."""
    right = quiz.answers(Assignment(assignment))
    told = [
        f"- {inline(of_answer(one))}{'' if one.test.points else ' (For practice, without points.)'}"
        for one in given
        if not one.passed
        and (one.is_mistake or one.test.points)
        and (audience is Audience.STAFF or one.is_unwritten or not right[quiz.key(one.test)].yes_or_no)
    ]
    if not given or (audience is Audience.BEFORE_RELEASE and not told):
        return ""
    points = "" if audience is Audience.BEFORE_RELEASE else f": {scored(given)}"
    return "\n".join([f"## `{ANSWERS}`{points}\n", *told]).strip()


def of_answer(result: TestResult) -> str:
    """What is told of an answer that is not right."""
    return f"{result.message}. {result.hint or ''}".strip()


def not_graded(why: str) -> str:
    """What is said of a file of which nothing could be called."""
    return f"**Not graded.** {inline(why[:1].upper() + why[1:])}"


def page(submission: Submission, score: float, max_score: float, *texts: str) -> str:
    """A text with its title, and with how the file was read: what `body` says depends on the code alone, and so is
    shared by all who handed it in."""
    title = f"# {submission.assignment or 'No assignment'}: {score:g} of {max_score:g} points"
    return "\n\n".join(filter(None, [title, notes(submission), *texts])) + "\n"


def notes(submission: Submission) -> str:
    """How its file was read."""
    return "\n".join(f"- {inline(one)}" for one in submission.notes)
