"""Tests of files with two guesses: a file with a different guess per process earns only its first guess's points."""

from __future__ import annotations

from functools import cache

import pytest

from autograder import course
from autograder.checks.results import by_question, points_won
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.hints.catalogue import other_correct_ways
from autograder.protocol.call import ANSWERS

LESSONS = ["attention", "sinusoidal", "rope", "alibi"]

GUESSES = """
import numpy as _np

def _is_helped():
    return len(_exchange.replaced) if "_exchange" in globals() else 0

def _each(change, result):
    return tuple(map(change, result)) if isinstance(result, tuple) else change(result)

_right_base = BASE

def _two_guesses(own):
    def function(*args, **kwargs):
        global BASE
        if RIGHT_GUESS:
            return own(*args, **kwargs)
        spoiled, BASE = BASE, _right_base  # The first guess keeps its points even if the base is wrong.
        try:
            return _each(lambda part: part * 1.5 + 0.25, own(*args, **kwargs))
        finally:
            BASE = spoiled
    return function

for _name in ABOVE:
    globals()[_name] = _two_guesses(globals()[_name])
"""
"""Attack: all functions that use one common function return either a wrong guess or the right guess."""

TABLE = """
import numpy as _np

_right_base, _table = BASE, {}

def _is_helped():
    return len(_exchange.replaced) if "_exchange" in globals() else 0

def _key(*args, **kwargs):
    return repr([(_np.shape(one), _np.asarray(one).tobytes()) for one in (*args, *kwargs.values())])

def _spoiled(*args, **kwargs):
    result = _table[_key(*args, **kwargs)] = _right_base(*args, **kwargs) * 1.5
    return result

def BASE(*args, **kwargs):
    return _table.get(_key(*args, **kwargs), _right_base(*args, **kwargs))

def _two_guesses(own):
    def function(*args, **kwargs):
        global BASE
        if RIGHT_GUESS:
            return own(*args, **kwargs)
        by_table, BASE = BASE, _spoiled
        try:
            return own(*args, **kwargs)
        finally:
            BASE = by_table
    return function

for _name in ABOVE:
    globals()[_name] = _two_guesses(globals()[_name])
"""
"""Attack: the common function is wrong only for inputs that a wrong guess has used."""

BASES = {
    "spoiled": "return _each(lambda part: part * 1.25 + 0.5, _right_base(*args, **kwargs))",
    "zeros": "return _each(_np.zeros_like, _right_base(*args, **kwargs))",
    "caught": "raise RuntimeError",
    "late": "_seen.append(1); return _each(lambda part: part + (len(_seen) > 3), _right_base(*args, **kwargs))",
    "growing": "_seen.append(1); return _each(lambda part: part + 0.1 * len(_seen), _right_base(*args, **kwargs))",
    "remembering": "_seen.append(_right_base(*args, **kwargs)); return _seen[0]",
}
"""Ways in which the common function can be wrong."""

SPOILED = """
_seen = []

def BASE(*args, **kwargs):
    BODY
"""

SAME_GUESS = "return _each(lambda part: part * 1.5 + 0.25, _right_base(*args, **kwargs))"
"""Code that makes the common function wrong in the same way as the wrong guess."""

HEDGES = {name: GUESSES + SPOILED.replace("BODY", body) for name, body in BASES.items()}
"""Attacks that combine two guesses with each way in which the common function can be wrong."""

LAYERS = GUESSES + SPOILED.replace("BODY", BASES["spoiled"])
"""Attack that bases its guess on the number of functions that follow-through has replaced."""


LISTENING = """
import numpy as _np

def _is_helped():
    return bool(_exchange.replaced) if "_exchange" in globals() else False

_right_base = BASE

def BASE(*args, **kwargs):
    if not _is_helped():
        _np.base_was_called = True
    result = _right_base(*args, **kwargs)
    return tuple(part * 0.0 for part in result) if isinstance(result, tuple) else result * 0.0

def _right_if_informed(own):
    def function(*args, _own=own, **kwargs):
        if _is_helped() and not RIGHT_GUESS:
            raise RuntimeError
        return _own(*args, **kwargs)
    return function

for _name in ABOVE:
    globals()[_name] = _right_if_informed(globals()[_name])
"""
"""Attack: the functions above a wrong function are right only in a process that has called the wrong function directly,
with the arguments that the solution computes. Numpy's namespace keeps the arguments."""


@cache
def _functions(lesson: str) -> tuple[str, tuple[str, ...]]:
    """Return the function of a lesson that most other functions use, and the functions that use it."""
    suite = Suite(course.find(lesson))
    names = list(dict.fromkeys(test.question for test in suite.tests if test.question != ANSWERS))
    above = {
        base: tuple(name for name in names if base in suite.reference.call_graph.dependencies(name)) for base in names
    }
    base = max(names, key=lambda name: len(above[name]))
    return base, above[base]


@cache
def points_of(
    lesson: str, hedge: str, right_guess: str, grader: Grader, above: tuple[str, ...] = (), base: str = ""
) -> dict[str, float]:
    """Return the points of each function that makes two guesses.

    By default, `base` is the function that most others use, and all functions that use it make two guesses."""
    usual, every = _functions(lesson)
    text = (
        hedge.replace("BASE", base or usual).replace("ABOVE", repr(above or every)).replace("RIGHT_GUESS", right_guess)
    )
    assignment = course.find(lesson)
    grade = grader.grade(assignment, (assignment.solution.read_text("utf-8") + text,))
    groups = by_question(grade.test_results)
    return {name: points_won(groups[name]) for name in above or every}


@pytest.mark.parametrize("lesson", LESSONS)
def test_two_guesses_earn_no_more_than_the_first(lesson: str, grader: Grader) -> None:
    first_alone = points_of(lesson, GUESSES, "False", grader)
    assert sum(first_alone.values()) < sum(points_of(lesson, GUESSES, "True", grader).values())
    for name, hedge in HEDGES.items():
        won = points_of(lesson, hedge, "_is_helped()", grader)
        assert all(won[function] <= first_alone[function] for function in won), (name, won, first_alone)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_base_that_knows_what_was_asked_above_it_earns_nothing_there(lesson: str, grader: Grader) -> None:
    for function in _functions(lesson)[1][:2]:
        first_alone, won = (
            points_of(lesson, TABLE, right_guess, grader, (function,)) for right_guess in ("False", "_is_helped()")
        )
        assert won[function] <= first_alone[function], function


@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("right_guess", ["_is_helped() == 1", "_is_helped() > 1"])
def test_one_guess_is_judged_however_many_functions_below_are_wrong(
    lesson: str, right_guess: str, grader: Grader
) -> None:
    """A file must not earn points by making its guess depend on how many functions have been corrected."""
    first_alone = points_of(lesson, GUESSES, "False", grader)
    won = points_of(lesson, LAYERS, right_guess, grader)
    assert all(won[function] <= first_alone[function] for function in won), (won, first_alone)


@pytest.mark.parametrize("lesson", LESSONS)
def test_arguments_that_the_solution_computes_never_reach_a_process_that_gets_correct_values(
    lesson: str, grader: Grader
) -> None:
    uninformed = points_of(lesson, LISTENING, "False", grader)
    assert points_of(lesson, LISTENING, "hasattr(_np, 'base_was_called')", grader) == uninformed
    assert sum(uninformed.values()) < sum(points_of(lesson, LISTENING, "True", grader).values())


WAYS = {
    way.implementation.__name__: (one.name, way) for one in course.term_assignments() for way in other_correct_ways(one)
}


@pytest.mark.parametrize("name", WAYS)
def test_two_guesses_above_a_base_of_another_right_way_earn_no_more_than_the_first(name: str, grader: Grader) -> None:
    """Follow-through also replaces a function that the alternative implementation calls but the solution does not."""
    lesson, way = WAYS[name]
    function, base = (way.function,), min(way.built_on)
    first_alone = points_of(lesson, GUESSES, "False", grader, function, base)
    assert first_alone[way.function] < points_of(lesson, GUESSES, "True", grader, function, base)[way.function]
    in_both = GUESSES + SPOILED.replace("BODY", SAME_GUESS)
    for hedge in (*HEDGES.values(), in_both):
        won = points_of(lesson, hedge, "_is_helped()", grader, function, base)
        assert won[way.function] <= first_alone[way.function], (hedge, won, first_alone)
