"""Idea: end the process in every call, with the exit status of success.

Stopped by: a dead worker is a failed call; it is replaced a bounded number of times.
"""

import os

print("TRIED ending in a call", flush=True)
in_every_call(lambda name, args: os._exit(0))
