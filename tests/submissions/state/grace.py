"""Complete, between the first middle and the last."""

import numpy as np


def state_middles(seq_len, width=1.0):
    if seq_len <= 0:
        raise ValueError(f"seq_len is {seq_len}")
    return np.linspace(width / 2, (seq_len - 0.5) * width, seq_len)


ANSWERS = {"state_middle_of_step_0": 3 / 2}
