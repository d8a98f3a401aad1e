"""Every sentence of a docstring or lesson that says what happens has a test that fails where it is broken."""

from __future__ import annotations

import types

import numpy as np

from autograder.checks.results import Phase
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from tests.grader.tools import mutants


def test_every_broken_promise_loses_points(assignment: Assignment, suite: Suite) -> None:
    """Public ones, where the sentence is a warning of the lesson: who falls into its trap is told at home."""
    unnoticed = []
    for broken in mutants.broken_promises(assignment):
        module = types.ModuleType(assignment.name)
        module.__file__ = str(assignment.solution)
        exec(compile(broken.made(), module.__file__, "exec"), module.__dict__)
        phases = [Phase.PUBLIC] if broken.line.startswith("public: ") else []
        with np.errstate(all="ignore"):
            if all(one.passed for one in suite.run(catalogue.Module(module), *phases)):
                unnoticed.append(f"{broken.function}: {broken.line}")
    assert not unnoticed, "\n".join(unnoticed)
