"""A suite run on one submission, phase by phase, with follow-through and likely causes for each."""

from __future__ import annotations

import functools

from autograder.checks.results import Phase, TestResult
from autograder.checks.source import CallGraph
from autograder.grading.follow_through import follow_through
from autograder.grading.suite import Suite
from autograder.hints.likely_causes import with_likely_causes
from autograder.protocol.failure_kinds import SubmissionStatus
from autograder.sandbox.sandboxed_submission import SandboxedBackend


class SuiteRun:
    """A suite run on one submission, and its results so far."""

    def __init__(self, suite: Suite, backend: SandboxedBackend) -> None:
        self.suite = suite
        self.backend = backend
        self.results: list[TestResult] = []
        """Results of all phases so far, after follow-through."""
        self.status = SubmissionStatus.GRADED
        """The submission's status after the last phase's tests, before follow-through."""
        self._call_graph = functools.partial(CallGraph.of_cells, backend.cells)

    def results_after(self, *phases: Phase) -> list[TestResult]:
        """Run the tests of some phases, and return the results of all phases so far, with likely causes."""
        results = self.suite.run(self.backend, *phases)
        self.status = self._status()  # the calls of follow-through can use up a limit, which must not count
        self.results += follow_through(self.suite, self.backend, results, self.results)
        reference = self.suite.reference
        return with_likely_causes(reference, self.results, self._call_graph, reference.call_graph.dependencies)

    def _status(self) -> SubmissionStatus:
        stopped_early = self.backend.failure is not None and len(self.backend.cells) == 1
        return self.backend.status or (SubmissionStatus.IMPORT_ERROR if stopped_early else SubmissionStatus.GRADED)
