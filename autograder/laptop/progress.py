"""Where a student stands, by one run of the tests, and what is said of it, in Markdown: the terminal prints it, and the
live page shows it. A mistake is told once, at the function where it sits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.checks import answers
from autograder.checks.function_state import FunctionState, State, function_states
from autograder.checks.proxy import stops
from autograder.checks.render import Audience, block, inline, note, print_markdown, quoted
from autograder.checks.results import POINTS, PUBLIC_POINTS, TestResult
from autograder.checks.source import Source
from autograder.laptop.local_context import FILE, LocalContext
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import Kind

if TYPE_CHECKING:
    from rich.console import Console

LESSON = "README.md"

MARKS = dict.fromkeys(State, "·") | dict.fromkeys((State.RIGHT, State.GIVEN), "✓")
MARKS |= dict.fromkeys((State.MISTAKEN, State.BUILT_ON), "✗")
"""✓ finished, ✗ wrong, · open"""

HIDDEN = (
    f"{POINTS - PUBLIC_POINTS} of {POINTS} points are decided by tests that you do not see: the same rules on other"
    " inputs, and those of assignments/README.md."
)


@dataclass(frozen=True)
class Progress:
    """One assignment as its student has it now."""

    name: str
    run: LocalContext

    @property
    def source(self) -> Source:
        return self.run.files[self.name].source

    @property
    def test_results(self) -> list[TestResult]:
        return self.run.test_results[self.name]

    @property
    def answers(self) -> Any:
        """The value of ANSWERS, where the file came as far as that."""
        return vars(self.run.files[self.name].module).get(ANSWERS)

    @property
    def problem(self) -> str:
        """Why the file does not run to its end; empty where it does, or leaves out no more than an import."""
        failure = self.run.files[self.name].failure
        stopped = stops(failure) if failure is not None and not failure.left_out else ""
        return self.source.problem or stopped

    @cached_property
    def function_states(self) -> list[FunctionState]:
        """The functions in the order in which the lesson's page has them."""
        lesson = self.source.path.with_name(LESSON)
        headings = re.findall(r"(?m)^### .*$", lesson.read_text("utf-8")) if lesson.is_file() else []
        names = re.findall(r"`(\w+)", " ".join(headings))
        found = function_states(self.test_results, self.run.files[self.name].call_graph)
        return sorted(found, key=lambda one: names.index(one.name) if one.name in names else len(names))

    @property
    def right(self) -> list[str]:
        """The functions that are right."""
        return [function_state.name for function_state in self.function_states if function_state.is_right]

    @property
    def next_function(self) -> str | None:
        """What to work on: the first function in the lesson's order that is not right and waits for no other."""
        waiting = (State.WAITING, State.BUILT_ON)
        unfinished = [function_state for function_state in self.function_states if not function_state.is_right]
        return next((one.name for one in sorted(unfinished, key=lambda one: one.state in waiting)), None)


def known_assignments() -> list[str]:
    """The assignments whose public tests are in this folder, in the lessons' order."""
    names = [path.stem.removeprefix("test_") for path in Path("tests", "public").glob("test_*.py")]
    return sorted(names, key=lambda name: (lesson_number(name), name))


def lesson_number(name: str) -> int:
    """Lessons say their number in their title, `# 5. RoPE …`."""
    lesson = Path("assignments", name, LESSON)
    match = re.match(r"# (\d+)\.", lesson.read_text("utf-8")) if lesson.is_file() else None
    return int(match[1]) if match else 10**6


def overview(all_progress: Sequence[Progress]) -> str:
    """A line for each assignment, with what to do next."""
    lines = [
        f"{one.name:<18} {len(one.right):>2} of {len(one.function_states):<3} "
        + (f"next: {one.next_function}  {_at(one, one.next_function)}" if one.next_function else "all right")
        for one in all_progress
    ]
    right, functions = (
        sum(len(one.right) for one in all_progress),
        sum(len(one.function_states) for one in all_progress),
    )
    return "\n".join([*lines, f"{right} of {functions} functions are right. In each assignment, {HIDDEN}"])


def _at(progress: Progress, name: str) -> str:
    return inline(progress.source.location(name))


def beginning(progress: Progress) -> str:
    """What holds for the whole file: imports that grading has not, why it stops, and what it prints."""
    path = inline(str(progress.source.path))
    parts = [
        f"{path}:{line} imports {inline(module)}, which is not there when your file is graded: what uses it fails."
        for line, module in progress.source.imports()
    ]
    parts += [quoted(progress.problem)] if progress.problem else []
    return "\n\n".join(parts + _printed(progress, FILE))


def section(progress: Progress, function_state: FunctionState, full: int = 1) -> str:
    """One function: a line, and so many of its mistakes in full."""
    shown = function_state.own[:full]
    parts = [f"{MARKS[function_state.state]} {function_state.name:<24} {note(function_state)}".rstrip()]
    parts += [block(function_state, Audience.HOME, full)] if shown else []
    parts += _printed(progress, *(result.test.name for result in shown or function_state.test_results))
    if len(function_state.own) > full:
        flag = " --alone" * ("hidden" in progress.run.folders)
        parts.append(f"More of its tests fail: check {progress.name}.{function_state.name}{flag} to see all.")
    parts += [f"See {LESSON}, section {function_state.name}."] if shown else []
    return "\n\n".join(parts)


def _printed(progress: Progress, *tests: str) -> list[str]:
    """What the first of these tests that printed anything printed, or the beginning of it."""
    for test in tests:
        if printed := progress.run.printed.get((progress.name, test), "").strip("\n"):
            where = "while it was loaded" if test == FILE else f"in {inline(test)}"
            return [f"Your code printed {where}:", quoted(printed[:1000])]
    return []


def ending(progress: Progress) -> str:
    """How much is done, and what comes next."""
    questions = progress.run.questions(progress.name)
    forms, practice = questions.get("forms"), questions.get("practice", {})
    found = answers.form_errors(progress.answers, forms) if forms and progress.answers is not None else ()
    form_errors = [f"✗ {inline(fault)}. See {_at(progress, key)}" for key, fault in found]
    tried = [*answers.practice_results(progress.answers, practice)] if isinstance(progress.answers, dict) else []
    form_errors += [f"✗ {inline(said)}." for is_right, said in tried if not is_right]
    filled = [is_filled for key, is_filled in progress.source.answers.items() if key not in practice]
    parts = [f"{len(progress.right)} of {len(progress.function_states)} functions are right."]
    parts += [f"Answers: {sum(filled)} of {len(filled)} filled in."] if filled else []
    parts += [f"✓ {inline(said)}." for is_right, said in tried if is_right]
    if following := progress.next_function:
        return "\n\n".join([*parts, *form_errors, f"**Next:** {following} at {_at(progress, following)}."])
    is_wrong = form_errors or any(result.kind is Kind.ANSWER for result in progress.test_results)
    open_questions = [f"the questions at {_at(progress, ANSWERS)}"] if is_wrong or not all(filled) else []
    steps = ["mend what stops the file"] if progress.problem else open_questions
    steps += [] if "hidden" in progress.run.folders else [f"hand in {progress.source.path.name}"]
    lessons = pairwise(known_assignments())
    steps += [f"lesson {lesson_number(after)}, {after}" for name, after in lessons if name == progress.name]
    now = f" Now {', then '.join(steps)}." if steps else ""
    return "\n\n".join([*parts, *form_errors, f"**All functions are right!**{now}"])


def print_detail(console: Console, progress: Progress, only: Collection[str]) -> None:
    """A line for each function and its first mistake in full. `only`: these functions alone, with all mistakes."""
    is_alone = "hidden" in progress.run.folders
    told = f"Checked {inline(str(progress.source.path))}{', by hidden tests too' * is_alone}."
    print_markdown(console, f"{told}\n\n{beginning(progress)}")
    console.print()
    for function_state in progress.function_states:
        if (only and function_state.name not in only) or (progress.problem and MARKS[function_state.state] == "·"):
            continue
        line, _, told = section(progress, function_state, len(function_state.own) if only else 1).partition("\n")
        print_markdown(console, line, " ")
        print_markdown(console, told, "     ")
    console.print()
    print_markdown(console, ending(progress), " ")
    if progress.next_function is None and not is_alone:
        console.print(HIDDEN, style="dim")
