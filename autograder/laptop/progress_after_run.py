"""The state of an assignment after a test run, and Markdown texts about it.

Each mistake is explained once, at the function that contains it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.checks.function_status import FunctionStatus, Status, function_statuses
from autograder.checks.proxy import load_failure_message
from autograder.checks.quiz_answers import form_errors
from autograder.checks.result_markdown import (
    Audience,
    code_block,
    escape_markdown,
    mistakes_text,
    print_markdown,
    status_note,
)
from autograder.checks.results import POINTS, PUBLIC_POINTS
from autograder.laptop.in_process_test_run import LOADING_STEP, LocalContext
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure_kinds import Kind

if TYPE_CHECKING:
    from rich.console import Console

LESSON_FILE = "README.md"
"""Name of the file with a lesson's text; it is next to the student's file."""

MAX_OUTPUT_CHARACTERS = 1000
"""Maximum length, in characters, of the output that a report shows for a test."""

OUTPUT_HEADING = "Your code printed"
"""Words that precede the output of the student's code."""

FIX_FILE_STEP = "fix what stops the file"
"""Words for the next step if the file stops before the end."""

SIGN_BY_STATUS = dict.fromkeys(Status, "·") | dict.fromkeys((Status.RIGHT, Status.RIGHT_ONCE_FIXED), "✓")
SIGN_BY_STATUS |= dict.fromkeys((Status.MISTAKEN, Status.INHERITED, Status.COMPARED), "✗")
"""The mark for each status of a function: ✓ finished, ✗ wrong, · open."""

HIDDEN_TESTS_NOTE = (
    f"{POINTS - PUBLIC_POINTS} of {POINTS} points are decided by tests that you do not see: they check the same"
    " rules on other inputs, and the rules in assignments/README.md."
)

SPOILER_WARNING = "Once you have read the solution, you can no longer find it yourself."


class AssignmentProgress:
    """The state of one assignment after its tests have run."""

    def __init__(self, assignment: str, run: LocalContext) -> None:
        self.assignment, self.run = assignment, run
        self.file = run.files[assignment]
        self.source = self.file.source
        self.test_results = run.test_results[assignment]

    @property
    def file_problem(self) -> str:
        """The reason why the file stops before the end; empty if it runs to the end, even if an import is missing."""
        failure = self.file.failure
        stopped = load_failure_message(failure) if failure is not None and not failure.missing_import else ""
        return self.source.problem or stopped

    @cached_property
    def function_statuses(self) -> list[FunctionStatus]:
        """The status of each function, in the lesson's order."""
        headings = re.findall(r"(?m)^### .*$", lesson_text(self.assignment, self.run.root))
        names = re.findall(r"`(\w+)", " ".join(headings))
        statuses = function_statuses(self.test_results, self.file.call_graph)
        return sorted(
            statuses, key=lambda function: names.index(function.name) if function.name in names else len(names)
        )

    @property
    def correct_functions(self) -> list[str]:
        """The names of the functions that are right."""
        return [function.name for function in self.function_statuses if function.is_right]

    @property
    def next_function(self) -> str | None:
        """The next function to work on: the first that is not right, preferably one that waits for no other function.

        None if all functions are right, or if the file must be fixed first: it cannot run, or stops too early.
        """
        waiting = (Status.WAITING, Status.INHERITED, Status.COMPARED)
        unfinished = [function for function in self.function_statuses if not function.is_right]
        stops_early = self.file_problem and any(function.status is Status.UNREACHED for function in unfinished)
        if self.source.problem or stops_early:
            return None
        return next(
            (function.name for function in sorted(unfinished, key=lambda function: function.status in waiting)), None
        )

    @property
    def all_functions_are_right(self) -> bool:
        """True if no test of any function fails."""
        return len(self.correct_functions) == len(self.function_statuses)

    def location(self, line: int) -> str:
        """Return the phrase that refers to a line in the student's file."""
        return escape_markdown(self.run.place.location_format.format(path=self.source.path, line=line))

    def location_of(self, name: str) -> str:
        """Return the phrase that refers to the line where a function or an entry of ANSWERS begins."""
        return self.location(self.source.line(name))

    @property
    def file_stop_location(self) -> str:
        """The phrase that refers to the line where the file stops, if it stops."""
        line = self.file.failure.line if self.file.failure is not None else None
        return self.location_of("") if self.source.problem or line is None else self.location(line)


def assignments_with_public_tests(root: Path = Path()) -> list[str]:
    """Return the assignments whose public tests are in the course's folder, in lesson order."""
    names = [path.stem.removeprefix("test_") for path in (root / "tests" / "public").glob("test_*.py")]
    return sorted(names, key=lambda name: (lesson_number(name, root), name))


def lesson_text(name: str, root: Path = Path()) -> str:
    """Return a lesson's text, or an empty string if it is not in the course's folder."""
    lesson = root / "assignments" / name / LESSON_FILE
    return lesson.read_text("utf-8") if lesson.is_file() else ""


def lesson_number(name: str, root: Path = Path()) -> int:
    """Return the number at the beginning of a lesson's title, or a very large number if there is none."""
    match = re.match(r"# (\d+)\.", lesson_text(name, root))
    return int(match[1]) if match else 10**6


def overview(all_progress: Sequence[AssignmentProgress]) -> str:
    """Return a line with the next step for each assignment, and a line with the total."""
    lines, total_right, total = [], 0, 0
    for progress in all_progress:
        name = progress.next_function
        step = f"next: {name}  {progress.location_of(name)}" if name else "all right"
        if not name and not progress.all_functions_are_right:
            step = f"next: {FIX_FILE_STEP}  {progress.file_stop_location}"
        right, functions = len(progress.correct_functions), len(progress.function_statuses)
        lines.append(f"{progress.assignment:<18} {right:>2} of {functions:<3} {step}")
        total_right, total = total_right + right, total + functions
    note = "" if all_progress[0].run.runs_hidden_tests else f" In each assignment, {HIDDEN_TESTS_NOTE}"
    return "\n".join([*lines, f"{total_right} of {total} functions are right.{note}"])


def loading_remarks(progress: AssignmentProgress) -> str:
    """Return messages about the whole file: failing imports, the error that stops the file, and the output."""
    parts = [
        f"{progress.location(line)} imports {escape_markdown(module)}, which is not available when your file is graded:"
        " whatever uses it fails."
        for line, module in progress.source.disallowed_imports()
    ]
    parts += [code_block(progress.file_problem)] if progress.file_problem else []
    return "\n\n".join(parts + _first_output(progress, LOADING_STEP))


def function_text(progress: AssignmentProgress, function: FunctionStatus, mistakes_in_full: int = 1) -> str:
    """Return the text about one function: a line about its status, and up to `mistakes_in_full` mistakes in full."""
    place, shown = progress.run.place, function.mistakes[:mistakes_in_full]
    parts = [f"{SIGN_BY_STATUS[function.status]} {function.name:<24} {status_note(function)}".rstrip()]
    parts += [mistakes_text(function, Audience.HOME, mistakes_in_full)] if shown else []
    parts += _first_output(progress, *(result.test.name for result in shown or function.test_results))
    if len(function.mistakes) > mistakes_in_full:
        checked, alone = f"{progress.assignment}.{function.name}", " --alone" * progress.run.runs_hidden_tests
        parts.append(f"More tests of this function fail: {place.show_all_step.format(checked=checked, alone=alone)}.")
    parts += (
        [place.lesson_reference.format(function=function.name, lesson=progress.assignment)]
        if shown and place.lesson_reference
        else []
    )
    return "\n\n".join(parts)


def _first_output(progress: AssignmentProgress, *tests: str) -> list[str]:
    """Return the beginning of the first test output, or an empty list if no test printed anything."""
    for test in tests:
        if printed := progress.run.printed.get((progress.assignment, test), "").strip("\n"):
            where = "while it was loaded" if test == LOADING_STEP else f"in {escape_markdown(test)}"
            if len(printed) > MAX_OUTPUT_CHARACTERS:
                where += f" (the first {MAX_OUTPUT_CHARACTERS:,} of {len(printed):,} characters)"
                printed = f"{printed[:MAX_OUTPUT_CHARACTERS]} …"
            return [f"{OUTPUT_HEADING} {where}:", code_block(printed)]
    return []


def summary_paragraphs(progress: AssignmentProgress) -> list[str]:
    """Return paragraphs: the number of correct functions, remarks on answers and, last, the next step."""
    questions = progress.run.answer_forms_and_practice(progress.assignment)
    forms, practice = questions.get("forms"), questions.get("practice", {})
    answers = progress.file.answers
    errors = form_errors(answers, forms) if forms and answers is not None else ()
    faults = [f"✗ {escape_markdown(sentence)}. See {progress.location_of(key)}" for key, sentence in errors]
    feedback = [*progress.run.answer_feedback(progress.assignment)]
    faults += [f"✗ {escape_markdown(sentence)}." for is_right, sentence in feedback if not is_right]
    filled = [is_filled for key, is_filled in progress.source.answers.items() if key not in practice]
    parts = [f"{len(progress.correct_functions)} of {len(progress.function_statuses)} functions are right."]
    parts += [f"Answers: {sum(filled)} of {len(filled)} filled in."] if filled else []
    parts += faults + [f"✓ {escape_markdown(sentence)}." for is_right, sentence in feedback if is_right]
    if following := progress.next_function:
        return [*parts, f"**Next:** {following} at {progress.location_of(following)}."]
    steps = [f"{FIX_FILE_STEP} at {progress.file_stop_location}"] if progress.file_problem else []
    if not progress.all_functions_are_right:
        return [*parts, f"**Next:** {steps[0]}."]
    has_wrong_answer = any(result.kind is Kind.ANSWER for result in progress.test_results)
    if not progress.file_problem and (faults or not all(filled) or has_wrong_answer):
        steps = [f"the questions at {progress.location_of(ANSWERS)}"]
    if not progress.run.runs_hidden_tests:
        steps.append(progress.run.place.submit_step.format(file=progress.source.path.name))
    root = progress.run.root
    following_lesson = (
        after for name, after in pairwise(assignments_with_public_tests(root)) if name == progress.assignment
    )
    steps += [f"lesson {lesson_number(after, root)}, {after}" for after in following_lesson]
    now = f" Now {', then '.join(steps)}." if steps else ""
    return [*parts, f"**All functions are right!**{now}"]


def print_detail(console: Console, progress: AssignmentProgress, only: Collection[str]) -> None:
    """Print a line about each function, and its first mistake in full.

    If `only` names functions, print just those, with all their mistakes.
    """
    runs_hidden_tests = progress.run.runs_hidden_tests
    checked = f"Checked {escape_markdown(str(progress.source.path))}{', with hidden tests too' * runs_hidden_tests}."
    print_markdown(console, f"{checked}\n\n{loading_remarks(progress)}")
    console.print()
    for function in progress.function_statuses:
        if (only and function.name not in only) or (progress.file_problem and SIGN_BY_STATUS[function.status] == "·"):
            continue
        line, _, mistakes = function_text(progress, function, len(function.mistakes) if only else 1).partition("\n")
        print_markdown(console, line, " ")
        print_markdown(console, mistakes, "     ")
    console.print()
    print_markdown(console, "\n\n".join(summary_paragraphs(progress)), " ")
    if runs_hidden_tests:
        where = progress.run.place.solution_step.format(lesson=progress.assignment)
        console.print(f"A worked solution, best read once yours is right: {where}", style="dim", markup=False)
    elif progress.all_functions_are_right:
        console.print(HIDDEN_TESTS_NOTE, style="dim")
