"""Tests of follow-through: a mistake costs points only once. Functions that use a wrong function are retested
with correct values, and only honest functions gain points.
"""

from __future__ import annotations

import inspect
import itertools
import re
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.checks.difference import difference
from autograder.checks.results import Phase, TestResult, by_question, points_possible, points_won
from autograder.checks.source import CallGraph
from autograder.course import Assignment
from autograder.grading.follow_through import follow_through
from autograder.grading.follow_through_limits import AnswerableCallBounds, FollowThroughBudget
from autograder.grading.follow_through_processes import EXCHANGE_CELL_TEMPLATE, HelpedCall, ProcessWithSubstitutes
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.likely_causes import with_unfiltered_causes, without_hints_above_wrong_functions
from autograder.hints.reference_oracle import Reference
from autograder.protocol import call
from autograder.protocol.call import Call
from autograder.protocol.failure_kinds import CallStopped, Kind
from autograder.protocol.load import load
from tests.grader.support.in_process_submission import Loaded

MAX_POINTS = 9
"""Maximum points for one function, so that a single mistake costs at most 45 % of all points."""


def suite_of(name: str, suites: dict[str, Suite]) -> Suite:
    """Return an assignment's suite, which is collected only once."""
    if name not in suites:
        suites[name] = Suite(course.find(name))
    return suites[name]


def all_results(suite: Suite, module: types.ModuleType) -> list[TestResult]:
    """Return the results of all tests, computed as in a grader."""
    backend = Loaded(module)
    public = follow_through(suite, backend, suite.run(backend, Phase.PUBLIC, Phase.ANSWERS))
    return [*public, *follow_through(suite, backend, suite.run(backend, Phase.HIDDEN), public)]


def solution_with(assignment: Assignment, *texts: str) -> types.ModuleType:
    """Return the solution as a module, with extra code at the end."""
    text = "\n\n".join([assignment.solution.read_text("utf-8"), *texts])
    module, failure = load(assignment.name, [text], str(assignment.solution))
    assert failure is None
    return module


def changed(function: str, result: str) -> str:
    """Return code that makes a function return an expression in which `result` is the function's correct result."""
    return f"""
_right = {function}
def {function}(*args, **kwargs):
    result = _right(*args, **kwargs)
    return {result}
"""


WRONG = {
    "raises": "def {0}(*args, **kwargs):\n    import numpy\n    return numpy.zeros(3) + numpy.zeros(4)",
    "refuses": "def {0}(*args, **kwargs):\n    raise ValueError",
    "is open": "def {0}(*args, **kwargs):\n    raise NotImplementedError",
    "is not there": "del {0}",
    "returns text": "def {0}(*args, **kwargs):\n    return 'an answer'",
    "returns no array": "def {0}(*args, **kwargs):\n    return [1.0], [[1.0], [1.0, 2.0]]",
}
"""Ways in which a function can be wrong."""


def functions_of(suite: Suite) -> list[str]:
    """Return the functions of an assignment in the order of the tests."""
    return list(dict.fromkeys(test.question for test in suite.tests if test.question != call.ANSWERS))


def base_of(suite: Suite) -> tuple[str, list[str]]:
    """Return the function that most other functions use, and the functions that use it."""
    names = functions_of(suite)
    above = {base: [name for name in names if base in suite.reference.call_graph.dependencies(name)] for base in names}
    base = max(names, key=lambda name: len(above[name]))
    return base, above[base]


def losing_functions(results: list[TestResult]) -> set[str]:
    """Return the names of functions that lose points."""
    return {result.test.question for result in results if not result.passed}


def test_a_base_costs_its_own_points_and_nothing_else(assignment: Assignment, suite: Suite) -> None:
    """Only the function that most others use is wrong, and each assignment tests a different way to be wrong."""
    base, _ = base_of(suite)
    ways = list(WRONG.values())
    way = ways[course.term_assignments().index(assignment) % len(ways)]
    assert losing_functions(all_results(suite, solution_with(assignment, way.format(base)))) == {base}


def test_no_function_is_worth_more_than_its_share(assignment: Assignment, suite: Suite) -> None:
    points = {name: points_possible(group) for name, group in by_question(map(TestResult, suite.tests)).items()}
    # An assignment with very few functions cannot satisfy the bound.
    assert len(points) <= 20 / MAX_POINTS or max(points.values()) <= MAX_POINTS


@pytest.mark.parametrize("way", WRONG)
def test_raising_leaving_open_and_being_wrong_cost_the_same(way: str, suites: dict[str, Suite]) -> None:
    """Only one function is wrong at a time."""
    suite = suite_of("sinusoidal", suites)
    for function in functions_of(suite)[list(WRONG).index(way) :: 2]:
        assert losing_functions(all_results(suite, solution_with(suite.assignment, WRONG[way].format(function)))) == {
            function
        }


LAZY: dict[str, Callable[..., Any]] = {
    "zeros": lambda args, right: np.zeros_like(right),
    "ones": lambda args, right: np.ones_like(right),
    "the identity": (
        lambda args, right: np.broadcast_to(
            np.eye(*np.shape(right)[-2:]) if np.ndim(right) > 1 else 1.0, np.shape(right)
        ).copy()
    ),
    "its first argument": lambda args, right: args[0],
    "zero": lambda args, right: 0.0,
}


def _lazy(right: Callable[..., Any], work: str) -> Callable[..., Any]:
    def lazy(*args: Any, **kwargs: Any) -> Any:
        value = right(*args, **kwargs)
        made = LAZY[work]
        return tuple(made(args, part) for part in value) if isinstance(value, tuple) else made(args, value)

    return lazy


def test_a_lazy_function_earns_nothing_above_one_that_raises(assignment: Assignment, suite: Suite) -> None:
    base, above = base_of(suite)
    module = solution_with(assignment, WRONG["raises"].format(base))
    for number, name in enumerate(above, start=course.term_assignments().index(assignment)):
        setattr(module, name, _lazy(vars(suite.reference.solution)[name], list(LAZY)[number % len(LAZY)]))
    with np.errstate(all="ignore"):
        results = all_results(suite, module)
    passed_over_correct_values = [result.test for result in results if result.passed and result.faulty_function]
    assert not [test.name for test in passed_over_correct_values if test.question in above]


HEDGED = """
def _hedged(own):
    def function(*args, **kwargs):
        result = own(*args, **kwargs)
        if "_exchange" in globals():
            return result
        return tuple(part + 1 for part in result) if isinstance(result, tuple) else result + 1
    return function

globals().update({name: _hedged(globals()[name]) for name in NAMES})
"""
"""Attack: return one guess in the first process and a different guess in the second process."""


def test_a_second_guess_counts_for_nothing_but_above_a_base_that_is_given_up(suites: dict[str, Suite]) -> None:
    suite = suite_of("rope", suites)
    results = all_results(suite, solution_with(suite.assignment, HEDGED.replace("NAMES", repr(functions_of(suite)))))
    for result in results:
        below = suite.reference.call_graph.dependencies(result.test.question)
        called = {call.function for call in result.calls} - {result.test.question}
        assert not result.passed or result.faulty_function is None or result.faulty_function in {*below, *called}
        assert not (result.passed and result.faulty_function) or below or called


@pytest.mark.parametrize(
    ("name", "base", "function", "old", "new"),
    [
        ("rope", "rope_frequencies", "rope_cos_sin", "rope_frequencies(head_dim, base))",
         "2 * np.pi * float(base) ** (-np.arange(0, head_dim, 2) / head_dim))"),
        ("rope", "rope_cos_sin", "apply_rope", "cos, sin = rope_cos_sin(positions, x.shape[-1], base)",
         "sin, cos = rope_cos_sin(positions, x.shape[-1], base)"),
        ("attention", "softmax", "attention_weights", "-np.inf", "-1e9"),
    ],
)  # fmt: skip
def test_a_wrong_function_earns_no_more_above_one_that_raises(
    name: str, base: str, function: str, old: str, new: str, suites: dict[str, Suite]
) -> None:
    suite = suite_of(name, suites)
    source = suite.assignment.solution.read_text("utf-8")
    begin = source.index(f"def {function}(")
    assert old in source[begin:]
    mistaken = source[:begin] + source[begin:].replace(old, new, 1)
    points = []
    for text in (mistaken, f"{mistaken}\n\n{WRONG['raises'].format(base)}"):
        module, _ = load(name, [text], str(suite.assignment.solution))
        group = by_question(all_results(suite, module))[function]
        points.append(points_won(group))
    assert points[1] <= points[0] < points_possible(group)


@pytest.mark.parametrize(
    ("name", "function", "result"),
    [
        ("rope", "rope_cos_sin", "tuple(np.concatenate([part, part], axis=-1) for part in result)"),
        ("rope", "rope_frequencies", "np.degrees(result)"),
        ("alibi", "alibi_bias", "np.moveaxis(result, 0, -1)"),
        ("sinusoidal", "frequencies", "result[:, np.newaxis]"),
        ("alibi", "alibi_slopes", "result.tolist()"),
    ],
)
def test_a_right_result_in_another_form_costs_once_and_nobody_else_is_blamed(
    name: str, function: str, result: str, suites: dict[str, Suite]
) -> None:
    suite = suite_of(name, suites)
    results = all_results(suite, solution_with(suite.assignment, changed(function, result)))
    assert losing_functions(results) == {function}
    assert {result.faulty_function for result in results if result.faulty_function} == {function}


def test_a_refusal_that_fails_by_a_known_mistake_below_earns_its_points(suites: dict[str, Suite]) -> None:
    """The two functions that write codes are right to refuse too few bits; they accept too few columns only because
    `bits_needed` returns too few bits."""
    suite = suite_of("naive", suites)
    (entry,) = (entry for entry in catalogue.entries(suite.assignment) if entry.name == "bits_rounded_down")
    results = all_results(suite, catalogue.solution_with_mistake(suite.assignment, entry))
    passed = {result.test.name: result.faulty_function for result in results if result.passed}
    assert passed["test_binary_refuses_too_few_bits"] == passed["test_gray_refuses_too_few_bits"] == "bits_needed"


ROUNDED = """
_exact = apply_rope
def apply_rope(*args, **kwargs):
    return _exact(*args, **kwargs) * (1 + 2**-50)
"""


@pytest.mark.parametrize(("function", "result"), [("rope_frequencies", "result * 2"), ("rope_cos_sin", "result[::-1]")])
def test_a_worker_and_its_second_look_give_what_one_process_gives(
    function: str, result: str, suites: dict[str, Suite], grader: Grader
) -> None:
    """Different rounding may make the first process call a function with new arguments, but grading in this
    process and in workers gives the same results."""
    suite = suite_of("rope", suites)
    texts = ROUNDED, changed(function, result)
    here = all_results(suite, solution_with(suite.assignment, *texts))
    text = "\n\n".join([suite.assignment.solution.read_text("utf-8"), *texts])
    there = grader.grade(suite.assignment, (text,)).test_results
    assert {one.test: (one.passed, one.faulty_function) for one in there} == {
        one.test: (one.passed, one.faulty_function) for one in here
    }
    assert losing_functions(there) == {function}


@pytest.mark.parametrize(
    ("name", "function"),
    [("sinusoidal", "sinusoidal_encoding"), ("rope", "rope_cos_sin"), ("rope", "rope_frequencies"),
     ("alibi", "alibi_slopes")],
)  # fmt: skip
def test_a_table_in_float32_costs_no_function_above_it(name: str, function: str, suites: dict[str, Suite]) -> None:
    """At most the function that returns the table loses points, even if its tests do not notice the dtype."""
    suite = suite_of(name, suites)
    result = "tuple(part.astype(np.float32) for part in result) if type(result) is tuple else result.astype(np.float32)"
    assert losing_functions(all_results(suite, solution_with(suite.assignment, changed(function, result)))) <= {
        function
    }


GREEDY = """
_answered = []

def alibi_slopes(n_heads):
    raise NotImplementedError

_right = alibi_bias
def alibi_bias(*args, **kwargs):
    for n_heads in range(1, 200) if "_exchange" in globals() else ():
        try:
            alibi_slopes(n_heads)
            _answered.append(n_heads)
        except NotImplementedError:
            pass
    return _right(*args, **kwargs)
"""


def test_a_question_larger_than_the_call_that_needs_it_has_no_answer(suites: dict[str, Suite]) -> None:
    suite = suite_of("alibi", suites)
    module = solution_with(suite.assignment, GREEDY)
    calls = [call for result in all_results(suite, module) for call in result.calls]
    calls += [call for test in suite.tests for call in suite.calls_to_solution(test)]
    calls = [call for call in calls if call.function != "alibi_slopes"]
    needed = [inner.call for call in calls for inner in suite.reference.inner_calls(call)]
    answered = vars(module)["_answered"]
    assert (
        answered and {*answered} <= {0, 1, 2, *AnswerableCallBounds.of(*calls, *needed).numbers} and max(answered) < 199
    )


def test_questions_about_one_submission_cost_two_seconds_and_64_mib_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = FollowThroughBudget()
    assert budget.spend(b"question", b"reply")
    assert not budget.spend(bytes(32 << 20), bytes(32 << 20))
    budget, clock = FollowThroughBudget(), iter([10.0, 12.1])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    with budget.charged():
        assert budget.spend(b"question")
    assert not budget.spend(b"question")


def test_questions_and_values_too_large_for_one_message_are_sent_one_by_one(suites: dict[str, Suite]) -> None:
    suite = suite_of("state", suites)
    (entry,) = (entry for entry in catalogue.entries(suite.assignment) if entry.name == "future_is_kept")
    with np.errstate(all="ignore"):
        assert losing_functions(all_results(suite, catalogue.solution_with_mistake(suite.assignment, entry))) == {
            entry.function
        }


LOOPING = """
_without_loop = {0}
def {0}(x, positions, *args, **kwargs):
    for position in positions:
        pass
    return _without_loop(x, positions, *args, **kwargs)
"""


def test_a_loop_costs_its_points_above_a_wrong_function_too(suites: dict[str, Suite]) -> None:
    suite = suite_of("rope", suites)
    wrong, looping = changed("rope_frequencies", "result * 1.5"), LOOPING.format("apply_rope")
    assert losing_functions(all_results(suite, solution_with(suite.assignment, wrong))) == {"rope_frequencies"}
    assert losing_functions(all_results(suite, solution_with(suite.assignment, looping))) == {"apply_rope"}
    assert losing_functions(all_results(suite, solution_with(suite.assignment, wrong, looping))) == {
        "rope_frequencies",
        "apply_rope",
    }


class OutOfTime(Loaded):
    """Submission with no time left for further calls."""

    is_out_of_time = True

    def call(self, call: call.Call) -> call.Reply:
        raise CallStopped(Kind.TIMEOUT, "not run")


def steps(work: Callable[[], object]) -> int:
    """Return the number of function calls that `work` makes, which is the same on every machine."""
    count = 0

    def step(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(step)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


FORMS: dict[str, Callable[[int], Any]] = {
    "a list": lambda size: [0.5] * size,
    "a tuple": lambda size: (0.5,) * size,
    "two lists": lambda size: ([0.5] * size, [0.5] * size),
    "a list of lists": lambda size: [[0.5]] * size,
    "a dict": lambda size: {str(number): 0.5 for number in range(size)},
    "an array": np.zeros,
}


@pytest.mark.parametrize("form", FORMS)
def test_what_comes_after_the_last_call_does_not_grow_with_the_replies(form: str, suites: dict[str, Suite]) -> None:
    """No timeout applies after the last call, so the work after it must cost no more for long results than
    for short ones."""
    suite = suite_of("rope", suites)
    costs = []
    for size in (50, 50, 5000):  # The first round fills the reference's cache.
        module = solution_with(suite.assignment)
        vars(module).update({name: lambda *_, size=size, **__: FORMS[form](size) for name in functions_of(suite)})
        results = suite.run(catalogue.ModuleBackend(module), Phase.PUBLIC)
        for made, reply in (item for result in results for item in result.calls.items()):
            # Encode calls and decode replies now, as grading does within the time limit.
            assert made.encoded and reply.value is not None

        def assign_causes(results: list[TestResult] = results, module: types.ModuleType = module) -> None:
            with_unfiltered_causes(suite.reference, follow_through(suite, OutOfTime(module), results))

        costs.append(steps(assign_causes))
    _, short, long = costs
    assert long < 1.2 * short


# Alternative correct implementations of a function

WAYS = {
    way.implementation.__name__: (lesson.name, way)
    for lesson in course.term_assignments()
    for way in catalogue.other_correct_ways(lesson)
}
SPOILED = {
    "scaled": "result * 3 // 2 if result.dtype.kind == 'i' else result * 1.25 + 0.5",
    "turned": "result[..., ::-1].copy()",
    "float32": "np.float32(result)",
}


def as_submitted(way: catalogue.OtherCorrectWay) -> str:
    """Return the source of an alternative implementation, changed to call functions of the student's file."""
    text = inspect.getsource(way.implementation)
    text = text[text.index("def ") :].replace("course.", "")
    return re.sub(r"def \w+\(course, ", f"def {way.function}(", text)


@pytest.mark.parametrize("name", WAYS)
def test_a_way_is_right_and_calls_what_it_says(name: str, suites: dict[str, Suite]) -> None:
    lesson, way = WAYS[name]
    suite = suite_of(lesson, suites)
    module = catalogue.solution_in_another_way(suite.assignment, way)
    assert losing_functions(suite.run(catalogue.ModuleBackend(module))) == set()
    calls = re.findall(r"course\.(\w+)\(", inspect.getsource(way.implementation))
    calls_in_solution = re.findall(r"\b(\w+)\(", inspect.getsource(vars(suite.reference.solution)[way.function]))
    assert {*calls} == way.built_on
    assert any(
        base not in suite.reference.call_graph.dependencies(way.function)
        or calls.count(base) < calls_in_solution.count(base)
        for base in calls
    ), "a way that calls the same functions as often as the solution is not another way"
    for base in way.built_on:
        assert way.function not in suite.reference.call_graph_of_all_ways.dependencies(base), (
            "no function builds on itself"
        )


@pytest.mark.parametrize("wrong", [*SPOILED, *list(WRONG)[:3]])
@pytest.mark.parametrize("name", WAYS)
def test_a_wrong_function_below_costs_once_in_another_right_way(
    name: str, wrong: str, suites: dict[str, Suite]
) -> None:
    """Only the wrong function loses points, however its callers are written."""
    lesson, way = WAYS[name]
    suite = suite_of(lesson, suites)
    for base in sorted(way.built_on):
        text = changed(base, SPOILED[wrong]) if wrong in SPOILED else WRONG[wrong].format(base)
        results = all_results(suite, solution_with(suite.assignment, as_submitted(way), text))
        assert losing_functions(results) <= {base}, (base, losing_functions(results))


@pytest.mark.parametrize("positions", ["range({0})", "tuple(range({0}))", "np.arange({0}) + 0.0"])
def test_a_wrong_function_below_costs_once_whatever_sequence_it_gets(positions: str, suites: dict[str, Suite]) -> None:
    suite = suite_of("sinusoidal", suites)
    text = f"""
def add_positions(x, base=10000.0):
    x, dtype = _features(x)
    return (x + sinusoidal_encoding({positions.format("x.shape[-2]")}, x.shape[-1], base)).astype(dtype)
"""
    wrong = changed("sinusoidal_encoding", SPOILED["turned"])
    results = all_results(suite, solution_with(suite.assignment, text, wrong))
    assert "add_positions" not in losing_functions(results)


@pytest.mark.parametrize("wrong", ["scaled", "float32"])
def test_a_wrong_function_below_costs_once_if_it_is_called_for_each_head(wrong: str, suites: dict[str, Suite]) -> None:
    """Where the solution rotates all heads together, a submission may rotate each head, in many calls."""
    suite = suite_of("rope", suites)
    text = """
def rope_attention(x, w_q, w_k, w_v, n_heads, positions=None, causal=True, base=10000.0):
    x, w_q, w_k, w_v, dtype = _features(x, w_q, w_k, w_v)
    positions = np.arange(x.shape[-2]) if positions is None else positions
    heads = []
    for q, k, v in zip(*(np.split(x @ w, n_heads, axis=-1) for w in (w_q, w_k, w_v))):
        q, k = apply_rope(q, positions, base), apply_rope(k, positions, base)
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        if causal:
            scores = np.where(np.tri(len(positions), dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        heads.append(weights / weights.sum(axis=-1, keepdims=True) @ v)
    return np.concatenate(heads, axis=-1).astype(dtype)
"""
    results = all_results(suite, solution_with(suite.assignment, text, changed("apply_rope", SPOILED[wrong])))
    assert "rope_attention" not in losing_functions(results)


@pytest.mark.parametrize("wrong", ["scaled", "turned"])
def test_a_wrong_function_below_costs_once_if_it_gets_a_batch(wrong: str, suites: dict[str, Suite]) -> None:
    """Where the solution calls a function twice, a submission may call it once, with both arguments as a batch."""
    suite = suite_of("attention", suites)
    text = """
def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
    x, w_q, w_k, w_v, _ = _features(x, w_q, w_k, w_v)
    both = np.stack([x, permute_tokens(x, order)], axis=-4 if np.ndim(mask) > 2 else 0)
    before, after = np.moveaxis(self_attention(both, w_q, w_k, w_v, mask), -4 if np.ndim(mask) > 2 else 0, 0)
    return float(np.abs(permute_tokens(before, order) - after).max())
"""
    results = all_results(suite, solution_with(suite.assignment, text, changed("self_attention", SPOILED[wrong])))
    assert "equivariance_gap" not in losing_functions(results)


def test_a_wrong_function_below_is_no_cause_of_the_function_above(grader: Grader) -> None:
    """If a function rotates in the opposite direction, a matrix built from it is not reported as transposed."""
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
    """The likely cause of a wrong function is kept, unless a wrong function that it uses might explain its results
    instead."""
    test = Suite(course.find("rope")).tests[0]
    causes = {"above": "turned", "below": "turned" if shared else "scaled"}
    results = [
        TestResult(type(test)(f"test_{name}", name, 1.0, test.phase, "A rule"), Kind.VALUE, "no", hint=hint)
        for name, hint in causes.items()
    ]
    calls = CallGraph.of_cells([f"def below(): pass\ndef above(): {'below()' if is_below else 'pass'}\n"])
    below = frozenset({"below"} if tried else ())
    above = without_hints_above_wrong_functions(results, calls, lambda name: below)[0]
    assert (above.hint is None) == (is_below and not shared and not tried)


CACHED = """
import functools

_right_slopes = alibi_slopes

def alibi_slopes(n_heads):
    return 2 * _right_slopes(n_heads)

alibi_bias, bloom_bias = map(functools.cache, (alibi_bias, bloom_bias))
"""


def test_a_cache_above_a_wrong_function_costs_nothing(grader: Grader) -> None:
    """The cache is filled while the function whose results it stores is still wrong."""
    assignment = course.find("alibi")
    grade = grader.grade(assignment, (assignment.solution.read_text("utf-8") + CACHED,))
    assert losing_functions(grade.test_results) == {"alibi_slopes"}


ASKS_FOR_12_FEATURES = """
frequencies_of_12 = []

def rope_frequencies(head_dim, base=10000.0):
    return np.zeros(head_dim // 2)

def rotation_matrix(position, head_dim, base=10000.0):
    frequencies_of_12.append(rope_frequencies(12, base))
    frequencies = rope_frequencies(head_dim, base)
    matrix = np.zeros((head_dim, head_dim))
    for pair, angle in enumerate(position * frequencies):
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[cos, -sin], [sin, cos]]
    return matrix
"""


def test_a_question_that_one_call_may_not_ask_is_answered_in_a_call_that_may() -> None:
    """A function that needs `rope_frequencies` for 12 features learns the answer in the first call with 12
    features, and not before, whatever the order of calls."""
    assignment = course.find("rope")
    reference = Reference(assignment)
    for sizes in itertools.permutations((8, 12, 6)):
        module, _ = load("rope", [f"{assignment.solution.read_text('utf-8')}\n{ASKS_FOR_12_FEATURES}"], "rope.py")
        cell = EXCHANGE_CELL_TEMPLATE.format(functions=["rope_frequencies", "rotation_matrix"])
        with Loaded(module).second_process(cell) as backend:
            second = ProcessWithSubstitutes(backend, reference, FollowThroughBudget())
            learned = []
            for head_dim in sizes:
                matrix = Call("rotation_matrix", (3, head_dim, 10000.0))
                question = Call("rope_frequencies", (head_dim, 10000.0))
                reply = second.helped_reply(HelpedCall(matrix, frozenset({"rope_frequencies"}), [question]))
                assert difference(reply.value, reference.reply(matrix).value) is None, (sizes, head_dim)
                learned.append(bool(module.frequencies_of_12[-1].any()))
        first = sizes.index(12)
        assert not any(learned[:first]) and learned[first], sizes
