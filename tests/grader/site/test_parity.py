"""A verdict in a browser tab is the verdict at home: mark, cause and message, byte for byte."""

from __future__ import annotations

import ast
import json
import random
import re
import shutil
from pathlib import Path

import pytest

from autograder.course import assignments, find
from autograder.hints import catalogue
from tests.grader.support import tabs
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.tabs import Item
from tests.grader.tools.mutants import mutants

pytestmark = pytest.mark.long

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="These tests run Pyodide in Node.js: apt-get install nodejs."
)

ENDLESS_LOOP = re.compile(r"within 5 seconds at line \d+")
"""The one difference: the line of an endless loop at which its time is over."""

PER_KIND = 26
"""Samples, known mistakes and mutants that are compared; each run takes the same."""

HOSTILE = "mallory"
"""The sample that ends the process in which it is loaded."""

WIDE = """
    i = np.arange(length) * 65536
    square = np.array([65536, length]) ** 2
    total = np.sum(np.full(3, 2**30))
    return (i[:, None] * 65536 >= i[None, :] * 65536) & bool(square[0] == 2**32) & bool(total > 2**31)
"""
"""A body of `causal_mask` that is right where integers have 64 bits."""


def items() -> list[Item]:
    """Return the files to compare: samples, known mistakes, and solutions with a change, drawn with a seed."""
    rng, lessons = random.Random(20), assignments()
    samples = [path for path in sorted(SAMPLES.glob("*/*.py")) if path.stem != HOSTILE]
    texts: list[Item] = [(path.parent.name, path.read_text("utf-8"), None) for path in rng.sample(samples, PER_KIND)]
    entries = [(one, number) for one in lessons for number in range(len(catalogue.entries(one)))]
    mistakes = rng.sample(entries, PER_KIND)
    texts += [(one.name, one.solution.read_text("utf-8"), number) for one, number in mistakes]
    changed = rng.sample([(one, mutant) for one in lessons for mutant in mutants(one)], PER_KIND)
    return texts + [(one.name, ast.unparse(mutant.made()), None) for one, mutant in changed]


@needs_node
def test_verdict_cause_and_message_are_those_at_home(site_for_self_study: Path, pyodide: Path, tmp_path: Path) -> None:
    compared = items()
    at_home = tabs.natively(compared, site_for_self_study, tmp_path)
    in_tab = tabs.in_pyodide(compared, site_for_self_study, pyodide, tmp_path)
    assert any("✗" in json.dumps(state, ensure_ascii=False) for state in at_home)
    assert [ENDLESS_LOOP.sub("", json.dumps(state)) for state in in_tab] == [
        ENDLESS_LOOP.sub("", json.dumps(state)) for state in at_home
    ]


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
"""Integers of the kinds that students make."""


def integer_bodies() -> list[str]:
    """Return bodies that return integers of the wrong shape: the message names their dtype."""
    made = [
        maker.format(dtype) for maker in MAKERS for dtype in ("", ", dtype=int", ", dtype=np.int32", ", dtype=np.int64")
    ]
    return [f"return {way.format(one)}" for one in made for way in WAYS] + [f"return {one}" for one in METHODS]


@needs_node
def test_integers_have_the_size_that_they_have_at_home(
    site_for_self_study: Path, pyodide: Path, tmp_path: Path
) -> None:
    """A tab's default integer has 32 bits: of functions or methods, asked for or not, it counts as at home."""
    bodies = integer_bodies()
    compared = [with_causal_mask(body) for body in random.Random(20).sample(bodies, PER_KIND)]
    at_home = tabs.natively(compared, site_for_self_study, tmp_path)
    assert [("dtype int32" in json.dumps(state)) for state in at_home].count(True) in range(1, len(at_home))
    assert tabs.in_pyodide(compared, site_for_self_study, pyodide, tmp_path) == at_home


@needs_node
def test_what_32_bits_still_change_is_told(site_for_self_study: Path, pyodide: Path, tmp_path: Path) -> None:
    wide, method = WIDE, "return np.ones((length, length), dtype=bool).take(np.arange(length))"
    right, limited = tabs.in_pyodide([*map(with_causal_mask, (wide, method))], site_for_self_study, pyodide, tmp_path)
    assert right["functions"]["causal_mask"][0] == "✓"
    assert "according to the rule" in limited["functions"]["causal_mask"][1]
