"""What the checks show in a terminal.

A line for each assignment with the next function to write; for one assignment, a line for each function, and for each
mistake the call, what was wanted, what came, what the code printed and the likely cause. A mistake is told once, at the
function where it sits.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from autograder.checks import answers
from autograder.checks.results import POINTS, PUBLIC_POINTS
from autograder.checks.source import Source
from autograder.checks.standing import Standing, State
from autograder.checks.telling import Audience, block, note, print_markdown, read
from autograder.laptop.progress import FILE, LESSON, Progress, known_assignments, lesson_number, tested_functions
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import Kind

QUESTIONS = Path("tests", "public", "questions.json")
"""In the handout: assignment → what is told of its questions: the form of each answer, and the practice questions."""

MAX_PRINTED = 12
"""Lines that a test printed and that are shown."""

MARKS = dict.fromkeys(State, "·") | dict.fromkeys((State.RIGHT, State.GIVEN), "✓")
MARKS |= dict.fromkeys((State.MISTAKEN, State.BUILT_ON), "✗")
"""✓ finished, ✗ wrong, · open"""

COLOURS = {"✓": "green", "✗": "red", "·": "default"}

HIDDEN = (
    f"{POINTS - PUBLIC_POINTS} of {POINTS} points are decided by tests that you do not see: the same rules on other"
    " inputs, and those of assignments/README.md."
)


def print_overview(console: Console, all_progress: Sequence[Progress]) -> None:
    """A line for each assignment."""
    for progress in all_progress:
        _print_warnings(console, progress)
    for progress in all_progress:
        console.print(
            f" {progress.name:<18} {len(progress.right):>2} of {len(progress.standings):<3} {_step(progress)}"
        )
    right, functions = (sum(len(one.right) for one in all_progress), sum(len(one.standings) for one in all_progress))
    console.print(f"\n{right} of {functions} functions are right. In each assignment, {HIDDEN}")


def _step(progress: Progress) -> str:
    """What to do next in an assignment, in a few words."""
    if problem := progress.source.problem or progress.stopped:
        return f"[red]{escape(problem.strip().splitlines()[-1])}[/]"
    following = progress.next_function
    if following is not None:
        return f"next: [bold]{following}[/]  [dim]{escape(progress.source.location(following))}[/]"
    empty, _ = empty_answers(progress)
    return f"[green]all right[/], {len(empty)} of ANSWERS still empty" if empty else "[green]all right[/]"


def print_detail(console: Console, progress: Progress, only: Collection[str] = (), brief: bool = False) -> None:
    """A line for each function and its first mistake in full. `only`: these functions alone, with all their mistakes;
    `brief`: the next function alone."""
    told = ", by hidden tests too." if progress.alone else ". This is the file to hand in."
    console.print(f"[dim]Checked {escape(str(progress.path))}{told}[/]")
    _print_warnings(console, progress)
    _print_beginning(console, progress)
    following = progress.next_function
    for standing in progress.standings if not progress.is_untouched else ():
        if only and standing.name not in only:
            continue
        if not (standing.state is State.UNREACHED and progress.stopped):
            full = len(standing.own) if only else 0 if brief and standing.name != following else 1
            _print_function(console, progress, standing, full)
    if not progress.is_untouched:
        console.print(f"\n{so_far(progress)}")
        if following is not None and not progress.stopped:
            console.print(f"Next: [bold]{following}[/] at {escape(progress.source.location(following))}")
    _print_answers(console, progress)
    calls = [result.call for result in progress.test_results if result.call and not result.passed]
    if calls:
        console.print(f"[dim]To try a call: {python()} -i -m {'.'.join(progress.path.with_suffix('').parts)}[/]")
    if any("features(" in call for call in calls):
        console.print("[dim]The arrays of a call: from autograder.checks.inputs import features[/]")
    if progress.is_finished:
        console.print(f"\n[bold green]{escape(ending(progress))}[/]")
    if (progress.is_finished or progress.is_untouched) and not brief and not progress.alone:
        console.print(f"[dim]{HIDDEN}[/]")


def python() -> str:
    """The Python that runs now, as one types it in this folder."""
    running = Path(sys.executable)
    return escape(str(running.relative_to(Path.cwd()))) if running.is_relative_to(Path.cwd()) else "python"


def so_far(progress: Progress) -> str:
    """How much is done here, and how much is written in the course."""
    written = functions = 0
    for name in known_assignments():
        source, asked = Source(Path("assignments", name, f"{name}.py")), set(tested_functions(name))
        functions += len(asked)
        written += len(asked & source.functions.keys() - set(source.unwritten()))
    here = f"{len(progress.right)} of {len(progress.standings)} functions are right"
    return f"{here}; {written} of {functions} are written in the course."


def ending(progress: Progress) -> str:
    """What comes after the last function."""
    empty, practice = empty_answers(progress)
    wrong = any(result.kind is Kind.ANSWER for result in progress.test_results)
    practised = answers.practised(progress.answers, _asked(progress.name)[1])
    wrong = wrong or any(verdict != "right" for _, verdict, _ in practised)
    steps = ["mend the answers at ✗"] if wrong or any(_faults(progress)) else []
    steps += [f"{len(empty)} question{'s' * (len(empty) > 1)} at {progress.source.location(ANSWERS)}"] if empty else []
    steps += [] if progress.alone else [f"hand in {progress.path.name}"]
    names = known_assignments()
    if after := names[names.index(progress.name) + 1 :]:
        steps.append(f"lesson {lesson_number(after[0])}, {after[0]}")
    also = f" For practice, without points: {', '.join(practice)}." if practice else ""
    return f"All functions are right!{' Now ' if steps else ''}{', then '.join(steps)}.{also}"


def _print_beginning(console: Console, progress: Progress) -> None:
    """What holds for the whole file: why nothing of it runs, where it stops, or that nothing is written yet."""
    following = progress.next_function
    if progress.source.problem:
        console.print(f"\n[red]{escape(progress.source.problem)}[/]")
    elif progress.stopped:
        reached = [one for one in progress.standings if one.state is not State.UNREACHED]
        some = " What is defined above that line was checked." if reached else ""
        console.print(f"\n[red]{escape(progress.stopped[0].upper() + progress.stopped[1:])}.[/]{some}\n")
    elif progress.is_untouched and following is not None:
        at, lesson = progress.source.location(following), progress.path.with_name(LESSON)
        console.print(f"\n[bold]{progress.name}[/] is all yours: {len(progress.standings)} functions to write.")
        console.print(f"Read {escape(str(lesson))}, then begin with [bold]{following}[/] at {escape(at)}.")
    else:
        console.print()
    _print_printed(console, progress, FILE)


def _print_warnings(console: Console, progress: Progress) -> None:
    """What will go wrong when the file is graded, though it may run here."""
    missing = progress.source.imports()
    for line, module in missing:
        console.print(f"[yellow]{escape(str(progress.path))}:{line} imports {escape(module)}.[/]")
    if missing:
        console.print(
            "When your file is graded, there is only numpy and what comes with Python. Such a line is then left out,"
            " and a function that uses it fails. Write what your functions need into this file. Move your own"
            ' experiments into the notebook, or under `if __name__ == "__main__":`.'
        )


def _print_function(console: Console, progress: Progress, standing: Standing, full: int) -> None:
    """Its line, and so many of its mistakes in full."""
    mark, note = MARKS[standing.state], escape(note_on(standing))
    console.print(f" [{COLOURS[mark]}]{mark}[/] {standing.name:<24} {note and f'[dim]{note}[/]'}".rstrip())
    if not full:
        return
    if not standing.own:
        _print_printed(console, progress, *(result.test.name for result in standing.test_results))
        return
    print_markdown(console, block(standing, Audience.HOME, full), "     ")
    _print_printed(console, progress, *(mistake.test.name for mistake in standing.own[:full]))
    if (others := len(standing.own) - full) > 0:
        named = f"{progress.name}.{standing.name}{' --alone' * progress.alone}"
        what = f"{others} more of its tests fail{'s' * (others == 1)}"
        console.print(f"     [dim]{what}: {python()} -m autograder.checks {named} shows all.[/]")
    console.print(f"     [dim]See {escape(str(progress.path.with_name(LESSON)))}, section {standing.name}[/]")


def note_on(standing: Standing) -> str:
    """Why there is nothing to tell in full."""
    return read(note(standing)).replace("`", "")


def _print_printed(console: Console, progress: Progress, *tests: str) -> None:
    """What the first of these tests that printed anything printed."""
    test = next((name for name in tests if name in progress.printed), None)
    if test is None:
        return
    lines = progress.printed[test].rstrip("\n").splitlines()
    console.print(f"     [dim]Your code printed{' while it was loaded' if test == FILE else f' in {escape(test)}'}:[/]")
    for line in lines[:MAX_PRINTED]:
        console.print(f"     │ {escape(line)}")
    if len(lines) > MAX_PRINTED:
        console.print(f"     [dim]│ … and {len(lines) - MAX_PRINTED} more lines[/]")


def _print_answers(console: Console, progress: Progress) -> None:
    """The entries of ANSWERS that cannot be right as they are written, and how the questions for practice were
    answered."""
    for key, fault in _faults(progress):
        console.print(f" [red]✗[/] {escape(fault)}. [dim]See {escape(progress.source.location(key))}[/]")
    for key, verdict, question in answers.practised(progress.answers, _asked(progress.name)[1]):
        if verdict == "right":
            console.print(f" [green]✓[/] {key} is right. {escape(question.sentence)}.")
        else:
            console.print(f" [red]✗[/] {key}: {verdict}. [dim]course/{progress.name}.html has the reason.[/]")


def _faults(progress: Progress) -> list[tuple[str, str]]:
    """The entries of ANSWERS that cannot be right, where their form is known."""
    forms, _ = _asked(progress.name)
    return list(answers.faults(progress.answers, forms)) if progress.answers is not None and forms else []


def empty_answers(progress: Progress) -> tuple[list[str], list[str]]:
    """The questions without an answer: those that are worth points, and those for practice."""
    _, practice = _asked(progress.name)
    empty = [key for key, is_answered in progress.source.answers.items() if not is_answered]
    return [key for key in empty if key not in practice], [key for key in empty if key in practice]


def _asked(assignment: str) -> tuple[dict[str, str], dict[str, answers.Practice]]:
    """What the handout tells of an assignment's questions: the form of each answer, and those without points with
    their answers. A checkout of the course tells nothing."""
    told = json.loads(QUESTIONS.read_text(encoding="utf-8")) if QUESTIONS.is_file() else {}
    asked = told.get(assignment, {"forms": {}, "practice": {}})
    return asked["forms"], {key: answers.Practice(**question) for key, question in asked["practice"].items()}
