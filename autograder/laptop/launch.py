"""`python -m autograder.checks [ASSIGNMENT…]`, which is what `make check` runs: once, at every save (`--watch`), or for
the course in the browser (`--page`). The last two start this command anew at every save, so that a file is always
loaded afresh.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from autograder.laptop import live_page, screen
from autograder.laptop.progress import Run, known_assignments, lesson_number, tested_functions

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
            return _check(asked, options)
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
    parser.add_argument("--brief", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    return parser


def _meant(word: str, known: Sequence[str]) -> tuple[str, str]:
    """The assignment and, behind a dot, the function that a word of the command line names."""
    name, dot, function = word.partition(".")
    name = {str(lesson_number(each)): each for each in known}.get(name, name)
    _require(name, known, "assignment")
    if dot:
        _require(function, tested_functions(name), f"function of {name}")
    return name, function


def _require(given: str, there: Sequence[str], kind: str) -> None:
    """Raises WrongUse where it is not there, with the nearest that is."""
    if given not in there:
        near = difflib.get_close_matches(given, there, 1, 0.5)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(there)}."
        raise WrongUse(f"No {kind} {given}: {meant}")


def _check(asked: Sequence[tuple[str, str]], options: argparse.Namespace) -> int:
    """One run of the checks."""
    names = list(dict.fromkeys(name for name, _ in asked)) or known_assignments()
    run = Run(Path.cwd())
    run.start(names)
    all_progress = [run.progress(name) for name in names]
    if options.report:
        options.report.write_text(json.dumps(live_page.report(all_progress)), encoding="utf-8")
    console = Console(soft_wrap=True, highlight=False)  # a rule's numbers are no more than its words
    if options.brief and console.is_terminal:
        console.clear()
    if len(names) == 1:
        screen.print_detail(console, all_progress[0], [function for _, function in asked if function], options.brief)
    else:
        screen.print_overview(console, all_progress)
    results = [(progress.name, result) for progress in all_progress for result in progress.test_results]
    named = asked or [(name, "") for name in names]
    counting = [result for name, result in results if {(name, ""), (name, result.test.question)}.intersection(named)]
    return int(options.strict and not all(result.passed for result in counting))


def _alone(name: str, function: str, show: str | None) -> int:
    try:
        from autograder.laptop import alone
    except ImportError as missing:
        raise WrongUse("Hidden tests and solutions are not in a handout: --alone needs the whole course.") from missing
    return alone.show(name, show) if show else alone.check(name, function)


def _watch(name: str) -> int:
    """Check at every save, until Ctrl-C."""
    for changed in _saves():
        if name in changed:
            _again(name, "--brief")
            print("\nWatching. Save the file to check again; Ctrl-C ends.", flush=True)
    return 0


def _page(first: str) -> int:
    """Show the course in the browser and check what is saved, until Ctrl-C."""
    with live_page.serving(first) as page, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if page is None:
            raise WrongUse(f"There is no course/{first}.html here: take the folder from the handout again.")
        report = Path(folder, "report.json")
        for changed in _saves(page.take):
            page.update(checking=True)
            _again(*changed, "--brief", "--report", str(report))
            page.update(checking=False, lessons=json.loads(report.read_text(encoding="utf-8")))
            page.make(first if first in changed else changed[0])
            print("\nThe page shows it. Save a file to check again; Ctrl-C ends.", flush=True)
    return 0


def _again(*words: str) -> None:
    """This command in a process of its own, which has the file as it is now. Raises KeyboardInterrupt."""
    done = subprocess.run([sys.executable, "-m", "autograder.laptop", *words], check=False)
    if done.returncode == INTERRUPTED:
        raise KeyboardInterrupt


def _saves(meanwhile: Callable[[], None] = lambda: None) -> Iterator[list[str]]:
    """The assignments whose files were saved since: at first all of them, and then for ever."""
    seen: dict[Path, int] = {}
    while True:
        now = {}
        for path in [*Path("assignments").glob("*/*.py"), *Path("assignments").glob("*/*.ipynb")]:
            with contextlib.suppress(FileNotFoundError):  # an editor is just replacing it
                now[path] = path.stat().st_mtime_ns
        changed = {path.parent.name for path in now if now[path] != seen.get(path)}
        seen = now
        if names := [name for name in known_assignments() if name in changed]:
            yield names
        meanwhile()
        time.sleep(POLL)
