"""A grade → words for a student, before and after hidden results are published, or for teaching staff.

Of a public test everything is told. Of a hidden one a student reads only its rule and one of a few kinds of mistake,
and one known cause per question: never an input, a wanted or got value, or anything that the submission printed or
raised there. A submission can choose how it fails by the hidden input that it sees, so every kind that is told is a
word that it can say (`redacted`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.checks.results import Phase, TestResult, by_question, points_possible, points_won
from autograder.checks.standing import Standing, State, root_first, standings
from autograder.checks.telling import Audience, block, inline, note, quoted, scored
from autograder.course import Assignment
from autograder.grading import quiz
from autograder.grading.grade import Grade
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import STOPPED, Kind, Status
from autograder.submission import Submission

MAX_PRINTED = 2000
"""Characters of a submission's own output that are shown back to it."""

_LIBRARIES = "Numpy and the standard library are all that can be imported when your code is graded."

_NO_RESULT = frozenset({Kind.NOT_WRITTEN, Kind.WAITING, Kind.NOT_REACHED, *STOPPED})
"""Kinds that are told as an exception where inputs are hidden."""


def redacted(test_results: Sequence[TestResult]) -> list[TestResult]:
    """What a student may be told of these results. Public tests and answers, which come first, stay as they are.

    Of a hidden test: whether it passed, or one of eight kinds of mistake; that a function is not finished, only where a
    public test found that out; and, per question, the cause that the first hidden test with a known one has.
    """
    told: list[TestResult] = []
    unfinished: dict[str, TestResult] = {}
    explained: set[str] = set()
    for result in test_results:
        test, kind = result.test, result.kind
        if test.phase is not Phase.HIDDEN or kind in (None, Kind.UNREADABLE):
            if test.phase is Phase.PUBLIC and result.is_unwritten:
                unfinished[test.question] = result
        elif kind in {Kind.RAISED, *_NO_RESULT} and test.question in unfinished:
            result = replace(unfinished[test.question], test=test)
        else:
            hint = None if test.question in explained else result.hint
            explained.update([test.question] if hint else [])
            result = TestResult(test, Kind.RAISED if kind in _NO_RESULT else kind, hint=hint)
        told.append(result)
    return told


def sections(test_results: Sequence[TestResult], audience: Audience) -> tuple[dict[str, str], list[Standing]]:
    """What is told of each function with a mistake of its own, and the other functions."""
    told = {
        Audience.AT_ONCE: [result for result in test_results if not result.test.hidden],
        Audience.LATER: redacted(test_results),
    }
    functions = standings(told.get(audience, test_results))
    # What others build on comes first: fixing it may fix the rest.
    mistaken = root_first([standing for standing in functions if standing.state is State.MISTAKEN])
    see = "" if audience is Audience.STAFF else "\n\nSee the lesson, section `{}`."
    texts = {standing.name: block(standing, audience) + see.format(standing.name) for standing in mistaken}
    return texts, [standing for standing in functions if standing.state is not State.MISTAKEN]


def line(standing: Standing, audience: Audience) -> str:
    """What is said of a function without a mistake of its own."""
    words = note(standing) or ("nothing wrong in the public tests" if audience is Audience.AT_ONCE else "complete")
    return words[:1].upper() + words[1:]


def headline(test_results: Sequence[TestResult]) -> str:
    """What is decided and what is not: never that all tests passed, where hidden ones remain."""
    public = [result for result in test_results if not result.test.hidden]
    total = points_possible(test_results)
    return (
        f"{scored(public)} public points. The other {total - points_possible(public):g} of {total:g} points are decided"
        " by hidden tests, which check the same rules on other inputs."
    )


def body(grade: Grade, assignment: str, audience: Audience) -> str:
    """What there is to say of a grade, without a title and without how the file was read."""
    test_results = grade.at_once if audience is Audience.AT_ONCE else grade.test_results
    parts = [headline(grade.test_results)] if audience is Audience.AT_ONCE else []
    if grade.never_loaded:
        said = inline(grade.never_loaded)
        parts.append(
            f"**{said[:1].upper()}{said[1:]}**, so no function in it could be called. Look at what stands outside of"
            " functions there: a loop without an end, a long computation, or a line that ends the program."
        )
    else:
        questions = by_question(test_results)
        texts, others = sections(test_results, audience)
        parts += _loading(grade)
        parts += [f"## `{name}`: {_points(questions[name], audience)}\n\n{text}" for name, text in texts.items()]
        lines: dict[str, list[str]] = {}
        for standing in others:
            lines.setdefault(line(standing, audience), []).append(
                f"`{standing.name}` ({_points(questions[standing.name], audience)})"
            )
        listed = "\n".join(f"- {words}: {', '.join(names)}." for words, names in lines.items())
        parts += ["## The other functions" if texts and listed else "", listed]
        if told := answers(questions.get(ANSWERS, []), assignment, audience):
            parts.append(told)
    printed = grade.printed[:MAX_PRINTED].strip("\n")
    if audience is not Audience.AT_ONCE and printed.strip():
        parts += ["## What your code printed", quoted(printed)]
    return "\n\n".join(filter(None, parts))


def _points(test_results: Sequence[TestResult], audience: Audience) -> str:
    """The points of a function, as far as they are told."""
    told = [result for result in test_results if audience is not Audience.AT_ONCE or not result.test.hidden]
    return f"{points_won(told):g}" if all(result.passed for result in told) else scored(told)


def _loading(grade: Grade) -> list[str]:
    """What went wrong before any function was called, or with the submission as a whole."""
    words = {
        Status.TIMEOUT: "Your code used up all of its time. What had passed before that counts.",
        Status.KILLED: "Your code ended its own process again and again. What had passed before that counts.",
    }
    parts = [f"**{words[grade.stopped]}**"] if grade.stopped in words else []
    failure = grade.failure
    if failure is None:
        return parts
    at = failure.at_line
    if failure.left_out:
        head = (
            f"**What your file imports{at} is not there when it is graded.** The rest of the file ran without it. A"
            " function that uses what it imports cannot work here:"
        )
        return [*parts, head, quoted(failure.message), _LIBRARIES]
    head = f"**Your file stops with an exception{at}.** What is defined above that line is graded:"
    if grade.stopped is not Status.IMPORT_ERROR:  # a notebook: the other cells ran
        head = "**A cell of your notebook stops with an exception.** What the other cells define is graded:"
    parts += [head, quoted(f"{failure.kind}: {failure.message}")]
    return [*parts, _LIBRARIES] if "ImportError" in failure.bases else parts


def answers(given: Sequence[TestResult], assignment: str, audience: Audience) -> str:
    """What is told of answers. A student's wrong number is named, and a wrong yes or no is counted: naming it would
    tell. The hidden tests' own words give the reasons, once they are published."""
    if not given:
        return ""
    right = quiz.answers(Assignment(assignment))
    keys = {answer.test: quiz.key(answer.test) for answer in given}
    wrong = [answer for answer in given if answer.kind is Kind.ANSWER]
    choices = [answer for answer in given if keys[answer.test] not in right or right[keys[answer.test]].yes_or_no]
    named = [answer for answer in wrong if audience is Audience.STAFF or answer not in choices]
    lines = [
        "- " + inline(of_answer(answer)).replace(inline(keys[answer.test]), f"`{keys[answer.test]}`", 1)
        + ("" if answer.test.points else " (For practice, without points.)")
        for answer in named
    ]  # fmt: skip
    counted = len(wrong) - len(named)
    if counted and len(choices) > 1:  # of a single one, the count would name it
        lines.append(f"- Not right: {counted} of {len(choices)} answers with True or False.")
    empty = [f"`{keys[answer.test]}`" for answer in given if answer.kind is Kind.UNANSWERED and answer.test.points]
    lines += [f"- Not answered yet: {', '.join(empty)}."] if empty else []
    points = "" if audience is Audience.AT_ONCE else f": {scored(given)}"
    told = ["\n".join(lines), "See the lesson, section Questions."] if lines else []
    return "\n\n".join([f"## `{ANSWERS}`{points}", *told]) if told or points else ""


def of_answer(result: TestResult, right: quiz.QuizAnswer | None = None) -> str:
    """What is told of one answer; with what is right and why, once hidden results are published."""
    head = f"{quiz.key(result.test)} is right" if result.passed else result.message
    hint = f" {result.hint}" if result.hint else ""
    return f"{head}.{hint}" + (f" The answer is {right.sentence}" if right else "")


def markdown(submission: Submission, score: float, max_score: float, text: str) -> str:
    """The feedback file of a submission, from what `body` wrote: that depends on the code alone, and so is shared by
    all who handed it in."""
    parts = [f"# {submission.assignment}: {score:g} of {max_score:g} points", notes(submission), text]
    return "\n\n".join(filter(None, parts)) + "\n"


def notes(submission: Submission) -> str:
    """How its file was read."""
    return "\n".join(f"- {inline(one)}" for one in submission.notes)


def not_graded(assignment: str, why: str) -> str:
    """The feedback file of what could not be graded."""
    return f"# {assignment or 'Not graded'}\n\n**Not graded.** {inline(why)}\n"


def public_markdown(submission: Submission, grade: Grade) -> str:
    """What a student may see at once, before hidden results are published: public results and what is still to be
    decided."""
    if submission.problem is not None:
        return f"**Not graded.** {inline(submission.problem.message)}\n"
    told = body(grade, submission.assignment, Audience.AT_ONCE)
    return "\n\n".join(filter(None, [notes(submission), told])) + "\n"
