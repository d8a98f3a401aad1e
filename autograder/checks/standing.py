"""Where a student stands: `make check`, on a laptop, from the public tests alone.

A line an assignment with its points and the next function to write; for one assignment, a line a function, and for each
mistake what was wanted, what came and the likely cause. A mistake is told once, at the function where it sits.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console
from rich.markup import escape

from autograder.checks import plugin
from autograder.checks.blocks import building_blocks, root_causes
from autograder.checks.outcome import Listener, Outcome, describe, outcome
from autograder.checks.wrong import Kind

POINTS = 20
"""What every assignment is worth; the tests that students cannot see decide the rest of it."""

LESSON = "README.md"


@dataclass(frozen=True)
class Question:
    """One function of an assignment, and how its public tests came out."""

    name: str
    outcomes: tuple[Outcome, ...]

    @property
    def points(self) -> float:
        return sum(one.test.points for one in self.outcomes if one.passed)

    @property
    def possible(self) -> float:
        return sum(one.test.points for one in self.outcomes)

    @property
    def untouched(self) -> bool:
        return all(one.status == "not_implemented" for one in self.outcomes)

    @property
    def unreached(self) -> bool:
        return all(one.kind is Kind.NOT_REACHED for one in self.outcomes)

    @property
    def waits_for(self) -> str | None:
        """Another function that this one cannot do without."""
        return next((one.function for one in self.outcomes if one.status == "waiting"), None)

    @property
    def failure(self) -> Outcome | None:
        """The mistake to show: one whose cause is known, if there is one."""
        failures = [one for one in self.outcomes if one.status not in ("passed", "not_implemented", "waiting")]
        return next((one for one in failures if one.hint), failures[0] if failures else None)


@dataclass(frozen=True)
class Standing:
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
        outcomes = (one for question in self.questions for one in question.outcomes)
        message = next((one.message for one in outcomes if one.kind is Kind.NOT_REACHED), None)
        return message.rsplit(";", 1)[0] if message else None

    @property
    def root_causes(self) -> dict[str, str]:
        """Function with a mistake → the function with a mistake that it builds on."""
        failing = [question.name for question in self.questions if question.failure is not None]
        return root_causes(failing, building_blocks(self.source))

    @property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8-sig", errors="replace") if self.path.is_file() else ""

    def place(self, function: str) -> str:
        """File and line of a function, as editors and terminals link them."""
        match = re.search(rf"^def {re.escape(function)}\b", self.source, re.MULTILINE)
        line = self.source.count("\n", 0, match.start()) + 1 if match else 1
        return f"{self.path}:{line}"


class _Recorder(Listener):
    """Collects the outcome of every test of a run."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: dict[str, list[Outcome]] = {}

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.raised = None

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Function) -> None:
        name = item.path.stem.removeprefix("test_")
        self.outcomes.setdefault(name, []).append(outcome(describe(item), self.raised))


def standings(root: Path, names: Sequence[str]) -> list[Standing]:
    """Run the public tests of some assignments on the student's files."""
    found = run(root, [str(public_tests(root, name)) for name in names])
    return [_standing(root, name, found.get(name, [])) for name in names]


def public_tests(root: Path, name: str) -> Path:
    return root / "tests" / "public" / f"test_{name}.py"


def run(root: Path, tests: Sequence[str], *plugins: object) -> dict[str, list[Outcome]]:
    """Assignment → the outcomes of those of its tests that were asked for, as pytest names them."""
    quiet = [word for name in ("terminal", "cacheprovider", "logging", "junitxml") for word in ("-p", f"no:{name}")]
    options = [f"--rootdir={root}", "--override-ini=addopts=", "--import-mode=importlib", "--disable-plugin-autoload", *quiet]
    recorder = _Recorder()
    status = pytest.main([*options, *tests], plugins=[plugin, recorder, *plugins])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise KeyboardInterrupt if status == pytest.ExitCode.INTERRUPTED else RuntimeError(f"the tests could not be run ({status})")
    return recorder.outcomes


def _standing(root: Path, name: str, outcomes: Iterable[Outcome]) -> Standing:
    questions: dict[str, list[Outcome]] = {}
    for one in outcomes:
        questions.setdefault(one.test.question, []).append(one)
    path = root / "assignments" / name / f"{name}.py"
    relative = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return Standing(name, relative, tuple(Question(question, tuple(group)) for question, group in questions.items()))


def print_overview(console: Console, all_standings: Sequence[Standing]) -> None:
    """A line an assignment."""
    for standing in all_standings:
        following = standing.next_question if not standing.stopped else None
        step = f"[red]{escape(standing.stopped)}[/]" if standing.stopped else "[green]all there[/]"
        if following is not None:
            step = f"next: [bold]{following.name}[/]  [dim]{escape(standing.place(following.name))}[/]"
        console.print(f" {standing.name:<18} {standing.points:>6g} of {standing.possible:<5g} {step}", highlight=False)
    _print_footer(console, all_standings)


def print_detail(console: Console, standing: Standing) -> None:
    """A line a function, and the mistakes in full."""
    following = standing.next_question
    if standing.stopped:
        console.print(f"[red]{escape(standing.stopped[0].upper() + standing.stopped[1:])}.[/] What stands above that line was checked.\n")
    elif standing.untouched and following is not None:
        lesson = standing.path.with_name(LESSON)
        console.print(f"[bold]{standing.name}[/] is all yours: {len(standing.questions)} functions to write.")
        console.print(f"Read {escape(str(lesson))}, then begin with [bold]{following.name}[/] at {escape(standing.place(following.name))}.")
        _print_footer(console, [standing])
        return
    causes = standing.root_causes
    for question in standing.questions:
        if not question.unreached:
            _print_question(console, standing, question, causes.get(question.name))
    if following is not None and not standing.stopped:
        console.print(f"\nNext: [bold]{following.name}[/] at {escape(standing.place(following.name))}")
    _print_footer(console, [standing])


def _print_question(console: Console, standing: Standing, question: Question, cause: str | None) -> None:
    failure = question.failure
    if question.points == question.possible:
        mark, words = "[green]✓[/]", ""
    elif cause is not None:
        failure, mark, words = None, "[red]✗[/]", f"[dim]builds on {cause}: mend that first[/]"
    elif failure is not None:
        mark, words = "[red]✗[/]", ""
    elif question.waits_for:
        mark, words = "·", f"[dim]waits for {question.waits_for}[/]"
    else:
        mark, words = "·", "[dim]not implemented yet[/]"
    console.print(f" {mark} {question.name:<24} {question.points:>5g} of {question.possible:<5g} {words}".rstrip())
    if failure is not None:
        lesson = f"{standing.path.with_name(LESSON)}, section {question.name}"
        console.print(f"     {escape(failure.test.rule)}", style="italic")
        console.print(f"     {escape(failure.message)}", highlight=False)
        if failure.hint:
            console.print(f"     [yellow]Likely cause:[/] {escape(failure.hint)}", highlight=False)
        console.print(f"     [dim]See {escape(lesson)}[/]")


def _print_footer(console: Console, all_standings: Sequence[Standing]) -> None:
    points = sum(standing.points for standing in all_standings)
    possible = sum(standing.possible for standing in all_standings)
    total = POINTS * len(all_standings)
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
        found = standings(root, list(arguments) or known)
    except KeyboardInterrupt:
        print("Stopped before the tests were through.", file=sys.stderr)
        return 130
    if len(found) == 1:
        print_detail(console, found[0])
    else:
        print_overview(console, found)
    return 0
