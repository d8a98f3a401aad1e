"""Tests of trivial solutions: a function that does no work earns no points, however other functions behave.

A lazy function returns the same result for every call, returns an argument, returns zeros in the correct shape, raises
an error in every call, or reorders the numbers of its first argument. Every test runs with each kind of lazy function,
while every other function is correct, lazy in the same way, or lazy in one of three other ways. No combination passes.

A lazy function can satisfy a property for the wrong reason: scores that ignore positions also depend only on
the difference of positions. Each property is therefore also tested with functions that are correct except
that they ignore one or two arguments, and no such function passes.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
from hypothesis import is_hypothesis_test

from autograder.checks.results import Phase, Test
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.protocol.call import Call, Raised, Reply, perform
from autograder.protocol.failure_kinds import CallStopped, Kind

Work = Callable[[tuple[Any, ...], Any], Any]
"""Function that turns the arguments and the correct result of a call into a trivial result."""

_FLOATS = [*(n / 4 for n in range(-10, 30)), 0.1, 0.01, 256, 257, 512, 1024, 4096, 8192]
NUMBERS = f"{[*range(-70, 140), *_FLOATS, float('nan'), float('inf')]}"


def argument(place: int) -> Work:
    return lambda args, right: args[place]


def filled_in_right_shape(fill: Callable[[np.ndarray], np.ndarray]) -> Work:
    """Return a function whose results have the correct shapes and dtypes, but values that ignore the
    arguments."""

    def work(args: tuple[Any, ...], right: Any) -> Any:
        results = tuple(fill(np.asarray(part)).astype(np.asarray(part).dtype) for part in _parts(right))
        return results if type(right) is tuple else results[0]

    return work


def stretched(args: tuple[Any, ...], right: Any) -> Any:
    """Repeat the first argument until it fills the correct shape."""
    return filled_in_right_shape(lambda part: np.resize(np.asarray(args[0], dtype=np.float64), part.shape))(args, right)


def rearranged(change: Callable[[np.ndarray], Any]) -> Work:
    """Return a function that reorders the numbers of the first argument or changes their signs."""
    return lambda args, right: change(np.asarray(args[0], dtype=np.float64))


def shape_of(fill: float) -> Work:
    return lambda args, right: np.full(np.shape(args[0]), fill)


def refusal(error: type[Exception]) -> Work:
    def work(args: tuple[Any, ...], right: Any) -> Any:
        raise error(NUMBERS)

    return work


def _parts(value: Any) -> tuple[Any, ...]:
    return value if type(value) is tuple else (value,)


LAZY: dict[str, Work] = {
    **{f"the constant {value!r}": lambda args, right, value=value: value for value in (None, 0, 1, np.nan, ())},
    **{f"argument {place + 1}": argument(place) for place in range(3)},
    "its arguments": lambda args, right: tuple(args),
    "as many numbers as it is told": lambda args, right: np.arange(min(args[0], 1000)),
    "an empty array": lambda args, right: np.zeros(0),
    "one zero": lambda args, right: np.zeros((1, 1, 1)),
    **{f"{fill} in the shape of the first argument": shape_of(fill) for fill in (0, 1)},
    **{
        f"{fill} in the correct shape": filled_in_right_shape(lambda part, fill=fill: np.full(part.shape, fill))
        for fill in (0, 1, -np.inf)
    },
    "NaN in the correct shape": filled_in_right_shape(
        lambda part: np.full(part.shape, np.nan if part.dtype.kind == "f" else 7)
    ),
    "a count in the correct shape": lambda args, right: np.arange(np.size(right)).reshape(np.shape(right)),
    "the identity": filled_in_right_shape(
        lambda part: np.broadcast_to(np.eye(*part.shape[-2:]) if part.ndim > 1 else 1.0, part.shape)
    ),
    "the first argument in the correct shape": stretched,
    "the first argument, negated": rearranged(np.negative),
    "the first argument, rolled": rearranged(lambda array: np.roll(array, 1, axis=-1)),
    "the first argument, backwards": rearranged(lambda array: array[..., ::-1]),
    "the first argument, upside down": rearranged(lambda array: array[..., ::-1, :]),
    "the first argument, sorted": rearranged(np.sort),
    **{f"{error.__name__} with all numbers": refusal(error) for error in (ValueError, IndexError)},
}
RIGHT = "right"
OTHER_BEHAVIOURS = ("argument 1", "0 in the correct shape", "ValueError with all numbers")
"""Possible behaviours of other functions in a test of a lazy function."""


class Mixture:
    """Submission in which a plan decides which functions are lazy and which are correct. Calling a function
    that the plan omits ends the test."""

    failure: Raised | None = None

    def __init__(self, assignment: Assignment) -> None:
        self.right = catalogue.ModuleBackend(catalogue.solution(assignment))
        self.replies: dict[tuple[str, bytes, bool], Reply] = {}
        self.plan: dict[str, str] = {}
        self.asked: str | None = None
        """Name of a function that was called although the plan specifies no behaviour for it."""

    def call(self, call: Call) -> Reply:
        if call.function not in self.plan:
            self.asked = call.function
            raise CallStopped(Kind.CRASHED, call.function)
        behaviour = self.plan[call.function]
        try:
            key = behaviour, call.encoded, call.measured
        except ValueError:  # No correct function needs such a large call.
            return Reply(raised=Raised("MemoryError", ("MemoryError",), ""))
        if key not in self.replies:
            self.replies[key] = self.right.call(call) if behaviour == RIGHT else self._lazy_reply(behaviour, call)
        return self.replies[key]

    def _lazy_reply(self, behaviour: str, call: Call) -> Reply:
        key = RIGHT, call.encoded, call.measured
        if key not in self.replies:
            self.replies[key] = self.right.call(call)
        right = self.replies[key]
        shape = None if right.raised else right.value
        module = ModuleType("lazy")
        module.__file__ = "lazy.py"
        vars(module)["lazy"] = lambda *args, **kwargs: LAZY[behaviour]((*args, *kwargs.values()), shape)
        return perform(module, replace(call, function="lazy", measured=False))


def passed_by(suite: Suite, mixture: Mixture) -> Iterator[tuple[Test, dict[str, str]]]:
    """Yield each test that passes even though the tested function is lazy, with the behaviour of every function.

    If a test calls a function that the plan omits, the search tries the plan with each behaviour of that function.
    Plans that fail earlier are not extended, so only a small fraction of all combinations is run. Each test runs by
    itself rather than as part of a suite."""
    suite.backend = mixture
    for test, runnable in suite._tests.items():
        plans = [{test.question: lazy} for lazy in LAZY] if test.phase is not Phase.ANSWERS else []
        while plans:
            mixture.plan, mixture.asked = plans.pop(), None
            if runnable.run(test).passed:
                yield test, mixture.plan
            elif mixture.asked is not None:
                others = {RIGHT, *OTHER_BEHAVIOURS, mixture.plan[test.question]}
                plans += [mixture.plan | {mixture.asked: behaviour} for behaviour in sorted(others)]


def test_lazy_functions_earn_nothing(assignment: Assignment, suite: Suite) -> None:
    with np.errstate(all="ignore"):
        earned = [f"{test.name} ({test.points}): {plan}" for test, plan in passed_by(suite, Mixture(assignment))]
    assert not earned, "\n".join(earned[:50])


IGNORED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "a count": lambda array: np.arange(array.size, dtype=array.dtype).reshape(array.shape),
}
"""Functions that compute a replacement for an argument that is ignored."""


def ignoring(
    function: Callable[..., Any], places: tuple[int, ...], instead: Callable[[np.ndarray], np.ndarray]
) -> Callable[..., Any]:
    """Return a correct function that ignores some of its arguments."""

    def call(*args: Any, **kwargs: Any) -> Any:
        replaced = {place: instead(np.asarray(args[place])) for place in places}
        seen = [replaced[place][()] if place in replaced else argument for place, argument in enumerate(args)]
        return function(*seen, **kwargs)

    return call


SINGLE_ARGUMENT_PROPERTIES = {
    "test_a_lone_token_reads_itself",
    "test_bias_depends_on_the_distance_alone",
    "test_weights_share_out_both_tables",
    "test_generation_gives_the_rows_of_the_full_pass",
    "test_any_frequencies_keep_scores_relative",
    "test_scaled_turns_add_up",
    "test_a_beginning_is_encoded_alike",
    "test_rotating_on_a_grid_keeps_the_norm",
    "test_scores_depend_on_the_difference_of_the_coordinates",
    "test_rotations_on_a_grid_add_up",
}
"""Tests of properties that involve only one argument; other tests catch functions that ignore a different argument."""


def test_a_property_needs_its_subject(assignment: Assignment, suite: Suite) -> None:
    earned = []
    for test, runnable in suite._tests.items():
        if not is_hypothesis_test(runnable.item.obj) or test.name in SINGLE_ARGUMENT_PROPERTIES:
            continue
        module = catalogue.solution(assignment)
        right = getattr(module, test.question)
        needed = [name for name, one in inspect.signature(right).parameters.items() if one.default is one.empty]
        for places in [*itertools.combinations(range(len(needed)), 1), *itertools.combinations(range(len(needed)), 2)]:
            for words, instead in IGNORED.items():
                setattr(module, test.question, ignoring(right, places, instead))
                suite.backend = catalogue.ModuleBackend(module)
                with np.errstate(all="ignore"):
                    if runnable.run(test).passed:
                        earned.append(
                            f"{test.name} ({test.points}): {words} for"
                            f" {' and '.join(needed[place] for place in places)}"
                        )
    assert not earned, "\n".join(earned)
