"""Idea: print until the grader's memory is full; then close the output alone and go on: a reader that waits for a pipe
without writers is woken again and again.

Stopped by the grader: it keeps the first 64 KiB, throws away the rest, and stops to listen to an output that has ended.
"""

import time

print("TRIED a flood of output", flush=True)


def flood(name, args):
    with contextlib.suppress(OSError):
        for _ in range(256):
            os.write(1, b"y" * (1 << 16))
            os.write(2, b"z" * (1 << 16))
    if FUNCTIONS.index(name) % 2:
        os.closerange(1, 3)
        time.sleep(20)
    raise NotImplementedError


in_every_call(flood)
