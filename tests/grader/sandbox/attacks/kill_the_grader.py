"""Idea: end whoever is grading.

Stopped by: seccomp: no system call that sends a signal; Landlock and another user id would refuse it too.
"""

import os
import signal

for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
    with attempt(f"{number.name} to another process"):
        os.kill(TARGETS["process"], number)
    with attempt(f"{number.name} to its group"):
        os.killpg(TARGETS["process"], number)
for process in (os.getppid(), TARGETS["grader"], -1, 0, 1):
    with attempt(f"whether {process} may be signalled"):
        os.kill(process, 0)
with attempt("a queued signal"):
    import ctypes

    refuse_unless(ctypes.CDLL(None).sigqueue(TARGETS["process"], int(signal.SIGTERM), None) == 0)
