"""Idea: what outlives a process: shared memory, message queues, semaphores, keys, timers.

Stopped by: seccomp: none of their system calls is allowed.
"""

import atexit
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
IPC_CREAT, IPC_PRIVATE, SIGALRM_TIMER = 0o1000, 0, 0
for name, arguments in {
    "shmget": (IPC_PRIVATE, 4096, IPC_CREAT | 0o600),
    "msgget": (IPC_PRIVATE, IPC_CREAT | 0o600),
    "semget": (IPC_PRIVATE, 1, IPC_CREAT | 0o600),
    "mq_open": (b"/canary", os.O_CREAT | os.O_RDWR, 0o600, None),
    "inotify_init": (),
    "timer_create": (0, None, ctypes.byref(ctypes.c_void_p())),
}.items():
    with attempt(name):
        refuse_unless(getattr(libc, name)(*arguments) >= 0)
atexit.register(print, "ESCAPED by a function at exit")
os.register_at_fork(before=lambda: print("ESCAPED by a function at fork"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
