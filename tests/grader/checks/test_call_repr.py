"""Tests of how messages show calls: as text that a student can paste into Python, or as a description."""

from __future__ import annotations

import ast
import re
import runpy
from typing import Any

import numpy as np
import pytest

from autograder.checks import inputs, result_markdown
from autograder.checks.call_repr import MAX_CALL_CHARACTERS, call_as_prompt
from autograder.checks.results import Phase
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply

UNTYPABLE = (np.arange(128) % 7, {"table": np.arange(99) % 7}, np.random.default_rng([1, 2]))
"""Values that are too long to type, or that cannot be typed at all."""


def pasted(text: str, function: str) -> Any:
    """Return the arguments of a call that a student pastes into an interpreter in which only numpy is imported."""
    *definitions, last = re.sub(r"(?m)^>>> ", "", text).splitlines()
    names: dict[str, Any] = {"np": np, function: lambda *args, **kwargs: (args, kwargs)}
    exec("\n".join(definitions), names)
    return eval(last, names)


def comparable(value: Any) -> Any:
    """Return a form of a value that can be compared byte by byte, with each random generator replaced by its state."""
    if isinstance(value, tuple | list):
        return type(value)(map(comparable, value))
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items()}
    return str(value.bit_generator.state) if isinstance(value, np.random.Generator) else value


class Pasted(catalogue.ModuleBackend):
    """Solution that checks that pasting the text of any call reproduces the call's arguments."""

    def call(self, call: Call) -> Reply:
        text = call_as_prompt(call) if call.function != ANSWERS else ""
        if text.startswith(">>> "):
            arguments = comparable(pasted(text, call.function))
            assert codec.encode(arguments) == codec.encode(comparable((call.args, call.kwargs))), text
        else:
            assert "features(" not in text
        return super().call(call)


def test_every_call_of_a_public_test_can_be_pasted_or_is_described(suite: Suite) -> None:
    results = suite.run(Pasted(catalogue.solution(suite.assignment)), Phase.PUBLIC)
    assert [one.message for one in results if not one.passed] == []


def test_a_call_in_a_label_of_a_public_test_can_be_typed(assignment: Assignment) -> None:
    """A label that begins with a call to the student's function contains code, not mathematical notation."""
    solution = runpy.run_path(str(assignment.solution))
    tree = ast.parse(assignment.public_tests.read_text("utf-8"))
    labels = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str]
    for label in labels:
        if (match := re.match(r"(\w+)\(", label)) and match[1] in solution:
            eval(label.partition(" is ")[0], solution)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("shape", [(9,), (2, 64), (2, 3, 4, 5)])
def test_features_are_defined_before_a_call_that_contains_them(shape: Any, seed: int, dtype: Any) -> None:
    array = inputs.features(*shape, seed=seed, dtype=dtype)
    text = call_as_prompt(Call("f", (array, 3)))
    assert text.startswith(">>> features = lambda") and "\n>>> f(features(" in text
    assert codec.encode(pasted(text, "f")) == codec.encode(((array, 3), {}))


def test_a_call_with_a_value_that_nobody_types_is_described() -> None:
    for value, words in zip(
        UNTYPABLE, ("<array of shape (128,), int64>", "<dict of table>", "<random generator>"), strict=True
    ):
        for inside, text in ((value, words), ([value, 2], f"[{words}, 2]"), ((value,), f"({words})")):
            assert call_as_prompt(Call("f", (np.arange(3), inside))) == f"The call was f(np.arange(3), {text})"
    drawn = np.random.default_rng(1)
    assert call_as_prompt(Call("f", (drawn,))) == ">>> f(np.random.default_rng(1))"
    drawn.random()
    assert call_as_prompt(Call("f", (drawn,))) == "The call was f(<random generator>)"
    both = call_as_prompt(Call("f", (inputs.features(3, 4), UNTYPABLE[0])))
    assert both.startswith("The call was f(<array of shape (3, 4), float64>, <array")


def test_short_arrays_and_dicts_appear_in_full_and_long_calls_not_at_all() -> None:
    for value, words in (
        (np.arange(128), "np.arange(128)"),
        (np.zeros((3, 0)), "np.zeros((3, 0))"),
        (inputs.features(2, 2), "np.array([[-1.375, -1.875], [0.0, -1.75]])"),
        ({"eps": 0.5, "norm": np.ones(2)}, "{'eps': 0.5, 'norm': np.array([1.0, 1.0])}"),
    ):
        assert call_as_prompt(Call("f", (value,))) == f">>> f({words})"
    assert call_as_prompt(Call("f", ("long" * MAX_CALL_CHARACTERS,))) == ""
    longest = call_as_prompt(Call("f", ("a" * (MAX_CALL_CHARACTERS - len("f('')")),)))
    assert len(longest) > MAX_CALL_CHARACTERS and result_markdown.printable_lines(longest) == longest
