"""One submission's result for teaching staff: `autograder check`, as text or as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from autograder.checks.results import TestResult, by_question
from autograder.checks.source import blocks_of
from autograder.checks.standing import Standing, standings
from autograder.course import find
from autograder.grading.feedback import plain, scored
from autograder.grading.grade import Grade
from autograder.grading.suite import Suite
from autograder.protocol.failure import Kind, with_likely_cause
from autograder.protocol.status import Status, TestStatus
from autograder.submission import Submission

MARKS = {TestStatus.PASSED: "[green]✓[/]", TestStatus.FAILED: "[red]✗[/]"}
HIDDEN = "[yellow]hidden[/]"


def as_json(submission: Submission, grade: Grade | None) -> dict[str, Any]:
    """The result as `autograder check --json` prints it. Other programs read it (`autograder/FORMATS.md`): keys are
    only added."""
    tests = [
        {
            "question": result.test.question,
            "name": result.test.name,
            "hidden": result.test.hidden,
            "points": result.test.points if result.passed else 0,
            "max_points": result.test.points,
            "status": result.status,
            "message": result.message,
            "hint": result.hint,
        }
        for result in (grade.test_results if grade else [])
    ]
    return {
        "assignment": submission.assignment,
        "score": grade.score if grade else 0.0,
        "max_score": (
            grade.max_score if grade else sum(test.points for test in Suite(find(submission.assignment)).tests)
        ),
        "status": grade.status if grade else Status.UNREADABLE,
        "tests": tests,
    }


def print_result(submission: Submission, grade: Grade | None, console: Console, everything: bool = False) -> None:
    """A block per function with what did not pass, what was wrong and the likely cause; then what is right, and a
    total.

    With `everything` the tests that passed are there too, and no failure is left out because its cause was told before.
    """
    for note in submission.notes:
        console.print(Text(plain(note), style="dim"), soft_wrap=True)
    if grade is None:
        assert submission.problem is not None
        console.print(f"[red]unreadable[/]: {escape(plain(submission.problem.message))}", soft_wrap=True)
        return
    if grade.never_loaded and not everything:
        console.print(f"[red]✗[/] every test: {escape(plain(grade.never_loaded))}", soft_wrap=True)
    else:
        _print_tests(submission, grade, console, everything)
    console.print(
        f"[bold]{submission.assignment}: {grade.score:g} of {grade.max_score:g}[/], {grade.status}", highlight=False
    )


def _print_tests(submission: Submission, grade: Grade, console: Console, everything: bool) -> None:
    standing_of = standings(grade.test_results, blocks_of("\n".join(submission.cells)), followed=True)
    _Printer(console, everything, standing_of).questions(by_question(grade.test_results))
    if (failure := grade.failure) is not None:
        happened = "An import was left out" if failure.left_out else "The file stops"
        said = escape(plain(f"{failure.kind}: {failure.message}"))
        console.print(f"{happened}{failure.at_line}: {said}", soft_wrap=True)
    if any(result.test.hidden and result.is_mistake for result in grade.test_results):
        console.print(f"{HIDDEN}: the input and values of these tests are not for the student.")


class _Printer:
    """Prints a block per function, and in it a block per test or a line for all that are alike."""

    def __init__(self, console: Console, everything: bool, standings: list[Standing]) -> None:
        self.console = console
        self.everything = everything
        self.standings = {standing.name: standing for standing in standings}
        self.causes: dict[str, str] = {}
        """those that were shown, and of which function"""

    def questions(self, questions: dict[str, list[TestResult]]) -> None:
        complete: dict[str | None, list[str]] = {}
        for name, test_results in questions.items():
            if shown := [result for result in test_results if self.everything or result.matters]:
                self.console.print(f"[bold]{name}[/]  {scored(test_results)}", highlight=False)
                self.tests(name, shown)
            else:
                given = self.standings[name].cause if name in self.standings else None
                complete.setdefault(given, []).append(name)
        for given, names in complete.items():
            words = f"Right, given {given}" if given else "Complete"
            self.console.print(f"[green]✓[/] {words}: {', '.join(names)}", highlight=False, soft_wrap=True)

    def tests(self, question: str, shown: list[TestResult]) -> None:
        if self.everything:
            self.causes = {}
        known = next((self.causes[result.hint] for result in shown if result.hint in self.causes), None)
        in_short: Counter[tuple[str, str]] = Counter()
        for result in shown:
            if words := self.in_short(result, question, known):
                in_short[words] += 1
            else:
                self.test(result)
                self.causes |= {result.hint: question} if result.hint is not None else {}
        for (before, after), count in in_short.items():
            self.console.print(
                f"  {before}{count} test{'s' if count > 1 else ''}{after}", highlight=False, soft_wrap=True
            )
        self.console.print()

    def in_short(self, result: TestResult, question: str, known: str | None) -> tuple[str, str] | None:
        """What is said of all tests of a kind, before and after their number; None for one that has its own lines."""
        if result.status.is_unwritten:
            return f"[dim]·[/] {escape(plain(result.message))} (", ")"
        standing = self.standings.get(question)
        if standing is not None and result.is_mistake and result not in standing.own and not self.everything:
            return "[red]✗[/] not right in ", f", and built on {standing.cause}"
        if known is not None and result.kind is Kind.VALUE and (result.hint is None or result.hint in self.causes):
            return "[red]✗[/] wrong values in ", f", by the same likely cause as {known}"
        return None

    def test(self, result: TestResult) -> None:
        mark = MARKS.get(result.status, f"[red]{result.status}[/]")
        hidden = f", {HIDDEN}" if result.test.hidden else ""
        self.console.print(
            f"  {mark} {escape(result.test.name.removeprefix('test_'))}  [dim]{scored([result])}{hidden}[/]",
            highlight=False,
        )
        call = [f">>> {plain(result.call)}"] if result.call else []
        hint = result.hint if result.hint not in self.causes else None
        for line in [*call, *with_likely_cause(plain(result.message), hint).splitlines()]:
            self.console.print(Text(f"      {line}"), soft_wrap=True)
