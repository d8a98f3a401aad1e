"""Idea: become somebody else, get back what was given up, take descriptors without end.

Stopped by the system: no capability is left and none can be gained; seccomp allows none of these calls; the limit on
descriptors.
"""

import fcntl
import resource

F_SETPIPE_SZ = 1031
attempts(
    """
    os.setresuid(0, 0, 0)
    os.setgroups([0])
    system_call("capset", (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[2**32 - 1] * 6))
    system_call("prctl", 4, 1, 0, 0, 0)
    system_call("unshare", 0x10000000)
    system_call("mount", b"none", b".", b"tmpfs", 0, None)
    resource.setrlimit(resource.RLIMIT_AS, (resource.getrlimit(resource.RLIMIT_AS)[1],) * 2)
    fcntl.fcntl(os.pipe()[1], F_SETPIPE_SZ, 1 << 20)
    pipes = [os.pipe() for _ in range(250)]
    """
)
for name, number in {"bpf": 321, "keyctl": 250, "perf_event_open": 298, "userfaultfd": 323, "io_uring": 425}.items():
    with attempt(name):
        refuse_unless(libc.syscall(number, 0, 0, 0, 0, 0) >= 0 or ctypes.get_errno() not in (1, 38))
