"""Idea: read and change the memory of another process.

Stopped by: seccomp: neither ptrace nor process_vm_readv nor pidfd_getfd; the files under /proc are closed.
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE, PIDFD_OPEN, PIDFD_GETFD = 0x4206, 434, 438
process = TARGETS["process"]
with attempt("ptrace"):
    refuse_unless(libc.ptrace(PTRACE_SEIZE, process, None, None) >= 0)
here = ctypes.create_string_buffer(8)
ours, theirs = (ctypes.c_void_p * 2)(ctypes.addressof(here), 8), (ctypes.c_void_p * 2)(0, 8)
for name in ("process_vm_readv", "process_vm_writev"):
    with attempt(name):
        # Nothing lies at address 0: EFAULT says that the memory may be read, EPERM that it may not.
        getattr(libc, name)(process, ours, 1, theirs, 1, 0)
        refuse_unless(ctypes.get_errno() != 1)
with attempt("its memory as a file"):
    open(f"/proc/{process}/mem", "r+b").close()
with attempt("a descriptor of the process"):
    refuse_unless(libc.syscall(PIDFD_OPEN, process, 0) >= 0)
with attempt("a descriptor of the process's descriptors"):
    refuse_unless(libc.syscall(PIDFD_GETFD, 0, 0, 0) >= 0)
with attempt("its priority"):
    os.setpriority(os.PRIO_PROCESS, process, 19)
with attempt("its processors"):
    os.sched_setaffinity(process, {0})
with attempt("its limits"):
    import resource

    resource.prlimit(process, resource.RLIMIT_NOFILE)
