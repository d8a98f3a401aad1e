"""Number of examples per property; `--quick` runs a tenth of them."""

from __future__ import annotations

from hypothesis import settings

QUICK = False
"""Set before tests are collected."""


def examples(most: int) -> settings:
    """Set the number of examples for a property."""
    return settings(max_examples=most // 10 if QUICK else most, deadline=None)
