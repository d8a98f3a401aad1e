"""Idea: an array of 10¹² equal numbers, which takes eight bytes here and eight terabytes once it is written out.

Stopped by: the codec: the numbers of a result are counted before they are written.
"""

import numpy as np

print("TRIED an array larger than any memory")
in_every_call(lambda name, args: np.broadcast_to(1.0, (10**6, 10**6)))
