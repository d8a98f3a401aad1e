"""The choice between a run of the public tests and a run in self-study."""

from __future__ import annotations

from collections.abc import Callable

from autograder.laptop.in_process_test_run import LocalContext


def context_class(self_study: bool) -> Callable[..., LocalContext]:
    """Return the context's class for a run of the public tests or, in self-study, of public and hidden tests."""
    if not self_study:
        return LocalContext
    from autograder.laptop.self_study import SelfStudyContext  # not in a handout

    return SelfStudyContext
