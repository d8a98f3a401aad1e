"""Tests of alternative solutions: no correct result is rejected for its memory layout, or for using numpy
scalars or 0-d arrays instead of numbers.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.hints import catalogue


def fortran(array: np.ndarray) -> np.ndarray:
    return np.asfortranarray(array)


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def strided(array: np.ndarray) -> np.ndarray:
    """Return a strided view of a larger array with the same values."""
    wide = np.repeat(array[..., ::-1], 2, axis=-1) if array.ndim else array
    return wide[..., ::-2] if array.ndim else array


FORMS: dict[str, tuple[Callable[[np.ndarray], Any], Callable[[Any], Any]]] = {
    "Fortran order, numpy's scalars": (fortran, lambda number: np.asarray(number)[()]),
    "read-only, 0-d arrays": (read_only, np.asarray),
    "strided": (strided, lambda number: number),
}


def in_form(
    function: Callable[..., Any], of_array: Callable[[np.ndarray], Any], of_number: Callable[[Any], Any]
) -> Callable[..., Any]:
    def part(value: Any) -> Any:
        if type(value) is dict:
            return {key: part(one) for key, one in value.items()}
        if type(value) in (tuple, list):
            return [part(one) for one in value]
        return of_array(value) if isinstance(value, np.ndarray) else of_number(value)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return part(function(*args, **kwargs))

    return call


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_a_right_result_does_not_matter(assignment: Assignment, suite: Suite, form: str) -> None:
    module = catalogue.solution(assignment)
    for name, function in functions(catalogue.solution(assignment)).items():
        setattr(module, name, in_form(function, *FORMS[form]))
    assert [(one.test.name, one.message) for one in suite.run(catalogue.ModuleBackend(module)) if not one.passed] == []


STYLES = Path(__file__).with_name("alternative_solutions")
"""Correct functions in a different style from the solutions, with complex numbers, einsum, logarithms,
one-hot matrices, strings of digits or loops. A wrapper adds the solution's checks and conversions: it rejects
the same arguments and converts results to the same dtype. Positions, masks, bits and orders are exact, and
are therefore the same in every correct solution."""


def test_the_style_of_a_right_module_does_not_matter(assignment: Assignment, suite: Suite) -> None:
    """An alternative solution never calls the solution, and omits functions that can hardly be written any other
    way."""
    file, style = STYLES / f"{assignment.name}.py", ModuleType(assignment.name)
    exec(compile(file.read_text("utf-8"), str(file), "exec"), vars(style))
    expected, written = (functions(module) for module in (catalogue.solution(assignment), style))
    assert written and written.keys() <= expected.keys()
    module = catalogue.solution_with(assignment, written)
    assert [(one.test.name, one.message) for one in suite.run(catalogue.ModuleBackend(module)) if not one.passed] == []


def functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {name: one for name, one in vars(module).items() if inspect.isfunction(one) and name[0] != "_"}


class Rounded:
    """Math module of an imaginary machine on which all transcendental functions round in one direction."""

    TRANSCENDENTAL = ("log", "log2", "log10", "exp", "exp2", "sin", "cos", "power")

    def __init__(self, module: ModuleType, factor: float) -> None:
        self.module, self.factor = module, factor

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.module, name)
        return (lambda *args, **kwargs: value(*args, **kwargs) * self.factor) if name in self.TRANSCENDENTAL else value


@pytest.mark.parametrize("factor", [1 - 4e-15, 1 + 4e-15], ids=["down", "up"])
def test_no_test_asks_where_only_rounding_decides(assignment: Assignment, suite: Suite, factor: float) -> None:
    """A small error in a logarithm changes no bucket, bound or window length that a test checks."""
    module = catalogue.solution(assignment)
    for name, library in (("np", np), ("math", math)):
        if name in vars(module):
            setattr(module, name, Rounded(library, factor))
    assert [(one.test.name, one.message) for one in suite.run(catalogue.ModuleBackend(module)) if not one.passed] == []
