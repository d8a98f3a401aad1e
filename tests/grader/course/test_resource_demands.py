"""Tests of resource demands: no test of an assignment needs more memory or time than a plain implementation
of a docstring's formula.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autograder import course
from tests.grader.tools import resource_demands

SPOILED = """
import time
import numpy as np
from autograder import course
from tests.grader.tools import resource_demands

def {how}

plain, wasteful = resource_demands.plain_module, alibi_slopes

def spoiled(assignment):
    module = plain(assignment)
    slopes = module.alibi_slopes
    budget = iter(range(2))  # Only the first calls are wasteful.
    module.alibi_slopes = lambda n_heads: (next(budget, 9) < 9 and wasteful(n_heads)) or slopes(n_heads)
    return module

resource_demands.plain_module = spoiled
print(sum(demand.is_excessive for demand in resource_demands.demands(course.find("alibi"))))
"""
WAYS = {
    "memory": "alibi_slopes(n_heads): np.zeros(80 << 20, dtype=np.uint8)",
    "time": "alibi_slopes(n_heads):"
    " end = time.process_time() + 1.2 * resource_demands.MAX_SECONDS;"
    " any(iter(lambda: time.process_time() > end, True))",
}


@pytest.mark.long
def test_no_test_demands_more_than_its_docstring_says() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.grader.tools.resource_demands"],
        cwd=course.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_a_reading_that_needs_too_much_is_found(way: str) -> None:
    code = SPOILED.format(how=WAYS[way])
    done = subprocess.run([sys.executable, "-c", code], cwd=course.ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) >= 1


def test_every_lesson_has_simplest_implementations() -> None:
    assert {path.stem for path in Path(resource_demands.SIMPLEST).glob("*.py")} == {
        each.name for each in course.term_assignments()
    }
    for assignment in course.term_assignments():
        resource_demands.plain_module(assignment)
