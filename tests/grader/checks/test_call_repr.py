"""Call representations: a student can type every call that a message shows."""

from __future__ import annotations

import re

import numpy as np

from autograder.checks import inputs
from autograder.checks.call_repr import MAX_CALL_CHARACTERS, call_text
from autograder.checks.results import Phase
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply


class Typed(catalogue.ModuleBackend):
    """Solution that evaluates the text of every call, as if a student had typed the call."""

    def call(self, call: Call) -> Reply:
        words = call_text(call) if call.function != ANSWERS else ""
        if words and not re.search("<array|<dict", words):
            drawn = [one for one in call.args if isinstance(one, np.random.Generator)]
            names = {"np": np, "features": inputs.features, call.function: lambda *args, **kwargs: (args, kwargs)}
            typed = eval(words, names | dict.fromkeys(["rng"], *drawn))
            assert codec.encode(typed) == codec.encode((call.args, call.kwargs)), words
        return super().call(call)


def test_every_call_of_a_public_test_can_be_typed(suite: Suite) -> None:
    results = suite.run(Typed(catalogue.solution(suite.assignment)), Phase.PUBLIC)
    assert [one.message for one in results if not one.passed] == []


def test_long_arrays_are_told_by_their_shape_and_long_calls_not_at_all() -> None:
    for array, words in (
        (np.arange(128), "np.arange(128)"),
        (np.arange(128) % 7, "<array of shape (128,), int64>"),
        (np.zeros((3, 0)), "np.zeros((3, 0))"),
        (inputs.features(2, 64), "features(2, 64)"),
    ):
        assert call_text(Call("f", (array,))) == f"f({words})"
    assert call_text(Call("f", ("long" * MAX_CALL_CHARACTERS,))) == ""


def test_a_long_dict_is_told_by_its_entries() -> None:
    short, layer = {"eps": 0.5, "norm": np.ones(2)}, {"w_q": np.zeros((7, 7)) + 0.5, "w_k": np.zeros((9, 7)) + 0.5}
    assert call_text(Call("f", (short,))) == "f({'eps': 0.5, 'norm': np.array([1.0, 1.0])})"
    assert call_text(Call("f", ([layer | {"w_v": np.full((8, 8), 0.25)}], short))).startswith(
        "f([<dict of w_q, w_k, w_v>], {"
    )
