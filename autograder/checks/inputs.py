"""Inputs for tests: features that look random, are small, and are the same on every machine."""

from __future__ import annotations

import functools

import numpy as np
from hypothesis import strategies as st


def features(*shape: int, seed: int = 0, dtype: type[np.generic] = np.float64) -> np.ndarray:
    """Multiples of 1/8 from −2 to 2: exact in float32 and float64, whatever the platform. Not all equal, never
    symmetric."""
    return _features(shape, seed).astype(dtype)


SEEDS = range(10)
"""Seeds that the tests write down. Those that Hypothesis draws would tell a reader nothing."""


def how_made(array: np.ndarray) -> str | None:
    """The call of `features` that makes this array, where a seed that tests write down makes it."""
    eighths = 8.0 * array if array.dtype in (np.float64, np.float32) and array.size >= 4 else np.full(1, np.nan)
    if not (np.abs(eighths) <= 16).all() or (eighths % 1).any():
        return None
    for seed in SEEDS:
        if np.array_equal(_drawn(array.shape, seed), array):  # not remembered: a submission may have made the array
            words = [
                *map(str, array.shape),
                *([f"seed={seed}"] if seed else []),
                *(["dtype=np.float32"] if array.dtype == np.float32 else []),
            ]
            return f"features({', '.join(words)})"
    return None


@functools.lru_cache(maxsize=1024)
def _features(shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Remembered, since every submission is asked the same; `features` gives out copies."""
    return _drawn(shape, seed)


def _drawn(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).integers(-16, 17, size=shape) / 8.0


def positions(limit: int = 10**6) -> st.SearchStrategy[int]:
    """A position anywhere up to `limit`, for Hypothesis."""
    return st.integers(0, limit)


def seeds() -> st.SearchStrategy[int]:
    """A seed for `features`, for Hypothesis: arrays drawn number by number would be slow and no more telling."""
    return st.integers(0, 2**20)
