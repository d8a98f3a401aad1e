"""Idea: learn what else runs here.

Stopped by: Landlock, as to names, arguments and states. Not stopped: stat of /proc/N says whether there is a process N, and whose.
"""

import os

print("TRIED asking for processes")
assert os.stat(f"/proc/{TARGETS['process']}").st_mode
with attempt("the name of a process"):
    open(f"/proc/{TARGETS['process']}/comm").close()
with attempt("the state of a process"):
    open(f"/proc/{TARGETS['process']}/stat").close()
with attempt("the file that a process runs"):
    os.readlink(f"/proc/{TARGETS['process']}/exe")
with attempt("the priority of a process"):
    os.getpriority(os.PRIO_PROCESS, TARGETS["process"])
with attempt("the processors of a process"):
    os.sched_getaffinity(TARGETS["process"])
with attempt("the session of a process"):
    os.getsid(TARGETS["process"])
with attempt("the group of a process"):
    os.getpgid(TARGETS["process"])
with attempt("the limits of a process"):
    import resource

    resource.prlimit(TARGETS["process"], resource.RLIMIT_CPU)
