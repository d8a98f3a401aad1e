"""Number of examples per property, of which `--quick` runs a tenth."""

from __future__ import annotations

from hypothesis import settings

QUICK = False
"""True if only a tenth of the examples run, set before the tests are collected."""


def examples(most: int) -> settings:
    """Set the number of examples of a property."""
    return settings(max_examples=most // 10 if QUICK else most, deadline=None)
