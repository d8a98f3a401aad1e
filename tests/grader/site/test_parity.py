"""Parity: a result in a browser tab is the result at home: mark, cause and message, byte for byte."""

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

ENDLESS_LOOP = re.compile(r"within 5 seconds at line \d+")
"""The one difference is the line of an endless loop at which its time is over."""

PER_KIND = 26
"""Number of samples, known mistakes and mutants that are compared; each run takes the same ones."""

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


@pytest.mark.skipif(shutil.which("node") is None, reason="These tests run Pyodide in Node.js: apt-get install nodejs.")
def test_verdict_cause_and_message_are_those_at_home(site_for_self_study: Path, pyodide: Path, tmp_path: Path) -> None:
    compared = items()
    at_home = tabs.natively(compared, site_for_self_study, tmp_path)
    in_tab = tabs.in_pyodide(compared, site_for_self_study, pyodide, tmp_path)
    assert any("✗" in json.dumps(state, ensure_ascii=False) for state in at_home)
    assert [ENDLESS_LOOP.sub("", json.dumps(state)) for state in in_tab] == [
        ENDLESS_LOOP.sub("", json.dumps(state)) for state in at_home
    ]


@pytest.mark.skipif(shutil.which("node") is None, reason="These tests run Pyodide in Node.js: apt-get install nodejs.")
def test_integers_have_64_bits(site_for_self_study: Path, pyodide: Path, tmp_path: Path) -> None:
    """numpy's default integer has 32 bits there. Remaining differences get a correct message."""
    stub = find("attention").stub.read_text("utf-8")

    def file(body: str) -> str:
        return re.sub(r'    raise NotImplementedError\("causal_mask[^\n]*', lambda _: body, stub)

    wide, method = file(WIDE), file("    return np.ones((length, length), dtype=bool).take(np.arange(length))")
    right, limited = tabs.in_pyodide(
        [("attention", wide, None), ("attention", method, None)], site_for_self_study, pyodide, tmp_path
    )
    assert right["functions"]["causal_mask"][0] == "✓"
    assert "according to the rule" in limited["functions"]["causal_mask"][1]
