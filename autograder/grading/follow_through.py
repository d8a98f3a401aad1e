"""Deduct points for a mistake only once: a failed test that depends on a wrong function runs again with correct values.

Examiners call this rule "error carried forward". In the second run of a failed test, the wrong functions that the
tested function builds on return correct values: the solution computes them in the grader, and only values reach the
submission's second process. If the test passes, the student gets its points on two conditions:

1. In some call of the second run, a correct value differs from the result of the submission's own function.
2. Every result in the first run is an error, or right, or the result of the *solution* with the submission's *own*
   wrong functions. An honest function applies the correct formula to the results of the submission's wrong functions. A
   dishonest function might return one guess in the first run and another in the second, but the solution with the wrong
   functions does not return the first guess unless that guess is right. The solution is only one correct way to write
   the function, so other ways in the catalogue (`another_correct_way`) also count. A submission's calls cannot prove
   that a function is honest: one that calls a wrong function and then returns a guess makes the same calls as an honest
   one. (There is one exception: a wrong function that itself turns one guess into the other, as when two signs cancel.
   That function loses its points.)

The second process calls the submission's own functions before it receives any call from a test, because a function that
has not seen the test's call cannot look up a value that would justify a wrong guess. The second process then restarts,
because those calls contain arguments that the solution computes. A function's tests are rerun before the tests of
functions that build on it, because those bring its correct values into the second process, where the submission could
keep them and so pass the function's own tests.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence

from autograder.checks.results import Test, TestResult
from autograder.grading.follow_through_limits import FollowThroughBudget
from autograder.grading.follow_through_processes import EXCHANGE_CELL_TEMPLATE, GradedProcess, ProcessWithSubstitutes
from autograder.grading.follow_through_second_run import Retry, WrongFunctions
from autograder.grading.suite import Suite
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure_kinds import STOPPED, CallStopped, Kind
from autograder.sandbox.sandboxed_submission import SandboxedBackend

_MISSING = frozenset({Kind.NOT_WRITTEN, Kind.NOT_REACHED})
"""Kinds of failure that mean that the function is missing from the submission."""

_NEVER_RETRIED = STOPPED | {Kind.ANSWER, Kind.UNANSWERED}
"""Kinds of failure that a second run with correct values cannot fix."""


def follow_through(
    suite: Suite, backend: SandboxedBackend, results: Sequence[TestResult], earlier: Sequence[TestResult] = ()
) -> list[TestResult]:
    """Return the results, replacing each failure that passes with correct values by a pass.

    `earlier` lists the results of earlier phases, after follow-through.
    """
    all_results = [*earlier, *results]
    wrong = WrongFunctions.among(all_results, suite.reference)
    missing = {result.test.question for result in all_results if result.kind in _MISSING}
    failed = [result for result in results if not result.passed and result.kind not in _NEVER_RETRIED]
    written = [result for result in failed if result.test.question not in missing]
    if not written:
        return list(results)
    in_time = functools.partial(_while_submission_has_time, backend=backend)
    functions = sorted({test.question for test in suite.tests} - {ANSWERS})
    with backend.second_process(EXCHANGE_CELL_TEMPLATE.format(functions=functions)) as second_backend:
        first = GradedProcess(backend, all_results)
        second = ProcessWithSubstitutes(second_backend, suite.reference, FollowThroughBudget())
        retries = [Retry(result, suite.calls_to_solution(result.test), wrong, first, second) for result in written]
        first.fetch_replies(call for retry in in_time(retries) for call in retry.iter_calls_to_replaced())
        helped = [retry for retry in in_time(retries) if retry.may_pass_with_correct_values()]
        first.fetch_replies(call for retry in in_time(helped) for call in retry.iter_calls_only_in_second_run())
        inner_calls = [call for retry in in_time(helped) for call in retry.iter_inner_calls_of_unexplained()]
        with contextlib.suppress(CallStopped):
            second.fetch_submitted_values(call for call in inner_calls if call.function not in first.silent)
        # These calls are sent for all retries before any retry runs.
        allowed = [retry for retry in in_time(helped) if retry.are_first_replies_explained()]
        passed: dict[Test, TestResult] = {}
        for retries in _groups_in_dependency_order(allowed, suite):
            with contextlib.suppress(CallStopped):
                second.fetch_helped(
                    request for retry in in_time(retries) for request in retry.iter_calls_needing_help()
                )
            retried = [retry.passed_result(suite) for retry in in_time(retries)]
            passed |= {result.test: result for result in retried if result is not None}
    return [passed.get(result.test, result) for result in results]


def _groups_in_dependency_order(retries: Sequence[Retry], suite: Suite) -> Iterator[list[Retry]]:
    """Yield the retries in groups, a function's retries before any that use that function's correct values."""
    replaced = frozenset().union(*(retry.replaced for retry in retries))
    retried = replaced & {retry.result.test.question for retry in retries}
    dependencies = suite.reference.call_graph_of_all_ways.dependencies

    def depth(retry: Retry) -> int:
        return len(dependencies(retry.result.test.question) & retried)

    for _, group in itertools.groupby(sorted(retries, key=depth), depth):
        yield list(group)


def _while_submission_has_time(retries: Iterable[Retry], backend: SandboxedBackend) -> Iterator[Retry]:
    """Yield the retries until the submission's time runs out; checking replies also takes time."""
    return itertools.takewhile(lambda _: not backend.is_out_of_time, retries)
