"""Idea: threads without end.

Stopped by the system: the limit on tasks where the worker has a user id of its own; else the zygote's watch.
"""

import threading
import time

print("TRIED threads")


def start(name, args):
    with attempt("200 threads"):
        for _ in range(200):
            threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
        time.sleep(0.2)
    raise NotImplementedError


in_every_call(start)
