"""Idea: become a daemon, and grade the next submission down.

Stopped by: seccomp: no process but the worker, which is killed at the end.
"""

import os
import subprocess

with attempt("leaving the session"):
    os.setsid()
with attempt("leaving the process group"):
    os.setpgid(0, 0)
with attempt("a child in a session of its own"):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(5)"], start_new_session=True)
with attempt("becoming another program"):
    os.execv(sys.executable, [sys.executable, "-c", ""])
