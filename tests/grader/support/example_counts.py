"""Number of examples per property, of which `--quick` runs a tenth."""

from __future__ import annotations

from hypothesis import settings

QUICK = False
"""True to run a tenth of the examples, set before tests are collected."""


def examples(most: int) -> settings:
    """Set the number of examples of a property."""
    return settings(max_examples=most // 10 if QUICK else most, deadline=None)
