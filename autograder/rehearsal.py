"""A suite run on the reference solution, to write down what its tests ask (see `autograder.sandbox.ahead`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import numpy as np

from autograder import catalogue
from autograder.checks import codec
from autograder.checks.call import Raised, Reply
from autograder.course import Assignment
from autograder.sandbox import wire
from autograder.sandbox.ahead import Script, Step


class Rehearsal:
    """The solution as a submission, whose calls are taken down."""

    failure: Raised | None = None

    def __init__(self, assignment: Assignment, nudged: bool) -> None:
        """`nudged`: every answer is off by its last digit, and so is every request that depends on one."""
        self.solution = catalogue.Module(catalogue.solution(assignment))
        self.nudged = nudged
        self._asked: list[Step] = []

    def asked(self) -> list[Step]:
        """What was asked since this was called last."""
        asked, self._asked = self._asked, []
        return asked

    def call(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any], measured: bool) -> Reply:
        self._asked.append(Step(function, wire.request(function, args, kwargs, measured)))
        reply = self.solution.call(function, args, kwargs, measured)
        if not self.nudged or reply.raised is not None:
            return reply
        return dataclasses.replace(reply, value=codec.encode(_nudged(codec.decode(reply.value))))


def settled(asked: list[Step], asked_when_nudged: list[Step]) -> list[Step | None]:
    """A test's requests that are the same whatever the answers are, and None for the others."""
    return [step if step == nudged else None for step, nudged in zip_longest(asked, asked_when_nudged)]


def script(tests: Mapping[str, list[Step | None]]) -> Script:
    """The script of a part, from the requests of its tests in order."""
    steps: list[Step | None] = []
    starts = {}
    for test, requests in tests.items():
        starts[test] = len(steps)
        steps += requests
    return Script(tuple(steps), starts)


def _nudged(value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(_nudged, value))
    if type(value) is float:
        return float(np.nextafter(value, np.inf))
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "f":
        return np.nextafter(value, value.dtype.type(np.inf))
    return value
