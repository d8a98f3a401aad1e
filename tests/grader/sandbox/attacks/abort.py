"""Idea: abort, which also writes the memory to a file where that is on.

Stopped by: the signal is not allowed, the C library falls over all the same; core files are off.
"""

import os

print("TRIED abort", flush=True)
in_every_call(lambda name, args: os.abort())
