"""What is made of one submission, part by part of the suite: each is judged by all that was seen until then."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.checks.results import TestResult
from autograder.grading.suite import Suite
from autograder.hints import live
from autograder.hints.observed import ObservedTest, Restartable


class Judgement:
    """The judgement of one submission."""

    def __init__(self, suite: Suite, backend: Restartable, cells: Sequence[str]) -> None:
        self.suite = suite
        self.backend = backend
        self.cells = cells
        self.seen: list[ObservedTest] = []
        """how the tests came out by themselves"""
        self.judged: list[ObservedTest] = []
        """and where a mistake costs once"""
        self.depending: frozenset[str] = frozenset()
        """the functions whose results depend on earlier calls"""

    def of(self, observed: Sequence[ObservedTest]) -> list[TestResult]:
        """The results with their likely causes, those of another part among them."""
        oracle = self.suite.oracle
        self.depending |= live.depending_on_earlier_calls(oracle, self.seen, observed, self.backend)
        keeping_state = oracle.blocks.lowest(self.depending)
        self.seen += observed
        self.judged += self.suite.carry(self.backend, observed, self.seen, keeping_state)
        return live.with_causes(oracle, self.judged, self.cells, keeping_state)
