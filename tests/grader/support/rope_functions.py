"""Code submitted for the `rope` assignment, as tests see it."""

from __future__ import annotations

from autograder.checks.proxy import StudentModule
from autograder.course import find
from autograder.hints import catalogue
from autograder.hints.reference_oracle import Reference
from autograder.protocol.load import load

ROPE = find("rope")
GRADED = tuple(name for name in vars(catalogue.solution(ROPE)) if name[0] != "_")


def submission(source: str) -> StudentModule:
    """Return submitted code as a test sees it, with the real solution as the reference."""
    module, failure = load("rope", [source], "rope.py")
    backend = catalogue.ModuleBackend(module)
    backend.failure = failure  # type: ignore[assignment]
    return StudentModule("rope", backend, Reference(ROPE), GRADED)
