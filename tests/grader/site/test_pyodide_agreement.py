"""A result in a browser tab is the same as on a student's machine: mark, cause and message, word for word.

Two differences are not mistakes of the tab, and other machines differ in the same way:

- the line of an endless loop at which its time runs out;
- the last digits that numpy computes in float32, because its functions round differently on each kind of
  processor. So a value may differ in its sixth digit, and if a file computes in float32 where float64 is due,
  other values may be far enough from the right ones to be noticed.
"""

from __future__ import annotations

import ast
import json
import math
import random
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.course import find, term_assignments
from autograder.hints import catalogue
from tests.grader.support import pyodide_runs
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.pyodide_runs import Item
from tests.grader.tools.mutants import mutants

pytestmark = pytest.mark.long


ENDLESS_LOOP = re.compile(r"within 5 seconds at line \d+")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?")
IN_FLOAT32 = "compute in float64"
"""Part of the message about a result with too few digits."""

PER_KIND = 26
"""Number of samples, known mistakes and mutants that are compared, which are the same in every run."""

HOSTILE = SAMPLES / "rope" / "forged_results.py"
"""Sample that writes files wherever it can and so is never run outside a sandbox."""

WIDE = """
    i = np.arange(length) * 65536
    square = np.array([65536, length]) ** 2
    total = np.sum(np.full(3, 2**30))
    return (i[:, None] * 65536 >= i[None, :] * 65536) & bool(square[0] == 2**32) & bool(total > 2**31)
"""
"""A body for `causal_mask` that is correct if integers have 64 bits."""

TAKE = "return np.ones((length, length), dtype=bool).take(np.arange(length))"
"""A body for `causal_mask` with a method that needs indices of 32 bits."""


def differing(*states: Any) -> list[str]:
    """Return the names of functions and other entries that differ between two states of a page."""
    pages, functions = [{**state, "functions": {}} for state in states], [state["functions"] for state in states]
    names = [name for name in functions[0] if not _same(*(each.get(name) for each in functions))]
    if names and all(IN_FLOAT32 in f"{functions[0][name]}{functions[1].get(name)}" for name in names):
        return []  # and the page's message about the whole file follows from them
    return names + [name for name in pages[0] if not _same(*(page[name] for page in pages))]


def _same(*parts: Any) -> bool:
    """Return True for equal words and for numbers that agree to five digits."""
    texts = [ENDLESS_LOOP.sub("", json.dumps(part, ensure_ascii=False)) for part in parts]
    words, numbers = [NUMBER.sub("", text) for text in texts], [NUMBER.findall(text) for text in texts]
    return words[0] == words[1] and all(
        math.isclose(float(one), float(other), rel_tol=1e-5) for one, other in zip(*numbers, strict=True)
    )


def items() -> list[Item]:
    """Return the files to compare: samples, known mistakes, and changed solutions, drawn with a seed."""
    rng, lessons = random.Random(20), term_assignments()
    samples = [path for path in sorted(SAMPLES.glob("*/*.py")) if path != HOSTILE]
    texts: list[Item] = [(path.parent.name, path.read_text("utf-8"), None) for path in rng.sample(samples, PER_KIND)]
    entries = [(one, number) for one in lessons for number in range(len(catalogue.entries(one)))]
    mistakes = rng.sample(entries, PER_KIND)
    texts += [(one.name, one.solution.read_text("utf-8"), number) for one, number in mistakes]
    changed = rng.sample([(one, mutant) for one in lessons for mutant in mutants(one)], PER_KIND)
    return texts + [(one.name, ast.unparse(mutant.made()), None) for one, mutant in changed]


def with_causal_mask(body: str) -> Item:
    """Return the stub of lesson 1 with a body in its first function."""
    stub = find("attention").stub.read_text("utf-8")
    return (
        "attention",
        re.sub(r'    raise NotImplementedError\("causal_mask[^\n]*', lambda _: f"    {body.strip()}", stub),
        None,
    )


MAKERS = ("np.arange(3{})", "np.zeros(3{})", "np.full(3, 2**30{})", "np.array([2**30] * 3{})", "np.eye(3{})[0]")
WAYS = ("{}", "np.sum({0}) * {0}", "{} // 2", "{}[None, 0] % 7", "np.cumsum({})", "np.argsort({})", "{} * 2")
METHODS = ("np.ones(3).astype(int)", "np.ones(3).astype(int) // 2", "np.ones(3).argsort()")
"""Integers of the kinds that students' code produces."""


def integer_bodies() -> list[str]:
    """Return bodies for `causal_mask` that return integers, so that the message names their dtype."""
    made = [
        maker.format(dtype) for maker in MAKERS for dtype in ("", ", dtype=int", ", dtype=np.int32", ", dtype=np.int64")
    ]
    numbers = [*(way.format(one) for one in made for way in WAYS), *METHODS]
    return [f"return np.ravel({one})[0]" for one in numbers]


@dataclass(frozen=True)
class States:
    """States of lesson pages, at home and in a tab."""

    files: list[tuple[Item, Any, Any]]
    """Samples, known mistakes and changed solutions: the file, then both states."""
    integers: list[tuple[Item, Any, Any]]
    """Files with integers of many kinds."""
    wide: tuple[Any, Any]
    """In a tab: the states of `WIDE` and `TAKE`."""
    hostile: tuple[Any, Any]
    """In a tab: the states of a hostile file and then of the solution."""


@pytest.fixture(scope="module")
def states(site_for_self_study: Path, tmp_path_factory: pytest.TempPathFactory) -> States:
    """The states of all files in this module, from one start of Pyodide and one of this machine's Python."""
    if shutil.which("node") is None:
        pytest.skip("These tests run Pyodide in Node.js: apt-get install nodejs.")
    site, folder = site_for_self_study, tmp_path_factory.mktemp("states")
    compared, with_integers = items(), [*map(with_causal_mask, random.Random(20).sample(integer_bodies(), PER_KIND))]
    everywhere = [*compared, *with_integers]
    hostile = [("rope", path.read_text("utf-8"), None) for path in (HOSTILE, find("rope").solution)]
    only_in_tab = [*map(with_causal_mask, (WIDE, TAKE)), *hostile]
    with ThreadPoolExecutor(1) as executor:
        natively = executor.submit(pyodide_runs.natively, everywhere, site, folder)
        in_tab = pyodide_runs.in_pyodide([*everywhere, *only_in_tab], site, next(site.glob("pyodide-*")), folder)
    pairs = [*zip(everywhere, natively.result(), in_tab[: len(everywhere)], strict=True)]
    wide, take, hostile_state, right = in_tab[len(everywhere) :]
    return States(pairs[: len(compared)], pairs[len(compared) :], (wide, take), (hostile_state, right))


def test_verdict_cause_and_message_are_those_at_home(states: States) -> None:
    assert any("✗" in json.dumps(at_home, ensure_ascii=False) for _, at_home, _ in states.files)
    for item, at_home, in_tab in states.files:
        assert differing(in_tab, at_home) == [], (item, in_tab, at_home)


def test_integers_have_the_size_that_they_have_at_home(states: States) -> None:
    """A tab's default integer has 32 bits; from functions or methods, requested or not, it counts as on a student's
    machine."""
    assert any("got a number (int32)" in json.dumps(at_home) for _, at_home, _ in states.integers)
    for item, at_home, in_tab in states.integers:
        assert in_tab == at_home, item


def test_what_32_bits_still_change_is_told(states: States) -> None:
    right, limited = states.wide
    assert right["functions"]["causal_mask"][0] == "✓"
    assert "according to the rule" in limited["functions"]["causal_mask"][1]


def test_a_hostile_file_earns_nothing_and_spoils_no_later_check(states: States) -> None:
    """It replaces functions in every loaded module, and its results claim to be equal to anything."""
    hostile, right = states.hostile
    assert hostile["right"] == 0
    assert right["right"] == len(right["functions"])
