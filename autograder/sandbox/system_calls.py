"""The system calls that a worker may make, and the filter that refuses all others."""

from __future__ import annotations

import errno
import os
import tempfile
from typing import Any

_ALLOWED_CALLS = """
    read write readv writev pread64 pwrite64 preadv pwritev lseek close close_range dup dup2 dup3
    stat fstat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat
    getdents getdents64 getcwd chdir fchdir ftruncate fsync fdatasync fadvise64 umask sync_file_range
    mmap munmap mprotect mremap madvise brk membarrier
    pipe pipe2 select pselect6 poll ppoll epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack restart_syscall
    nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times getitimer setitimer alarm
    set_robust_list get_robust_list rseq set_tid_address arch_prctl sched_yield gettid
    getpid getppid getpgrp getuid geteuid getgid getegid getgroups getresuid getresgid uname sysinfo
    getrandom getrusage getrlimit exit exit_group wait4 sendfile copy_file_range
"""
"""System calls that numpy and the standard library need, including those for threads and temporary files.

The list was recorded with strace on the sample submissions. All other calls fail with EPERM."""

CLONE_THREAD = 0x10000
"""Flag that makes `clone` start a thread instead of a process."""

FUTEX_PRIVATE_FLAG = 128
"""Bit that limits a futex operation to the calling process. Without it, all processes that have mapped a library share
each futex in the library's pages, so two workers could signal each other."""

O_LARGEFILE = 0o100000
"""Flag that C libraries add when opening a file. Python's constant for it is 0 on systems where any file can be
large."""

_ALLOWED_READ_FLAGS = os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_DIRECTORY | O_LARGEFILE
_ALLOWED_WRITE_FLAGS = (
    os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CREAT | os.O_EXCL | os.O_TRUNC | os.O_APPEND | O_LARGEFILE
)
ALLOWED_FLAGS_BY_ACCESS_MODE = {
    os.O_RDONLY: _ALLOWED_READ_FLAGS,
    os.O_WRONLY: _ALLOWED_WRITE_FLAGS,
    os.O_RDWR: _ALLOWED_WRITE_FLAGS,
}
"""Flags allowed when opening a file, keyed by access mode.

Access mode 3 (neither reading nor writing) is left out because Landlock does not restrict it and would allow it for
every file. Reading with O_TRUNC is left out because Landlock before ABI 3 would let a worker truncate a readable file.
O_PATH, O_TMPFILE, O_NOATIME, O_DIRECT and O_SYNC are also left out."""

ALL_64_BITS = (1 << 64) - 1
"""Mask of all bits of a system call's argument."""

_ALLOWED_IOCTL_REQUESTS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5451)
"""ioctl requests TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO and FIOCLEX, which opening and printing need."""

_ALLOWED_FCNTL_COMMANDS = (0, 1, 2, 3, 1030)
"""fcntl commands F_DUPFD, F_GETFD, F_SETFD, F_GETFL and F_DUPFD_CLOEXEC. F_SETOWN is left out because the kernel would
then send signals on the submission's behalf to any process of its user. Locks of any kind are left out because two
workers could communicate through locks on a file that both read."""


def system_call_filter() -> bytes:
    """Return the filter in the kernel's format. Building it takes longer than forking a worker."""
    import pyseccomp as seccomp

    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    # System calls of a different architecture (32-bit on a 64-bit machine) have different numbers and no honest use.
    rules.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)

    def add(calls: str, *arguments: Any, action: int = seccomp.ALLOW) -> None:
        """Add a rule for each listed system call that exists on this machine's architecture."""
        for call in calls.split():
            if seccomp.resolve_syscall(seccomp.system_arch(), call) >= 0:
                rules.add_rule(action, call, *arguments)

    add(_ALLOWED_CALLS)
    # A worker may start threads but not processes. A filter cannot read the memory that holds clone3's arguments, so
    # the C library must use clone.
    add("clone", seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, CLONE_THREAD))
    add("clone3", action=seccomp.ERRNO(errno.ENOSYS))
    # The C library joins threads using a futex without the flag; if that fails, it retries immediately.
    add("futex", seccomp.Arg(1, seccomp.MASKED_EQ, FUTEX_PRIVATE_FLAG, FUTEX_PRIVATE_FLAG))
    add("futex", seccomp.Arg(1, seccomp.MASKED_EQ, FUTEX_PRIVATE_FLAG, 0), action=seccomp.ERRNO(errno.EAGAIN))
    for mode, flags in ALLOWED_FLAGS_BY_ACCESS_MODE.items():
        for call, position in (("open", 1), ("openat", 2)):
            add(call, seccomp.Arg(position, seccomp.MASKED_EQ, ALL_64_BITS & ~flags, mode))
    for call, requests in (("ioctl", _ALLOWED_IOCTL_REQUESTS), ("fcntl", _ALLOWED_FCNTL_COMMANDS)):
        for request in requests:
            add(call, seccomp.Arg(1, seccomp.EQ, request))
    # Removing a file seems to work but does nothing, so temporary files are usable and everything written stays
    # visible.
    add("unlink unlinkat rmdir", action=seccomp.ERRNO(0))
    # A worker may read its own limits and processors but not those of other processes.
    add("prlimit64", seccomp.Arg(0, seccomp.EQ, 0), seccomp.Arg(2, seccomp.EQ, 0))
    add("sched_getaffinity", seccomp.Arg(0, seccomp.EQ, 0))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
