"""Tests of precision: a table in float32 costs the function that returns it only one test, and costs the
functions that use it nothing.
"""

from __future__ import annotations

import inspect
import re

import pytest

from autograder import course
from autograder.checks.inputs import POINTS_PER_FUNCTION_CASE
from autograder.course import Assignment
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.protocol.failure_kinds import Kind

TABLES = [
    (assignment.name, name)
    for assignment in course.term_assignments()
    for name, function in vars(catalogue.solution(assignment)).items()
    if inspect.isfunction(function)
    and name[0] != "_"
    and re.search(r"(?m)^Returns: (two )?float64", inspect.getdoc(function) or "")
]
"""Functions whose docstrings promise float64 for any input."""

SINGLE = """

_double = {name}


def {name}(*args, **kwargs):
    result = _double(*args, **kwargs)
    return tuple(map(_single, result)) if isinstance(result, tuple) else _single(result)


def _single(value):
    return np.float32(value)
"""


def with_float32(assignment: Assignment, name: str) -> str:
    """Return the solution's source, changed so that one function returns float32."""
    return assignment.solution.read_text("utf-8") + SINGLE.format(name=name)


@pytest.mark.parametrize(("lesson", "name"), TABLES, ids=["-".join(table) for table in TABLES])
def test_a_table_in_float32_costs_its_own_function_its_case_in_the_test_of_dtypes(
    suites: dict[str, Suite], lesson: str, name: str
) -> None:
    assignment = course.find(lesson)
    suite = suites[lesson] = suites.get(lesson) or Suite(assignment)
    module = catalogue.solution(assignment)
    exec(SINGLE.format(name=name), vars(module))
    failed = [result for result in suite.run(catalogue.ModuleBackend(module)) if not result.passed]
    own = [result for result in failed if result.test.question == name]
    assert [(result.test.name, result.kind, result.test.points) for result in own] == [
        (f"test_tables_are_float64[{name}]", Kind.DTYPE, POINTS_PER_FUNCTION_CASE)
    ]
    assert own[0].message == f"{name} returned dtype float32; expected float64"


WITH_ABOVE = [
    ("sinusoidal", "frequencies"),
    ("sinusoidal", "sinusoidal_encoding"),
    ("rope", "rope_frequencies"),
    ("rope", "rope_cos_sin"),
    ("alibi", "alibi_slopes"),
    ("alibi", "alibi_bias"),
    ("context_extension", "rotations_in_context"),
    ("grids", "sinusoidal_2d"),
    ("state", "decay_bias"),
    ("state", "decay_matrix"),
]
"""Tables that other functions use, and one table that no function uses."""


@pytest.mark.long
@pytest.mark.parametrize(("lesson", "name"), WITH_ABOVE, ids=[name for _, name in WITH_ABOVE])
def test_nothing_above_a_float32_table_loses_points(grader: Grader, lesson: str, name: str) -> None:
    assignment = course.find(lesson)
    grade = grader.grade(assignment, (with_float32(assignment, name),))
    lost = {result.test.name: result.message for result in grade.test_results if not result.passed}
    assert list(lost) == [f"test_tables_are_float64[{name}]"], lost
    assert grade.score == 20 - POINTS_PER_FUNCTION_CASE


IN_FLOAT32 = {
    "shift_matrix": """
def shift_matrix(offset, d_model, base=10000.0):
    angles = offset * frequencies(d_model, base)
    even = np.arange(0, d_model, 2)
    matrix = np.zeros((d_model, d_model))
    matrix[even, even] = matrix[even + 1, even + 1] = np.cos(angles)
    matrix[even, even + 1], matrix[even + 1, even] = np.sin(angles), -np.sin(angles)
    return matrix
""",
    "rotation_matrix": """
def rotation_matrix(position, head_dim, base=10000.0):
    angles = position * rope_frequencies(head_dim, base)
    even = np.arange(0, head_dim, 2)
    matrix = np.zeros((head_dim, head_dim))
    matrix[even, even] = matrix[even + 1, even + 1] = np.cos(angles)
    matrix[even, even + 1], matrix[even + 1, even] = -np.sin(angles), np.sin(angles)
    return matrix
""",
}
"""Right functions that compute angles in float32 if the frequencies are float32, since a number has no dtype."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("lesson", "name", "above"),
    [("sinusoidal", "frequencies", "shift_matrix"), ("rope", "rope_frequencies", "rotation_matrix")],
)
def test_angles_in_float32_lose_no_points_above_a_float32_table(
    grader: Grader, lesson: str, name: str, above: str
) -> None:
    """A large position leaves few digits of an angle in float32; only the function that returns float32 is to blame."""
    assignment = course.find(lesson)
    grade = grader.grade(assignment, (with_float32(assignment, name) + IN_FLOAT32[above],))
    lost = {result.test.name: result.message for result in grade.test_results if not result.passed}
    assert list(lost) == [f"test_tables_are_float64[{name}]"], lost
