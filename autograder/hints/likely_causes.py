"""Find the likely cause of wrong values: a known mistake that explains every call to a function.

A mistake explains a call if the submission returns the same value as the solution with that mistake: the correct value
if the mistake changes nothing there, and otherwise the same wrong value. An exception is evidence only in a function
without wrong values, and only if the solution with the mistake fails on arrays of the same sizes. Values that no known
mistake explains get no hint, since a false cause is worse than none. The grader runs the solution with each mistake in
it (`hints.reference_oracle`). A student's machine has only recorded fingerprints of the results of each mistake
(`hints.golden_values`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from autograder.checks import call_repr, numpy_errors
from autograder.checks.difference import TOLERANCE_BY_DTYPE, agrees, difference
from autograder.checks.oracle import KnownMistake, Observation, Oracle, Outcome, Refused, Returned
from autograder.checks.proxy import leaves
from autograder.checks.results import Phase, Test, TestResult
from autograder.checks.source import CallGraph
from autograder.protocol.call import Raised, Reply
from autograder.protocol.failure_kinds import WRONG_OR_NO_VALUE, Kind

FINGERPRINT_MAGNITUDE_BOUND = 1e290
"""Maximum magnitude of a number in a fingerprint; larger numbers are clipped to it."""

NUMPY_ERROR_MARK_HEX_DIGITS = 12
"""Number of characters in an error's mark."""

MAX_EQUALLY_GOOD_HINTS = 2
"""Maximum number of equally good explanations for a mistake; with more, no hint is shown."""


class ValueFingerprint(NamedTuple):
    """A value's shape and two weighted sums: enough to recognise the value, but not to reconstruct it."""

    shape: tuple[int, ...]
    sums: tuple[float, ...]


def fingerprint(value: Any) -> ValueFingerprint | None:
    """Return the fingerprint of numbers and arrays, possibly nested; None if any part is something else."""
    each = leaves(value) if type(value) is not list else ()
    if not each or not all(isinstance(part, int | float | np.ndarray | np.generic) for part in each):
        return None
    flat = np.concatenate([np.ravel(part).astype(np.float64, copy=False) for part in each])
    # A masked score is −inf, which must not outweigh the other values.
    flat = np.nan_to_num(flat, nan=7.0, posinf=11.0, neginf=-13.0)
    # An overflowing sum is NaN on one processor and infinite on another, depending on the order of addition.
    flat = np.clip(flat, -FINGERPRINT_MAGNITUDE_BOUND, FINGERPRINT_MAGNITUDE_BOUND)
    # The weights are not periodic, so reordering the features changes the sums.
    indices = np.arange(1, flat.size + 1, dtype=np.float64)
    sums = tuple(float(flat @ np.cos(indices * math.sqrt(prime))) for prime in (2, 3))
    return ValueFingerprint(tuple(axis for part in each for axis in np.shape(part)), sums)


def matches(actual: Any, expected: Any) -> bool:
    """Return True if a value agrees with the expected value or fingerprint to within a test's tolerance."""
    if type(expected) is ValueFingerprint:
        shape, sums = fingerprint(actual) or ((), (math.nan, math.nan))
        single = any(np.asarray(part).dtype == np.float32 for part in leaves(actual))
        each = TOLERANCE_BY_DTYPE[np.dtype(np.float32 if single else np.float64)]
        return shape == expected.shape and np.allclose(sums, expected.sums, each, each * (1 + math.prod(shape)))
    return agrees(actual, expected)


def explains(mistake: KnownMistake, observation: Observation) -> bool:
    """Return True if a call's actual outcome is the same as the outcome with a known mistake."""
    match observation.predicted(mistake):
        case Returned(value):
            return observation.is_wrong and not observation.is_error and matches(observation.actual, value)
        case Refused(error):
            return observation.is_error and observation.actual == Refused(error)
        case _:
            return not observation.is_wrong


def numpy_error_mark(raised: Raised) -> str:
    """Return a mark for a numpy error on certain array sizes, or an empty string if the error names no sizes."""
    words = numpy_errors.explanation(raised.message)
    has_sizes = any(character.isdigit() for character in words)
    return hashlib.sha256(words.encode("utf-8")).hexdigest()[:NUMPY_ERROR_MARK_HEX_DIGITS] if has_sizes else ""


def observation_of(
    reply: Reply, right: Any, ranked_mistake_groups: Sequence[Sequence[Any]], predicted: Callable[[Any], Outcome]
) -> Observation | None:
    """Return the observation of a reply, compared with the correct value or fingerprint; see `Oracle.observation`."""
    if reply.raised is None:
        return Observation(reply.value, right, not matches(reply.value, right), ranked_mistake_groups, predicted)
    mark = numpy_error_mark(reply.raised)
    return Observation(Refused(mark), right, True, ranked_mistake_groups, predicted) if mark else None


def with_likely_causes(
    oracle: Oracle,
    results: Iterable[TestResult],
    call_graph: Callable[[], CallGraph],
    tried_with_correct_values: Callable[[str], Collection[str]] = lambda name: (),
) -> list[TestResult]:
    """Return the results with likely causes, except where another wrong function might be at fault.

    `call_graph` returns the submission's call graph; it is called only if there is a cause, since parsing takes time.
    """
    results = with_unfiltered_causes(oracle, results)
    if not any(result.hint for result in results):
        return results
    return without_hints_above_wrong_functions(results, call_graph(), tried_with_correct_values)


def with_unfiltered_causes(oracle: Oracle, results: Iterable[TestResult]) -> list[TestResult]:
    """Return the results, adding a likely cause to each function's first test that found wrong values."""
    results = list(results)
    seen: dict[str, dict[bytes, Observation]] = {
        result.test.question: {} for result in results if result.kind in WRONG_OR_NO_VALUE
    }
    at_fault: set[Test] = set()
    for result in results:
        # A test that passes with correct values of other functions is not evidence, since those were at fault.
        for call, reply in result.calls.items() if seen and not (result.passed and result.faulty_function) else ():
            if call.function in seen and (observation := oracle.observation(call, reply)) is not None:
                seen[call.function].setdefault(call.encoded, observation)
                if observation.is_wrong and call.function == result.test.question:
                    at_fault.add(result.test)
    for number, result in enumerate(results):
        if result.kind in WRONG_OR_NO_VALUE:
            observations = list(seen[result.test.question].values())
            seen[result.test.question] = {}  # each function gets only one hint, at its first wrong values
            cause = _joined_hints_if_few(_explanations(observations))
            is_at_fault = result.test in at_fault
            results[number] = replace(_with_first_wrong_call(oracle, result), hint=cause, is_at_fault=is_at_fault)
    return results


def without_hints_above_wrong_functions(
    results: Iterable[TestResult],
    call_graph: CallGraph,
    tried_with_correct_values: Callable[[str], Collection[str]],
) -> list[TestResult]:
    """Return the results without the hints of functions that build on a wrong function with a different hint.

    A function can look mistaken just because it builds on a wrong function. `call_graph` is the submission's call
    graph. `tried_with_correct_values` returns those of a function's dependencies that follow-through has replaced with
    correct values, and that therefore cannot be the cause.
    """
    results = list(results)
    kept: dict[str, set[str | None]] = {}
    for result in results:
        if result.kind in WRONG_OR_NO_VALUE:
            kept.setdefault(result.test.question, set()).add(result.hint)
    for name in call_graph.topological_order(kept):  # so that the hints of a function's dependencies are final
        suspects = (call_graph.dependencies(name) & kept.keys()).difference(tried_with_correct_values(name))
        if suspects:
            kept[name].intersection_update({None}.union(*(kept[suspect] for suspect in suspects)))
    return [
        replace(result, hint=None)
        if result.kind in WRONG_OR_NO_VALUE and result.hint not in kept[result.test.question]
        else result
        for result in results
    ]


def _joined_hints_if_few(mistakes: Iterable[KnownMistake]) -> str | None:
    """Return the hints of equally good explanations, joined; None if there are none or too many."""
    hints = list(dict.fromkeys(mistake.hint for mistake in mistakes))
    return " Or: ".join(hints) or None if len(hints) <= MAX_EQUALLY_GOOD_HINTS else None


def _explanations(observations: Sequence[Observation]) -> list[KnownMistake]:
    """Return the mistakes that explain all of a function's values, from the first group that has any.

    If no mistake explains every call, return one that explains the first wrong call, so that a second mistake in other
    calls does not hide the first. It must be the only such mistake, leave all right calls right, and explain more than
    half of the wrong calls: several mistakes look the same if the inputs are zeros, and a few small values can agree by
    chance.
    """
    if any(observation.is_wrong and not observation.is_error for observation in observations):
        observations = [observation for observation in observations if not observation.is_error]
    wrong = [observation for observation in observations if observation.is_wrong]
    right = [observation for observation in observations if not observation.is_wrong]
    if not wrong:
        return []
    if wrong[0].is_error:  # in another function, the same sizes can clash for another reason
        fitting = [mistake for mistake in wrong[0].ranked_mistake_groups[0] if _explains_all(mistake, observations)]
        return fitting if len({mistake.hint for mistake in fitting}) == 1 else []
    by_group: list[list[KnownMistake]] = []
    for group in wrong[0].ranked_mistake_groups:
        # Check the first wrong call before the others, because it rules out nearly all mistakes.
        by_group.append([mistake for mistake in group if explains(mistake, wrong[0])])
        if fitting := [mistake for mistake in by_group[-1] if _explains_all(mistake, observations)]:
            return fitting
    candidates = by_group[0] if by_group else []
    is_single = len({mistake.hint for mistake in candidates}) == 1
    return [
        mistake
        for mistake in candidates
        if is_single
        and _explains_all(mistake, right)
        and 2 * sum(explains(mistake, observation) for observation in wrong) > len(wrong)
    ]


def _explains_all(mistake: KnownMistake, observations: Iterable[Observation]) -> bool:
    """Return True if a mistake explains every observed call."""
    return all(explains(mistake, observation) for observation in observations)


def _with_first_wrong_call(oracle: Oracle, result: TestResult) -> TestResult:
    """Return a public test's result with the first wrong call, if the test compared several calls."""
    if result.test.phase is not Phase.PUBLIC or result.kind not in WRONG_OR_NO_VALUE - {Kind.RAISED}:
        return result
    for call, reply in result.calls.items():
        observation = oracle.observation(call, reply)
        if observation is not None and observation.is_wrong and not observation.is_error:
            if type(observation.expected) is ValueFingerprint:
                return result
            text, differs = call_repr.call_as_prompt(call), difference(observation.actual, observation.expected, None)
            if not text or text == result.call or differs is None:
                return result
            more = f"\nAt this call, {call.function}: {differs.words}{differs.relation_line()}"
            more = "" if differs.words in result.message else more
            return replace(result, call=text, message=result.message + more)
    return result
