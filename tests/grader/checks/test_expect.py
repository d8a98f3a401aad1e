"""Tests of messages: each message describes the mistake in words that a student knows, and no wrong result is
accepted."""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from types import FrameType
from typing import Any

import numpy as np
import pytest

from autograder.checks import expect, results
from autograder.checks.proxy import StudentModule, leaves
from autograder.checks.quiz_answers import (
    HOW_TO_WRITE_BY_FORM,
    answer_matches,
    form_errors,
    form_of_right_answer,
    lacks_digits,
    practice_results,
)
from autograder.checks.results import Phase, Test
from autograder.checks.value_text import value_text
from autograder.course import Assignment, find
from autograder.hints import catalogue
from autograder.hints.reference_oracle import Reference
from autograder.protocol.failure_kinds import BrokenTestError, FailedTestError, Kind
from autograder.protocol.load import load
from tests.grader.support.rope_functions import submission

X = np.arange(8.0).reshape(2, 4)


def grade(source: str, check: Any) -> FailedTestError:
    with pytest.raises(FailedTestError) as caught:
        check(submission("import numpy as np\n" + source))
    return caught.value


def words_of(actual: Any, expected: Any, tolerance: float | None = None) -> str:
    """Return the sentence that describes the difference between two results of the same shape."""
    differs = expect.difference(actual, expected, tolerance)
    assert differs is not None and differs.kind in (Kind.VALUE, Kind.PRECISION)
    return differs.words


def matches(rope: StudentModule) -> None:
    expect.matches(rope.rotate_half, X)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("def rotate_half(x): raise NotImplementedError", Kind.NOT_WRITTEN, "rotate_half is not implemented yet"),
        ("", Kind.NOT_WRITTEN, "rotate_half is not implemented yet"),
        ("1 / 0", Kind.NOT_REACHED, "your file stops at line 2 with ZeroDivisionError: division by zero"),
        (
            "def rotate_half(x): return other(x)\ndef other(x): raise NotImplementedError",
            Kind.WAITING,
            "waits for other",
        ),
        ("def rotate_half(x):\n    return x.missing", Kind.RAISED, "raised AttributeError at line 3 of your file"),
        ("def rotate_half(x): pass", Kind.SHAPE, "got None (is a `return` missing?)"),
        (
            "def rotate_half(x): return [1, 2]",
            Kind.SHAPE,
            "expected an array of shape (2, 4), dtype float64, got a list",
        ),
        (
            "def rotate_half(x): return np.matrix(x)",
            Kind.SHAPE,
            "numpy.matrix, which is neither a number nor a plain numpy array",
        ),
        ("def rotate_half(x): return x[0]", Kind.SHAPE, "expected shape (2, 4), got (4,)"),
        (
            "def rotate_half(x): return x",
            Kind.VALUE,
            "at index (1, 1): expected -7, got 5 (8 of 8 values differ)",
        ),
        ("def rotate_half(x): return x * np.nan", Kind.VALUE, "got nan"),
        ("def rotate_half(x): return x.astype(complex)", Kind.SHAPE, "dtype complex128"),
    ],
)
def test_each_kind_of_mistake_is_named(body: str, kind: Kind, words: str) -> None:
    wrong = grade(body, matches)
    assert wrong.kind is kind
    assert words in wrong.message


def test_an_error_of_numpy_s_says_which_shapes_met_and_on_which_line() -> None:
    wrong = grade("def rotate_half(x):\n    return x + np.zeros(3)", matches)
    assert wrong.message.splitlines() == [
        "rotate_half raised ValueError at line 3 of your file: "
        "operands could not be broadcast together with shapes (2,4) (3,) ",
        "Line 3: shapes (2, 4) and (3,) do not fit together: compared from the last axis, 4 meets 3, and neither is 1.",
    ]


def test_a_list_in_the_right_shape_answers_and_no_list_is_expected() -> None:
    as_a_list = "def rotate_half(x): return [[0.0] * 4] * 2"
    expect.answers(submission(as_a_list).rotate_half, X)
    short = grade("def rotate_half(x): return [0.0, 1.0]", lambda rope: expect.answers(rope.rotate_half, X))
    assert short.message == "rotate_half: expected shape (2, 4), got (2,)"
    twice = grade(as_a_list, lambda rope: expect.close(rope.rotate_half(X), rope.rotate_half(X), "it is the same"))
    assert "expected an array of shape (2, 4), dtype float64, got a list" in twice.message


@pytest.mark.parametrize("result", ["None", "'19'", "{}", "{'r': 19}", "object()"])
def test_only_a_number_answers_where_a_number_is_expected(result: str) -> None:
    """If None passed for a number, a function that only rejects bad arguments and has no `return` would earn points."""
    module, _ = load("alibi", [f"def effective_window(slope, tolerance): return {result}"], "alibi.py")
    alibi = StudentModule("alibi", catalogue.ModuleBackend(module), Reference(find("alibi")))
    with pytest.raises(FailedTestError) as caught:
        expect.answers(alibi.effective_window, 0.25, 0.01)
    assert caught.value.kind is Kind.SHAPE


def test_the_largest_difference_is_told_with_digits_that_differ() -> None:
    expected = np.array([1.0, -1.390615, np.nan, 3.0])
    words = words_of(np.array([1.0 + 1e-4, -1.390625, np.nan, 4.62]), expected)
    assert words == "at index (3,): expected 3, got 4.62 (3 of 4 values differ)"
    words = words_of(np.array([1.0, -1.390615001, np.nan, 3.0]), expected, 0.0)
    assert "expected -1.390615, got -1.390615001 (1 of 4 values differ)" in words
    words = words_of(np.array([True, False]), np.array([True, True]))
    assert "at index (1,): expected True, got False" in words
    assert words_of(np.array(1e300), np.array(1e-300)) == "expected 1e-300, got 1e+300"
    words = words_of(np.array([9.0, -1.390615, np.nan, np.nan]), expected)
    assert "at index (3,): expected 3, got nan" in words


def test_a_call_that_raises_is_the_fault_of_the_function_that_was_called() -> None:
    """The tested function is at fault only if it computed the argument of the failing call."""
    test = Test("t", "rotate_half", 1.0, Phase.PUBLIC, "A rule.")
    for is_given_its_own in (False, True):
        rope = submission("def rotate_half(x): return x\ndef apply_rope(x, positions): return x.missing")
        x = rope.rotate_half(X) if is_given_its_own else X
        with pytest.raises(FailedTestError) as caught:
            rope.apply_rope(x, np.arange(2))
        found = results.test_result(test, caught.value, rope)
        if not is_given_its_own:
            assert found.kind is Kind.WAITING and found.faulty_function == "apply_rope"
        else:
            assert found.kind is Kind.RAISED and found.call.startswith(">>> apply_rope(")


RIGHT = "def rotate_half(x):\n    h = x.shape[-1] // 2\n    return np.concatenate([-x[..., h:], x[..., :h]], axis=-1){}"


@pytest.mark.parametrize("exponent", [53, 63, 64, 200, 500])
def test_an_int_may_be_larger_than_any_of_numpy_s(exponent: int) -> None:
    """An int larger than any numpy integer can be the expected result, or a wrong result where a small number is
    expected."""
    large = 2**exponent
    for expected in (large, float(large)):
        assert expect.difference(large, expected) is None
        for pair in ((7, expected), (large, type(expected)(7))):
            assert (expect.difference(*pair) or (None,))[0] is Kind.VALUE
    for pair in ((large, True), (True, large)):
        assert (expect.difference(*pair) or (None,))[0] is Kind.SHAPE


@pytest.mark.parametrize("result", [3.0, np.float64(3), np.float32(3)])
def test_a_whole_number_of_the_wrong_type_is_told_that_its_value_is_right(result: float) -> None:
    """np.ceil and / return floats, although a function such as bits_needed returns an int."""
    sentence = "; the value is right, but its type is not (np.ceil, np.floor and / return floats): convert it"
    for expected, is_right in ((3, True), (4, False)):
        differs = expect.difference(result, expected)
        assert differs is not None and differs.kind is Kind.SHAPE
        assert differs.words.startswith("expected an int, got a ") and differs.words.endswith(sentence) is is_right
    assert "value is right" not in (expect.difference(1.0, True) or ("", ""))[1]


def test_a_wrong_dtype_is_a_mistake_of_its_own() -> None:
    source = "import numpy as np\n" + RIGHT.format(".astype(np.float64)")
    x = X.astype(np.float32)
    expect.matches(submission(source).rotate_half, x)
    with pytest.raises(FailedTestError, match="returned dtype float64; expected float32"):
        expect.dtype(submission(source).rotate_half, x)


def test_a_wrong_dtype_says_in_which_result() -> None:
    source = """
def rope_cos_sin(positions, head_dim, base=10000.0):
    angles = np.outer(positions, base ** (-np.arange(0, head_dim, 2) / head_dim))
    return np.cos(angles), np.sin(angles).astype(np.float32)
"""
    rope = submission("import numpy as np\n" + source)
    with pytest.raises(FailedTestError, match="returned dtype float32 in result 2 of 2; expected float64"):
        expect.dtype(rope.rope_cos_sin, np.arange(3), 4)


def test_a_change_in_place_is_seen_only_beside_correct_values() -> None:
    in_place = "import numpy as np\n" + RIGHT.format("").replace(
        "    h =", "    y = x.copy(); x[:] = 0; x = y\n    h =", 1
    )
    with pytest.raises(FailedTestError, match="changed argument 1 in place") as changed:
        expect.unchanged(submission(in_place).rotate_half, X)
    assert "make no copy" in changed.value.message
    wrong_and_clean = grade("def rotate_half(x): return x", lambda rope: expect.unchanged(rope.rotate_half, X))
    assert wrong_and_clean.kind is Kind.VALUE


def refuses(rope: StudentModule) -> None:
    expect.raises(ValueError, rope.rope_frequencies, 7)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("raise ValueError('head_dim is 7')", None),
        ("raise type('Odd', (ValueError,), {})('7 is odd')", None),
        ("raise ValueError", None),
        ("raise TypeError('7')", Kind.ACCEPTED),
        ("raise type('ValueError', (Exception,), {})('7')", Kind.ACCEPTED),
        ("return 7", Kind.ACCEPTED),
        ("raise NotImplementedError", Kind.NOT_WRITTEN),
        ("import sys; sys.exit(7)", Kind.ACCEPTED),
    ],
)
def test_a_bad_argument_is_refused_in_whatever_words(body: str, kind: Kind | None) -> None:
    source = f"def rope_frequencies(head_dim, base=10000.0): {body}"
    if kind is None:
        refuses(submission(source))
    else:
        assert grade(source, refuses).kind is kind


def test_an_answer_is_a_number_or_a_truth() -> None:
    for given in ("0", "0.0", "np.int64(0)", "np.array(0.0)"):
        expect.answer(submission(f"import numpy as np\nANSWERS = {{'extra_parameters': {given}}}"), "extra_parameters")
    for given, kind in (
        ("1", Kind.ANSWER),
        ("False", Kind.UNANSWERED),
        ("'0'", Kind.UNANSWERED),
        ("[0]", Kind.UNANSWERED),
    ):
        with pytest.raises(FailedTestError) as caught:
            expect.answer(submission(f"ANSWERS = {{'extra_parameters': {given}}}"), "extra_parameters")
        assert caught.value.kind is kind


WRONG_TYPES = {
    "a whole number": ["True", "'0'", "[0]", "0.5", "float('nan')", "np.float64(0.5)", "np.array([1, 2])"],
    "a number": ["False", "'1/2'", "(1, 2)", "np.bool_(True)", "np.inf", "{'a': np.int64(3)}"],
    "yes or no": ["1", "0.0", "'yes'", "np.int64(0)", "[True]"],
}
"""Wrong values for each form of answer, written as Python code."""


def test_an_answer_of_another_type_names_the_type_and_never_the_value(assignment: Assignment) -> None:
    solution, reference = catalogue.solution(assignment), Reference(assignment)
    right = dict(vars(solution)["ANSWERS"])
    for key, value in right.items():
        form = form_of_right_answer(value)
        for code in WRONG_TYPES.get(form, ["5", "True", "['a']"]):
            vars(solution)["ANSWERS"] = right | {key: eval(code, {"np": np})}
            with pytest.raises(FailedTestError) as caught:
                expect.answer(StudentModule(assignment.name, catalogue.ModuleBackend(solution), reference), key)
            told = caught.value
            if told.hint is None:  # otherwise it is a known wrong number, such as a fraction for a whole number
                answer = value_text(vars(solution)["ANSWERS"][key])
                words = [HOW_TO_WRITE_BY_FORM.get(form, form) + quoted for quoted in ("", ", without quotes,")]
                assert told.kind is Kind.UNANSWERED and "np." not in answer
                assert told.message in [f"{key}: write {each} instead of {answer}" for each in words]


def test_a_right_answer_may_be_written_as_a_fraction(assignment: Assignment) -> None:
    solution = catalogue.solution(assignment)
    right = dict(vars(solution)["ANSWERS"])
    numbers = {key: value for key, value in right.items() if type(value) in (int, float)}
    vars(solution)["ANSWERS"] = right | {key: Fraction(value) for key, value in numbers.items()}
    submission = StudentModule(assignment.name, catalogue.ModuleBackend(solution), Reference(assignment))
    for key in numbers:
        expect.answer(submission, key)


@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "int64", "int8", "uint16", "bool"])
def test_no_message_shows_numpys_names_of_types(kind: str) -> None:
    """Numbers inside lists, tuples and dicts are also written as in Python, and long values are truncated."""
    for number in np.array([0, 1, 2.5, 100]).astype(kind):
        text = value_text(number)
        assert text == repr(number.item()) == value_text(np.array(number))
        assert (
            value_text([number, (number,)]) == f"[{text}, ({text},)]"
            and value_text({"a": number}) == f"{{'a': {text}}}"
        )
    assert value_text([np.zeros((2, 3))]) == "[an array of shape (2, 3)]"
    assert len(value_text("a" * 999)) <= 60 and value_text(np.float64(1 / 3), 3) == "0.333"


def test_a_test_that_asks_the_impossible_blames_itself() -> None:
    rope = submission("def rope_frequencies(head_dim, base=1.0): return 1")
    with pytest.raises(BrokenTestError):
        expect.raises(ValueError, rope.rope_frequencies, 8)
    with pytest.raises(BrokenTestError):
        expect.matches(rope.rope_frequencies, 7)


def test_nearly_correct_values_are_told_with_their_right_digits() -> None:
    expected = np.linspace(0.1, 0.9, 8)
    words = words_of(expected * 1.00002, expected)
    assert words.endswith("right to 5 digits")
    words = words_of(expected.astype("f4").astype(float), expected)
    assert words.endswith("digits: compute in float64")
    words = words_of(expected * 1e-5, expected * 1.1e-5)
    assert "digits" not in words


ROUNDED_TO_FLOAT16 = {
    "a table": np.cos(np.outer(np.arange(5), [1.0, 0.1, 0.01])),
    "one number": np.float64(0.7),
    "numbers beyond float16": np.array([0.1, 65535.0, 1e6, -1e7]),
    "an infinite value": np.array([0.3, np.inf, -np.inf, 0.0]),
    "NaN": np.array([0.3, np.nan]),
}


@pytest.mark.parametrize("expected", ROUNDED_TO_FLOAT16.values(), ids=ROUNDED_TO_FLOAT16)
def test_float16_is_named_as_low_precision_and_not_as_a_wrong_value(expected: np.ndarray) -> None:
    """Values rounded to float16, whatever their dtype, get a message that names the cause. Values computed from float16
    but not rounded afterwards also count as nearly right."""
    with np.errstate(over="ignore"):
        half = np.asarray(expected).astype(np.float16)
    for actual in (half, half.astype(np.float32), half.astype(np.float64)):
        differs = expect.difference(actual, expected)
        assert differs is not None and differs.kind is Kind.PRECISION
        assert differs.words.endswith("every value is rounded to float16: compute in float64")
    differs = expect.difference(expected * 1.001, expected)
    assert differs is not None and differs.kind is Kind.PRECISION and "float16" not in differs.words


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (np.array([0.5, 0.25]), np.array([0.5, 0.3])),
        (np.zeros(3), np.array([1.0, 2.0, 3.0])),
        (np.array([1.0, np.nan]), np.array([1.0, 1.0])),
        (np.array([1.0, np.inf]), np.array([1.0, 60000.0])),
        (np.array([-np.inf]), np.array([1e6])),
        (np.array([999]), np.array([1000])),
        (np.array([1e-9]), np.array([0.0])),
    ],
)
def test_other_wrong_values_are_not_put_down_to_low_precision(actual: np.ndarray, expected: np.ndarray) -> None:
    differs = expect.difference(actual, expected, tolerance=1e-12)
    assert differs is not None and differs.kind is Kind.VALUE and "float16" not in differs.words


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("No", "write True or False, without quotes, instead of 'No'"),
        (1, "write True or False instead of 1"),
        (None, None),
        (True, None),
    ],
)
def test_a_truth_is_written_as_python_has_it(given: Any, words: str | None) -> None:
    faults = [fault for _, fault in form_errors({"key": given}, {"key": form_of_right_answer(False)})]
    assert faults == ([f"key: {words}"] if words else [])


@pytest.mark.parametrize(
    ("given", "is_near"),
    [
        (0.5173, True),  # truncated
        (0.517, True),
        (0.52, True),  # rounded
        (0.51, True),
        (0.5, False),  # too few digits to count as near
        (0.5175, False),
        (-0.5174, False),
        (0.517363, False),  # correct rather than near
        (1, False),
        (float("nan"), False),
        ("0.5174", False),
    ],
)
def test_a_number_that_lacks_digits_is_right_so_far(given: Any, is_near: bool) -> None:
    assert lacks_digits(given, 0.517363) is is_near
    said = [words for _, words in practice_results({"key": given}, {"key": {"value": 0.517363, "reason": ""}})]
    assert ("key is right so far, but needs five digits" in said) is is_near


def test_a_graded_answer_that_lacks_digits_says_so() -> None:
    key = "score_at_half_a_rotation"
    with pytest.raises(FailedTestError, match="right so far, but needs five digits"):
        expect.answer(submission(f"ANSWERS = {{'{key}': -0.707}}"), key)
    expect.answer(submission(f"ANSWERS = {{'{key}': -0.70711}}"), key)


def lines_until_failure(result: str) -> int:
    """Return the number of lines that `checks` executes for a call that receives a result and raises an exception."""
    rope = submission(f"import numpy as np\ndef rotate_half(x): return {result}\ndef apply_rope(x): raise IndexError")
    value, executed = rope.rotate_half(X), Counter[str]()

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        executed[event] += "checks" in frame.f_code.co_filename
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(FailedTestError) as caught:
            rope.apply_rope(value)
    finally:
        sys.settrace(before)
    assert (caught.value.function is None) == ("zeros" in result)  # an array of the student may be the reason
    return executed["line"]


@pytest.mark.parametrize("result", ["[0.0] * {}", "[np.zeros(1)] * {}", "{{str(i): 0.0 for i in range({})}}"])
def test_twice_as_wide_a_result_that_a_test_passes_on_takes_twice_the_time(result: str) -> None:
    """A submission may return as many values as fit in a message; the number of pairs of values has no limit."""
    assert lines_until_failure(result.format(800)) < 3 * lines_until_failure(result.format(400))


@pytest.mark.parametrize("result", ["[]", "()", "{}", "[(), {}]"])
def test_an_empty_result_that_a_test_passes_on_is_never_the_tests_fault(result: str) -> None:
    rope = submission(f"def rotate_half(x): return {result}")
    for check in (expect.matches, expect.answers):
        with pytest.raises(FailedTestError):
            check(rope.apply_rope, rope.rotate_half(X), np.arange(2))


def test_a_value_that_no_call_returned_says_that_the_test_computed_it() -> None:
    """Without its last line, the message would make students look for the value in the call's result."""
    test = Test("t", "rotate_half", 1.0, Phase.PUBLIC, "A rule.")
    line = "\nThe test computed this value from what your functions returned."
    cases = [(lambda x: x, False), (lambda x: x[0], False), (lambda x: x + 1, True), (lambda x: x[x > 3], True)]
    for computed, is_computed in cases:
        rope = submission("def rotate_half(x): return x + 1")
        with pytest.raises(FailedTestError) as caught:
            expect.close(computed(rope.rotate_half(X)), np.zeros(9), "nothing")
        result = results.test_result(test, caught.value, rope)
        assert result.message.endswith(line) is is_computed


def test_an_answer_for_practice_is_told_at_home_without_its_reason_where_it_is_wrong() -> None:
    practice = {
        "keys": {"value": 8, "reason": "2 · 4"},
        "share": {"value": 0.25, "reason": ""},
        "order": {"value": True, "reason": "a sum"},
    }
    told = {
        (9, 0.1, False): ["keys is too large", "share is too small", "order is not right"],
        (8.0, 0.250001, True): ["keys is right: 2 · 4", "share is right", "order is right: a sum"],
        (None, "?", 1): [],
    }
    for given, expected in told.items():
        said = [*practice_results(dict(zip(practice, given, strict=True)), practice)]
        assert said == [("is right" in words, words) for words in expected]


@pytest.mark.parametrize(
    ("got", "words"),
    [
        ({"a": X, "b": [{"c": X}, {"c": X}]}, None),
        ({"b": ({"c": X}, {"c": X}), "a": X}, None),
        ({"a": X, "b": [{"c": X}, {"c": X + 1}]}, "in 'b', in result 2 of 2, in 'c', at index (0, 0)"),
        ({"a": X, "b": [{"c": X}]}, "in 'b', expected 2 results, got a list of 1"),
        (
            {"a": X, "b": [X, X]},
            "in 'b', in result 1 of 2, expected a dict, got an array of shape (2, 4), dtype float64",
        ),
        ({"a": X}, "expected a dict with the entries a, b; got the entries a"),
        (
            {"a": X, "b": [{"c": X}, {"c": X}], "d" * 999: X},
            "expected a dict with the entries a, b; got the entries a, b, d",
        ),
        ([X, X], "expected a dict, got a list"),
    ],
)
def test_a_nested_result_is_compared_part_by_part(got: object, words: str | None) -> None:
    """Lists and tuples are equivalent, and the order of dict entries does not matter."""
    differs = expect.difference(got, {"a": X, "b": [{"c": X}, {"c": X}]})
    assert differs is None if words is None else differs and words in differs[1] and len(differs[1]) < 400


def test_the_dtype_of_each_part_of_a_nested_result_counts() -> None:
    single = X.astype(np.float32)
    assert leaves({"b": [(X, 2), [single]], "a": 1})[0] == 1
    assert [np.asarray(part).dtype.name for part in leaves([(X, single), {"a": X}])] == [
        "float64",
        "float32",
        "float64",
    ]


def test_an_answer_may_be_asked_to_fewer_digits() -> None:
    assert answer_matches(0.808, 21 / 26, tolerance=1e-3) and not answer_matches(0.81, 21 / 26, tolerance=1e-3)
    assert not answer_matches(0.808, 21 / 26) and not answer_matches(7.0, 8, tolerance=1.0)
