"""Idea: what outlives a process: shared memory, message queues, semaphores, keys, timers.

Stopped by the system: seccomp: none of their system calls is allowed.
"""

import atexit
import signal

IPC_CREAT = 0o1000
attempts(
    """
    system_call("shmget", 0, 4096, IPC_CREAT | 0o600)
    system_call("msgget", 0, IPC_CREAT | 0o600)
    system_call("semget", 0, 1, IPC_CREAT | 0o600)
    system_call("mq_open", b"/canary", os.O_CREAT | os.O_RDWR, 0o600, None)
    system_call("inotify_init")
    system_call("timer_create", 0, None, ctypes.byref(ctypes.c_void_p()))
    """
)
atexit.register(print, "ESCAPED by a function at exit")
os.register_at_fork(before=lambda: print("ESCAPED by a function at fork"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
