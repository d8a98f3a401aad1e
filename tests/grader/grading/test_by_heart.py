"""Values learnt by heart from the handout earn nothing: the grader asks again, on this term's inputs, and staff are
told."""

from __future__ import annotations

import base64
import pickle
from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.checks.results import Phase, Test
from autograder.course import Assignment
from autograder.grading import by_heart
from autograder.grading.grader import Grader
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.hints.observed import ObservedTest
from autograder.protocol.call import Call, Reply
from autograder.protocol.failure import Kind

TABLE = """
import base64, pickle
import numpy as np
_TABLE = pickle.loads(base64.b64decode("{table}"))
def _key(value):
    if isinstance(value, np.ndarray):
        return (str(value.dtype), value.shape, value.tobytes())
    return tuple(map(_key, value)) if isinstance(value, (list, tuple)) else repr(value)
def _function(name):
    def looked_up(*args, **kwargs):
        kind, value = _TABLE.get((name, _key(args), _key(sorted(kwargs.items()))), ("raises", "no such value"))
        if kind == "raises":
            raise ValueError(value)
        return value
    return looked_up
for _name in {names!r}:
    globals()[_name] = _function(_name)
"""


def key(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return (str(value.dtype), value.shape, value.tobytes())
    return tuple(map(key, value)) if isinstance(value, list | tuple) else repr(value)


class Learnt(catalogue.Module):
    """The solution, and a note of all that it is asked."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(catalogue.solution(assignment))
        self.table: dict[Any, Any] = {}

    def call(self, call: Call) -> Reply:
        reply = super().call(call)
        kept = ("raises", reply.raised.message) if reply.raised else ("returns", reply.value)
        self.table[call.function, key(call.args), key(sorted(call.kwargs.items()))] = kept
        return reply

    def entries(self, one: ObservedTest) -> set[Any]:
        """Those of the table that a test asks its own function for."""
        own = {
            (call.function, key(call.args), key(sorted(call.kwargs.items())))
            for call in one.calls
            if call.function == one.result.test.question
        }
        return {entry for entry in own if self.table[entry][0] == "returns"}

    def source(self) -> str:
        names = sorted({name for name, _, _ in self.table if name != "ANSWERS"})
        table = {entry: value for entry, value in self.table.items() if entry[0] != "ANSWERS"}
        return TABLE.format(table=base64.b64encode(pickle.dumps(table)).decode(), names=names)


def spoiled(table: dict[Any, Any], calls: dict[Test, set[Any]]) -> None:
    """Make the cheapest test of every function fail, where it has several: whoever is wrong at home, too, is no less
    suspect."""
    tests: dict[str, list[Test]] = {}
    for test in sorted(calls, key=lambda test: test.points):
        if calls[test]:
            tests.setdefault(test.question, []).append(test)
    for cheapest, *others in tests.values():
        for entry in calls[cheapest] if others else ():
            table[entry] = ("returns", 77.0)


@pytest.mark.parametrize("way", ["raises", "ends its process", "one test wrong"])
def test_values_kept_from_the_handout_earn_little_and_are_named(assignment: Assignment, way: str) -> None:
    """However a table answers what is not in it. What is left are refusals, and tests of shapes and types."""
    learnt, suite = Learnt(assignment), Suite(assignment)
    calls = {one.result.test: learnt.entries(one) for one in suite.observe(learnt, Phase.PUBLIC)}
    if way == "one test wrong":
        spoiled(learnt.table, calls)
    source = learnt.source()
    if way == "ends its process":
        source = source.replace(
            "raise ValueError(value)",
            "raise ValueError(value) if value != 'no such value' else __import__('os')._exit(1)",
        )
    with Grader() as grader:
        grade = grader.grade(assignment, (source,))
    public = [one for one in grade.at_once.test_results if one.test.phase is Phase.PUBLIC]
    assert sum(one.test.points for one in public if one.passed) >= 4, "they do pass at home"
    assert grade.score <= 2, (assignment.name, grade.score)
    assert any(one.kind is Kind.BY_HEART for one in grade.test_results)


@pytest.mark.parametrize("name", ["sinusoidal", "context_extension"])
def test_whoever_computes_is_not_taken_for_somebody_who_remembers(name: str) -> None:
    """Of all known mistakes: some give right values for the handout's inputs alone, and none has points taken back."""
    assignment = course.find(name)
    suite = Suite(assignment)
    for entry in catalogue.entries(assignment):
        mistaken = catalogue.Module(catalogue.mistaken(assignment, entry))
        seen = suite.observe(mistaken, Phase.PUBLIC)
        public = [one.result for one in suite.carry(mistaken, seen, seen)]
        hidden = suite.run(mistaken, Phase.HIDDEN)
        results = [*public, *hidden]
        assert by_heart.take_back(suite, mistaken, seen, results) == results, entry.name


@pytest.mark.parametrize("seed", [1, 2027, -5])
def test_the_solution_passes_its_public_tests_on_any_term_s_inputs(
    assignment: Assignment, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So nobody who computes is taken for somebody who remembers."""
    from autograder.checks import inputs

    monkeypatch.setattr(course, "seed", lambda: seed)
    suite = Suite(assignment)
    suite._context.recorded_values = False
    with inputs.of_term(seed):
        missed = [
            one for one in suite.run(catalogue.Module(catalogue.solution(assignment)), Phase.PUBLIC) if not one.passed
        ]
    assert [(one.test.name, one.message) for one in missed] == []
