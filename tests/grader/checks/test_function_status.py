"""Tests of function states: each mistake is reported for the function that contains it."""

from __future__ import annotations

import ast
import functools
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.checks.function_status import FunctionStatus, Status, function_statuses
from autograder.checks.result_markdown import status_note
from autograder.checks.results import Phase, Test, TestResult
from autograder.checks.source import CallGraph
from autograder.course import Assignment
from autograder.grading.follow_through import follow_through
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.likely_causes import with_likely_causes
from autograder.protocol.call import ANSWERS, Call, Raised, Reply
from autograder.protocol.failure_kinds import Kind
from tests.grader.support.in_process_submission import Loaded

SOURCE = '''
def _theta(d):
    return d

def rotated(x):
    """Turn each pair by its angle,
    row by row.

        out = R x

    Nothing is scaled.
    """
    return _theta(x)

def scores(q):
    return _theta(q)

def bare(q):
    return q

def attention(q):
    return scores(bare(q))
'''
FORM, VALUES = "float32 stays float32, and an odd size is refused.", "The pair (2i, 2i+1) is rotated."


def missed(question: str, rule: str, kind: Kind = Kind.VALUE, **facts: Any) -> TestResult:
    return TestResult(Test(rule + question, question, 1.0, Phase.PUBLIC, rule), kind, **facts)


def call_graph_of(source: str) -> CallGraph:
    return CallGraph({node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)})


def states_by_name(*results: TestResult) -> dict[str, FunctionStatus]:
    return {
        function_status.name: function_status for function_status in function_statuses(results, call_graph_of(SOURCE))
    }


def test_what_is_known_is_told_though_something_below_is_wrong() -> None:
    below = missed("scores", VALUES)
    assert states_by_name(below, missed("attention", VALUES))["attention"].status is Status.INHERITED
    known = missed("attention", VALUES, hint="Your sign is turned round.")
    assert states_by_name(below, known)["attention"].mistakes == (known,)


def test_a_slip_below_explains_its_like_and_no_wrong_value() -> None:
    wrong = missed("attention", VALUES)
    assert states_by_name(missed("scores", FORM, Kind.DTYPE), wrong)["attention"].mistakes == (wrong,)


def test_the_most_serious_mistake_is_told_first() -> None:
    kinds = [Kind.ACCEPTED, Kind.CHANGED, Kind.DTYPE, Kind.SHAPE, Kind.VALUE]
    own = states_by_name(*(missed("bare", VALUES, kind) for kind in kinds))["bare"].mistakes
    assert [mistake.kind for mistake in own] == kinds[::-1]


def test_after_follow_through_what_fails_is_a_functions_own() -> None:
    wrong = [missed("scores", VALUES), missed("attention", VALUES)]
    told = function_statuses(wrong)
    assert [one.status for one in told] == [Status.MISTAKEN] * 2


def test_what_calls_a_function_that_changes_its_argument_is_not_blamed() -> None:
    changes = [missed(name, "q is as it was.", Kind.CHANGED) for name in ("bare", "attention")]
    told = states_by_name(*changes)
    assert told["bare"].mistakes == (changes[0],)
    assert (told["attention"].status, told["attention"].cause, told["attention"].mistakes) == (
        Status.INHERITED,
        "bare",
        (),
    )


def test_building_blocks_reach_through_helpers() -> None:
    call_graph = call_graph_of("def a(): return b()\ndef b(): return c()\ndef c(): return 1\ndef d(): return d()\n")
    assert [*map(call_graph.dependencies, "abcd")] == [{"b", "c"}, {"c"}, frozenset(), frozenset()]


def test_functions_in_a_ring_take_time_and_memory_in_proportion() -> None:
    """The call graph of ten thousand functions that call each other in a ring is built without excessive time or
    memory."""
    ring = "".join(f"def f{number}(): f{(number + 1) % 10_000}()\n" for number in range(10_000))
    assert len(call_graph_of(ring).dependencies("f1")) == 9999


PROMISE = "its docstring has a `Raises` line, but your function has no `raise`"
REFUSES = """
def _check(d):
    if d % 2:
        raise ValueError(d)

def theta(d):
    '''The angles.

    Raises: ValueError for an odd d.
    '''
    {body}
"""


def test_a_right_function_that_raises_nothing_is_reminded_of_its_docstring() -> None:
    """The student is reminded of the missing error because only a hidden test checks that the function raises it."""
    passed = TestResult(Test("t", "theta", 1.0, Phase.PUBLIC, "A rule"))
    asked = replace(passed, calls={Call("theta", (3,)): Reply(raised=Raised("ValueError", ("ValueError",), "3"))})
    for body, results, words in [
        ("return d", [passed], PROMISE),
        ("return d", [passed, asked], ""),  # raised by numpy
        ("return d", [missed("theta", VALUES)], ""),  # The wrong value is reported first.
        ("raise ValueError", [passed], ""),
        ("_check(d)", [passed], ""),
    ]:
        (function_status,) = function_statuses(results, call_graph_of(REFUSES.format(body=body)))
        assert status_note(function_status) == words
    for docstring in ("Raises: ValueError for an odd d.", "Parameters and errors: as scores.", "Nothing."):
        source = f"def theta(d):\n    '''{docstring}'''\n    return d"
        (function_status,) = function_statuses([passed], call_graph_of(source))
        assert function_status.lacks_promised_error is (docstring != "Nothing.")


def zeros(array: np.ndarray) -> np.ndarray:
    return np.zeros_like(array)


def negated(array: np.ndarray) -> np.ndarray:
    return ~array if array.dtype.kind == "b" else -array


def transposed(array: np.ndarray) -> np.ndarray:
    return np.swapaxes(array, -1, -2).copy() if array.ndim > 1 else array[::-1].copy() if array.ndim else -array


WAYS_TO_BE_WRONG = (zeros, negated, transposed)


def with_results(change: Callable[[np.ndarray], np.ndarray], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with `change` applied to every array and number in its results."""

    def changed(value: Any) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(map(changed, value))
        if isinstance(value, dict):
            return {key: changed(part) for key, part in value.items()}
        array = np.asarray(value)
        return value if array.dtype.kind not in "biuf" else change(array) if array.ndim else change(array).item()

    @functools.wraps(function)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        return changed(function(*args, **kwargs))

    return wrong


def faulty(results: list[TestResult], suite: Suite, at_home: bool) -> list[str]:
    """Return the functions that a student sees reported as wrong, at home or in feedback, in lesson order."""
    graph = suite.reference.call_graph
    tried = (lambda name: frozenset[str]()) if at_home else graph.dependencies
    results = with_likely_causes(suite.reference, results, lambda: graph, tried)
    headings = re.findall(r"(?m)^### .*$", suite.assignment.lesson.read_text("utf-8"))
    order = re.findall(r"`(\w+)", " ".join(headings))
    states = function_statuses(results, graph if at_home else None)
    return [state.name for state in sorted(states, key=lambda state: order.index(state.name)) if state.mistakes]


def test_the_function_with_the_mistake_is_the_first_at_fault(assignment: Assignment, suite: Suite) -> None:
    """Break one function at a time, whether other functions call it or their tests compare them with it.

    At home, with or without hidden tests, only the broken function is reported as at fault. In feedback, follow-through
    decides.
    """
    questions = dict.fromkeys(test.question for test in suite.tests if test.question != ANSWERS)
    right = {result.test: result for result in suite.run(Loaded(suite.reference.solution))}
    graph = suite.reference.call_graph
    for number, name in enumerate(questions):
        module = catalogue.solution(assignment)
        change = WAYS_TO_BE_WRONG[number % len(WAYS_TO_BE_WRONG)]
        setattr(module, name, with_results(change, vars(module)[name]))
        with warnings.catch_warnings(action="ignore"):
            # A test that never calls the broken function, not even through other functions, has the solution's result.
            results = [
                suite.run_test(Loaded(module), test)
                if any(name in {call.function, *graph.dependencies(call.function)} for call in right[test].calls)
                else right[test]
                for test in suite.tests
            ]
            public = [result for result in results if result.test.phase is Phase.PUBLIC]
            hidden = [result for result in results if result.test.phase is Phase.HIDDEN]
            final = follow_through(suite, Loaded(module), public) if number % 4 == 0 else []  # type: ignore[arg-type]
        for results, at_home in ((public, True), ([*public, *hidden], True), (final, False)):
            is_wrong = not all(result.passed for result in results)  # equal slopes are right in reverse order too
            assert faulty(results, suite, at_home) == [name] * is_wrong, (name, change)


def test_functions_that_fail_only_in_tests_of_each_other_are_all_at_fault() -> None:
    """Two wrong functions can be inverses of each other, each with a test that calls both."""
    calls = {Call(name, (1,)): Reply() for name in ("rotated", "bare")}
    told = states_by_name(missed("rotated", VALUES, calls=calls), missed("bare", VALUES, calls=calls))
    assert {each.status for each in told.values()} == {Status.MISTAKEN}
    alone = missed("bare", FORM, calls={})
    told = states_by_name(missed("rotated", VALUES, calls=calls), missed("bare", VALUES, calls=calls), alone)
    assert (told["rotated"].status, told["rotated"].cause) == (Status.COMPARED, "bare")
    assert told["bare"].status is Status.MISTAKEN
    assert status_note(told["rotated"]) == "its test also calls `bare`: fix that first"


def test_a_refusal_that_needs_correct_values_below_waits_for_them() -> None:
    accepts = missed("attention", FORM, Kind.ACCEPTED)
    told = states_by_name(missed("scores", VALUES), accepts)
    assert (told["attention"].status, told["attention"].cause) == (Status.INHERITED, "scores")
    assert states_by_name(missed("scores", FORM, Kind.DTYPE), accepts)["attention"].mistakes == (accepts,)
