"""Tests that a browser tab gives the same result as a student's machine: the same mark, cause and message,
word for word.

The comparison allows for two differences, because other machines differ in the same ways: the line at which an endless
loop runs out of time, and the last digits of float32 results, because numpy's functions round differently on each kind
of processor. A value may therefore differ in its sixth digit. If a file computes in float32 instead of float64, even
more digits may differ, so that a value is reported as wrong on only one machine.
"""

from __future__ import annotations

import ast
import json
import math
import random
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.course import find, term_assignments
from autograder.hints import catalogue
from tests.grader.support import pyodide_runs
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.fixtures_built_once import FILE_WITHOUT_END
from tests.grader.support.pyodide_runs import Item
from tests.grader.tools.mutants import mutants

pytestmark = pytest.mark.long


ENDLESS_LOOP = re.compile(r"within 5 seconds at line \d+")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?")
IN_FLOAT32 = "compute in float64"
"""Words from the message about a result that has too few correct digits."""

INTEGER_FUNCTIONS = 20
"""Number of functions that return an integer to compare; every run selects the same bodies."""

HOSTILE = SAMPLES / "rope" / "forged_results.py"
"""Sample that tries to write files everywhere, and therefore runs only in a sandbox."""

NOT_COMPARED = {HOSTILE.name, FILE_WITHOUT_END}
"""Samples that are not compared: another test of this module runs the first, and the second waits for a time limit."""

WIDE = """
    i = np.arange(length) * 65536
    square = np.array([65536, length]) ** 2
    total = np.sum(np.full(3, 2**30))
    return (i[:, None] * 65536 >= i[None, :] * 65536) & bool(square[0] == 2**32) & bool(total > 2**31)
"""
"""Body of `causal_mask` that is correct only with 64-bit integers."""

TAKE = "return np.ones((length, length), dtype=bool).take(np.arange(length))"
"""Body of `causal_mask` that calls a method that needs 32-bit indices."""


def differing(*states: Any) -> list[str]:
    """Return the names of the functions and other entries in which two states of a page differ."""
    pages, functions = [{**state, "functions": {}} for state in states], [state["functions"] for state in states]
    names = [name for name in functions[0] if not _same(*(each.get(name) for each in functions))]
    if names and all(IN_FLOAT32 in f"{functions[0][name]}{functions[1].get(name)}" for name in names):
        return []  # The message about the whole file differs only because these functions do.
    return names + [name for name in pages[0] if not _same(*(page[name] for page in pages))]


def _same(*parts: Any) -> bool:
    """Return True if all words are equal and all numbers agree to five digits."""
    texts = [ENDLESS_LOOP.sub("", json.dumps(part, ensure_ascii=False)) for part in parts]
    words, numbers = [NUMBER.sub("", text) for text in texts], [NUMBER.findall(text) for text in texts]
    return words[0] == words[1] and all(
        math.isclose(float(one), float(other), rel_tol=1e-5) for one, other in zip(*numbers, strict=True)
    )


def items() -> list[Item]:
    """Return the files to compare: all solutions, with hidden tests; and for each lesson a sample, a known mistake and
    a mutated solution, selected with a fixed seed."""
    rng, lessons = random.Random(20), term_assignments()
    texts: list[Item] = []
    for lesson in lessons:
        samples = [path for path in sorted((SAMPLES / lesson.name).glob("*.py")) if path.name not in NOT_COMPARED]
        mutant = rng.choice([*mutants(lesson)])
        number, solution = rng.randrange(len(catalogue.entries(lesson))), lesson.solution.read_text("utf-8")
        texts.append((lesson.name, rng.choice(samples).read_text("utf-8"), None, False))
        texts.append((lesson.name, solution, number, False))
        texts.append((lesson.name, ast.unparse(mutant.made()), None, False))
    return [(one.name, one.solution.read_text("utf-8"), None, True) for one in lessons] + texts


def with_bodies(bodies: Mapping[str, str]) -> Item:
    """Return the stub of lesson 1 with new bodies for some functions; `bodies` maps function names to bodies."""
    text = find("attention").stub.read_text("utf-8")
    for name, body in bodies.items():
        unwritten = rf'    raise NotImplementedError\("{name} is not written[^\n]*'
        text, count = re.subn(unwritten, lambda _, body=body: f"    {body.strip()}", text)
        assert count == 1, name
    return "attention", text, None, False


ARRAY_FUNCTIONS = """
    causal_mask permute_tokens softmax attention_weights attention self_attention bag_of_tokens split_heads merge_heads
""".split()
"""Functions of lesson 1 that return arrays. The message about a number instead of an array names the number's dtype."""

MAKERS = ("np.arange(3{})", "np.zeros(3{})", "np.full(3, 2**30{})", "np.array([2**30] * 3{})", "np.eye(3{})[0]")
WAYS = ("{}", "np.sum({0}) * {0}", "{} // 2", "{}[None, 0] % 7", "np.cumsum({})", "np.argsort({})", "{} * 2")
METHODS = ("np.ones(3).astype(int)", "np.ones(3).astype(int) // 2", "np.ones(3).argsort()")
"""Expressions that create integers in the ways that occur in students' code."""


def integer_bodies() -> list[str]:
    """Return bodies for functions that return an integer instead of an array."""
    made = [
        maker.format(dtype) for maker in MAKERS for dtype in ("", ", dtype=int", ", dtype=np.int32", ", dtype=np.int64")
    ]
    numbers = [*(way.format(one) for one in made for way in WAYS), *METHODS]
    return [f"return np.ravel({one})[0]" for one in numbers]


def integer_files() -> list[Item]:
    """Return files in which each function returns an integer.

    Bodies that name int32 have separate files, because a tab treats int32 differently in such a file.
    """
    bodies = random.Random(20).sample(integer_bodies(), INTEGER_FUNCTIONS)
    groups = [[body for body in bodies if ("int32" in body) == names_int32] for names_int32 in (False, True)]
    size = len(ARRAY_FUNCTIONS)
    chunks = [group[start : start + size] for group in groups for start in range(0, len(group), size)]
    return [with_bodies(dict(zip(ARRAY_FUNCTIONS, chunk, strict=False))) for chunk in chunks]


@dataclass(frozen=True)
class States:
    """States of lesson pages, as computed on a student's machine and in a browser tab."""

    files: list[tuple[Item, Any, Any]]
    """Each solution, sample, known mistake or mutated solution, with its states on the machine and in the tab."""
    integers: list[tuple[Item, Any, Any]]
    """Each file whose functions return integers, with its two states."""
    wide: tuple[Any, Any]
    """States of the page for `WIDE` and for `TAKE`, in the tab."""
    hostile: tuple[Any, Any]
    """States of the page for a hostile file and for the solution that is checked after it, in the tab."""


@pytest.fixture(scope="module")
def states(site_for_self_study: Path, tmp_path_factory: pytest.TempPathFactory) -> States:
    """States of all files in this module, computed by starting Pyodide and native Python only once each."""
    site, folder = site_for_self_study, tmp_path_factory.mktemp("states")
    compared, with_integers = items(), integer_files()
    everywhere = [*compared, *with_integers]
    hostile = [("rope", path.read_text("utf-8"), None, False) for path in (HOSTILE, find("rope").solution)]
    only_in_tab = [*(with_bodies({"causal_mask": body}) for body in (WIDE, TAKE)), *hostile]
    with ThreadPoolExecutor(1) as executor:
        natively = executor.submit(pyodide_runs.natively, everywhere, site, folder)
        in_tab = pyodide_runs.in_pyodide([*everywhere, *only_in_tab], site, next(site.glob("pyodide-*")), folder)
    pairs = [*zip(everywhere, natively.result(), in_tab[: len(everywhere)], strict=True)]
    wide, take, hostile_state, right = in_tab[len(everywhere) :]
    return States(pairs[: len(compared)], pairs[len(compared) :], (wide, take), (hostile_state, right))


def test_each_solution_is_right_in_a_tab(states: States) -> None:
    for (lesson, *_), _, in_tab in states.files[: len(term_assignments())]:
        wrong = [box for mark, box in in_tab["functions"].values() if mark != "✓"]
        assert wrong == [], lesson


def test_verdict_cause_and_message_are_those_at_home(states: States) -> None:
    assert any("✗" in json.dumps(at_home, ensure_ascii=False) for _, at_home, _ in states.files)
    for item, at_home, in_tab in states.files:
        assert differing(in_tab, at_home) == [], (item, in_tab, at_home)


def test_integers_have_the_size_that_they_have_at_home(states: States) -> None:
    """A tab's default integer has 32 bits, but an integer from any function or method is reported as on a
    student's machine."""
    boxes = [box for _, at_home, _ in states.integers for _, box in at_home["functions"].values()]
    assert sum("got a number (" in box for box in boxes) == INTEGER_FUNCTIONS
    assert any("got a number (int32)" in box for box in boxes)
    for item, at_home, in_tab in states.integers:
        assert in_tab == at_home, item


def test_what_32_bits_still_change_is_told(states: States) -> None:
    right, limited = states.wide
    assert right["functions"]["causal_mask"][0] == "✓"
    assert "according to the rule" in limited["functions"]["causal_mask"][1]


def test_a_hostile_file_earns_nothing_and_spoils_no_later_check(states: States) -> None:
    """The hostile file replaces functions in every loaded module, and its results claim to be equal to
    everything."""
    hostile, right = states.hostile
    assert hostile["right"] == 0
    assert right["right"] == len(right["functions"])
