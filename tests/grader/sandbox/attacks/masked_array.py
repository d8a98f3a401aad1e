"""Idea: a masked array: every comparison is masked, and a masked truth is taken for true.

Stopped by: the codec: a masked array is a wrong type.
"""

import numpy as np

print("TRIED a masked array")
in_every_call(lambda name, args: np.ma.masked_all(np.shape(args[0])))
