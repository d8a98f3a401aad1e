"""A mistake costs once: a failed test that depends on a wrong function runs again with that function's right values.

Examiners call this error carried forward. A failed test runs once more, and in that run the wrong functions that the
tested one builds on return right values: the solution answers in the grader, and only values reach the submission's
second process. If the test then passes, it gets its points, on two conditions:

1. In the call that right values helped, a right value differs from the result of the submission's own function.
2. Every first answer of the test was allowed: an error, or right, or the *solution's* result with the submission's
   *own* wrong functions. An honest function is right with its own base. A function that keeps two guesses apart must
   have returned the first guess with a wrong base, and that follows from the solution only if the guess is right.
   The solution is one right way; others that the catalogue knows (`another_way`) count as well. The submission's own
   calls cannot extend them: a function that calls a wrong base, and then returns a guess, makes the same calls as an
   honest one.
   (An exception is a base that itself turns one guess into the other, such as two signs that cancel. Its points are
   lost.)

The second process answers questions to the submission's own functions before it gets any call itself, because a base
that has not seen the call cannot look up the value that would make a wrong guess follow.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence

from autograder.checks.results import TestResult
from autograder.grading.exchange_limits import Budget
from autograder.grading.retry import Retry, WrongFunctions
from autograder.grading.suite import Suite
from autograder.grading.two_processes import EXCHANGE_CELL, FirstProcess, SecondProcess
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import STOPPED, CallStopped, Kind
from autograder.sandbox.backend import SandboxedBackend

_MISSING = frozenset({Kind.NOT_WRITTEN, Kind.NOT_REACHED})

_NEVER_RETRIED = STOPPED | {Kind.ANSWER, Kind.UNANSWERED}
"""Kinds of failure that right values cannot turn into a pass."""


def follow_through(
    suite: Suite, backend: SandboxedBackend, results: Sequence[TestResult], earlier: Sequence[TestResult] = ()
) -> list[TestResult]:
    """Return the results, with a pass for each failed test that passes with right values.

    `earlier`: the results of earlier phases, after follow-through.
    """
    all_results = [*earlier, *results]
    wrong = WrongFunctions.among(all_results, suite.reference)
    missing = {result.test.question for result in all_results if result.kind in _MISSING}
    failed = [result for result in results if not result.passed and result.kind not in _NEVER_RETRIED]
    written = [result for result in failed if result.test.question not in missing]
    if not written:
        return list(results)
    in_time = functools.partial(_while_there_is_time, backend=backend)
    functions = sorted({test.question for test in suite.tests} - {ANSWERS})
    with backend.second_process(EXCHANGE_CELL.format(functions=functions)) as second_backend:
        first = FirstProcess(backend, all_results)
        second = SecondProcess(second_backend, suite.reference, Budget())
        retries = [Retry(result, suite.solution_calls(result.test), wrong, first, second) for result in written]
        first.fetch(question for retry in in_time(retries) for question in retry.undecided_calls())
        helped = [retry for retry in in_time(retries) if retry.collect_unexplained_replies()]
        first.fetch(call for retry in in_time(helped) for call in retry.new_calls())
        questions = [question for retry in in_time(helped) for question in retry.unexplained_inner_calls()]
        with contextlib.suppress(CallStopped):
            second.fetch_values(question for question in questions if question.function not in first.silent)
        # All retries send their questions before any retry runs.
        allowed = [retry for retry in in_time(helped) if retry.are_replies_explained()]
        with contextlib.suppress(CallStopped):
            second.fetch_helped(request for retry in in_time(allowed) for request in retry.helped_calls())
        retried = [retry.run(suite) for retry in in_time(allowed)]
        passed = {result.test: result for result in retried if result is not None}
    return [passed.get(result.test, result) for result in results]


def _while_there_is_time(retries: Iterable[Retry], backend: SandboxedBackend) -> Iterator[Retry]:
    """Yield the retries until the submission's clock has run out, since checking its replies also takes time."""
    return itertools.takewhile(lambda _: not backend.is_out_of_time, retries)
