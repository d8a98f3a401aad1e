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

WASTEFUL = """
import itertools
import time
import numpy as np
from autograder import course
from tests.grader.tools import resource_demands

plain = resource_demands.plain_module

def wasteful(assignment):
    module = plain(assignment)
    slopes = module.alibi_slopes
    calls = itertools.count()

    def alibi_slopes(n_heads):
        if next(calls) < {calls}:
            {waste}
        return slopes(n_heads)

    module.alibi_slopes = alibi_slopes
    return module

resource_demands.plain_module, resource_demands.MAX_SECONDS = wasteful, 0.3
demands = list(resource_demands.demands(course.find("alibi")))
assert not any(demand.failure for demand in demands)
print(sum(demand.is_excessive for demand in demands))
"""
WAYS = {
    "memory": {"calls": 1000, "waste": "np.zeros(80 << 20, dtype=np.uint8)"},
    "time": {
        "calls": 2,
        "waste": "end = time.process_time() + 1.2 * resource_demands.MAX_SECONDS\n"
        "            while time.process_time() < end: pass",
    },
}
"""Ways to waste a resource, and the number of calls that do so. A test that wastes time calls the function twice: its
second run decides."""


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
    code = WASTEFUL.format(**WAYS[way])
    done = subprocess.run([sys.executable, "-c", code], cwd=course.ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) == 1 if way == "time" else int(done.stdout) >= 1


def test_every_lesson_has_simplest_implementations() -> None:
    assert {path.stem for path in Path(resource_demands.SIMPLEST).glob("*.py")} == {
        each.name for each in course.term_assignments()
    }
    for assignment in course.term_assignments():
        resource_demands.plain_module(assignment)
