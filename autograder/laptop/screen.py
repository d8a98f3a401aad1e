"""What `make check` shows: started by `launch`, on a laptop, with the public tests alone.

A line for each assignment with its points and the next function to write; for one assignment, a line for each function,
and for each mistake the call, what was wanted, what came, what the code printed and the likely cause. A mistake is told
once, at the function where it sits.
"""

from __future__ import annotations

import faulthandler
import functools
import json
import pdb
import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.markup import escape

from autograder.checks import answers
from autograder.checks.results import POINTS, TestResult, points_possible, points_won
from autograder.checks.source import notebook_functions
from autograder.checks.standing import Standing, State
from autograder.laptop import launch
from autograder.laptop.limit import FILE, logged
from autograder.laptop.progress import LESSON, Progress, Run, known_assignments
from autograder.protocol.call import ANSWERS

QUESTIONS = Path("tests", "public", "questions.json")
"""In the handout: assignment → what is told of its questions: the form of each answer, and the practice questions."""

MAX_PRINTED = 12
"""Lines that a test printed and that are shown."""

MARKS = dict.fromkeys(State, "·") | dict.fromkeys((State.RIGHT, State.GIVEN), "[green]✓[/]")
MARKS |= dict.fromkeys((State.MISTAKEN, State.BUILT_ON, State.SHARED), "[red]✗[/]")
"""✓ finished, ✗ wrong, · open"""

FIX_FIRST = (State.BUILT_ON, State.SHARED, State.COMPARED)
"""Another function's mistake is the likely reason, and told there."""

NOTES = {
    State.GIVEN: "right, given your {cause}",
    State.BUILT_ON: "builds on {cause}: fix that first",
    State.SHARED: "shares a helper with {cause}: fix that first",
    State.COMPARED: "its tests also call {cause}: fix that first",
    State.WAITING: "waits for {cause}",
    State.UNREACHED: "{message}",
    State.UNFINISHED: "not implemented yet",
}
"""Why there is nothing to tell in full, in a few words."""


def print_overview(console: Console, all_progress: Sequence[Progress]) -> None:
    """A line for each assignment."""
    for progress in all_progress:
        _print_warnings(console, progress)
    for progress in all_progress:
        console.print(f" {progress.name:<18} {_points(progress.test_results, 6)} {_step(progress)}")
    _print_footer(console, all_progress)


def _points(test_results: Collection[TestResult], width: int) -> str:
    return f"{points_won(test_results):>{width}g} of {points_possible(test_results):<5g}"


def _step(progress: Progress) -> str:
    """What to do next in an assignment, in a few words."""
    if progress.source.problem:
        return f"[red]{escape(progress.source.problem.splitlines()[-1])}[/]"
    if progress.stopped:
        return f"[red]{escape(progress.stopped)}[/]"
    following = progress.next_function
    if following is not None:
        return f"next: [bold]{following}[/]  [dim]{escape(progress.source.location(following))}[/]"
    empty, _ = _empty_answers(progress)
    return f"[green]all there[/], {len(empty)} of ANSWERS still empty" if empty else "[green]all there[/]"


def print_detail(console: Console, progress: Progress, only_next: bool = False) -> None:
    """A line for each function, and the mistakes in full; `only_next`: those of the next function alone."""
    console.print(f"[dim]Checked {escape(str(progress.path))}. This is the file to hand in.[/]")
    _print_warnings(console, progress)
    _print_beginning(console, progress)
    following = progress.next_function
    if not progress.is_untouched:
        for standing in progress.standings:
            if not (standing.state is State.UNREACHED and progress.stopped):
                _print_function(console, progress, standing, only_next and standing.name != following)
        if following is not None and not progress.stopped:
            console.print(f"\nNext: [bold]{following}[/] at {escape(progress.source.location(following))}")
    _print_answers(console, progress)
    if progress.is_finished:
        _print_what_is_left(console, progress)
    if any(result.call for result in progress.test_results):
        _print_how_to_call(console, progress)
    _print_footer(console, [progress])


def _print_how_to_call(console: Console, progress: Progress) -> None:
    """The Python that runs now, as one types it in this folder, with the student's file."""
    running, module = Path(sys.executable), ".".join(progress.path.with_suffix("").parts)
    python = str(running.relative_to(Path.cwd())) if running.is_relative_to(Path.cwd()) else "python"
    console.print(f"[dim]To try a call: {escape(python)} -i -m {module}[/]")
    if any("features(" in result.call for result in progress.test_results if result.call):
        console.print("[dim]The arrays of a call: from autograder.checks.inputs import features[/]")


def _print_beginning(console: Console, progress: Progress) -> None:
    """What holds for the whole file: why nothing of it runs, where it stops, or that nothing is written yet."""
    following = progress.next_function
    if progress.source.problem:
        console.print(f"\n[red]{escape(progress.source.problem)}[/]")
    elif progress.stopped:
        reason = escape(progress.stopped[0].upper() + progress.stopped[1:])
        some = (
            ""
            if all(standing.state is State.UNREACHED for standing in progress.standings)
            else " What is defined above that line was checked."
        )
        console.print(f"\n[red]{reason}.[/]{some}\n")
        _print_printed(console, progress, FILE)
    elif progress.is_untouched and following is not None:
        lesson = progress.path.with_name(LESSON)
        console.print(f"\n[bold]{progress.name}[/] is all yours: {len(progress.standings)} functions to write.")
        console.print(
            f"Read {escape(str(lesson))}, then begin with [bold]{following}[/] at"
            f" {escape(progress.source.location(following))}."
        )
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
    unwritten = set(progress.source.unwritten())
    for notebook, functions in notebook_functions(progress.path.parent).items():
        beside = [name for name in functions if name in unwritten]
        if beside:
            console.print(
                f"[yellow]{escape(notebook)} defines {', '.join(beside)}; in {progress.path.name} the same is not"
                " written yet.[/] One file is graded, the one that you hand in: copy the functions into it, or hand in"
                " the notebook."
            )


def _print_function(console: Console, progress: Progress, standing: Standing, brief: bool) -> None:
    note = escape(_note(standing))
    points = _points(standing.test_results, 5)
    line = f" {MARKS[standing.state]} {standing.name:<24} {points} {note and f'[dim]{note}[/]'}"
    console.print(line.rstrip())
    if brief or standing.state in FIX_FIRST:
        return
    failure = next(iter(standing.own), None)
    if failure is None:
        _print_printed(console, progress, *(result.test.name for result in standing.test_results))
        return
    console.print(f"     {escape(failure.heading)}", style="italic")
    if failure.call:
        console.print(f"     [bold]>>> {escape(failure.call)}[/]")
    console.print(f"     {escape(failure.message)}")
    _print_printed(console, progress, failure.test.name)
    if failure.hint:
        console.print(f"     [yellow]Likely cause:[/] {escape(failure.hint)}")
    console.print(f"     [dim]See {escape(str(progress.path.with_name(LESSON)))}, section {standing.name}[/]")


def _note(standing: Standing) -> str:
    return NOTES.get(standing.state, "").format(cause=standing.cause, message=standing.test_results[0].message)


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
    asked = _asked(progress.name)
    if progress.answers is not None and asked.forms:
        graded = {key: text for key, text in progress.source.written_answers.items() if key not in asked.practice}
        for key, fault in answers.faults(progress.answers, asked.forms, graded):
            console.print(f" [red]✗[/] {escape(fault)}. [dim]See {escape(progress.source.location(key))}[/]")
    for key, is_right, question in answers.practised(progress.answers, asked.practice):
        mark, word = ("[green]✓[/]", "right") if is_right else ("[red]✗[/]", "not right")
        console.print(f" {mark} {key} is {word}. {escape(question.sentence)}.")


def _print_what_is_left(console: Console, progress: Progress) -> None:
    """What all public points do not say."""
    asked = _asked(progress.name)
    empty, empty_practice = _empty_answers(progress)
    if empty:
        console.print(
            f"\n[yellow]Still empty in ANSWERS, {len(empty)} of"
            f" {len(progress.source.answers) - len(asked.practice)}:[/] {', '.join(empty)}"
        )
        console.print(f"Next: the questions of the lesson, at {escape(progress.source.location(ANSWERS))}")
    if empty_practice:
        console.print(f"For practice, without points: {', '.join(empty_practice)}")


def _empty_answers(progress: Progress) -> tuple[list[str], list[str]]:
    """The questions without an answer: those that are worth points, and those for practice."""
    practice = _asked(progress.name).practice
    empty = [key for key, is_answered in progress.source.answers.items() if not is_answered]
    return [key for key in empty if key not in practice], [key for key in empty if key in practice]


@dataclass(frozen=True)
class AboutQuestions:
    """What the handout tells of an assignment's questions."""

    forms: dict[str, str]
    """question → form of its answer"""
    practice: dict[str, answers.Practice]
    """question without points → its answer"""


@functools.cache
def _asked(assignment: str) -> AboutQuestions:
    """Nothing in a checkout of the course, which is no handout."""
    if not QUESTIONS.is_file():
        return AboutQuestions({}, {})
    told = json.loads(QUESTIONS.read_text(encoding="utf-8"))[assignment]
    return AboutQuestions(
        told["forms"], {key: answers.Practice(**question) for key, question in told["practice"].items()}
    )


def _report(all_progress: Sequence[Progress]) -> dict[str, Any]:
    """What a page of the course shows (`lesson_server`): the points of each assignment, and everything of the one that
    was checked alone."""
    results = {progress.name: progress.test_results for progress in all_progress}
    points = {name: [points_won(of_name), points_possible(of_name)] for name, of_name in results.items()}
    if len(all_progress) != 1:
        return {"points": points}
    progress = all_progress[0]
    return {
        "name": progress.name,
        "own_points": points[progress.name],
        "problem": progress.source.problem or progress.stopped,
        "printed": progress.printed.get(FILE, ""),
        "next": progress.next_function,
        "functions": [_reported(progress, standing) for standing in progress.standings],
    }


def _reported(progress: Progress, standing: Standing) -> dict[str, Any]:
    """One function, with what `_print_function` tells."""
    failure = None if standing.state in FIX_FIRST else next(iter(standing.own), None)
    tests = [failure.test.name] if failure else [result.test.name for result in standing.test_results]
    told = failure and {
        "rule": failure.heading,
        "call": failure.call,
        "message": failure.message,
        "hint": failure.hint,
    }
    return {
        "name": standing.name,
        "mark": re.sub(r"\[.*?\]", "", MARKS[standing.state]),
        "note": _note(standing),
        "points": [points_won(standing.test_results), points_possible(standing.test_results)],
        "at": progress.source.location(standing.name),
        "failure": told,
        "printed": next((progress.printed[name] for name in tests if name in progress.printed), ""),
    }


def _print_footer(console: Console, all_progress: Sequence[Progress]) -> None:
    test_results = [result for progress in all_progress for result in progress.test_results]
    possible = points_possible(test_results)
    total = POINTS * len(all_progress)
    console.print(
        f"\n{points_won(test_results):g} of {possible:g} public points. The other {total - possible:g} of {total} are"
        " decided by tests that you do not see: the same rules on other inputs, and those of assignments/README.md."
    )


class Debugger:
    """A pytest plugin: `breakpoint()` and `pdb.set_trace()` in a student's function get the terminal, and no limit ends
    the call.

    pytest's own asks its terminal reporter, which is off here.
    """

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        capture = config.pluginmanager.getplugin("capturemanager")
        before = sys.breakpointhook, pdb.set_trace

        def pause(*, header: str | None = None, **_: Any) -> None:
            faulthandler.cancel_dump_traceback_later()
            capture.suspend(in_=True)  # until the next test
            print(header or "Your code is paused: p x shows x, n goes on by a line, c to the end, q stops the checks.")
            pdb.Pdb().set_trace(sys._getframe(1))

        def restore() -> None:
            sys.breakpointhook, pdb.set_trace = before

        sys.breakpointhook = pdb.set_trace = pause
        config.add_cleanup(restore)


def _wrong_names(names: Sequence[str], known: Sequence[str]) -> str:
    unknown = ", ".join(name for name in names if name not in known)
    fix = f"there are {', '.join(known)}" if known else "run this in the folder that holds `assignments` and `tests`"
    return f"No assignment {unknown or 'here'}: {fix}."


def main(arguments: Sequence[str]) -> int:
    """One run of the checks; the exit code."""
    launch.write_every_letter()
    options = launch.parser().parse_args(arguments)
    known = known_assignments(Path.cwd())
    names = list(dict.fromkeys(name.partition(".")[0] for name in options.assignments))
    if not known or not set(names) <= set(known):
        print(_wrong_names(names, known), file=sys.stderr)
        return launch.WRONG_USE
    try:
        with logged(options.log) as limit:
            run = Run(Path.cwd(), limit)
            run.start(names or known, Debugger())
    except KeyboardInterrupt as stopped:
        print(f"Stopped while {stopped}.", file=sys.stderr)
        return launch.INTERRUPTED
    all_progress = [run.progress(name) for name in names or known]
    wanted = options.assignments or known
    results = [(progress, result) for progress in all_progress for result in progress.test_results]
    counting = {name: [result for progress, result in results if name in _names(progress, result)] for name in wanted}
    if unknown := [name for name, test_results in counting.items() if not test_results]:
        print(f"No public test is about {', '.join(unknown)}.", file=sys.stderr)
        return launch.WRONG_USE
    if options.report:
        options.report.write_text(json.dumps(_report(all_progress)), encoding="utf-8")
    console = Console(soft_wrap=True, highlight=False)  # a rule's numbers are no more than its words
    if options.watch and console.is_terminal:
        console.clear()
    if len(all_progress) == 1:
        print_detail(console, all_progress[0], only_next=options.watch)
    else:
        print_overview(console, all_progress)
    missed = any(not result.passed for test_results in counting.values() for result in test_results)
    return int(options.strict and missed)


def _names(progress: Progress, result: TestResult) -> tuple[str, str]:
    """What one may call a test by on the command line: its assignment, or the function that it is about."""
    return progress.name, f"{progress.name}.{result.test.question}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
