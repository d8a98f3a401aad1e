"""The command `python -m autograder.checks [ASSIGNMENT…]`, which `make check` runs.

The checks run once, after every save (`--watch`), or after every save with the course in the browser (`--page`).
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from autograder.checks.output_encoding import print_anywhere
from autograder.checks.result_markdown import print_markdown
from autograder.laptop import live_page
from autograder.laptop.in_process_test_run import LocalContext
from autograder.laptop.progress_after_run import (
    AssignmentProgress,
    assignments_with_public_tests,
    lesson_number,
    overview,
    print_detail,
)
from autograder.laptop.public_or_self_study import context_class

FILE_POLL_SECONDS = 0.4
"""Time between searches for saved files."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line, and return the exit code: 130 after Ctrl-C, 2 for wrong usage, and 0 otherwise."""
    print_anywhere()
    parser, available = _parser(), assignments_with_public_tests()
    options = parser.parse_args(arguments)
    requested: list[tuple[str, str]] = options.assignments
    names = list(dict.fromkeys(name for name, _ in requested))
    if not available:
        parser.error("no assignment here: run this in the folder that contains `assignments` and `tests`")
    if (options.alone or options.show) and find_spec("autograder.laptop.self_study") is None:
        parser.error("hidden tests and solutions are not in a handout: --alone needs the whole course")
    if options.show and len(names) != 1:
        parser.error(f"name one assignment, for example {available[0]} (with make: ASSIGNMENT={available[0]})")
    try:
        if options.show:
            from autograder.laptop import self_study

            return self_study.print_solution(self_study.SelfStudyContext(), names[0], options.show)
        functions = [function for _, function in requested if function]
        run(options, names, available, functions, context_class(options.alone))
    except KeyboardInterrupt:
        return 130
    return 0


def run(
    options: argparse.Namespace,
    names: Sequence[str],
    available: Sequence[str],
    functions: Sequence[str],
    new_context: Callable[[], LocalContext],
) -> None:
    """Check once, or after every save until Ctrl-C. Each check gets its context from `new_context`."""
    first = new_context()
    files = {name: first.place.student_file(first.root, name) for name in available}

    def check(changed: Sequence[str]) -> list[AssignmentProgress]:
        return _check_and_print(new_context(), changed)

    if options.page:
        saves = _assignments_to_check(
            {name: files[name] for name in sorted(available, key=lambda name: name not in names)}
        )
        live_page.serve(names[0] if names else "index", saves, check, options.port)
    elif options.watch:
        for changed in _assignments_to_check({name: files[name] for name in names or available}):
            check(changed)
            print("\nWatching. Save the file to check again; Ctrl-C stops.", flush=True)
    else:
        _check_and_print(first, names or available, functions)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m autograder.checks", description="Run the tests on your files.", usage=argparse.SUPPRESS
    )
    examples = "for example rope, 5 (its lesson), or rope.apply_rope; by default all"
    parser.add_argument(
        "assignments", nargs="*", metavar="ASSIGNMENT", type=partial(assignment_and_function, Path()), help=examples
    )
    add_run_options(parser)
    parser.add_argument("--alone", action="store_true", help="in a checkout: also run hidden tests, with reasons")
    parser.add_argument("--show", metavar="FUNCTION", help="in a checkout: show one worked solution")
    return parser


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `run` reads."""
    run_options = parser.add_mutually_exclusive_group()
    run_options.add_argument(
        "--watch", action="store_true", help="check after every save, and show the next thing to do"
    )
    run_options.add_argument(
        "--page", action="store_true", help="open the course in the browser, and check after every save"
    )
    parser.add_argument("--port", type=int, default=0, help="with --page: the port to listen on; by default a free one")


def assignment_and_function(root: Path, word: str) -> tuple[str, str]:
    """Return the assignment and the function named by a word on the command line, which can also be a file name.

    `root` is the course's folder.
    """
    name, _, function = Path(word).name.removesuffix(".py").partition(".")
    available = assignments_with_public_tests(root)
    name = {str(lesson_number(each, root)): each for each in available}.get(name, name)
    _check_exists(name, available)
    if function:
        tests = (root / "tests" / "public" / f"test_{name}.py").read_text("utf-8")
        _check_exists(function, re.findall(r'question\("([a-z]\w+)"', tests))
    return name, function


def _check_exists(name: str, available: Sequence[str]) -> None:
    """If `name` is not available, raise an error that suggests the closest available name."""
    if available and name not in available:
        near = difflib.get_close_matches(name, available, 1, 0.5)
        proposal = f"did you mean {near[0]}?" if near else f"there are {', '.join(dict.fromkeys(available))}"
        raise argparse.ArgumentTypeError(f"there is no {name}: {proposal}")


def _check_and_print(run: LocalContext, names: Sequence[str], only: Collection[str] = ()) -> list[AssignmentProgress]:
    """Run the tests of some assignments; print and return their progress. For `only`, see `print_detail`."""
    run.run_tests(names)
    all_progress = [AssignmentProgress(name, run) for name in names]
    console = Console(soft_wrap=True, highlight=False)  # print numbers in the same style as words
    if len(names) == 1:
        print_detail(console, all_progress[0], only)
    else:
        print_markdown(console, overview(all_progress))
    return all_progress


def _assignments_to_check(files: Mapping[str, Path]) -> Iterator[list[str]]:
    """Yield assignments to check: one immediately, then all others, and after that those whose files were saved."""
    seen: dict[str, int] = {}
    while True:
        now: dict[str, int] = {}
        for name, path in files.items():
            with contextlib.suppress(FileNotFoundError):  # an editor is replacing the file
                now[name] = path.stat().st_mtime_ns
        if changed := [name for name in now if now[name] != seen.get(name)][: None if seen else 1]:
            yield changed
        seen |= {name: now[name] for name in changed}
        time.sleep(FILE_POLL_SECONDS)
