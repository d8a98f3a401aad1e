"""Results → words for a student: what was wanted, what came, the likely cause, where in the lesson to look.

Of a public test everything is told. Of a hidden one only its rule and one of a few kinds of mistake, and one known
cause per question: never an input, a wanted or got value, or anything that the submission printed or raised there. A
submission can choose how it fails by the hidden input that it sees, so every kind that is told is a word that it can
say (`coarse`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, KeysView, Mapping, Sequence
from dataclasses import replace

from autograder.checks.results import Phase, TestResult, points_possible, points_won
from autograder.checks.source import blocks_of
from autograder.checks.standing import Standing, State, root_first, standings
from autograder.course import Assignment
from autograder.grading import quiz
from autograder.grading.grade import Grade
from autograder.grading.quiz import QuizAnswer
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import EXCEPTIONS, REFUSALS, VALUES, Kind, with_likely_cause
from autograder.protocol.status import Status, TestStatus
from autograder.submission import Submission

IN_FULL = 36
"""Lines for the functions whose mistakes are told in full, at least one; of others there is a line each."""

MAX_PRINTED = 2000
"""Characters of a submission's own output that are shown back to it."""

_LIBRARIES = "Numpy and the standard library are all that can be imported when your code is graded."

_ALIKE = {
    Kind.TYPE: Kind.SHAPE,
    Kind.NO_ERROR: Kind.WRONG_ERROR,
    Kind.NOT_WRITTEN: Kind.RAISED,
    Kind.WAITING: Kind.RAISED,
    Kind.NOT_REACHED: Kind.RAISED,
}
"""Kinds that are told as another one where inputs are hidden."""

_WORDS = {
    Kind.RAISED: "it gave no result: it raised an exception, did not return in time or ended its process",
    Kind.SHAPE: "it returned a value of the wrong type or shape",
    Kind.WRONG_ERROR: "it does not refuse a bad argument with the right error",
}
"""The words for kinds that stand for several."""

_LINES = {
    State.RIGHT: "{passed}",
    State.GIVEN: "Right, once `{cause}` is right",
    State.WAITING: "Waiting for {waits_for}, which is not implemented yet",
    State.UNFINISHED: "Not finished yet",
    State.UNREACHED: "Not finished yet",
}
"""What is said of functions without a mistake of their own: one line for all that are alike."""

_MARKUP = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", **{mark: f"\\{mark}" for mark in "\\`*_[]|~"}}
)


def plain(text: str) -> str:
    """Text that a submission may control, without characters that do something other than stand there."""
    if text.replace("\n", " ").isprintable():
        return text
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)


def quoted(text: str) -> str:
    """Such text as a Markdown code block: no markup in it is markup."""
    return "\n".join(f"    {line}" for line in plain(text).split("\n"))


def inline(text: str) -> str:
    """Such text inside a sentence, as Markdown: no markup, no HTML, no address that turns into a link."""
    escaped = " ".join(plain(text).split()).translate(_MARKUP)
    return re.sub(r"(?i)(www)\.", r"\1&#46;", escaped.replace("://", "&#58;//"))


def headline(won: float, public: float, total: float) -> str:
    """What is decided and what is not: never that all tests passed, where hidden ones remain."""
    return (
        f"{won:g} of {public:g} public points. The other {total - public:g} of {total:g} points are decided by hidden"
        " tests, which check the same rules on other inputs."
    )


def coarse(test_results: list[TestResult]) -> list[TestResult]:
    """What may be told of these results. Public tests and answers, which come first, stay as they are.

    Of a hidden test: whether it passed, or one of eight kinds of mistake; that a function is not finished, only where a
    public test found that out; and, per question, the cause that the first hidden test with a known one has.
    """
    public = [result for result in test_results if result.test.phase is Phase.PUBLIC]
    unfinished = {result.test.question: result for result in public if result.status.is_unwritten}
    explained: set[str] = set()
    questions = {result.test.question for result in test_results}

    def of_hidden_mistake(result: TestResult) -> TestResult:
        question = result.test.question
        kind = Kind.RAISED if result.kind is None else _ALIKE.get(result.kind, result.kind)
        if kind is Kind.RAISED and question in unfinished:
            return replace(unfinished[question], test=result.test)
        hint = None if question in explained else result.hint
        if hint:
            explained.add(question)
        below = result.function if kind in REFUSALS and result.function in questions else None
        return TestResult(result.test, TestStatus.FAILED, hint=hint, kind=kind, function=below)

    return [of_hidden_mistake(result) if _is_hidden_mistake(result) else result for result in test_results]


def _is_hidden_mistake(result: TestResult) -> bool:
    return result.test.phase is Phase.HIDDEN and not result.passed and result.status is not TestStatus.UNREADABLE


def of_test(result: TestResult) -> str:
    """What a student may be told of one test, as plain text; nothing where there is nothing to say of this test
    alone."""
    if not result.matters or result.status is TestStatus.UNREADABLE:
        return ""
    if not result.is_mistake:
        return plain(result.message) if not result.test.hidden else _kind(result)
    if not result.test.hidden:
        return f"{result.heading}:\n{plain(_with_call(result) + result.sentence)}"
    return with_likely_cause(f"{result.heading}: {_kind(result)}.", result.hint)


def of_answer(result: TestResult, right: QuizAnswer | None) -> str:
    """What a student may be told of one of their ANSWERS once hidden results are published: right ones have a reason
    too."""
    head = f"{quiz.key(result.test)} is right" if result.passed else plain(result.message)
    hint = f" {result.hint}" if result.hint else ""
    return f"{head}.{hint} The answer is {right.sentence}" if right else f"{head}.{hint}"


def markdown(submission: Submission, score: float, max_score: float, text: str) -> str:
    """The feedback file of a submission, from what `body` wrote: that depends on the code alone, and so is shared by
    all who handed it in."""
    parts = [f"# {submission.assignment}: {score:g} of {max_score:g} points", *_notes(submission), text]
    return "\n\n".join(filter(None, parts)) + "\n"


def body(grade: Grade, assignment: str, cells: Sequence[str]) -> str:
    """What there is to say of a grade, without a title and without how the file was read."""
    if grade.never_loaded:
        return "\n\n".join([*_never_loaded(grade), *_printed(grade)])
    parts = [*_loading(grade, cells), *_questions(grade.test_results, cells, "Complete")]
    if given := _given_answers(grade):
        parts += [f"## `{ANSWERS}`: {scored(given)}", *_answers(given, assignment)]
    return "\n\n".join(filter(None, [*parts, *_printed(grade)]))


def _printed(grade: Grade) -> list[str]:
    text = grade.printed[:MAX_PRINTED].strip("\n")
    return ["## What your code printed", quoted(text)] if text.strip() else []


def _never_loaded(grade: Grade) -> list[str]:
    """One cause for all tests."""
    said = inline(grade.never_loaded)
    advice = (
        "Look at what stands outside of functions there: a loop without an end, a long computation, or a line that ends"
        " the program."
    )
    return [f"**{said[:1].upper()}{said[1:]}**, so no function in it could be called. {advice}"]


def not_graded(assignment: str, why: str) -> str:
    """The feedback file of what could not be graded."""
    return f"# {assignment or 'Not graded'}\n\n{_not_graded(why)}\n"


def public_markdown(submission: Submission, grade: Grade) -> str:
    """What a student may see at once, before hidden results are published: public results and what is still to be
    decided."""
    public = [result for result in grade.at_once.test_results if not result.test.hidden]
    if submission.problem is not None:
        return f"{_not_graded(submission.problem.message)}\n"
    head = headline(points_won(public), points_possible(public), grade.max_score)
    if grade.never_loaded:
        return "\n\n".join([head, *_notes(submission), *_never_loaded(grade)]) + "\n"
    parts = [
        head,
        *_notes(submission),
        *_loading(grade, submission.cells),
        *_questions(public, submission.cells, "Nothing wrong in the public tests"),
    ]
    if answers := _answers(_given_answers(grade), submission.assignment):
        parts += [f"## `{ANSWERS}`", *answers]
    return "\n\n".join(filter(None, parts)) + "\n"


def _not_graded(why: str) -> str:
    return f"**Not graded.** {inline(why)}"


def _notes(submission: Submission) -> list[str]:
    """How its file was read."""
    return ["\n".join(f"- {inline(note)}" for note in submission.notes)] if submission.notes else []


def _loading(grade: Grade, cells: Sequence[str]) -> list[str]:
    """What went wrong before any function was called, or with the submission as a whole."""
    words = {
        Status.TIMEOUT: "Your code used up all of its time. What had passed before that counts.",
        Status.KILLED: "Your code ended its own process again and again. What had passed before that counts.",
    }
    parts = [f"**{words[stopped]}**"] if (stopped := grade.at_once.status) in words else []
    failure = grade.failure
    if failure is not None:
        at = failure.at_line
        if failure.left_out:
            head = (
                f"**What your file imports{at} is not there when it is graded.** The rest of the file ran without it. "
            )
            return [
                *parts,
                head + "A function that uses what it imports cannot work here:",
                quoted(failure.message),
                _LIBRARIES,
            ]
        head = f"**Your file stops with an exception{at}.** What is defined above that line is graded:"
        if len(cells) > 1:  # a notebook: the other cells ran
            head = "**A cell of your notebook stops with an exception.** What the other cells define is graded:"
        parts += [head, quoted(f"{failure.kind}: {failure.message}")]
        if "ImportError" in failure.bases:
            parts.append(_LIBRARIES)
    return parts


def _questions(test_results: list[TestResult], cells: Sequence[str], passed: str) -> list[str]:
    """A section for each function with a mistake of its own, then a line for each kind of the others. `passed` is said
    of what has no mistake."""
    told = coarse(test_results)
    functions = standings(told, blocks_of("\n".join(cells)), followed=True)
    # What others build on comes first: fixing it may fix the rest.
    mistaken = root_first([standing for standing in functions if standing.state is State.MISTAKEN])
    lines: dict[str, list[str]] = {}
    for standing in functions:
        if standing.state is not State.MISTAKEN:
            lines.setdefault(_line(standing, {other.name for other in functions}, passed), []).append(_name(standing))
    listed = [f"- {line}: {', '.join(names)}." for line, names in lines.items()]
    sections = [_section(standing) for standing in mistaken]
    ends = itertools.accumulate(section.count("\n") + 2 for section in sections)
    in_full = max(1, sum(end <= IN_FULL for end in ends))
    sections = [*sections[:in_full], _in_short(mistaken[in_full:])]
    return [*sections, "## The other functions" if mistaken else "", "\n".join(listed)] if listed else sections


def _line(standing: Standing, known: Collection[str], passed: str) -> str:
    # A helper's name is the submission's to choose, and could carry a hidden input out: only the assignment's own are
    # named.
    waits_for = f"`{standing.cause}`" if standing.cause in known else "another function"
    waiting = (result for result in standing.test_results if result.status is TestStatus.WAITING)
    if standing.state is State.WAITING and any(result.kind in EXCEPTIONS for result in waiting):
        return f"Waiting for {waits_for}, which raises an exception"
    return _LINES[standing.state].format(cause=standing.cause, passed=passed, waits_for=waits_for)


def _name(standing: Standing) -> str:
    won, possible = points_won(standing.test_results), points_possible(standing.test_results)
    return f"`{standing.name}` ({won:g} of {possible:g})" if won < possible else f"`{standing.name}` ({won:g})"


def _in_short(mistaken: list[Standing]) -> str:
    """Functions with a mistake of their own, where there are too many to tell each in full."""
    said = ((_name(standing), next(iter(_hints(standing.own)), standing.own[0].heading)) for standing in mistaken)
    lines = [f"- {name}: {inline(words)}" for name, words in said]
    return "\n".join(["## Further mistakes\n", *lines]) if lines else ""


def _given_answers(grade: Grade) -> list[TestResult]:
    return [result for result in grade.test_results if result.test.question == ANSWERS]


def _answers(given: list[TestResult], assignment: str) -> list[str]:
    """What may be told of answers at once. A wrong number is named, and a wrong yes or no is counted: naming it would
    tell.

    The hidden tests' own words give the reasons, once they are published.
    """
    right = quiz.answers(Assignment(assignment))
    wrong = [answer for answer in given if answer.kind is Kind.ANSWER]
    choices = [answer for answer in given if _is_choice(answer, right)]
    lines = [_answer_line(answer) for answer in wrong if answer not in choices]
    wrong_choices = sum(answer in choices for answer in wrong)
    if wrong_choices and len(choices) > 1:  # of a single one, the count would name it
        lines.append(f"- Not right: {wrong_choices} of {len(choices)} answers with True or False.")
    empty = [f"`{quiz.key(answer.test)}`" for answer in given if answer.kind is Kind.UNANSWERED and answer.test.points]
    if empty:
        lines.append(f"- Not answered yet: {', '.join(empty)}.")
    return ["\n".join(lines), "See the lesson, section Questions."] if lines else []


def _is_choice(result: TestResult, right: Mapping[str, QuizAnswer]) -> bool:
    """Whether an answer is a yes or a no; one that is not known counts as such."""
    answer = right.get(quiz.key(result.test))
    return answer is None or answer.yes_or_no


def _answer_line(result: TestResult) -> str:
    key = quiz.key(result.test)
    practice = "" if result.test.points else " (For practice, without points.)"
    return "- " + inline(of_answer(result, None)).replace(inline(key), f"`{key}`", 1) + practice


def scored(test_results: list[TestResult]) -> str:
    """The points won, and those possible."""
    return f"{points_won(test_results):g} of {points_possible(test_results):g}"


def _section(standing: Standing) -> str:
    """The likely cause, what public tests saw, and what hidden ones add to it."""
    public = [mistake for mistake in standing.own if not mistake.test.hidden]
    others = len(public) - 1
    causes = _hints(standing.own)
    parts = [
        f"## `{standing.name}`: {scored(standing.test_results)}",
        *(f"**Likely cause:** {hint}" for hint in causes),
        *(
            f"{_heading(mistake)}:\n\n{quoted(_with_call(mistake) + mistake.message)}{_own_hint(mistake, causes, 2)}"
            for mistake in public[:1]
        ),
        f"Other public tests of it that do not pass: {others}." if others > 0 else "",
        _unseen(standing.own, causes),
        f"See the lesson, section `{standing.name}`.",
    ]
    return "\n\n".join(filter(None, parts))


def _heading(mistake: TestResult) -> str:
    """Its heading as Markdown: a rule may come from the submission's own docstring."""
    return inline(mistake.heading) if mistake.said_instead else mistake.heading


def _unseen(missed: Sequence[TestResult], causes: Collection[str]) -> str:
    """What hidden tests found, where that is more than the public ones and a known cause say already."""
    hidden = [mistake for mistake in missed if mistake.test.hidden]
    seen = {mistake.kind for mistake in missed if not mistake.test.hidden}
    known = (seen | {Kind.VALUE} if seen and causes else seen) & VALUES
    news = dict.fromkeys(
        f"- {_told_of(mistake)}.{_own_hint(mistake, causes)}" for mistake in hidden if mistake.kind not in known
    )
    same = "it fails in the same way" if any(mistake.kind in known for mistake in hidden) else ""
    if not news:
        return f"On inputs that are not shown {same}." if same else ""
    return f"On inputs that are not shown{f' {same}, and' if same else ''}:\n\n" + "\n".join(news)


def _own_hint(mistake: TestResult, causes: Collection[str], lines: int = 0) -> str:
    """What is known of this mistake alone, so many lines below it or behind it."""
    return ("\n" * lines or " ") + mistake.hint if mistake.hint and mistake.hint not in causes else ""


def _told_of(mistake: TestResult) -> str:
    """One mistake on inputs that are not shown. Of an argument that is refused, the rule of the test says nothing."""
    words = _kind(mistake)
    return words[0].upper() + words[1:] if mistake.kind is Kind.REFUSED else f"{_heading(mistake)}: {words}"


def _hints(mistakes: Sequence[TestResult]) -> KeysView[str]:
    """The known causes of a question's mistakes, in the order of its tests: of wrong values where there are any, since
    what is said of a refusal explains none."""
    of_values = [mistake for mistake in mistakes if mistake.kind in VALUES]
    return dict.fromkeys(mistake.hint for mistake in of_values or mistakes if mistake.hint).keys()


def _with_call(result: TestResult) -> str:
    """The call that failed, for a Python prompt. Of public tests alone: a hidden one's arguments stay hidden."""
    return f">>> {result.call}\n" if result.call and not result.test.hidden else ""


def _kind(result: TestResult) -> str:
    """What may be told of a mistake on inputs that are not shown."""
    return _WORDS.get(result.kind, result.kind.value) if result.kind is not None else "it did not pass"
