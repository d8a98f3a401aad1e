"""`python -m autograder.checks [ASSIGNMENT…]`, which is what `make check` runs: once, at every save (`--watch`), or for
the course in the browser (`--page`). The last two start this command anew at every save, so that a file is always
loaded afresh.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from autograder.checks.telling import print_markdown
from autograder.laptop import live_page, screen
from autograder.laptop.progress import Run, known_assignments, lesson_number

WRONG_USE, INTERRUPTED = 2, 130
"""Exit codes."""

POLL = 0.4
"""Seconds between two looks at the files."""


class WrongUse(Exception):
    """The command cannot mean anything here. The message is a sentence."""


def main(arguments: Sequence[str]) -> int:
    """The exit code: 0, or 1 with --strict where a public test does not pass, 2 for wrong use, 130 when stopped."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a pipe of Windows lacks ✓
    options = _parser().parse_args(arguments)
    try:
        known = known_assignments()
        if not known:
            raise WrongUse("No assignment here: run this in the folder that holds `assignments` and `tests`.")
        asked = [_meant(word, known) for word in options.assignments]
        if options.page:
            return _page(asked[0][0] if asked else "index")
        if not (options.watch or options.alone or options.show):
            return _check(asked or [(name, "") for name in known], options)
        if len({name for name, _ in asked}) != 1:
            raise WrongUse("Name one assignment, for example rope (with make: ASSIGNMENT=rope).")
        return _watch(asked[0][0]) if options.watch else _alone(*asked[0], options.show)
    except KeyboardInterrupt:
        return INTERRUPTED
    except WrongUse as wrong:
        print(wrong, file=sys.stderr)
        return WRONG_USE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m autograder.checks", description="Where you stand, by the public tests.")
    named = "for example rope, 5 (its lesson), or rope.apply_rope: all of them where none is named"
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help=named)
    parser.add_argument("--watch", action="store_true", help="check at every save, and show the next thing to do")
    parser.add_argument("--page", action="store_true", help="the course in the browser, checked at every save")
    parser.add_argument("--strict", action="store_true", help="exit code 1 unless every public test of them passes")
    parser.add_argument("--alone", action="store_true", help="in a checkout: hidden tests too, with reasons")
    parser.add_argument("--show", metavar="FUNCTION", help="in a checkout: one worked solution")
    parser.add_argument("--again", type=Path, help=argparse.SUPPRESS)  # the file for what the page shows
    return parser


def _meant(word: str, known: Sequence[str]) -> tuple[str, str]:
    """The assignment and, behind a dot, the function that a word of the command line names; of a file its name."""
    name, _, function = Path(word).name.removesuffix(".py").partition(".")
    name = {str(lesson_number(each)): each for each in known}.get(name, name)
    _require(name, known, "assignment")
    if function:
        tests = Path("tests", "public", f"test_{name}.py").read_text("utf-8")
        _require(function, list(dict.fromkeys(re.findall(r'question\("(\w+)"', tests))), f"function of {name}")
    return name, function


def _require(given: str, there: Sequence[str], kind: str) -> None:
    """Raises WrongUse where it is not there, with the nearest that is."""
    if given not in there:
        near = difflib.get_close_matches(given, there, 1, 0.5)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(there)}."
        raise WrongUse(f"No {kind} {given}: {meant}")


def _check(asked: Sequence[tuple[str, str]], options: argparse.Namespace) -> int:
    """One run of the checks."""
    names = list(dict.fromkeys(name for name, _ in asked))
    run = Run()
    run.start(names)
    all_progress = [run.progress(name) for name in names]
    console = Console(soft_wrap=True, highlight=False)  # a rule's numbers are no more than its words
    if options.again:
        options.again.write_text(json.dumps(live_page.shown(all_progress)), "utf-8")
        console.clear()
    if len(names) == 1:
        only = [function for _, function in asked if function]
        screen.print_detail(console, all_progress[0], only, brief=options.again is not None)
    else:
        print_markdown(console, screen.overview(all_progress))
    counting = [
        result
        for progress in all_progress
        for result in progress.test_results
        if {(progress.name, ""), (progress.name, result.test.question)}.intersection(asked)
    ]
    return int(options.strict and not all(result.passed for result in counting))


def _alone(name: str, function: str, show: str | None) -> int:
    try:
        from autograder.laptop import alone
    except ImportError as missing:
        raise WrongUse("Hidden tests and solutions are not in a handout: --alone needs the whole course.") from missing
    return alone.show(name, show) if show else alone.check(name, function)


def _watch(name: str) -> int:
    """Check one assignment at every save, until Ctrl-C."""
    for changed in _saves(name):
        if name in changed:
            _again([name])
            print("\nWatching. Save the file to check again; Ctrl-C ends.", flush=True)
    return 0


def _page(first: str) -> int:
    """Show the course in the browser and check what is saved, until Ctrl-C."""
    pages = live_page.course_pages()
    if f"{first}.html" not in pages:
        raise WrongUse(f"There is no course/{first}.html here: take the folder from the handout again.")
    with live_page.serving(pages, first) as page:
        for changed in _saves(first):
            page.update(checking=True)
            page.update(checking=False, lessons=_again(changed))
            page.draw(changed[0])
            print("\nThe page shows it. Save a file to check again; Ctrl-C ends.", flush=True)
    return 0


def _again(names: Sequence[str]) -> dict[str, object]:
    """What pages show of these assignments, by this command in a process of its own, which has the files as they are
    now. Raises KeyboardInterrupt."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder, "shown.json")
        command = [sys.executable, "-m", "autograder.laptop", *names, "--again", str(told)]
        if subprocess.run(command, check=False).returncode == INTERRUPTED:
            raise KeyboardInterrupt
        return dict(json.loads(told.read_bytes())) if told.is_file() else {}


def _saves(first: str) -> Iterator[list[str]]:
    """The assignments whose files were saved since, this one in front: at first all of them, and then for ever."""
    seen: dict[Path, int] = {}
    while True:
        now = {}
        for path in Path("assignments").glob("*/*.py"):
            with contextlib.suppress(FileNotFoundError):  # an editor is just replacing it
                now[path] = path.stat().st_mtime_ns
        changed = {path.parent.name for path in now if now[path] != seen.get(path)}
        seen = now
        if names := [name for name in known_assignments() if name in changed]:
            yield sorted(names, key=lambda name: name != first)
        time.sleep(POLL)
