"""Every call that is shown can be typed, and is then the call that was made."""

from __future__ import annotations

import numpy as np

from autograder import course
from autograder.checks import inputs
from autograder.checks.prompt import text, typed
from autograder.checks.proxy import StudentModule
from autograder.checks.results import Phase
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.oracle import Oracle
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply


class Typed(catalogue.Module):
    """The solution, which reads every call as a student would type it."""

    def call(self, call: Call) -> Reply:
        if call.function != ANSWERS:
            words = typed(text(call))
            names = {"np": np, "features": inputs.features, call.function: lambda *args, **kwargs: (args, kwargs)}
            assert codec.encode(eval(words, names)) == codec.encode((call.args, call.kwargs)), words
        return super().call(call)


def test_every_call_of_a_public_test_can_be_typed(suite: Suite) -> None:
    suite.run(Typed(catalogue.solution(suite.assignment)), Phase.PUBLIC)


def test_long_arrays_are_told_by_how_they_are_made() -> None:
    for array, words in (
        (np.arange(-40, 41), "np.arange(-40, 41)"),
        (np.arange(0.0, 500.0, 5.0), "np.arange(0, 500.0, 5)"),
        (np.full((9, 9), 2.5), "np.full((9, 9), 2.5)"),
        (np.zeros((3, 0)), "np.zeros((3, 0))"),
    ):
        assert text(Call("f", (array,))) == f"f({words})"


def test_an_argument_that_the_submission_made_stands_as_its_call() -> None:
    submission = StudentModule(
        "rope", catalogue.Module(catalogue.solution(course.find("rope"))), Oracle(course.find("rope"))
    )
    half = submission.interleaved_to_half(np.arange(600.0) / 7)
    submission.half_to_interleaved(half)
    assert submission.last_typed() == "half_to_interleaved(interleaved_to_half(<array of shape (600,), float64>))"
    half = submission.interleaved_to_half(inputs.features(2, 4))
    submission.half_to_interleaved(half)
    assert submission.last_typed() == "half_to_interleaved(interleaved_to_half(features(2, 4)))"
