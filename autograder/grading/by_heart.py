"""Values that are kept from the handout and not computed: the points of public tests are for what is right on other
inputs, too.

Asked of functions that a hidden test finds wrong, in a program of its own: what the submission has done until then, its
time that is used up too, makes no difference. First their public tests run on other features: what passes on the
handout's alone was kept. A function of which that says nothing, since its inputs are fixed by their nature, is called
as the hidden tests call the solution: it has kept its values where most of the handout's tests pass and not one of
these calls comes out right.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from autograder.checks.proxy import Backend
from autograder.checks.results import Phase, TestResult, points_possible, points_won
from autograder.grading.suite import Suite
from autograder.hints.observed import ObservedTest, Restartable, is_looked_at
from autograder.protocol.call import Call
from autograder.protocol.failure import Kind, Stopped
from autograder.protocol.status import TestStatus

DRAWS = 2
"""How often other features are drawn: a function that computes, and passed by luck, passes again in one of them."""

ENOUGH, MOST = 3, 12
"""Calls that a function has to be asked before it is said that it answers none of them, and that it is asked at
most."""

MESSAGE = "it is right on the inputs of the handout, and wrong on this term's: values seem to be kept, and not computed"


def take_back(
    suite: Suite, backend: Restartable, public: Sequence[ObservedTest], results: Sequence[TestResult]
) -> list[TestResult]:
    """The results without the points of public tests that were passed by heart. `public`: what the submission was seen
    to do in public tests."""
    wrong = {result.test.question for result in results if result.test.phase is Phase.HIDDEN and result.is_mistake}
    asked = [result for result in results if result.test.phase is Phase.PUBLIC and result.test.question in wrong]
    of_values = [result for result in asked if suite.asks_for_values(result.test)]
    passed = [result.test for result in of_values if result.passed]
    if not passed:
        return list(results)
    kept = [test for test in passed if suite.uses_features(test)]
    # What is right given the mistake of another function is computed.
    computed = {result.test.question for result in results if result.passed and result.function}
    for draw in range(DRAWS):
        with backend.anew() as again:
            right = {
                observed_test.result.test: _asks_something_new(suite, observed_test)
                for observed_test in suite.on_other_features(again, kept, public, draw)
                if observed_test.result.passed
            }
        computed |= {test.question for test, is_new in right.items() if is_new}
        kept = [test for test in kept if test not in right]
    # What builds on a wrong function may be right once by luck: a function that computes elsewhere is believed.
    believed = {question for question in computed if suite.oracle.blocks.below(question) & wrong}
    kept = [test for test in kept if test.question not in believed]
    by_heart = {test.question for test in kept}
    late = {result.test.question for result in results if result.status in (TestStatus.TIMEOUT, TestStatus.CRASHED)}
    open_still = {test.question for test in passed} - computed - by_heart
    with backend.anew() as again:
        for question in sorted(open_still, key=lambda question: (question in late, question)):
            own = [result for result in of_values if result.test.question == question]
            if points_won(own) > points_possible(own) / 2 and _answers_nothing(suite, again, question):
                by_heart.add(question)
    taken = {test for test in passed if test.question in by_heart and (test in kept or test.question not in computed)}
    return [
        TestResult(result.test, TestStatus.FAILED, MESSAGE, kind=Kind.BY_HEART) if result.test in taken else result
        for result in results
    ]


def _asks_something_new(suite: Suite, observed_test: ObservedTest) -> bool:
    """Whether a test on other features calls its function as it did not before: its own inputs may be others' than the
    features."""
    own = [call for call in observed_test.calls if call.function == observed_test.result.test.question]
    return any(not is_looked_at(call) or call.encoded not in suite.public_calls for call in own)


def _answers_nothing(suite: Suite, backend: Backend, function: str) -> bool:
    """Whether a function gives no right value to any of the calls that hidden tests make."""
    calls = suite.new_calls.get(function, [])
    calls = calls[:: max(1, len(calls) // MOST)][:MOST]
    return len(calls) >= ENOUGH and not any(_is_right(suite, backend, call) for call in calls)


def _is_right(suite: Suite, backend: Backend, call: Call) -> bool:
    with contextlib.suppress(Stopped):
        seen = suite.oracle.observation(call, backend.call(call))
        return seen is None or not seen.is_wrong
    return False
