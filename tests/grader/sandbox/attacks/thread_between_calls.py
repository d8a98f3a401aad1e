"""Idea: a thread that goes on between calls, prints, writes, answers for others, and waits for the next part.

Stopped by: every part has its own worker, and a worker ends with its part, threads and all.
"""

import os
import threading
import time

started = time.monotonic()


def go_on():
    while time.monotonic() < started + 30:
        print("TRIED going on", flush=True)
        with open(f"thread-{os.getpid()}", "w") as file:
            file.write(str(time.monotonic()))
        time.sleep(0.002)


threading.Thread(target=go_on).start()
with attempt("finding the thread of an earlier part"):
    refuse_unless([name for name in os.listdir(".") if name.startswith("thread-") and name != f"thread-{os.getpid()}"])
