"""Known mistakes with state: each replaces one function of the solution, and must lose points.

A hint says what the code did and then the rule, in the words of the lesson. It never hands over the line of code.
"""

import numpy as np

from autograder.hints.catalogue import misconception, wrong_answer
from solutions import state


@misconception(
    "state_middles",
    hint="You returned where each step begins; the rule asks for its middle, half a width later.",
    origin="expected: the half is left out",
)
def beginnings(seq_len, width=1.0):
    return state.state_middles(seq_len, width) - width / 2


@misconception(
    "state_middles",
    hint="You returned where each step ends; the rule asks for its middle, half a width earlier.",
    origin="expected: a whole width in the place of half of one",
)
def ends(seq_len, width=1.0):
    return state.state_middles(seq_len, width) + width / 2


@misconception(
    "state_middles",
    hint="You counted the steps from 1; the rule is that step 0 is the first.",
    origin="expected: counting from 1",
)
def counted_from_one(seq_len, width=1.0):
    return state.state_middles(seq_len, width) + width


@misconception(
    "state_middles",
    hint="Your steps have length 1, whatever the width; the rule is that every length is a multiple of the width.",
    origin="expected: an argument that is not used",
)
def without_the_width(seq_len, width=1.0):
    return state.state_middles(seq_len)


@misconception(
    "state_middles",
    hint="You divided by the width; the rule multiplies, so wider steps lie farther apart.",
    origin="expected: width and number of steps confused",
)
def divided_by_the_width(seq_len, width=1.0):
    return state.state_middles(seq_len) / width


@misconception(
    "state_middles",
    hint="Your first middle is the largest; the rule is that positions grow from step to step.",
    origin="expected: counted from the end",
)
def backwards(seq_len, width=1.0):
    return np.ascontiguousarray(state.state_middles(seq_len, width)[::-1])


WRONG_ANSWERS = [
    wrong_answer("state_middle_of_step_0", 0, hint="This is where step 0 begins; its middle is half a width later."),
]
