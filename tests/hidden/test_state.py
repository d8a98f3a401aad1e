"""state, the full suite: values on the term's inputs, the dtype, what is refused, and the property that steps are equal.

The first line of a test is shown to students when it does not pass: it states the rule and never an input.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect


@pytest.mark.question("state_middles", points=4)
def test_state_middles_of_any_length_and_width(state, rng):
    """Any number of steps of any width."""
    for seq_len in (1, 2, 9):
        expect.matches(state.state_middles, seq_len, float(rng.uniform(1.5, 4)))


@pytest.mark.question("state_middles", points=1)
def test_state_middles_dtype(state):
    """The result is float64."""
    expect.dtype(state.state_middles, 5)


@pytest.mark.question("state_middles", points=3)
@given(st.integers(2, 12), st.integers(1, 8))
def test_state_middles_are_one_width_apart(state, seq_len, eighths):
    """Two neighbours are one width apart."""
    middles = state.state_middles(seq_len, eighths / 8)
    expect.close(np.diff(middles), np.full(seq_len - 1, eighths / 8), "neighbours are one width apart")


@pytest.mark.question("state_middles", points=2)
def test_state_middles_refuses_bad_lengths(state):
    """A number of steps below 1 is refused, and the message contains it."""
    expect.answers(state.state_middles, 3)
    expect.raises(ValueError, state.state_middles, -3, mentions=-3)


@pytest.mark.question("ANSWERS", points=2)
@pytest.mark.parametrize("key", ["state_middle_of_step_0"])
def test_answer(state, key):
    """Every question has one right answer."""
    expect.answer(state, key)
