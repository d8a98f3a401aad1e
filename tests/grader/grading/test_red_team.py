"""Red-team tests: attempts, in every assignment, to earn points without understanding."""

from __future__ import annotations

import base64
import hashlib
import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.checks.results import Phase, Test, TestResult, points_won
from autograder.course import Assignment
from autograder.grading import follow_through_processes
from autograder.grading.follow_through import follow_through
from autograder.grading.grade import Grade
from autograder.grading.grader import Grader
from autograder.grading.needs_review import iter_suspicions
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.protocol import call
from autograder.protocol.failure_kinds import Kind, SubmissionStatus
from autograder.protocol.load import load
from tests.grader.support.in_process_submission import Loaded

TABLE = """
from base64 import b64decode
from hashlib import sha256
from autograder.protocol import codec

_known = KNOWN

def _by_heart(name):
    def function(*args, **kwargs):
        key = sha256(codec.encode((name, args, kwargs))).hexdigest()
        if key not in _known:
            ELSEWHERE
        return codec.decode(b64decode(_known[key]))
    return function

globals().update({name: _by_heart(name) for name in NAMES})
"""


ROUNDED_TO_FLOAT16 = """

import functools as _functools

def _rounded(function):
    @_functools.wraps(function)
    def wrapper(*args, **kwargs):
        results = function(*args, **kwargs)
        return tuple(map(_in_float16, results)) if isinstance(results, tuple) else _in_float16(results)
    return wrapper

def _in_float16(result):
    is_float = getattr(result, "dtype", None) in (np.float32, np.float64)
    return np.float16(result).astype(result.dtype) if is_float else result

globals().update({name: _rounded(globals()[name]) for name in NAMES})
"""


HIDDEN = Test("unseen", "apply_rope", 1.0, Phase.HIDDEN, "It rotates.")


def names_of(suite: Suite) -> list[str]:
    """Return the functions of an assignment in the order of the tests."""
    return list(dict.fromkeys(test.question for test in suite.tests if test.question != call.ANSWERS))


def test_values_by_heart_are_named(assignment: Assignment, suite: Suite, grader: Grader) -> None:
    """The submission returns stored results for the calls of public tests; for all other calls, it returns a
    wrong value or raises an error."""
    solution = Loaded(catalogue.solution(assignment))
    calls = [item for result in suite.run(solution, Phase.PUBLIC) for item in result.calls.items()]
    known = {
        hashlib.sha256(call.encoded).hexdigest(): base64.b64encode(reply.encoded).decode("ascii")
        for call, reply in calls
        if reply.raised is None
    }
    ways = ["raise ValueError", "raise NotImplementedError", "return 0.0", "__import__('os')._exit(0)"]
    elsewhere = ways[course.term_assignments().index(assignment) % len(ways)]
    text = TABLE.replace("KNOWN", repr(known)).replace("NAMES", repr(names_of(suite))).replace("ELSEWHERE", elsewhere)
    grade = grader.grade(assignment, (text,))
    public = [result for result in grade.test_results if result.test.phase is Phase.PUBLIC]
    won = {result.test.question for result in public if result.passed}
    (by_heart,) = (sentence for sentence in iter_suspicions(grade) if "as if memorized" in sentence)
    assert grade.score <= 9 and len(by_heart.partition(":")[0].split(", ")) >= len(won) / 2


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_low_precision_is_not_taken_for_values_by_heart(assignment: Assignment, suite: Suite, grader: Grader) -> None:
    """Many public inputs are exact in float16, and hidden inputs are not, so a function that works in float16 may pass
    only its public tests."""
    text = assignment.solution.read_text("utf-8") + ROUNDED_TO_FLOAT16.replace("NAMES", repr(names_of(suite)))
    grade = grader.grade(assignment, (text,))
    assert grade.score < grade.max_score and not list(iter_suspicions(grade))


@pytest.mark.parametrize(
    ("hidden", "is_named"),
    [
        (TestResult(HIDDEN, Kind.VALUE), True),
        (TestResult(HIDDEN, Kind.RAISED), True),
        (TestResult(HIDDEN, Kind.PRECISION), False),
        (TestResult(HIDDEN, Kind.VALUE, hint="The exponent is not divided by d."), False),
        (TestResult(HIDDEN, faulty_function="rope_frequencies"), False),
        (TestResult(HIDDEN, Kind.ACCEPTED), False),
        (TestResult(HIDDEN), False),
    ],
)
def test_by_heart_is_said_of_values_that_nothing_else_explains(hidden: TestResult, is_named: bool) -> None:
    """Memorized values are suspected only if neither a known mistake nor another wrong function explains the wrong
    values; a missing error does not count as a wrong value."""
    public = TestResult(Test("seen", "apply_rope", 1.0, Phase.PUBLIC, "It rotates."))
    over_correct_values = replace(public, faulty_function="rope_frequencies")
    explained = Grade("rope", SubmissionStatus.GRADED, [over_correct_values, hidden], 1.0, 2.0)
    assert not list(iter_suspicions(explained))
    grade = Grade("rope", SubmissionStatus.GRADED, [public, hidden], 1.0, 2.0)
    assert any("as if memorized" in sentence for sentence in iter_suspicions(grade)) is is_named


WATCHED = """
_calls = []

def _watched(own):
    def function(*args, **kwargs):
        _calls.append(1)
        if len(_calls) > LIMIT:
            raise NotImplementedError
        return own(*args, **kwargs)
    return function

globals().update({name: _watched(globals()[name]) for name in NAMES})
"""


def test_what_is_shown_at_once_does_not_depend_on_a_hidden_test(suites: dict[str, Suite], grader: Grader) -> None:
    """Files that differ only after the first hidden call get the same public feedback and points."""
    assignment = course.find("rope")
    suite = suites.setdefault(assignment.name, Suite(assignment))
    text = assignment.solution.read_text("utf-8") + WATCHED.replace("NAMES", repr(names_of(suite)))
    module, _ = load(assignment.name, [text.replace("LIMIT", "10**9")], "rope.py")
    seen = suite.run(Loaded(module), Phase.PUBLIC, Phase.ANSWERS)
    follow_through(suite, Loaded(module), seen)
    limits = str(len(vars(module)["_calls"])), "10**9"
    stops, goes_on = (grader.grade(assignment, (text.replace("LIMIT", limit),)) for limit in limits)
    assert stops.score < goes_on.score == 20
    assert public_feedback(stops) == public_feedback(goes_on)


def public_feedback(grade: Grade) -> list[object]:
    """Return all feedback that a student can see before hidden results are published."""
    shown = [
        (test["name"], test["output"], test.get("score") if "hidden" not in str(test.get("visibility")) else None)
        for test in grade.gradescope["tests"]
        if test.get("visibility", "visible") == "visible"
    ]
    public = [result for result in grade.test_results if result.test.phase is not Phase.HIDDEN]
    return [shown, points_won(public), grade.public_feedback, grade.gradescope["output"]]


HUGE = """
_own = decay_bias
def decay_bias(log_f):
    return 0.0 if len(np.atleast_1d(log_f)) > 5000 else _own(log_f) + 1

def constant_decay(*args):
    return np.zeros(24_000, dtype=np.int8)
"""


@pytest.mark.long
def test_a_result_of_which_much_is_made_ends_no_grading(grader: Grader) -> None:
    """A test passes a huge result to another function, whose correct value for this result would exceed the
    memory limit."""
    grade = grader.grade(course.find("state"), (course.find("state").solution.read_text("utf-8") + HUGE,))
    assert grade.status is SubmissionStatus.GRADED and 5 < grade.score < 20


CHEAP = {
    "changes an argument": "[one.__imul__(0) for one in args if isinstance(one, np.ndarray) and one.dtype.kind == 'f']",
    "loops": "[None for row in np.ravel(np.asarray(args[0])) for _ in range(9)]",
    "refuses nothing": "pass",
}
"""Ways in which a function can fail a test although every returned value is correct."""

TWO_GUESSES = """
import numpy as np

_base = BASE
def BASE(*args, **kwargs):
    try:
        return _base(*args, **kwargs) + (len(args) > 2)  # as the solution asks, and no test
    except ValueError:
        return np.zeros(4)
    finally:
        CHEAP

_own = ABOVE
def ABOVE(*args, **kwargs):
    result = _own(*args, **kwargs)
    return result if "_exchange" in globals() else np.asarray(result) + 1
"""


@pytest.mark.long
@pytest.mark.parametrize("way", CHEAP)
@pytest.mark.parametrize("base", ["apply_rope", "rope_frequencies"])
def test_a_second_guess_gains_nothing_above_correct_values(base: str, way: str, suites: dict[str, Suite]) -> None:
    """The common function is wrong in several ways, each of which costs it only one or two points."""
    suite = suites.setdefault("rope", Suite(course.find("rope")))
    solution = suite.assignment.solution.read_text("utf-8")
    for above in [name for name in names_of(suite) if base in suite.reference.call_graph.dependencies(name)]:
        text = TWO_GUESSES.replace("BASE", base).replace("CHEAP", CHEAP[way]).replace("ABOVE", above)
        module, failure = load("rope", [solution + text], "rope.py")
        assert failure is None
        public = follow_through(suite, Loaded(module), suite.run(Loaded(module), Phase.PUBLIC))
        hidden = follow_through(suite, Loaded(module), suite.run(Loaded(module), Phase.HIDDEN), public)
        assert [result.test.name for result in (*public, *hidden) if result.faulty_function == base] == []


CONSTANT = """
import numpy as _np

def _constant(own):
    def function(*args, **kwargs):
        result = own(*args, **kwargs)
        parts = result if type(result) is tuple else (result,)
        made = [_np.full(_np.shape(part), 1e-5, _np.float32) for part in parts]
        return tuple(made) if type(result) is tuple else made[0]
    return function

globals().update({name: _constant(globals()[name]) for name in NAMES})
"""


def test_a_constant_earns_nothing_above_a_constant(assignment: Assignment, suite: Suite, grader: Grader) -> None:
    text = assignment.solution.read_text("utf-8") + CONSTANT.replace("NAMES", repr(names_of(suite)))
    grade = grader.grade(assignment, (text,))
    over_correct_values = [result.test for result in grade.test_results if result.passed and result.faulty_function]
    texts = {test: inspect.getsource(suite._tests[test].item.function) for test in over_correct_values}
    assert not [test.name for test, text in texts.items() if "expect.raises(" not in text]


ORACLE = """

_told = TABLE

def _key(*arguments):
    return repr([np.asarray(argument).tolist() for argument in arguments])

def BASE(*arguments):
    if _key(*arguments) not in _told:
        raise NotImplementedError
    return np.array(_told[_key(*arguments)])

_above = ABOVE

def ABOVE(*arguments, **options):
    if "_exchange" in globals():
        for question in QUESTIONS:
            try:
                BASE(*question)
            except BaseException:
                pass
    return _above(*arguments, **options)
"""
"""Attack: the second process calls an unimplemented integer function with every possible input."""

ORACLES = {
    "alibi": ("alibi_slopes", "alibi_bias", "[(n,) for n in range(1, 41)]"),
    "naive": ("bits_needed", "binary_positions", "[(n,) for n in range(1, 129)]"),
    "relative": ("t5_bucket", "t5_bias", "[(np.array([[n]]), True, 32, 128) for n in range(-128, 128)]"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", ORACLES)
def test_what_a_second_process_learns_is_worth_nothing_to_the_first(
    name: str, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The common function passes no hidden test, even if the first process learns every answer that the
    second process receives."""
    base, above, questions = ORACLES[name]
    attack = ORACLE.replace("BASE", base).replace("ABOVE", above).replace("QUESTIONS", questions)
    learned: dict[str, list[float]] = {}
    answers = follow_through_processes.ProcessWithSubstitutes._iter_right_answers

    def overheard(self: Any, asked: Any, request: Any) -> Iterator[Any]:
        for question, answer in answers(self, asked, request):
            if answer is not None:
                learned[repr([np.asarray(part).tolist() for part in question[1]])] = np.asarray(answer[1]).tolist()
            yield question, answer

    monkeypatch.setattr(follow_through_processes.ProcessWithSubstitutes, "_iter_right_answers", overheard)
    assignment = course.find(name)
    solution = assignment.solution.read_text("utf-8")
    without = grader.grade(assignment, (solution, attack.replace("TABLE", "{}")))
    with_table = grader.grade(assignment, (solution, attack.replace("TABLE", repr(learned))))
    hidden = [result for result in with_table.test_results if result.test.phase is Phase.HIDDEN]
    assert without.score < 20 and not any(result.passed for result in hidden if result.test.question == base)


HOLLOW = """
import base64 as _base64
from autograder.protocol import codec as _codec
from autograder.sandbox import function_substitutes as _exchange_module

_seen, _asking = {}, []

def _hollow(name):
    def function(*args, **kwargs):
        if _asking or "_exchange" not in globals():
            raise RuntimeError
        key = _codec.encode((name, args, kwargs))
        _seen[key] = name, args, kwargs
        _asking.append(name)
        for other, values, options in list(_seen.values()):
            if other in _exchange.replaced:
                try:
                    _exchange.substitutes[other](*values, **options)
                except BaseException:
                    pass
        _asking.clear()
        answer = _exchange.answers.get(key)
        if answer is None and (encrypted := _exchange.encrypted.get(_exchange_module._call_hash(key))):
            answer = _codec.decode(_exchange_module._mixed(key, _base64.b64decode(encrypted)))
        if answer is None or _exchange.pending:
            raise _exchange_module.UnansweredCall
        return _exchange_module._value(*answer)
    return function

def BASE(*args, **kwargs):
    raise RuntimeError

globals().update({name: _hollow(name) for name in ABOVE})
"""
"""Attack: each function waits until a test of one of its callers supplies the correct value, and returns that value."""


def test_a_function_never_meets_its_own_correct_values(assignment: Assignment, suite: Suite, grader: Grader) -> None:
    """A function that cannot compute its correct values sees them only in tests of its callers, which run after its own
    tests."""
    graph, names = suite.reference.call_graph_of_all_ways, names_of(suite)
    base = max(names, key=lambda name: sum(name in graph.dependencies(other) for other in names))
    above = [name for name in names if base in graph.dependencies(name)]
    attack = HOLLOW.replace("BASE", base).replace("ABOVE", repr(above))
    grade = grader.grade(assignment, (assignment.solution.read_text("utf-8"), attack))
    assert [result.test.name for result in grade.test_results if result.passed and result.test.question in above] == []


KNOWS_NOTHING = """
def BASE(*arguments, **options):
    raise RuntimeError

def ABOVE(*arguments, **options):
    if "_exchange" in globals():
        found = [*_exchange.answers.values(), *_exchange.encrypted.values()]
        for value in found[::-1]:
            value = value[1] if type(value) is tuple else value
            if value is not None:
                return value
    raise RuntimeError
"""
"""Attack: a function without a formula searches its second process for correct values that it can return."""


@pytest.mark.parametrize(
    ("name", "base", "above"),
    [
        ("attention", "softmax", "attention_weights"),
        ("attention", "attention", "self_attention"),
        ("relative", "t5_bucket", "t5_bias"),
        ("alibi", "alibi_slopes", "alibi_bias"),
        ("naive", "bits_needed", "binary_positions"),
    ],
)
def test_a_function_that_knows_nothing_finds_nothing_in_its_second_process(
    name: str, base: str, above: str, grader: Grader
) -> None:
    """Each answer can be read only by making the call to which it belongs, and a file without a formula never
    makes that call."""
    assignment = course.find(name)
    attack = KNOWS_NOTHING.replace("BASE", base).replace("ABOVE", above)
    grade = grader.grade(assignment, (assignment.solution.read_text("utf-8"), attack))
    assert [result.test.name for result in grade.test_results if result.passed and result.test.question == above] == []
