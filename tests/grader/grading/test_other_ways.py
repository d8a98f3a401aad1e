"""Other right ways to write a function: a wrong function below costs once, whichever right way builds on it."""

from __future__ import annotations

import inspect
import re

import pytest

from autograder import course
from autograder.checks.results import TestResult
from autograder.checks.source import CallGraph, top_level_functions
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.explain import without_causes_from_below
from autograder.protocol.failure import Kind
from tests.grader.grading.test_follow_through import WRONG, changed, judged, loaded, losing, suite_of

WAYS = {
    way.implementation.__name__: (one.name, way) for one in course.assignments() for way in catalogue.other_ways(one)
}
SPOILED = {
    "scaled": "result * 3 // 2 if result.dtype.kind == 'i' else result * 1.25 + 0.5",
    "turned": "result[..., ::-1].copy()",
    "float32": "np.float32(result)",
}


def as_submitted(way: catalogue.OtherWay) -> str:
    """Return the text of a way as a student writes it: it calls the functions of its own file."""
    text = inspect.getsource(way.implementation)
    text = text[text.index("def ") :].replace("course.", "")
    return re.sub(r"def \w+\(course, ", f"def {way.function}(", text)


@pytest.mark.parametrize("name", WAYS)
def test_a_way_is_right_and_calls_what_it_says(name: str, suites: dict[str, Suite]) -> None:
    lesson, way = WAYS[name]
    suite = suite_of(lesson, suites)
    module = catalogue.solution_in_another_way(suite.assignment, way)
    assert losing(suite.run(catalogue.ModuleBackend(module))) == set()
    called = {*re.findall(r"course\.(\w+)\(", inspect.getsource(way.implementation))}
    assert called == way.built_on and not called & suite.reference.call_graph.dependencies(way.function)
    for base in way.built_on:
        assert way.function not in suite.reference.known_calls.dependencies(base), "no function builds on itself"


@pytest.mark.parametrize("wrong", [*SPOILED, *list(WRONG)[:3]])
@pytest.mark.parametrize("name", WAYS)
def test_a_wrong_function_below_costs_once_in_another_right_way(
    name: str, wrong: str, suites: dict[str, Suite]
) -> None:
    """Its own points are lost, and those of no function that builds on it, in whichever way."""
    lesson, way = WAYS[name]
    suite = suite_of(lesson, suites)
    for base in sorted(way.built_on):
        text = changed(base, SPOILED[wrong]) if wrong in SPOILED else WRONG[wrong].format(base)
        results = judged(suite, loaded(suite.assignment, as_submitted(way), text))
        assert losing(results) <= {base}, (base, losing(results))


def test_a_wrong_function_below_is_no_cause_of_the_function_above(grader: Grader) -> None:
    """A student built the matrix on a function that rotates the other way: nothing is transposed there."""
    backwards = """
def apply_rope(x, positions, base=10000.0):
    return _right_rope(x, -np.asarray(positions, dtype=float), base)

def rotation_matrix(position, head_dim, base=10000.0):
    return apply_partial_rope(np.eye(head_dim), np.full(head_dim, position, dtype=float), head_dim, base).T
"""
    text = course.find("rope").solution.read_text("utf-8") + "\n_right_rope = apply_rope\n" + backwards
    results = grader.grade(course.find("rope"), (text,)).test_results
    hints = {result.test.question: result.hint for result in results if result.hint}
    assert "opposite direction" in hints["apply_rope"] and "rotation_matrix" not in hints


@pytest.mark.parametrize("tried", [True, False])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("is_below", [True, False])
def test_a_cause_stays_unless_another_wrong_function_may_be_it(tried: bool, shared: bool, is_below: bool) -> None:
    """It stays as well if both functions have it, or if follow-through has tried right values below."""
    test = Suite(course.find("rope")).tests[0]
    causes = {"above": "turned", "below": "turned" if shared else "scaled"}
    results = [
        TestResult(type(test)(f"test_{name}", name, 1.0, test.phase, "A rule"), Kind.VALUE, "no", hint=hint)
        for name, hint in causes.items()
    ]
    calls = CallGraph(top_level_functions(f"def below(): pass\ndef above(): {'below()' if is_below else 'pass'}\n"))
    below = frozenset({"below"} if tried else ())
    above = without_causes_from_below(results, calls, lambda name: below)[0]
    assert (above.hint is None) == (is_below and not shared and not tried)
