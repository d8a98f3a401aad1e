"""The choice between running the public tests and self-study."""

from __future__ import annotations

from collections.abc import Callable

from autograder.laptop.in_process_test_run import LocalContext


def context_class(self_study: bool) -> Callable[..., LocalContext]:
    """Return the context class for running the public tests or, in self-study, both public and hidden tests."""
    if not self_study:
        return LocalContext
    from autograder.laptop.self_study import SelfStudyContext  # not in handouts

    return SelfStudyContext
