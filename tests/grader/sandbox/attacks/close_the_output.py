"""Idea: close the output alone and go on: a reader that waits for a pipe without writers is woken again and again.

Stopped by: the grader stops to listen to an output that has ended.
"""

import os
import time

print("TRIED closing the output")


def close(name, args):
    os.close(1)
    os.close(2)
    time.sleep(20)


in_every_call(close)
