"""`python -m autograder.checks [ASSIGNMENT…]`, which is what `make check` runs: once, at every save (`--watch`), or at
every save with the course in the browser (`--page`)."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import re
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from autograder.checks.render import print_markdown
from autograder.laptop import live_page
from autograder.laptop.local_context import LocalContext
from autograder.laptop.progress import Progress, known_assignments, lesson_number, overview, print_detail


def main(arguments: Sequence[str]) -> int:
    """The exit code: 130 when it is stopped, 2 for wrong use, however the tests come out."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a pipe of Windows lacks ✓
    parser, known = _parser(), known_assignments()
    options = parser.parse_args(arguments)
    asked: list[tuple[str, str]] = options.assignments
    names = list(dict.fromkeys(name for name, _ in asked))
    if not known:
        parser.error("no assignment here: run this in the folder that holds `assignments` and `tests`")
    try:
        if options.page:
            saves = _saves(sorted(known, key=lambda name: name not in names))
            live_page.serve(names[0] if names else "index", saves, _check)
        elif options.watch:
            for changed in _saves(names or known):
                _check(changed)
                print("\nWatching. Save the file to check again; Ctrl-C ends.", flush=True)
        elif options.alone or options.show:
            if len(names) != 1:
                parser.error("name one assignment, for example rope (with make: ASSIGNMENT=rope)")
            try:
                from autograder.laptop import self_study
            except ImportError:
                parser.error("hidden tests and solutions are not in a handout: --alone needs the whole course")
            return self_study.show(names[0], options.show) if options.show else self_study.check(*asked[0])
        else:
            _check(names or known, [function for _, function in asked if function])
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m autograder.checks", description="Where you stand, by the public tests.", usage=argparse.SUPPRESS
    )
    named = "for example rope, 5 (its lesson), or rope.apply_rope: all of them where none is named"
    parser.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", type=_meant, help=named)
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--watch", action="store_true", help="check at every save, and show the next thing to do")
    ways.add_argument("--page", action="store_true", help="the course in the browser, checked at every save")
    ways.add_argument("--alone", action="store_true", help="in a checkout: hidden tests too, with reasons")
    parser.add_argument("--show", metavar="FUNCTION", help="in a checkout: one worked solution")
    return parser


def _meant(word: str) -> tuple[str, str]:
    """The assignment and, behind a dot, the function that a word of the command line names; of a file its name."""
    name, _, function = Path(word).name.removesuffix(".py").partition(".")
    known = known_assignments()
    name = {str(lesson_number(each)): each for each in known}.get(name, name)
    _require(name, known)
    if function:
        tests = Path("tests", "public", f"test_{name}.py").read_text("utf-8")
        _require(function, re.findall(r'question\("([a-z]\w+)"', tests))
    return name, function


def _require(given: str, there: Sequence[str]) -> None:
    """An error where it is not there, with the nearest that is."""
    if there and given not in there:
        near = difflib.get_close_matches(given, there, 1, 0.5)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(dict.fromkeys(there))}"
        raise argparse.ArgumentTypeError(f"there is no {given}: {meant}")


def _check(names: Sequence[str], only: Collection[str] = ()) -> list[Progress]:
    """How these assignments stand now, shown in the terminal. `only`: all that is wrong with these functions."""
    run = LocalContext()
    run.start(names)
    all_progress = [Progress(name, run) for name in names]
    console = Console(soft_wrap=True, highlight=False)  # a rule's numbers are no more than its words
    if len(names) == 1:
        print_detail(console, all_progress[0], only)
    else:
        print_markdown(console, overview(all_progress))
    return all_progress


def _saves(names: Sequence[str]) -> Iterator[list[str]]:
    """Those of these assignments whose files were saved since: at once the first, then all others, and so for ever."""
    seen: dict[str, int] = {}
    while True:
        now: dict[str, int] = {}
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # an editor is just replacing it
                now[name] = Path("assignments", name, f"{name}.py").stat().st_mtime_ns
        if changed := [name for name in now if now[name] != seen.get(name)][: None if seen else 1]:
            yield changed
        seen |= {name: now[name] for name in changed}
        time.sleep(0.4)
