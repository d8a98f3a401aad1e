"""Every known mistake loses points and is named, and it costs once: what builds on it is asked again with right values
below, and neither a second guess nor a lazy function gains anything by that."""

from __future__ import annotations

import re
import types
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from autograder import course
from autograder.checks.results import Phase, TestResult, by_question, points_possible, points_won
from autograder.course import Assignment
from autograder.grading.follow_through import follow_through
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.catalogue import Misconception
from autograder.hints.explain import with_causes
from autograder.protocol import call
from tests.grader.support.loaded import Loaded
from tests.grader.tools import causes

MOST = 0.45
"""The share of an assignment that one mistake may cost."""


def judged(suite: Suite, backend: Loaded) -> list[TestResult]:
    """The results of all tests, as a grader has them."""
    seen = suite.run(backend, Phase.PUBLIC, Phase.ANSWERS)
    return judged_by(suite, backend, seen, suite.run(backend, Phase.HIDDEN))


def judged_by(
    suite: Suite, backend: Loaded, seen: Sequence[TestResult], hidden: Sequence[TestResult]
) -> list[TestResult]:
    """The same, of what was seen before."""
    public = follow_through(suite, backend, seen)
    return [*public, *follow_through(suite, backend, hidden, public)]


@dataclass
class Known:
    """A known mistake: what the suite says of the solution with it."""

    entry: Misconception
    named: list[TestResult]
    """with likely causes, and no follow-through"""
    judged: list[TestResult]
    """as a grader has them"""


@pytest.fixture
def known(assignment: Assignment, suite: Suite) -> list[Known]:
    """Every known mistake of the assignment."""
    if assignment.name not in _KNOWN:
        _KNOWN.clear()
        _KNOWN[assignment.name] = [_tried(assignment, suite, entry) for entry in catalogue.entries(assignment)]
    return _KNOWN[assignment.name]


_KNOWN: dict[str, list[Known]] = {}
"""Of the assignment at hand: tests are run assignment by assignment."""


def _tried(assignment: Assignment, suite: Suite, entry: Misconception) -> Known:
    backend = Loaded(catalogue.mistaken(assignment, entry))
    seen, hidden = suite.run(backend, Phase.PUBLIC, Phase.ANSWERS), suite.run(backend, Phase.HIDDEN)
    named = with_causes(suite.reference, [*seen, *hidden])
    return Known(entry, named, judged_by(suite, backend, seen, hidden))


def test_every_known_mistake_loses_points_and_is_named(assignment: Assignment, known: list[Known]) -> None:
    """And no other of the same function with it: on the suite's own inputs any two differ, or share a hint."""
    hints = {one.entry.hint for one in known}
    for one in known:
        entry = one.entry
        assert any(not result.passed for result in one.named), f"{entry.name} passes every test"
        told = [result.hint for result in one.named if result.hint and result.test.question == entry.function]
        assert entry.hint in told, f"no test says what is behind {entry.name}, but {told}"
        assert not any(hint in said for said in told for hint in hints - {entry.hint}), (
            f"{entry.name} is told as {told}"
        )


def test_no_single_mistake_costs_more_than_its_share(assignment: Assignment, suite: Suite, known: list[Known]) -> None:
    results = {one.entry.name: one.judged for one in known}
    for version in causes.versions(assignment):
        results[version.name] = judged(suite, Loaded(catalogue.mistaken(assignment, version)))
    lost = {name: 1 - points_won(every) / sum(one.test.points for one in every) for name, every in results.items()}
    # The examples of a new assignment: one function is worth more than its share.
    few = len({test.question for test in suite.tests}) <= 1 / MOST
    assert few or not {name: share for name, share in lost.items() if share > MOST}
    assert [name for name, share in lost.items() if not share] == []


def wrong_in_other_ways(function: str) -> dict[str, str]:
    """Texts that put something else in the place of a function."""
    return {
        "raises": f"def {function}(*args, **kwargs):\n    import numpy\n    return numpy.zeros(3) + numpy.zeros(4)",
        "refuses": f"def {function}(*args, **kwargs):\n    raise ValueError",
        "is open": f"def {function}(*args, **kwargs):\n    raise NotImplementedError",
        "is not there": f"del {function}",
        "returns text": f"def {function}(*args, **kwargs):\n    return 'an answer'",
    }


def loaded(assignment: Assignment, *texts: str) -> types.ModuleType:
    """The solution with further text at its end."""
    text = "\n\n".join([assignment.solution.read_text("utf-8"), *texts])
    return call.load(assignment.name, [text], str(assignment.solution))[0]


def functions_of(suite: Suite) -> list[str]:
    """The functions of an assignment."""
    return list(dict.fromkeys(test.question for test in suite.tests if test.question != call.ANSWERS))


def test_raising_leaving_open_and_being_wrong_cost_the_same_and_nothing_else(
    assignment: Assignment, suite: Suite
) -> None:
    """One rule for all: a function loses its own points, and none that builds on it loses any."""
    for number, function in enumerate(functions_of(suite)):
        ways = wrong_in_other_ways(function)
        for way in {"is open", list(ways)[number % len(ways)]}:
            results = judged(suite, Loaded(loaded(assignment, ways[way])))
            lost = {name for name, group in by_question(results).items() if not all(one.passed for one in group)}
            assert lost == {function}, (function, way, lost)


def test_a_lazy_function_earns_nothing_above_one_that_is_not_there(assignment: Assignment, suite: Suite) -> None:
    reference = suite.reference
    for number, function in enumerate(functions_of(suite)):
        module = loaded(assignment, wrong_in_other_ways(function)["raises"])
        above = {name for name in functions_of(suite) if function in reference.blocks.below(name)}
        for other, name in enumerate(sorted(above), start=number):
            setattr(module, name, _lazy(vars(reference.right)[name], list(LAZY)[other % len(LAZY)]))
        with np.errstate(all="ignore"):
            results = judged(suite, Loaded(module))
        earned = [one.test.name for one in results if one.passed and one.given and one.test.question in above]
        assert not earned, (function, earned)


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
"""One guess in the first process, and another one where a file sees that it is asked again."""


def test_a_second_guess_counts_for_nothing_but_above_a_base_that_is_given_up(
    assignment: Assignment, suite: Suite, grader: Grader
) -> None:
    names = functions_of(suite)
    text = assignment.solution.read_text("utf-8") + HEDGED.replace("NAMES", repr(names))
    results = grader.grade(assignment, (text,)).test_results
    for one in results:
        below = suite.reference.blocks.below(one.test.question)
        called = {each.function for each in suite.calls_of(one.test)}
        assert not one.passed or one.given is None or one.given in {*below, *called} - {one.test.question}
    own = [one for one in results if {each.function for each in suite.calls_of(one.test)} <= {one.test.question}]
    assert not [
        one.test.name for one in own if one.passed and one.given and not suite.reference.blocks.below(one.test.question)
    ]


@pytest.mark.parametrize(
    ("name", "base", "function", "old", "new"),
    [
        ("rope", "rope_frequencies", "rope_cos_sin", "rope_frequencies(head_dim, base))",
         "2 * np.pi * float(base) ** (-np.arange(0, head_dim, 2) / head_dim))"),
        ("rope", "rope_cos_sin", "apply_rope", "cos, sin = rope_cos_sin(positions, x.shape[-1], base)",
         "sin, cos = rope_cos_sin(positions, x.shape[-1], base)"),
        ("alibi", "alibi_bias", "alibi_attention", "alibi_bias(n_heads, q_len, k_len)", "bloom_bias(n_heads, k_len)"),
        ("attention", "softmax", "attention_weights", "-np.inf", "-1e9"),
        ("sinusoidal", "frequencies", "shift_matrix", '_check_real(offset, "o', '-_check_real(offset, "o'),
    ],
)  # fmt: skip
def test_a_wrong_function_earns_no_more_above_one_that_raises(
    name: str, base: str, function: str, old: str, new: str, suites: dict[str, Suite]
) -> None:
    assignment = course.find(name)
    suite = suites.setdefault(name, Suite(assignment))
    source = assignment.solution.read_text("utf-8")
    begin = source.index(f"def {function}(")
    assert old in source[begin:]
    mistaken = source[:begin] + source[begin:].replace(old, new, 1)
    points = []
    for text in (mistaken, f"{mistaken}\n\n{wrong_in_other_ways(base)['raises']}"):
        module, failure = call.load(name, [text], str(assignment.solution))
        assert failure is None
        points.append(points_won(by_question(judged(suite, Loaded(module)))[function]))
    assert points[1] <= points[0] < points_possible(by_question(suite.run(Loaded(module)))[function])


def of(name: str, entry: str) -> Misconception:
    return next(one for one in catalogue.entries(course.find(name)) if one.name == entry)


def test_what_builds_on_a_known_mistake_earns_its_points_and_says_so(suites: dict[str, Suite]) -> None:
    rope = course.find("rope")
    suite = suites.setdefault("rope", Suite(rope))
    results = by_question(judged(suite, Loaded(catalogue.mistaken(rope, of("rope", "exponent_counts_pairs")))))
    wrong = {name for name, group in results.items() if not all(one.passed for one in group)}
    assert wrong == {"rope_frequencies"}
    assert all(one.given in (None, "rope_frequencies") for group in results.values() for one in group)
    assert any(one.passed and one.given == "rope_frequencies" for one in results["rope_attention"])


ROPE = course.find("rope").solution.read_text("utf-8")


@pytest.mark.parametrize("function", re.findall(r"^def ([a-z]\w+)", ROPE, re.MULTILINE))
def test_a_worker_and_its_second_look_give_what_one_process_gives(
    function: str, suites: dict[str, Suite], grader: Grader
) -> None:
    """Also where a test hands on what was rounded in another way, so that the first process is asked something new."""
    rounded = (
        "\n\nexact = apply_rope\n\ndef apply_rope(*args, **kwargs):\n    return exact(*args, **kwargs) * (1 + 2**-50)\n"
    )
    wrong = "result[::-1]" if function in ("rope_cos_sin", "decode_step") else "result * 2"
    text = (
        f"{ROPE}{rounded}\n\nown = {function}\n\ndef {function}(*args, **kwargs):\n    result = own(*args, **kwargs)\n"
    )
    text += f"    return {wrong}\n"
    module = types.ModuleType("rope")
    module.__file__ = "rope.py"
    exec(text, vars(module))
    here = judged(suites.setdefault("rope", Suite(course.find("rope"))), Loaded(module))
    there = grader.grade(course.find("rope"), (text,)).test_results
    assert {one.test: (one.passed, one.given) for one in there} == {one.test: (one.passed, one.given) for one in here}


@pytest.mark.parametrize(
    ("name", "function", "change"),
    [
        ("rope", "rope_cos_sin", "tuple(np.concatenate([part, part], axis=-1) for part in result)"),
        ("rope", "rope_cos_sin", "tuple(np.repeat(part, 2, axis=-1) for part in result)"),
        ("rope", "rope_cos_sin", "(2 * result[0], 2 * result[1])"),
        ("rope", "rope_frequencies", "np.degrees(result)"),
        ("rope", "rope_frequencies", "2 * np.pi / result"),
        ("alibi", "alibi_bias", "np.swapaxes(result, -1, -2)"),
        ("alibi", "alibi_bias", "np.moveaxis(result, 0, -1)"),
        ("sinusoidal", "frequencies", "result[:, np.newaxis]"),
        ("alibi", "alibi_slopes", "result.tolist()"),
        ("relative", "clip_positions", "list(result)"),
    ],
)
def test_a_right_result_in_another_form_costs_once_and_nobody_else_is_blamed(
    name: str, function: str, change: str, grader: Grader
) -> None:
    assignment = course.find(name)
    cell = f"""
_right = {function}
def {function}(*args, **kwargs):
    result = _right(*args, **kwargs)
    return {change}
"""
    grade = grader.grade(assignment, (assignment.solution.read_text("utf-8") + cell,))
    assert 0 < 1 - grade.score / grade.max_score <= MOST
    given = [result for result in grade.test_results if result.passed and result.given]
    assert given and {result.given for result in given} == {function}
    mistakes = [result for result in grade.test_results if not result.passed]
    assert all(result.given in (None, function) for result in mistakes)
    assert {result.test.question for result in mistakes if result.hint} <= {function}


def test_a_refusal_that_fails_by_a_known_mistake_below_earns_its_points(suites: dict[str, Suite]) -> None:
    """One bit too few is needed there, so too few columns pass: the check itself is right."""
    naive = course.find("naive")
    suite = suites.setdefault("naive", Suite(naive))
    results = judged(suite, Loaded(catalogue.mistaken(naive, of("naive", "bits_rounded_down"))))
    passed = {result.test.name: result.given for result in results if result.passed}
    assert passed["test_binary_refuses_too_few_bits"] == passed["test_gray_refuses_too_few_bits"] == "bits_needed"


LAZY = {
    "zeros": lambda args, right: np.zeros(np.shape(right), np.asarray(right).dtype),
    "ones": lambda args, right: np.ones(np.shape(right), np.asarray(right).dtype),
    "the identity": (
        lambda args, right: np.broadcast_to(
            np.eye(*np.shape(right)[-2:]) if np.ndim(right) > 1 else 1.0, np.shape(right)
        ).copy()
    ),
    "its first argument": lambda args, right: args[0],
    "zero": lambda args, right: 0.0,
}


def _lazy(right: object, work: str) -> object:
    def lazy(*args: object, **kwargs: object) -> object:
        value = right(*args, **kwargs)  # type: ignore[operator]
        made = LAZY[work]
        return tuple(made(args, part) for part in value) if isinstance(value, tuple) else made(args, value)

    return lazy


FORMS = """

_right, _calls = alibi_slopes, []
def alibi_slopes(n_heads):
    _calls.append(n_heads)
    return _right(n_heads) * (2.0 if len(_calls) > LIMIT else 2.0 ** (8 / 2 ** (len(_right(n_heads)).bit_length() - 1)))
"""


def test_what_public_tests_earned_is_settled_before_the_first_hidden_call(grader: Grader) -> None:
    """A function that behaves otherwise once hidden tests have begun changes nothing of what is decided."""
    alibi = course.find("alibi")
    source = alibi.solution.read_text("utf-8") + FORMS
    module, _ = call.load("alibi", [source.replace("LIMIT", "10**6")], str(alibi.solution))
    suite = Suite(alibi)
    seen = suite.run(Loaded(module), Phase.PUBLIC, Phase.ANSWERS)
    follow_through(suite, Loaded(module), seen)
    grade = grader.grade(alibi, (source.replace("LIMIT", str(len(vars(module)["_calls"]))),))
    given = {one.test for one in grade.test_results if one.passed and one.given == "alibi_slopes"}
    assert any(not test.hidden for test in given)
    for public in (Phase.PUBLIC, Phase.ANSWERS):
        decided = [{one.test for one in part.test_results if one.passed} for part in (grade.at_once, grade.final)]
        assert len({frozenset(test for test in each if test.phase is public) for each in decided}) == 1
