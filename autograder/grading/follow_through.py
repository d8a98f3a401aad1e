"""A mistake costs once: a failed test that depends on a wrong function runs again with that function's right values.

Examiners call this error carried forward. A failed test runs once more, and in that run the wrong functions that the
tested one builds on return right values: the solution answers in the grader, and only values reach the submission's
second process. If the test then passes, it gets its points, on two conditions:

1. In the call that right values helped, a right value differs from the result of the submission's own function.
2. Every first answer of the test was allowed: an error, or right, or the *solution's* result with the submission's
   *own* wrong functions. An honest function is right with its own base. A function that keeps two guesses apart must
   have returned the first guess with a wrong base, and that follows from the solution only if the guess is right.
   (An exception is a base that itself turns one guess into the other, such as two signs that cancel. Its points are
   lost.)

The second process answers questions to the submission's own functions before it gets any call itself, because a base
that has not seen the call cannot look up the value that would make a wrong guess follow.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from autograder.checks.expect import TOLERANCE, difference
from autograder.checks.results import TestResult
from autograder.grading.suite import Suite
from autograder.grading.two_processes import EXCHANGE_CELL, Budget, FirstProcess, SecondProcess, unmeasured
from autograder.hints.reference import Reference, dtypes
from autograder.protocol.call import ANSWERS, Call, Reply
from autograder.protocol.failure import RIGHT_VALUES, STOPPED, CallStopped, Kind
from autograder.sandbox.backend import SandboxedBackend

_MISSING = frozenset({Kind.NOT_WRITTEN, Kind.NOT_REACHED})

_NEVER_RETRIED = STOPPED | {Kind.ANSWER, Kind.UNANSWERED}
"""Kinds of failure that right values cannot turn into a pass."""

_FLOAT32 = np.dtype(np.float32)

MAX_LATE_CHECKS = 2
"""Maximum number of calls that only a test's second run makes and whose first answers it checks."""

T = TypeVar("T")


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
    functions = sorted({test.question for test in suite.tests} - {ANSWERS})
    with backend.second_process(EXCHANGE_CELL.format(functions=functions)) as second_backend:
        first = FirstProcess(backend, all_results)
        second = SecondProcess(second_backend, suite.reference, Budget())
        retries = [_Retry(result, suite.reference, wrong, first, second) for result in written]
        helped = [retry for retry in _while_there_is_time(retries, backend) if retry.is_helped_anywhere()]
        questions = [question for retry in helped for question in retry.own_questions()]
        with contextlib.suppress(CallStopped):
            second.fetch_values(question for question in questions if question.function not in first.silent)
        # All retries send their questions before any retry runs.
        allowed = [retry for retry in _while_there_is_time(helped, backend) if retry.is_allowed()]
        retried = [retry.run(suite) for retry in _while_there_is_time(allowed, backend)]
        passed = {result.test: result for result in retried if result is not None}
    return [passed.get(result.test, result) for result in results]


@dataclass(frozen=True)
class WrongFunctions:
    """The functions of a submission that returned a wrong result."""

    names: frozenset[str]
    """Names of all these functions."""
    without_right_values: frozenset[str]
    """Names of the functions that returned a wrong value or shape, or raised an exception, in a test."""

    @classmethod
    def among(cls, results: Sequence[TestResult], reference: Reference) -> WrongFunctions:
        """Return the functions that failed a test, or returned a wrong dtype that no test noticed."""
        failed = [result for result in results if not result.passed and result.test.question != ANSWERS]
        if not failed:
            return cls(frozenset(), frozenset())
        calls = (item for result in results for item in result.calls.items())
        of_wrong_dtype = {call.function for call, reply in calls if reference.has_wrong_dtype(call, reply)}
        names = {result.test.question for result in failed} | of_wrong_dtype
        without_right_values = {result.test.question for result in failed if result.kind not in RIGHT_VALUES}
        return cls(frozenset(names), frozenset(without_right_values))


class _Retry:
    """The second run of one failed test, which is also the submission's backend in that run."""

    failure = None

    def __init__(
        self,
        result: TestResult,
        reference: Reference,
        wrong: WrongFunctions,
        first: FirstProcess,
        second: SecondProcess,
    ) -> None:
        self.result = result
        self.reference = reference
        self.wrong = wrong
        self.first = first
        self.second = second
        question = result.test.question
        self.replaced = frozenset(
            name for name in wrong.names if name != question and question not in reference.call_graph.dependencies(name)
        )
        """Wrong functions that are not the tested function and do not build on it."""
        self.checked_calls = {call.encoded for call in result.calls}
        """Calls of the first run, whose answers `is_allowed` checks."""
        self.unexplained: list[tuple[Call, Reply]] = []
        """Calls of the first run whose answers are allowed only if they follow from the submission's own functions."""
        self.questions = _remembered(self._questions)
        """Return the calls to replaced functions that the solution makes in a call."""
        self.is_helped = _remembered(self._is_helped)
        """Return whether right values make a difference in a call."""
        self.helped: list[Call] = []
        """Calls in which right values made a difference."""
        self.late_checks = MAX_LATE_CHECKS
        """Number of first answers that the second run may still check."""

    def is_helped_anywhere(self) -> bool:
        """Return whether right values make a difference, and record the first answers that they must explain."""
        try:
            if any(map(self.is_helped, self.result.calls)):
                items = self.result.calls.items()
                self.unexplained = [item for item in items if not self._is_plainly_in_order(*item)]
                return all(self.is_helped(call) for call, _ in self.unexplained)
        except MemoryError:  # a test may pass on the submission's result, which may be very large
            pass
        return False

    def own_questions(self) -> Iterator[Call]:
        """Yield the calls to replaced functions that the solution makes in the calls with unexplained first answers."""
        for call, _ in self.unexplained:
            yield from self.questions(call)

    def is_allowed(self) -> bool:
        """Return whether every unexplained first answer follows from the submission's own functions."""
        try:
            return all(self._follows_from_wrong_functions(*item) for item in self.unexplained)
        except MemoryError:
            return False

    def run(self, suite: Suite) -> TestResult | None:
        """Return the result of the second run if it passed because of right values."""
        retried = suite.run_test(self, self.result.test)
        if not retried.passed or not self.helped:
            return None
        return replace(retried, faulty_function=self._lowest_helpful_function(), calls=self.result.calls)

    def _lowest_helpful_function(self) -> str | None:
        """Return the lowest function whose right value made a difference in a call."""
        by_function: dict[str, list[Call]] = {}
        for call in self.helped:
            for question in [call, *(inner_call.call for inner_call in self.reference.inner_calls(call))]:
                by_function.setdefault(question.function, []).append(question)
        names = self.reference.call_graph.topological_order(self.replaced & by_function.keys())
        return next((name for name in names if any(map(self._differs, by_function[name]))), None)

    def call(self, call: Call) -> Reply:
        """Return the reply with right values if they make a difference, otherwise the first process's reply."""
        if not self.is_helped(call):
            return self.first.reply(call)
        if call.encoded not in self.checked_calls and self.late_checks and not self._is_late_answer_explained(call):
            raise CallStopped(
                Kind.KILLED, f"the first answer of {call.function} does not follow from its own functions"
            )
        self.helped.append(call)
        if call.function in self.replaced:
            return self.reference.reply(call)
        return self.second.helped_reply(call, self._replaced_below(call), self.questions(call))

    def _is_late_answer_explained(self, call: Call) -> bool:
        """Return whether the first process's answer to a call that only the second run makes is allowed."""
        self.late_checks -= 1
        try:
            return self.is_in_order(call, self.first.reply(call))
        except CallStopped:
            return True

    # Do right values make a difference?

    def _replaced_below(self, call: Call) -> frozenset[str]:
        return self.replaced & self.reference.call_graph.dependencies(call.function)

    def _questions(self, call: Call) -> list[Call]:
        """Return the calls to replaced functions that the solution makes directly, not inside another such call."""
        below = self._replaced_below(call)
        inner_calls = self.reference.inner_calls(call) if below else ()
        return [inner.call for inner in inner_calls if inner.call.function in below and not inner.callers & below]

    def _is_helped(self, call: Call) -> bool:
        below = self._replaced_below(
            call
        )  # a right function may build on a wrong one in a different way from the solution
        inner_calls = self.reference.inner_calls(call) if below else ()
        itself = [call] if call.function in self.replaced else []
        questions = [*itself, *(inner.call for inner in inner_calls if inner.call.function in below)]
        # Questions with a known reply come first: one difference is enough.
        return any(map(self._differs, sorted(questions, key=lambda question: not self.first.has_replied(question))))

    def _differs(self, question: Call) -> bool:
        """Return whether the first process and the solution give different results.

        A function without a wrong value in any test may differ only by an error or a dtype: any other difference would
        cost it little, and could tell two guesses apart.
        """
        right = self.reference.reply(question)
        try:
            reply = self.first.reply(unmeasured(question))
        except CallStopped:
            return question.function in self.wrong.without_right_values
        if reply.raised is not None or right.raised is not None:
            may_raise = right.raised is not None or question.function in self.wrong.without_right_values
            return may_raise and (reply.raised and reply.raised.kind) != (right.raised and right.raised.kind)
        if difference(reply.value, right.value) is not None:
            return question.function in self.wrong.without_right_values
        return dtypes(reply.value) != dtypes(right.value)

    # Is a first answer allowed?

    def is_in_order(self, call: Call, reply: Reply) -> bool:
        """Return whether a first answer is an error, is right, or follows from the submission's own functions.

        Any answer of a replaced function is allowed, since its points are lost.
        """
        if self._is_plainly_in_order(call, reply):
            return True
        return self.is_helped(call) and self._follows_from_wrong_functions(call, reply)

    def _is_plainly_in_order(self, call: Call, reply: Reply) -> bool:
        """Return whether a first answer is allowed, whatever the submission's own functions return."""
        if call.function in self.replaced or reply.raised is not None:
            return True
        right = self.reference.reply(call)
        return right.raised is None and difference(reply.value, right.value) is None

    def _follows_from_wrong_functions(self, call: Call, reply: Reply) -> bool:
        """Return whether an answer is the solution's result with the submission's own wrong functions."""
        submitted_values: list[Any] = []

        def stand_in(name: str, *args: Any, **kwargs: Any) -> Any:
            submitted_values.append(self.second.submitted_value(Call(name, args, kwargs)))
            return submitted_values[-1]

        stand_ins = {name: functools.partial(stand_in, name) for name in self._replaced_below(call)}
        if not self.second.budget.spend():
            return False
        try:
            self.second.fetch_values(self.questions(call))  # one message for nearly all questions of the solution
            with self.second.budget.charged():
                expected = self.reference.value_with(call, stand_ins)
                # A function need not have more digits than the functions below it.
                has_float32 = any(_FLOAT32 in dtypes(value) for value in submitted_values)
        except (Exception, CallStopped):
            return False
        return difference(reply.value, expected, TOLERANCE[_FLOAT32] if has_float32 else None) is None


def _while_there_is_time(retries: Iterable[_Retry], backend: SandboxedBackend) -> Iterator[_Retry]:
    """Yield the retries until the submission's clock has run out, since checking its replies also takes time."""
    return itertools.takewhile(lambda _: not backend.is_out_of_time, retries)


def _remembered(function: Callable[[Call], T]) -> Callable[[Call], T]:
    """Return a function that remembers its results by the bytes of the call."""
    results: dict[bytes, T] = {}

    def remembering(call: Call) -> T:
        if call.encoded not in results:
            results[call.encoded] = function(call)
        return results[call.encoded]

    return remembering
