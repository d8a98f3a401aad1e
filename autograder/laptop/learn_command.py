"""The command `whereabouts learn LESSON`, for a learner with the installed package and an empty folder.

The command writes the lesson's stub to the current folder and checks the learner's work there. It also runs hidden
tests, because the package contains the course for self-study.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder import course
from autograder.checks.output_encoding import print_anywhere
from autograder.course import Assignment, UserError
from autograder.laptop import checks_command
from autograder.laptop.progress_after_run import lesson_text
from autograder.laptop.self_study import SelfStudyContext, print_solution
from autograder.laptop.terminal_or_tab import TERMINAL

# Ignore the configuration of any project that contains this folder or the package.
LEARN_TERMINAL_PLACE = replace(
    TERMINAL,
    pytest_options=(*TERMINAL.pytest_options, f"--config-file={os.devnull}"),
    show_all_step="whereabouts learn {checked} shows all",
    lesson_reference="See the lesson, section {function}: whereabouts learn {lesson} --page.",
    solution_step="whereabouts learn {lesson} --show FUNCTION",
    student_file=lambda root, name: Path(f"{name}.py"),
)
"""The place where an installed package runs the checks: a terminal in the learner's folder."""


def main() -> None:
    """Run the command line, and exit with a code: 130 after Ctrl-C, 2 for wrong usage, and 0 otherwise."""
    print_anywhere()
    options = _parser().parse_args()
    try:
        sys.exit(_list_or_check_lesson(options))
    except KeyboardInterrupt:
        sys.exit(130)
    except UserError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("whereabouts", description="A self-grading course on positional encodings.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    learn = commands.add_parser(
        "learn",
        help="write a lesson's file into this folder, and check it",
        description="Write the file for LESSON into this folder, if it is missing, and check it."
        " Without LESSON, list the lessons.",
    )
    learn.add_argument(
        "lesson",
        nargs="?",
        metavar="LESSON",
        type=partial(checks_command.assignment_and_function, course.ROOT),
        help="for example rope, 5 (its number), or rope.apply_rope for all mistakes in one function",
    )
    checks_command.add_run_options(learn)
    learn.add_argument("--show", metavar="FUNCTION", help="show one worked solution")
    return parser


def _list_or_check_lesson(options: argparse.Namespace) -> int:
    """List the lessons, or write and check one lesson's file. Return the exit code. This can raise UserError."""
    known = [assignment.name for assignment in course.term_assignments()]
    if options.lesson is None:
        for name in known:
            print(f"{name:<18} {lesson_text(name, course.ROOT).partition(chr(10))[0].removeprefix('# ')}")
        print("\nTo begin with the first lesson: whereabouts learn attention")
        return 0
    name, function = options.lesson
    context = partial(SelfStudyContext, LEARN_TERMINAL_PLACE, course.ROOT)
    _write_stub(course.find(name))
    if options.show:
        return print_solution(context(), name, options.show)
    checks_command.run(options, [name], known, [function] if function else [], context)
    return 0


def _write_stub(assignment: Assignment) -> None:
    """Write an assignment's stub to the current folder unless the file exists. This can raise UserError."""
    file = LEARN_TERMINAL_PLACE.student_file(Path(), assignment.name)
    if file.is_file():
        return
    try:
        with file.open("x", encoding="utf-8") as stub:
            stub.write(assignment.stub.read_text("utf-8"))
    except OSError as error:
        where = f"{file} cannot be written into {Path.cwd()} ({error.strerror})"
        raise UserError(f"{where}: start in a folder where you may write files") from error
    print(
        f"{file} is new in this folder. Write its functions; the same command checks them.\n"
        f"To read the lesson, and to check after every save: whereabouts learn {assignment.name} --page"
    )
