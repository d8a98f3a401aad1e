"""Tests of likely causes: each cause explains all observations, appears only once, and is never false."""

from __future__ import annotations

import textwrap
import types

import numpy as np
import pytest

from autograder import course
from autograder.checks.oracle import Returned
from autograder.checks.results import Phase, TestResult
from autograder.course import Assignment
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.hints import catalogue, golden_values, likely_causes
from autograder.hints.likely_causes import with_unfiltered_causes
from autograder.protocol.load import load
from autograder.reports.submission_result import as_json
from autograder.submission import Submission
from tests.grader.support.student_view import markdown


def results_with_functions(name: str, source: str, suites: dict[str, Suite]) -> list[TestResult]:
    """Return the results of the solution with the functions in `source` replacing the original ones."""
    assignment = course.find(name)
    suite = suites.setdefault(name, Suite(assignment))
    text = f"{assignment.solution.read_text('utf-8')}\n\n{textwrap.dedent(source)}\n"
    module, failure = load(name, [text], str(assignment.solution))
    assert failure is None, failure
    return with_unfiltered_causes(suite.reference, suite.run(catalogue.ModuleBackend(module)))


def joined_hints(results: list[TestResult], function: str) -> str:
    """Return all hints for a function, joined into one string."""
    return " ".join(result.hint for result in results if result.test.question == function and result.hint)


def test_what_is_wrong_below_is_told_once_and_own_faults_beside_it(grader: Grader) -> None:
    assignment = course.find("rope")
    source = assignment.solution.read_text("utf-8") + textwrap.dedent("""

        _right_frequencies = rope_frequencies
        def rope_frequencies(head_dim, base=10000.0):
            return np.sqrt(_right_frequencies(head_dim, base))
        def apply_rope(x, positions, base=10000.0):
            x = np.asarray(x)
            positions = np.asarray(positions)
            if len(positions) not in (1, x.shape[-2]):
                raise ValueError(f"{x.shape} and {positions.shape} do not fit")
            cos, sin = rope_cos_sin(positions, x.shape[-1], base)
            rotated = np.empty(x.shape)
            rotated[..., 0::2], rotated[..., 1::2] = _rotate(x[..., 0::2], x[..., 1::2], cos, sin)
            return rotated.astype(_features(x)[-1])
        """)
    grade = grader.grade(assignment, (source,))
    submission = Submission("ada", "rope", "rope.py", "", (source,))
    text = markdown(submission, grade)
    tests = as_json(submission, grade)["tests"]
    (hint,) = (
        test["hint"] for test in tests if test["hint"] and test["question"] in ("rope_frequencies", "apply_rope")
    )
    assert "exponent" in hint and text.count(hint) == 1
    assert "Right, once `rope_frequencies` is right: `rope_cos_sin`" in text
    assert "## `apply_rope`" in text and "Its values are not right" not in text
    assert "## `decay_bound`" not in text


def test_a_function_is_told_at_most_one_cause_of_its_values(suites: dict[str, Suite]) -> None:
    """A combination of two mistakes matches no known mistake, so the function gets no hint."""
    source = """
    _right = rope_scores
    def rope_scores(q, k, q_positions, k_positions, base=10000.0):
        positions = k_positions if len(q_positions) == len(k_positions) else q_positions
        return 3.0 + 2.5 * _right(q, k, positions, k_positions, base)
    """
    assert joined_hints(results_with_functions("rope", source, suites), "rope_scores") == ""


def test_a_function_has_one_cause_however_many_tests_it_fails(suites: dict[str, Suite]) -> None:
    """A function has at most one likely cause, because several causes could reveal several inputs of hidden tests."""
    source = """
    _right = apply_rope
    def apply_rope(x, positions, base=10000.0):
        return _right(x, -np.asarray(positions), base)
    """
    results = [
        result for result in results_with_functions("rope", source, suites) if result.test.question == "apply_rope"
    ]
    assert sum(not result.passed for result in results) > 2
    assert sum(result.hint is not None for result in results) == 1


def test_a_query_that_is_not_turned_and_a_wrong_position_are_told_apart(suites: dict[str, Suite]) -> None:
    wrong = {
        "query": "q = q / np.sqrt(q.shape[-1])",
        "position": "q = apply_rope(q, [position + 1], base) / np.sqrt(q.shape[-1])",
    }
    hints_by_mistake = {}
    for mistake, line in wrong.items():
        source = f"""
        def decode_step(x_t, w_q, w_k, w_v, n_heads, cache_k, cache_v, position, base=10000.0):
            x_t, w_q, w_k, w_v, cache_k, cache_v = arrays = [
                np.asarray(one) for one in (x_t, w_q, w_k, w_v, cache_k, cache_v)
            ]
            if cache_k.shape != cache_v.shape:
                raise ValueError(f"cache_k has shape {{cache_k.shape}}, cache_v has {{cache_v.shape}}")
            q, k, v = (_project(x_t, weight, n_heads) for weight in (w_q, w_k, w_v))
            keys = np.concatenate([cache_k, apply_rope(k, [position], base)], axis=-2)
            values = np.concatenate([cache_v, v], axis=-2)
            {line}
            dtype = _features(*arrays)[-1]
            out = _merge_heads(_softmax(q @ np.swapaxes(keys, -1, -2)) @ values)
            return out.astype(dtype), keys.astype(dtype), values.astype(dtype)
        """
        hints_by_mistake[mistake] = joined_hints(results_with_functions("rope", source, suites), "decode_step")
    assert "query" in hints_by_mistake["query"] and hints_by_mistake["position"] != hints_by_mistake["query"]


@pytest.mark.parametrize("largest", [np.finfo(np.float64).max, 1e300])
def test_a_mark_of_huge_numbers_does_not_depend_on_the_order_of_a_sum(largest: float) -> None:
    """Processors add numbers in different orders, so an overflowing sum may be NaN on one processor and
    infinite on another."""
    value = np.array([largest, -largest] * 8)
    known = likely_causes.fingerprint(value)
    assert known is not None and np.isfinite(known.sums).all()
    recorded = golden_values.outcome_of_record(golden_values.fingerprint_record(Returned(value)))
    assert isinstance(recorded, Returned) and likely_causes.matches(value, recorded.value)


TWO_MISTAKES = {
    "inverse, and along the first axis": (
        "attention",
        "def permute_tokens(x, order): return np.asarray(x)[np.argsort(order)]",
        "permute_tokens",
        "the inverse",
    ),
    "no axis for the heads, and queries unmasked": (
        "batches",
        """
        def padding_mask(mask):
            mask = np.asarray(mask, bool)
            return np.tri(mask.shape[-1], dtype=bool) & mask[..., None, :]
        """,
        "padding_mask",
        "no axis for the heads",
    ),
}


@pytest.mark.parametrize("name", TWO_MISTAKES)
def test_of_two_mistakes_in_a_function_the_first_failing_call_names_its_own(
    name: str, suites: dict[str, Suite]
) -> None:
    lesson, source, function, words = TWO_MISTAKES[name]
    assert words in joined_hints(results_with_functions(lesson, source, suites), function) != ""


def home_and_grader_causes(suite: Suite, module: types.ModuleType, function: str) -> tuple[str, str]:
    """Return the causes that a student's machine and the grader name for a function, based on the public tests that
    call it."""
    backend = catalogue.ModuleBackend(module)
    public = [test for test in suite.tests if test.phase is Phase.PUBLIC]
    tests = [test for test in public if function in {call.function for call in suite.calls_to_solution(test)}]
    graded = with_unfiltered_causes(suite.reference, [suite.run_test(backend, test) for test in tests])
    recorded = golden_values.GoldenValues(suite.assignment.golden_values)
    at_home = []
    try:
        for test in tests:
            suite.oracle = recorded.go_to_test(test.name)
            at_home.append(suite.run_test(backend, test))
    finally:
        suite.oracle = suite.reference
    return joined_hints(with_unfiltered_causes(recorded, at_home), function), joined_hints(graded, function)


def test_a_students_machine_names_the_cause_that_the_grader_names(assignment: Assignment, suite: Suite) -> None:
    """The same cause is named even if a test compares the results only with a number or with another result."""
    for entry in catalogue.entries(assignment)[::6]:
        module = catalogue.solution_with_mistake(assignment, entry)
        at_home, graded = home_and_grader_causes(suite, module, entry.function)
        assert at_home == graded, entry.name


def test_an_error_at_the_same_sizes_names_the_mistake(suites: dict[str, Suite]) -> None:
    """Weights that are transposed or multiplied on the wrong side cause a shape error, which identifies the mistake;
    other numpy errors identify no known mistake."""
    wrong = {
        "x @ w_q.T, x @ w_k.T, x @ w_v.T": "transposed weights, x wᵀ",
        "w_q @ x, w_k @ x, w_v @ x": "from the left, w x",
        "x @ w_q, x @ w_k, x @ w_v.T": "transposed value weights",
        "x @ w_q[1:], x @ w_k, x @ w_v": "",
        "x @ w_q, x @ w_k, x @ w_v[:, :, None]": "",
    }
    for arguments, words in wrong.items():
        source = f"""
        def self_attention(x, w_q, w_k, w_v, mask=None):
            x, w_q, w_k, w_v, dtype = _features(x, w_q, w_k, w_v)
            return attention({arguments}, mask).astype(dtype)
        """
        text = f"{course.find('attention').solution.read_text('utf-8')}\n\n{textwrap.dedent(source)}\n"
        module, _ = load("attention", [text], "attention.py")
        suite = suites.setdefault("attention", Suite(course.find("attention")))
        at_home, graded = home_and_grader_causes(suite, module, "self_attention")
        assert at_home == graded and (words in graded if words else graded == ""), arguments


def test_a_mistake_that_explains_few_of_the_wrong_calls_is_no_cause(suites: dict[str, Suite]) -> None:
    """In the first wrong call, token 1 is also the last token, so this call cannot distinguish two mistakes."""
    source = """
    def embed(token_table, position_table, token_ids):
        token_table, position_table, dtype = _features(token_table, position_table)
        length = np.shape(token_ids)[-1]
        if length > len(position_table):
            raise ValueError(length)
        return (token_table[np.asarray(token_ids)] + position_table[length - 1]).astype(dtype)
    """
    assert joined_hints(results_with_functions("learned", source, suites), "embed") == ""


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("np.abs(before - after).mean()", "mean of the differences"),
        ("(before - after).max()", "signed differences"),
        ("np.abs(permute_tokens(before, np.argsort(order)) - after).max()", "measures invariance"),
    ],
)
def test_a_gap_with_a_mistake_is_named_if_it_is_computed_in_float64(
    result: str, words: str, suites: dict[str, Suite]
) -> None:
    """The gap of float32 features is computed in float64, so a known mistake computes it in float64 too."""
    source = f"""
    def equivariance_gap(x, w_q, w_k, w_v, order, mask=None):
        x, w_q, w_k, w_v, _ = _features(x, w_q, w_k, w_v)
        before = permute_tokens(self_attention(x, w_q, w_k, w_v, mask), order)
        after = self_attention(permute_tokens(x, order), w_q, w_k, w_v, mask)
        return float({result})
    """
    assert words in joined_hints(results_with_functions("attention", source, suites), "equivariance_gap")
