"""Inputs for tests: small features that look random and are the same on every machine."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # messages need only `features`, and Hypothesis and pytest take longer to import than numpy
    from hypothesis.strategies import SearchStrategy


def features(*shape: int, seed: int = 0, dtype: type[np.generic] = np.float64) -> np.ndarray:
    """Return multiples of 1/8 from −2 to 2, which are exact in float32 and float64 on every platform.

    They are rarely all equal or symmetric, even in small arrays.
    """
    return _features(shape, seed, np.dtype(dtype)).copy()


RECOGNISED_SEEDS = range(10)
"""Seeds for which messages show the call to `features`; others come from Hypothesis and mean nothing to readers."""

_features_calls_by_array: dict[tuple[str, tuple[int, ...], bytes], str] = {}
"""Calls to `features`, keyed by the dtype, shape and bytes of the array that each one creates."""


def features_call(array: np.ndarray) -> str | None:
    """Return the call to `features` that creates this array; None if no test has made such a call."""
    return _features_calls_by_array.get((array.dtype.name, array.shape, array.tobytes()))


@functools.lru_cache(maxsize=1024)
def _features(shape: tuple[int, ...], seed: int, dtype: np.dtype[Any]) -> np.ndarray:
    """Return the features; cached, because every submission's tests request the same ones."""
    array = (np.random.default_rng([seed, *shape]).integers(-16, 17, size=shape) / 8.0).astype(dtype)
    if array.size >= 4 and seed in RECOGNISED_SEEDS:
        words = [*map(str, shape), *[f"seed={seed}"] * (seed > 0), *["dtype=np.float32"] * (dtype == np.float32)]
        _features_calls_by_array[dtype.name, shape, array.tobytes()] = f"features({', '.join(words)})"
    return array


POINTS_PER_FUNCTION_CASE = 0.0625
"""Points for each function in a test of several functions."""


def case(function: str, *arguments: Any) -> Any:
    """Return one function's case for a parametrised test that awards points for each function separately."""
    import pytest

    mark = pytest.mark.question(function, points=POINTS_PER_FUNCTION_CASE)
    return pytest.param(function, arguments, id=function, marks=mark)


def positions(limit: int = 10**6) -> SearchStrategy[int]:
    """Return a strategy that draws a position from 0 to `limit`."""
    from hypothesis import strategies as st

    return st.integers(0, limit)


def seeds() -> SearchStrategy[int]:
    """Return a strategy that draws a seed for `features`; drawing each number of an array would be slower."""
    from hypothesis import strategies as st

    return st.integers(0, 2**20)
