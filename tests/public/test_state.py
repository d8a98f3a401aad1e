"""state, the tests you can see: the function by its values, and what it refuses.

The first line of a test is the rule that it checks. The values wanted are in `expected/state.json`.
"""

import numpy as np
import pytest

from autograder.checks import expect


@pytest.mark.question("state_middles", points=2)
def test_state_middles_by_hand(state):
    """The middles of two steps of width 2 are 1 and 3."""
    expect.close(state.state_middles(2, 2.0), np.array([1.0, 3.0]), "state_middles(2, 2.0) is [1, 3]")


@pytest.mark.question("state_middles", points=4)
def test_state_middles(state):
    """The middle of step i is half a width after its beginning."""
    expect.matches(state.state_middles, 4)
    expect.matches(state.state_middles, 3, 2.5)


@pytest.mark.question("state_middles", points=2)
def test_state_middles_needs_a_step(state):
    """A line without steps is refused."""
    expect.answers(state.state_middles, 1)
    expect.raises(ValueError, state.state_middles, 0, mentions=0)
