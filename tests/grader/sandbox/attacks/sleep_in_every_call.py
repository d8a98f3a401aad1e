"""Idea: stay just below the time of a call, in every call.

Stopped by: the time of all calls together is bounded.
"""

import time

print("TRIED sleeping")


def sleep(name, args):
    time.sleep(0.3)
    raise NotImplementedError


in_every_call(sleep)
