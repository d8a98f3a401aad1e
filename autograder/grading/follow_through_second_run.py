"""The second run of a failed test, in which wrong functions that the tested function uses return correct values.

`follow_through` explains when a second run counts. Each retry lists the calls that it needs in advance, so that each
process can make the calls of several retries together.
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

from autograder.checks.difference import agrees
from autograder.checks.proxy import dtypes
from autograder.checks.results import TestResult
from autograder.grading.follow_through_limits import tolerance_in_float32
from autograder.grading.follow_through_processes import GradedProcess, HelpedCall, ProcessWithSubstitutes, unmeasured
from autograder.grading.suite import Suite
from autograder.hints.reference_oracle import Reference
from autograder.protocol.call import ANSWERS, Call, Reply
from autograder.protocol.failure_kinds import RIGHT_VALUE_KINDS, CallStopped, Kind

MAX_NEW_CALL_CHECKS = 2
"""Maximum number of new calls, not made in the first run, whose first answers a second run checks."""

STRICTEST_TEST_TOLERANCE = 1e-10
"""Relative difference between values that every test tolerates."""

T = TypeVar("T")


@dataclass(frozen=True)
class WrongFunctions:
    """The functions of a submission that are wrong in at least one test or call."""

    names: frozenset[str]
    """Names of all wrong functions."""
    with_wrong_values: frozenset[str]
    """Names of the functions that, in a test, returned a wrong value or shape or raised an exception."""

    @classmethod
    def among(cls, results: Sequence[TestResult], reference: Reference) -> WrongFunctions:
        """Return the functions that failed a test, or returned a wrong dtype that no test noticed."""
        failed = [result for result in results if not result.passed and result.test.question != ANSWERS]
        if not failed:
            return cls(frozenset(), frozenset())
        calls = (item for result in results for item in result.calls.items())
        of_wrong_dtype = {call.function for call, reply in calls if reference.differs_only_in_dtype(call, reply)}
        names = {result.test.question for result in failed} | of_wrong_dtype
        with_wrong_values = {result.test.question for result in failed if result.kind not in RIGHT_VALUE_KINDS}
        return cls(frozenset(names), frozenset(with_wrong_values))


class Retry:
    """The second run of one failed test; also the submission's backend during that run."""

    failure = None

    def __init__(
        self,
        result: TestResult,
        calls_to_solution: Sequence[Call],
        wrong: WrongFunctions,
        first: GradedProcess,
        second: ProcessWithSubstitutes,
    ) -> None:
        self.result = result
        self.calls_to_solution = calls_to_solution
        """Calls that the test makes to the solution, and probably also makes to the submission with correct values."""
        self.reference = second.reference
        self.wrong = wrong
        self.first = first
        self.second = second
        tested, calls = result.test.question, self.reference.call_graph_of_all_ways
        self.replaced = frozenset(
            name for name in wrong.names if name != tested and tested not in calls.dependencies(name)
        )
        """Names of the wrong functions, except the tested function and functions that build on it."""
        self.checked_calls = {call.encoded for call in result.calls}
        """Encoded calls of the first run, whose answers `are_first_replies_explained` checks."""
        self.unexplained: list[tuple[Call, Reply]] = []
        """Calls of the first run whose answers must follow from the submission's own wrong functions."""
        self.replaced_inner_calls = _cached_by_call(self._replaced_inner_calls)
        """Return the outermost calls to replaced functions that the solution makes during a call."""
        self.is_changed_by_correct_values = _cached_by_call(self._is_changed_by_correct_values)
        """Return True if correct values of replaced functions change the result of a call."""
        self.helped_call = _cached_by_call(self._helped_call)
        """Return a call as a HelpedCall, which the second process makes with correct values."""
        self.helped: list[Call] = []
        """Calls of the second run whose results changed because of correct values."""
        self.new_call_checks = MAX_NEW_CALL_CHECKS
        """Number of first answers to new calls that the second run can still check."""

    def may_pass_with_correct_values(self) -> bool:
        """Return True if the test might pass with correct values. Record the unexplained answers."""
        try:
            if any(map(self.is_changed_by_correct_values, self.result.calls)):
                items = self.result.calls.items()
                self.unexplained = [item for item in items if not self._is_right_or_exempt(*item)]
                return all(self.is_changed_by_correct_values(call) for call, _ in self.unexplained)
        except MemoryError:  # a test can pass on the submission's result, which can be very large
            pass
        return False

    # Calls that a process can make together for all retries

    def iter_calls_to_replaced(self) -> Iterator[Call]:
        """Yield calls to replaced functions whose replies show whether correct values change a result in the test."""
        for call in (*self.result.calls, *self.calls_to_solution):
            with contextlib.suppress(MemoryError):  # a test can pass on a result, which can be very large
                replaced_calls = self._replaced_calls_at_any_depth(call)
                if not any(map(self._differs, filter(self.first.has_replied, replaced_calls))):
                    yield from itertools.islice(itertools.filterfalse(self.first.has_replied, replaced_calls), 1)

    def iter_calls_only_in_second_run(self) -> Iterator[Call]:
        """Yield the calls of the second run that the first process must also answer."""
        new = [call for call in self.calls_to_solution if call.encoded not in self.checked_calls]
        yield from (call for call in new if not self.is_changed_by_correct_values(call))
        yield from itertools.islice(filter(self.is_changed_by_correct_values, new), MAX_NEW_CALL_CHECKS)

    def iter_inner_calls_of_unexplained(self) -> Iterator[Call]:
        """Yield the calls to replaced functions that the solution makes during unexplained and new calls."""
        new = filter(self.is_changed_by_correct_values, self.iter_calls_only_in_second_run())
        for call in (*(call for call, _ in self.unexplained), *new):
            yield from self.replaced_inner_calls(call)

    def iter_calls_needing_help(self) -> Iterator[HelpedCall]:
        """Yield the calls that the second run makes with correct values."""
        for call in self.calls_to_solution:
            if self.is_changed_by_correct_values(call) and call.function not in self.replaced:
                yield self.helped_call(call)

    def are_first_replies_explained(self) -> bool:
        """Return True if every unexplained answer follows from the submission's own wrong functions."""
        try:
            return all(self._follows_from_wrong_functions(*item) for item in self.unexplained)
        except MemoryError:
            return False

    def passed_result(self, suite: Suite) -> TestResult | None:
        """Return the result of the second run if the test passes because of correct values, and None otherwise."""
        try:
            is_right = self._agrees_with_solution_throughout()
        except CallStopped:
            return None
        retried = TestResult(self.result.test) if is_right else suite.run_test(self, self.result.test)
        if not retried.passed or not self.helped:
            return None
        return replace(retried, faulty_function=self._lowest_faulty_function(), calls=self.result.calls)

    def _agrees_with_solution_throughout(self) -> bool:
        """Return True if the submission, helped by correct values, returns the solution's values throughout the test.

        The test then passes, as it does for the solution. Only the test itself can judge measurements and errors.
        """
        for call in self.calls_to_solution:
            right = self.reference.reply(call)
            if call.measured or right.raised is not None:
                return False
            reply = self.call(call)
            if reply.raised is not None or dtypes(reply.value) != dtypes(right.value):
                return False
            if not agrees(reply.value, right.value, STRICTEST_TEST_TOLERANCE):
                return False
        return True

    def _lowest_faulty_function(self) -> str | None:
        """Return the lowest function in the call graph whose correct values changed the result of a call."""
        by_function: dict[str, list[Call]] = {}
        for call in self.helped:
            for each in [unmeasured(call), *(inner_call.call for inner_call in self.reference.inner_calls(call))]:
                by_function.setdefault(each.function, []).append(each)
        names = self.reference.call_graph_of_all_ways.topological_order(self.replaced & by_function.keys())
        return next((name for name in names if any(map(self._differs, by_function[name]))), None)

    def call(self, call: Call) -> Reply:
        """Return the reply with correct values if they change the result; otherwise, the first process's reply."""
        if not self.is_changed_by_correct_values(call):
            return self.first.reply(call)
        if call.encoded not in self.checked_calls and self.new_call_checks and not self._passes_new_call_check(call):
            raise CallStopped(Kind.KILLED, f"the first answer of {call.function} is not allowed")
        self.helped.append(call)
        if call.function in self.replaced:
            return self.reference.reply(call)
        return self.second.helped_reply(self.helped_call(call))

    def _passes_new_call_check(self, call: Call) -> bool:
        """Use up one check, and return True if the first process's answer to a new call is allowed."""
        self.new_call_checks -= 1
        try:
            return self.is_first_reply_explained(call, self.first.reply(call))
        except CallStopped:
            return True

    # Do correct values change a result?

    def _replaced_below(self, call: Call) -> frozenset[str]:
        return self.replaced & self.reference.call_graph_of_all_ways.dependencies(call.function)

    def _helped_call(self, call: Call) -> HelpedCall:
        return HelpedCall(call, self._replaced_below(call), self.replaced_inner_calls(call))

    def _replaced_inner_calls(self, call: Call) -> list[Call]:
        """Return the outermost calls to replaced functions that the solution makes during a call."""
        below = self._replaced_below(call)
        inner_calls = self.reference.inner_calls(call) if below else ()
        return [inner.call for inner in inner_calls if inner.call.function in below and not inner.callers & below]

    def _replaced_calls_at_any_depth(self, call: Call) -> list[Call]:
        """Return every call to a replaced function during a call to the solution, possibly the call itself."""
        below = self._replaced_below(call)  # a correct function can build on wrong functions in another way
        inner_calls = self.reference.inner_calls(call) if below else ()
        itself = [unmeasured(call)] if call.function in self.replaced else []
        return [*itself, *(inner.call for inner in inner_calls if inner.call.function in below)]

    def _is_changed_by_correct_values(self, call: Call) -> bool:
        # Try calls with a stored reply first, because one difference is enough.
        replaced_calls = self._replaced_calls_at_any_depth(call)
        replaced_calls.sort(key=lambda each: not self.first.has_replied(each))
        return any(map(self._differs, replaced_calls))

    def _differs(self, call: Call) -> bool:
        """Return True if the first process and the solution return different results for a call.

        For a function that returned no wrong value in any test, only a different error or dtype counts: any other
        difference would cost the function few points, and could be used to tell two guesses apart.
        """
        right = self.reference.reply(call)
        try:
            reply = self.first.reply(call)
        except CallStopped:
            return call.function in self.wrong.with_wrong_values
        if reply.raised is not None or right.raised is not None:
            may_raise = right.raised is not None or call.function in self.wrong.with_wrong_values
            return may_raise and (reply.raised and reply.raised.kind) != (right.raised and right.raised.kind)
        if not agrees(reply.value, right.value):
            return call.function in self.wrong.with_wrong_values
        return dtypes(reply.value) != dtypes(right.value)

    # Is a first answer allowed?

    def is_first_reply_explained(self, call: Call, reply: Reply) -> bool:
        """Return True if a first answer is an error, is right, or follows from the submission's own functions.

        Any answer of a replaced function is allowed, since that function has lost its points.
        """
        if self._is_right_or_exempt(call, reply):
            return True
        return self.is_changed_by_correct_values(call) and self._follows_from_wrong_functions(call, reply)

    def _is_right_or_exempt(self, call: Call, reply: Reply) -> bool:
        """Return True if a first answer is allowed regardless of the submission's other functions."""
        if call.function in self.replaced or reply.raised is not None:
            return True
        right = self.reference.reply(call)
        return right.raised is None and agrees(reply.value, right.value)

    def _follows_from_wrong_functions(self, call: Call, reply: Reply) -> bool:
        """Return True if correct code that calls the submission's own wrong functions returns this answer."""
        return any(self._follows(each, call, reply) for each in self.reference.solutions_in_all_ways(call.function))

    def _follows(self, solution: ModuleType, call: Call, reply: Reply) -> bool:
        submitted_values: list[Any] = []

        def stand_in(name: str, *args: Any, **kwargs: Any) -> Any:
            submitted_values.append(self.second.submitted_value(Call(name, args, kwargs)))
            return submitted_values[-1]

        stand_ins = {name: functools.partial(stand_in, name) for name in self._replaced_below(call)}
        if not self.second.budget.spend():
            return False
        try:
            self.second.fetch_submitted_values(self.replaced_inner_calls(call))
            with self.second.budget.charged():
                expected = self.reference.value_with(solution, call, stand_ins)
                # A result need not be more precise than the values that it is computed from.
                has_float32 = any(np.float32 in dtypes(value) for value in submitted_values)
                tolerance = tolerance_in_float32(call) if has_float32 else None
                return agrees(reply.value, expected, tolerance)
        except (Exception, CallStopped):  # from the solution, or from a comparison with what it made of wrong values
            return False


def _cached_by_call(function: Callable[[Call], T]) -> Callable[[Call], T]:
    """Return a version of the function that caches results by encoded call and by whether the call is measured."""
    results: dict[tuple[bytes, bool], T] = {}

    def cached(call: Call) -> T:
        key = call.encoded, call.measured
        if key not in results:
            results[key] = function(call)
        return results[key]

    return cached
