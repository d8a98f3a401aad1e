"""Where a student stands: `make check`, on a laptop, from the public tests alone.

A line an assignment with its points and the next function to write; for one assignment, a line a function, and for each
mistake what was wanted, what came and the likely cause. A mistake is told once, at the function where it sits.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from rich.console import Console
from rich.markup import escape

from autograder.checks import plugin
from autograder.checks.blocks import building_blocks, root_causes
from autograder.checks.failure import VALUES, Kind
from autograder.checks.reference import Evidence
from autograder.checks.status import TestStatus
from autograder.checks.test_result import Listener, TestResult, describe, test_result

POINTS = 20
"""What every assignment is worth; the tests that students cannot see decide the rest of it."""

LESSON = "README.md"


@dataclass(frozen=True)
class Question:
    """One function of an assignment, and how its public tests came out."""

    name: str
    test_results: tuple[TestResult, ...]

    @property
    def points(self) -> float:
        return sum(one.test.points for one in self.test_results if one.passed)

    @property
    def possible(self) -> float:
        return sum(one.test.points for one in self.test_results)

    @property
    def untouched(self) -> bool:
        return all(one.status is TestStatus.NOT_IMPLEMENTED for one in self.test_results)

    @property
    def unreached(self) -> bool:
        return all(one.kind is Kind.NOT_REACHED for one in self.test_results)

    @property
    def waits_for(self) -> str | None:
        """Another function that this one cannot do without."""
        return next((one.function for one in self.test_results if one.status is TestStatus.WAITING), None)

    @property
    def failure(self) -> TestResult | None:
        """The mistake to show: one whose cause is known, if there is one."""
        failures = [one for one in self.test_results if one.is_mistake]
        return next((one for one in failures if one.hint), failures[0] if failures else None)


@dataclass(frozen=True)
class Progress:
    """One assignment as its student has it now."""

    name: str
    path: Path
    questions: tuple[Question, ...]

    @property
    def points(self) -> float:
        return sum(question.points for question in self.questions)

    @property
    def possible(self) -> float:
        return sum(question.possible for question in self.questions)

    @property
    def untouched(self) -> bool:
        return all(question.untouched for question in self.questions)

    @property
    def next_question(self) -> Question | None:
        """What to work on: the first function in the lesson's order that is not finished and waits for no other."""
        unfinished = [question for question in self.questions if question.points < question.possible]
        causes = self.root_causes
        free = [question for question in unfinished if not question.waits_for and question.name not in causes]
        return next(iter(free or unfinished), None)

    @property
    def stopped(self) -> str | None:
        """Why the file does not run to its end, where it does not."""
        test_results = (one for question in self.questions for one in question.test_results)
        message = next((one.message for one in test_results if one.kind is Kind.NOT_REACHED), None)
        return message.rsplit(";", 1)[0] if message else None

    @property
    def root_causes(self) -> dict[str, str]:
        """Function with a mistake → the function with a mistake that it builds on."""
        failing = {question.name: {one.kind for one in question.test_results if one.is_mistake} for question in self.questions}
        # Only a wrong value shows in what is built on it: a missing refusal, a dtype or a loop is each function's own.
        cascading = [name for name, kinds in failing.items() if kinds and kinds <= VALUES]
        wrong = [name for name, kinds in failing.items() if kinds & VALUES]
        return {name: cause for name, cause in root_causes(wrong, building_blocks(self.source)).items() if name in cascading}

    @property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8-sig", errors="replace") if self.path.is_file() else ""

    def place(self, function: str) -> str:
        """File and line of a function, as editors and terminals link them."""
        match = re.search(rf"^def {re.escape(function)}\b", self.source, re.MULTILINE)
        line = self.source.count("\n", 0, match.start()) + 1 if match else 1
        return f"{self.path}:{line}"


class _Recorder(Listener):
    """Collects the result of every test of a run."""

    def __init__(self) -> None:
        super().__init__()
        self.test_results: dict[str, list[TestResult]] = {}

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.raised = None

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Function) -> None:
        name = item.path.stem.removeprefix("test_")
        self.test_results.setdefault(name, []).append(test_result(describe(item), self.raised))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        context = session.config.stash[plugin.TEST_CONTEXT]
        if isinstance(context, plugin.LocalContext):
            for name, evidence in context.evidence.items():
                self.test_results[name] = list(_with_hints(self.test_results.get(name, []), evidence))


def _with_hints(test_results: list[TestResult], evidence: Evidence) -> Iterator[TestResult]:
    """The first wrong result of each function with its likely cause."""
    hinted: set[str] = set()
    for one in test_results:
        if one.is_mistake and one.kind in VALUES | {Kind.NO_ERROR} and one.test.question not in hinted:
            hinted.add(one.test.question)
            yield replace(one, hint=evidence.hint(one.test.question))
        else:
            yield one


def all_progress(root: Path, names: Sequence[str]) -> list[Progress]:
    """Run the public tests of some assignments on the student's files."""
    found = run(root, [str(public_tests(root, name)) for name in names])
    return [_progress(root, name, found.get(name, [])) for name in names]


def public_tests(root: Path, name: str) -> Path:
    return root / "tests" / "public" / f"test_{name}.py"


def run(root: Path, tests: Sequence[str], *plugins: object) -> dict[str, list[TestResult]]:
    """Assignment → the results of those of its tests that were asked for, as pytest names them."""
    quiet = [word for name in ("terminal", "cacheprovider", "logging", "junitxml") for word in ("-p", f"no:{name}")]
    options = [f"--rootdir={root}", "--override-ini=addopts=", "--import-mode=importlib", "--disable-plugin-autoload", *quiet]
    recorder = _Recorder()
    status = pytest.main([*options, *tests], plugins=[plugin, recorder, *plugins])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise KeyboardInterrupt if status == pytest.ExitCode.INTERRUPTED else RuntimeError(f"the tests could not be run ({status})")
    return recorder.test_results


def _progress(root: Path, name: str, test_results: Iterable[TestResult]) -> Progress:
    questions: dict[str, list[TestResult]] = {}
    for one in test_results:
        questions.setdefault(one.test.question, []).append(one)
    path = root / "assignments" / name / f"{name}.py"
    relative = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return Progress(name, relative, tuple(Question(question, tuple(group)) for question, group in questions.items()))


def print_overview(console: Console, all_progress: Sequence[Progress]) -> None:
    """A line an assignment."""
    for progress in all_progress:
        following = progress.next_question if not progress.stopped else None
        step = f"[red]{escape(progress.stopped)}[/]" if progress.stopped else "[green]all there[/]"
        if following is not None:
            step = f"next: [bold]{following.name}[/]  [dim]{escape(progress.place(following.name))}[/]"
        console.print(f" {progress.name:<18} {progress.points:>6g} of {progress.possible:<5g} {step}", highlight=False)
    _print_footer(console, all_progress)


def print_detail(console: Console, progress: Progress) -> None:
    """A line a function, and the mistakes in full."""
    following = progress.next_question
    if progress.stopped:
        console.print(f"[red]{escape(progress.stopped[0].upper() + progress.stopped[1:])}.[/] What stands above that line was checked.\n")
    elif progress.untouched and following is not None:
        lesson = progress.path.with_name(LESSON)
        console.print(f"[bold]{progress.name}[/] is all yours: {len(progress.questions)} functions to write.")
        console.print(f"Read {escape(str(lesson))}, then begin with [bold]{following.name}[/] at {escape(progress.place(following.name))}.")
        _print_footer(console, [progress])
        return
    causes = progress.root_causes
    for question in progress.questions:
        if not question.unreached:
            _print_question(console, progress, question, causes.get(question.name))
    if following is not None and not progress.stopped:
        console.print(f"\nNext: [bold]{following.name}[/] at {escape(progress.place(following.name))}")
    _print_footer(console, [progress])


def _print_question(console: Console, progress: Progress, question: Question, cause: str | None) -> None:
    failure = question.failure
    if question.points == question.possible:
        mark, words = "[green]✓[/]", ""
    elif cause is not None:
        failure, mark, words = None, "[red]✗[/]", f"[dim]builds on {cause}: fix that first[/]"
    elif failure is not None:
        mark, words = "[red]✗[/]", ""
    elif question.waits_for:
        mark, words = "·", f"[dim]waits for {question.waits_for}[/]"
    else:
        mark, words = "·", "[dim]not implemented yet[/]"
    console.print(f" {mark} {question.name:<24} {question.points:>5g} of {question.possible:<5g} {words}".rstrip())
    if failure is not None:
        lesson = f"{progress.path.with_name(LESSON)}, section {question.name}"
        console.print(f"     {escape(failure.test.rule)}", style="italic")
        console.print(f"     {escape(failure.message)}", highlight=False)
        if failure.hint:
            console.print(f"     [yellow]Likely cause:[/] {escape(failure.hint)}", highlight=False)
        console.print(f"     [dim]See {escape(lesson)}[/]")


def _print_footer(console: Console, all_progress: Sequence[Progress]) -> None:
    points = sum(progress.points for progress in all_progress)
    possible = sum(progress.possible for progress in all_progress)
    total = POINTS * len(all_progress)
    console.print(
        f"\n{points:g} of {possible:g} public points. The other {total - possible:g} of {total} are decided by tests that you "
        "do not see; they check the same rules on other inputs."
    )


def _place(lesson: Path) -> tuple[int, str]:
    """Lessons say their place in their title, `# 5. RoPE …`."""
    title = lesson.read_text(encoding="utf-8").partition("\n")[0] if lesson.is_file() else ""
    match = re.match(r"# (\d+)\.", title)
    return (int(match[1]) if match else 10**6, lesson.parent.name)


def main(arguments: Sequence[str]) -> int:
    """`python -m autograder.checks [ASSIGNMENT…]` from the folder that holds `assignments`."""
    root = Path.cwd()
    known = [path.stem.removeprefix("test_") for path in (root / "tests" / "public").glob("test_*.py")]
    known.sort(key=lambda name: _place(root / "assignments" / name / LESSON))
    unknown = [name for name in arguments if name not in known]
    if unknown or not known:
        there = f"there are {', '.join(known)}" if known else "run this in the folder that holds `assignments` and `tests`"
        print(f"No assignment {', '.join(unknown) or 'here'}: {there}.", file=sys.stderr)
        return 2
    console = Console(soft_wrap=True)
    try:
        found = all_progress(root, list(arguments) or known)
    except KeyboardInterrupt:
        print("Stopped before the tests were through.", file=sys.stderr)
        return 130
    if len(found) == 1:
        print_detail(console, found[0])
    else:
        print_overview(console, found)
    return 0
