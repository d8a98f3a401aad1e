"""GitHub Classroom: a workflow for each assignment that gives points function by function, as far as public tests
decide them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from autograder.checks.results import Test

_HEAD = """\
# GitHub Classroom: copy this file to .github/workflows/classroom.yml
# in the template repository of the assignment {name}.
# {note}
name: Autograding Tests
on: [push, workflow_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
          cache: pip
      - run: python -m pip install -r requirements.txt
"""

_STEP = """\
      - id: {function}
        uses: classroom-resources/autograding-command-grader@v1
        with:
          test-name: {function}
          command: python -m autograder.checks {name}.{function} --strict
          timeout: 2
          max-score: {points}
"""

_TAIL = """\
      - uses: classroom-resources/autograding-grading-reporter@v1
        env:
{results}
        with:
          runners: {runners}
"""


def workflow(name: str, tests: Iterable[Test]) -> str:
    """The workflow of one assignment. Classroom takes whole points only, so that all are multiplied where some are not
    whole."""
    points: dict[str, Fraction] = defaultdict(Fraction)
    for test in tests:
        if not test.hidden:
            points[test.question] += Fraction(test.points)
    times = math.lcm(*(worth.denominator for worth in points.values()))
    note = (
        f"A point of the course is {times} points here." if times > 1 else "Its points are those of the public tests."
    )
    steps = (_STEP.format(name=name, function=function, points=times * worth) for function, worth in points.items())
    results = "\n".join(f'          {name.upper()}_RESULTS: "${{{{steps.{name}.outputs.result}}}}"' for name in points)
    return _HEAD.format(name=name, note=note) + "".join(steps) + _TAIL.format(results=results, runners=",".join(points))
