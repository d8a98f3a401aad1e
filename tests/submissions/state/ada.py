"""Complete, number by number."""

import numpy as np


def state_middles(seq_len, width=1.0):
    if seq_len < 1:
        raise ValueError(f"there are no {seq_len} steps")
    return np.array([step * width + width / 2 for step in range(seq_len)], dtype=float)


ANSWERS = {"state_middle_of_step_0": 1.5}
