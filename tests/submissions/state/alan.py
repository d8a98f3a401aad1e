"""The beginning of each step in the place of its middle."""

import numpy as np


def state_middles(seq_len, width=1.0):
    if seq_len < 1:
        raise ValueError(f"bad seq_len {seq_len}")
    return np.arange(seq_len) * width


ANSWERS = {"state_middle_of_step_0": 1.5}
