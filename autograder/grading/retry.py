"""The second run of a failed test, in which the wrong functions that the tested one builds on return right values.

`follow_through` explains on which conditions a second run counts. Each retry says what it needs to know of the two
processes, so that these can answer for all retries at once; it asks only for the rest.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from autograder.checks.expect import TOLERANCE, difference
from autograder.checks.results import TestResult
from autograder.grading.suite import Suite
from autograder.grading.two_processes import FirstProcess, HelpedCall, SecondProcess, unmeasured
from autograder.hints.reference import Reference, dtypes
from autograder.protocol.call import ANSWERS, Call, Reply
from autograder.protocol.failure import RIGHT_VALUES, CallStopped, Kind

_FLOAT32 = np.dtype(np.float32)

MAX_NEW_CALL_CHECKS = 2
"""Maximum number of calls that only a test's second run makes and whose first answers it checks."""

EXACT_TOLERANCE = 1e-10
"""Relative difference between two values that every test's tolerance allows."""

T = TypeVar("T")


@dataclass(frozen=True)
class WrongFunctions:
    """The functions of a submission that returned a wrong result."""

    names: frozenset[str]
    """Names of all these functions."""
    with_wrong_values: frozenset[str]
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
        with_wrong_values = {result.test.question for result in failed if result.kind not in RIGHT_VALUES}
        return cls(frozenset(names), frozenset(with_wrong_values))


class Retry:
    """The second run of one failed test, which is also the submission's backend in that run."""

    failure = None

    def __init__(
        self,
        result: TestResult,
        solution_calls: Sequence[Call],
        wrong: WrongFunctions,
        first: FirstProcess,
        second: SecondProcess,
    ) -> None:
        self.result = result
        self.solution_calls = solution_calls
        """Calls that the test makes to the solution, and most probably to the submission with right values."""
        self.reference = second.reference
        self.wrong = wrong
        self.first = first
        self.second = second
        question, calls = result.test.question, self.reference.known_calls
        self.replaced = frozenset(
            name for name in wrong.names if name != question and question not in calls.dependencies(name)
        )
        """Wrong functions that are not the tested function and do not build on it."""
        self.checked_calls = {call.encoded for call in result.calls}
        """Calls of the first run, whose answers `are_replies_explained` checks."""
        self.unexplained: list[tuple[Call, Reply]] = []
        """Calls of the first run whose answers are allowed only if they follow from the submission's own functions."""
        self.replaced_inner_calls = _cached_by_call(self._replaced_inner_calls)
        """Return the calls to replaced functions that the solution makes in a call."""
        self.is_helped = _cached_by_call(self._is_helped)
        """Return whether right values make a difference in a call."""
        self.helped_call = _cached_by_call(self._helped_call)
        """Return the call with right values."""
        self.helped: list[Call] = []
        """Calls in which right values made a difference."""
        self.new_call_checks = MAX_NEW_CALL_CHECKS
        """Number of first answers that the second run may still check."""

    def collect_unexplained_replies(self) -> bool:
        """Return whether right values make a difference, and record the first answers that they must explain."""
        try:
            if any(map(self.is_helped, self.result.calls)):
                items = self.result.calls.items()
                self.unexplained = [item for item in items if not self._is_right_or_exempt(*item)]
                return all(self.is_helped(call) for call, _ in self.unexplained)
        except MemoryError:  # a test may pass on the submission's result, which may be very large
            pass
        return False

    # What can be fetched together, for all retries

    def undecided_calls(self) -> Iterator[Call]:
        """Yield the calls to replaced functions whose replies show whether right values make a difference."""
        for call in (*self.result.calls, *self.solution_calls):
            with contextlib.suppress(MemoryError):  # a test may pass on a result, which may be very large
                questions = self._all_replaced_calls(call)
                if not any(map(self._differs, filter(self.first.has_replied, questions))):
                    yield from itertools.islice(itertools.filterfalse(self.first.has_replied, questions), 1)

    def new_calls(self) -> Iterator[Call]:
        """Yield the calls of the second run that the first process must answer."""
        new = [call for call in self.solution_calls if call.encoded not in self.checked_calls]
        yield from (call for call in new if not self.is_helped(call))
        yield from itertools.islice(filter(self.is_helped, new), MAX_NEW_CALL_CHECKS)

    def unexplained_inner_calls(self) -> Iterator[Call]:
        """Yield the calls to replaced functions that the solution makes in calls with first answers to explain."""
        new = filter(self.is_helped, self.new_calls())
        for call in (*(call for call, _ in self.unexplained), *new):
            yield from self.replaced_inner_calls(call)

    def helped_calls(self) -> Iterator[HelpedCall]:
        """Yield the calls of the second run with right values."""
        for call in self.solution_calls:
            if self.is_helped(call) and call.function not in self.replaced:
                yield self.helped_call(call)

    def are_replies_explained(self) -> bool:
        """Return whether every unexplained first answer follows from the submission's own functions."""
        try:
            return all(self._follows_from_wrong_functions(*item) for item in self.unexplained)
        except MemoryError:
            return False

    def run(self, suite: Suite) -> TestResult | None:
        """Return the result of the second run if it passed because of right values."""
        try:
            is_right = self._is_right_throughout()
        except CallStopped:
            return None
        retried = TestResult(self.result.test) if is_right else suite.run_test(self, self.result.test)
        if not retried.passed or not self.helped:
            return None
        return replace(retried, faulty_function=self._lowest_helpful_function(), calls=self.result.calls)

    def _is_right_throughout(self) -> bool:
        """Return whether right values of other functions give the submission the solution's values in the whole test.

        Then the test passes, as it does on the solution. Measurements and refusals are for the test itself to judge.
        """
        for call in self.solution_calls:
            right = self.reference.reply(call)
            if call.measured or right.raised is not None:
                return False
            reply = self.call(call)
            if reply.raised is not None or dtypes(reply.value) != dtypes(right.value):
                return False
            if difference(reply.value, right.value, EXACT_TOLERANCE) is not None:
                return False
        return True

    def _lowest_helpful_function(self) -> str | None:
        """Return the lowest function whose right value made a difference in a call."""
        by_function: dict[str, list[Call]] = {}
        for call in self.helped:
            for question in [unmeasured(call), *(inner_call.call for inner_call in self.reference.inner_calls(call))]:
                by_function.setdefault(question.function, []).append(question)
        names = self.reference.known_calls.topological_order(self.replaced & by_function.keys())
        return next((name for name in names if any(map(self._differs, by_function[name]))), None)

    def call(self, call: Call) -> Reply:
        """Return the reply with right values if they make a difference, otherwise the first process's reply."""
        if not self.is_helped(call):
            return self.first.cached_reply(call)
        if call.encoded not in self.checked_calls and self.new_call_checks and not self._is_new_reply_allowed(call):
            raise CallStopped(
                Kind.KILLED, f"the first answer of {call.function} does not follow from its own functions"
            )
        self.helped.append(call)
        if call.function in self.replaced:
            return self.reference.reply(call)
        return self.second.helped_reply(self.helped_call(call))

    def _is_new_reply_allowed(self, call: Call) -> bool:
        """Return whether the first process's answer to a call that only the second run makes is allowed."""
        self.new_call_checks -= 1
        try:
            return self.is_reply_allowed(call, self.first.cached_reply(call))
        except CallStopped:
            return True

    # Do right values make a difference?

    def _replaced_below(self, call: Call) -> frozenset[str]:
        return self.replaced & self.reference.known_calls.dependencies(call.function)

    def _helped_call(self, call: Call) -> HelpedCall:
        return HelpedCall(call, self._replaced_below(call), self.replaced_inner_calls(call))

    def _replaced_inner_calls(self, call: Call) -> list[Call]:
        """Return the calls to replaced functions that the solution makes directly, not inside another such call."""
        below = self._replaced_below(call)
        inner_calls = self.reference.inner_calls(call) if below else ()
        return [inner.call for inner in inner_calls if inner.call.function in below and not inner.callers & below]

    def _all_replaced_calls(self, call: Call) -> list[Call]:
        """Return the calls to replaced functions that the solution makes in a call, and the call if it is one."""
        below = self._replaced_below(call)  # a right function may build on a wrong one differently from the solution
        inner_calls = self.reference.inner_calls(call) if below else ()
        itself = [unmeasured(call)] if call.function in self.replaced else []
        return [*itself, *(inner.call for inner in inner_calls if inner.call.function in below)]

    def _is_helped(self, call: Call) -> bool:
        # Questions with a known reply come first: one difference is enough.
        questions = sorted(self._all_replaced_calls(call), key=lambda question: not self.first.has_replied(question))
        return any(map(self._differs, questions))

    def _differs(self, question: Call) -> bool:
        """Return whether the first process and the solution give different results.

        A function without a wrong value in any test may differ only by an error or a dtype: any other difference would
        cost it little, and could tell two guesses apart.
        """
        right = self.reference.reply(question)
        try:
            reply = self.first.cached_reply(question)
        except CallStopped:
            return question.function in self.wrong.with_wrong_values
        if reply.raised is not None or right.raised is not None:
            may_raise = right.raised is not None or question.function in self.wrong.with_wrong_values
            return may_raise and (reply.raised and reply.raised.kind) != (right.raised and right.raised.kind)
        if difference(reply.value, right.value) is not None:
            return question.function in self.wrong.with_wrong_values
        return dtypes(reply.value) != dtypes(right.value)

    # Is a first answer allowed?

    def is_reply_allowed(self, call: Call, reply: Reply) -> bool:
        """Return whether a first answer is an error, is right, or follows from the submission's own functions.

        Any answer of a replaced function is allowed, since its points are lost.
        """
        if self._is_right_or_exempt(call, reply):
            return True
        return self.is_helped(call) and self._follows_from_wrong_functions(call, reply)

    def _is_right_or_exempt(self, call: Call, reply: Reply) -> bool:
        """Return whether a first answer is allowed, whatever the submission's own functions return."""
        if call.function in self.replaced or reply.raised is not None:
            return True
        right = self.reference.reply(call)
        return right.raised is None and difference(reply.value, right.value) is None

    def _follows_from_wrong_functions(self, call: Call, reply: Reply) -> bool:
        """Return whether an answer is a right way's result with the submission's own wrong functions."""
        return any(self._follows(each, call, reply) for each in self.reference.kept_modules(call.function))

    def _follows(self, module: ModuleType, call: Call, reply: Reply) -> bool:
        submitted_values: list[Any] = []

        def stand_in(name: str, *args: Any, **kwargs: Any) -> Any:
            submitted_values.append(self.second.submitted_value(Call(name, args, kwargs)))
            return submitted_values[-1]

        stand_ins = {name: functools.partial(stand_in, name) for name in self._replaced_below(call)}
        if not self.second.budget.spend():
            return False
        try:
            self.second.fetch_values(self.replaced_inner_calls(call))
            with self.second.budget.charged():
                expected = self.reference.value_with(module, call, stand_ins)
                # A function need not have more digits than the functions below it.
                has_float32 = any(_FLOAT32 in dtypes(value) for value in submitted_values)
        except (Exception, CallStopped):
            return False
        return difference(reply.value, expected, TOLERANCE[_FLOAT32] if has_float32 else None) is None


def _cached_by_call(function: Callable[[Call], T]) -> Callable[[Call], T]:
    """Return a function that caches its results by the bytes of the call, measured or not."""
    results: dict[tuple[bytes, bool], T] = {}

    def cached(call: Call) -> T:
        key = call.encoded, call.measured
        if key not in results:
            results[key] = function(call)
        return results[key]

    return cached
