"""Idea: end, stop, trace or question whoever is grading, or start processes that go on.

Stopped by the system: seccomp: no process is started, none signalled, traced or asked; Landlock and another user id
would refuse it too.
"""

import fcntl
import multiprocessing
import resource
import signal
import subprocess

process, python = TARGETS["process"], sys.executable
read_end, write_end = os.pipe()
here = ctypes.create_string_buffer(8)
ours, theirs = (ctypes.c_void_p * 2)(ctypes.addressof(here), 8), (ctypes.c_void_p * 2)(0, 8)
F_SETSIG, F_NOTIFY, PTRACE_SEIZE, PIDFD_OPEN, PIDFD_GETFD = 10, 1026, 0x4206, 434, 438


def read_or_write(name):
    """Nothing lies at address 0: EFAULT says that the memory is open, EPERM that it is not."""
    getattr(libc, name)(process, ours, 1, theirs, 1, 0)
    refuse_unless(ctypes.get_errno() != 1)


def is_forked():
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)


def is_started():
    child = multiprocessing.get_context("fork").Process(target=print)
    child.start()
    child.join()


attempts(
    """
    system_call("ptrace", PTRACE_SEIZE, process, None, None)
    read_or_write("process_vm_readv")
    read_or_write("process_vm_writev")
    open(f"/proc/{process}/mem", "r+b").close()
    system_call(PIDFD_OPEN, process, 0)
    system_call(PIDFD_GETFD, 0, 0, 0)
    os.setpriority(os.PRIO_PROCESS, process, 19)
    os.getpriority(os.PRIO_PROCESS, process)
    os.sched_setaffinity(process, {0})
    os.sched_getaffinity(process)
    os.getsid(process)
    os.getpgid(process)
    resource.prlimit(process, resource.RLIMIT_CPU)
    fcntl.fcntl(read_end, fcntl.F_SETOWN, process)
    fcntl.fcntl(read_end, fcntl.F_SETOWN, -process)
    fcntl.fcntl(read_end, F_SETSIG, int(signal.SIGTERM))
    fcntl.fcntl(os.open(".", os.O_RDONLY), F_NOTIFY, 1)
    fcntl.fcntl(read_end, fcntl.F_SETFL, os.O_ASYNC)
    is_forked()
    is_started()
    os.posix_spawn(python, [python, "-c", ""], {})
    subprocess.run([python, "-c", ""], check=False)
    subprocess.Popen([python, "-c", ""], start_new_session=True).wait()
    refuse_unless(os.system(":") == 0)
    os.kill(os.getppid(), 0)
    os.kill(TARGETS["grader"], 0)
    os.kill(-1, 0)
    os.kill(0, 0)
    os.kill(1, 0)
    system_call("sigqueue", process, int(signal.SIGCONT), None)
    """
)
for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
    attempts("os.killpg(process, number)\nos.kill(process, number)", number=number)
attempts("os.setpgid(0, 0)\nos.setsid()\nos.execv('/bin/true', ['true'])")
