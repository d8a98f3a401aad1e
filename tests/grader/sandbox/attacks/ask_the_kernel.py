"""Idea: read, write, send, signal, trace, become somebody else, leave things: every way that the kernel offers.

Stopped by the system: Landlock; seccomp, which allows few system calls, and few arguments of those; the limits.
"""

import fcntl
import importlib.util
import linecache
import mmap
import resource
import shutil
import signal
import socket
import struct
import subprocess

process, python, folder, scratch = TARGETS["process"], sys.executable, TARGETS["folder"], os.getcwd()
attempts("refuse_unless(len(wire_descriptors()) > 1)")

# Files: solutions, tests, other submissions, accounts, what /proc has; straight and by detours.
for path in (
    SECRET,
    *(f"{PROJECT}/{name}" for name in ("solutions/rope.py", "tests/hidden/test_rope.py", "autograder/course.py")),
    "/etc/passwd",
):
    # Neither to read nor to write: Landlock has no right for that, so it asks nothing; as root, any file opens.
    attempts(
        """
        open(path).close()
        os.close(os.open(path, os.O_WRONLY | os.O_RDWR))
        os.close(os.open(path, os.O_PATH))
        open(f"/proc/self/root{path}").close()
        refuse_unless(linecache.getlines(path))
        """,
        path=path,
    )
attempts(
    """
    os.symlink(SECRET, "link"); open("link").close()
    os.link(SECRET, "hard"); open("hard").close()
    open(os.path.join(os.getcwd(), *[".."] * 20, SECRET.lstrip("/"))).close()
    os.close(os.open("/dev/ptmx", os.O_WRONLY | os.O_RDWR))
    os.chdir(folder); open(TARGETS["files"][0]).close()
    os.chroot(folder)
    sys.path.insert(0, PROJECT); import solutions.rope
    """
)
os.chdir(scratch)
for place in ("/", "/etc", "/home", "/root", "/tmp", "/proc", "/sys", "/dev", PROJECT, folder, ".."):
    attempts("os.listdir(place)", place=place)
for number in ("self", TARGETS["grader"], process, 1):
    for name in ("environ", "cmdline", "maps", "mem", "stat"):
        attempts("open(name, 'rb').read(10)", name=f"/proc/{number}/{name}")
    attempts("os.listdir(name)", name=f"/proc/{number}/fd")

# The grade itself: write, empty, remove, rename, lock away.
for name in TARGETS["files"]:
    attempts(
        """
        open(path, "ab").write(b"20 of 20")
        os.truncate(path, 0)
        os.close(os.open(path, os.O_WRONLY | os.O_RDWR | os.O_TRUNC))
        os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))
        os.chmod(path, 0)
        os.chown(path, 1, 1)
        os.utime(path, (0, 0))
        os.setxattr(path, "user.grade", b"20")
        open("mine", "wb").close(); os.replace("mine", path)
        os.unlink(path); refuse_unless(not os.path.exists(path))
        """,
        path=os.path.join(folder, name),
    )
attempts("shutil.rmtree(folder, ignore_errors=True); refuse_unless(not os.path.exists(SECRET))")
for place in filter(os.path.isdir, (folder, "/tmp", "/var/tmp", "/dev/shm", "/run", "/", "/root", PROJECT, "..")):
    path = os.path.join(place, TARGETS["mark"])
    attempts('open(path, "wb").close()\nos.mkdir(path + "-folder")', path=path)
for path in (os.__file__, importlib.util.cache_from_source(re.__file__), sys.modules["numpy"].__file__):
    attempts("os.close(os.open(path, os.O_WRONLY))", path=path)

# Flags that do more than open, room that does not show, locks that two submissions talk by.
HERE, OPENAT, OPENAT2, F_OFD_SETLK = -100, 257, 437, 37
open("own", "wb").close()
attempts(
    """
    os.close(os.open("own", os.O_RDONLY | os.O_TRUNC | os.O_APPEND))
    os.utime("own")
    os.close(os.open(".", os.O_RDWR | os.O_TMPFILE))
    os.close(os.open(os.__file__, os.O_RDONLY | os.O_NOATIME))
    os.close(os.open(os.__file__, os.O_RDONLY | os.O_DIRECT))
    system_call(OPENAT, HERE, b"here", ctypes.c_uint64(os.O_RDWR | os.O_CREAT | 1 << 40), 0o600)
    system_call(OPENAT2, HERE, b"here", (ctypes.c_uint64 * 3)(os.O_WRONLY | os.O_CREAT, 0o600, 0), 24)
    system_call("creat", b"here", 0o600)
    os.memfd_create("x")
    os.unlink(open("removed", "wb").name); refuse_unless(not os.path.exists("removed"))
    os.posix_fallocate(os.open("long", os.O_CREAT | os.O_WRONLY, 0o600), 0, 1 << 30)
    os.mkdir("deep")
    os.mkfifo("pipe")
    """
)
for path, mode, kind in ((os.__file__, "rb", fcntl.F_RDLCK), ("own", "wb", fcntl.F_WRLCK)):
    with open(path, mode) as file:
        attempts("fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)", file=file)
        attempts("fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)", file=file)
        for command in (fcntl.F_GETLK, fcntl.F_SETLK, F_OFD_SETLK):
            wanted = struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 1, 0)
            attempts("fcntl.fcntl(file, command, wanted)", file=file, command=command, wanted=wanted)

# Addresses, and descriptors along the wire, which is a unix socket.
for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        attempts("socket.socket(getattr(socket, family), kind)", family=family, kind=kind)
attempts(
    """
    socket.socketpair()
    socket.socket(fileno=os.dup(wire_descriptors()[0])).connect(folder)
    socket.send_fds(socket.socket(fileno=os.dup(wire_descriptors()[0])), [], [0])
    socket.recv_fds(socket.socket(fileno=os.dup(wire_descriptors()[0])), 1, 1, socket.MSG_DONTWAIT)
    """
)

# Whoever is grading: end, stop, trace, question; or start a process that goes on.
read_end, write_end = os.pipe()
F_SETSIG, F_NOTIFY, F_SETPIPE_SZ, PTRACE_SEIZE, PIDFD_OPEN, PIDFD_GETFD = 10, 1026, 1031, 0x4206, 434, 438
attempts(
    """
    system_call("ptrace", PTRACE_SEIZE, process, None, None)
    system_call(PIDFD_OPEN, process, 0)
    system_call(PIDFD_GETFD, 0, 0, 0)
    os.setpriority(os.PRIO_PROCESS, process, 19)
    os.sched_setaffinity(process, {0})
    os.sched_getaffinity(process)
    os.getsid(process)
    resource.prlimit(process, resource.RLIMIT_CPU)
    fcntl.fcntl(read_end, fcntl.F_SETOWN, process)
    fcntl.fcntl(read_end, F_SETSIG, int(signal.SIGTERM))
    fcntl.fcntl(os.open(".", os.O_RDONLY), F_NOTIFY, 1)
    fcntl.fcntl(read_end, fcntl.F_SETFL, os.O_ASYNC)
    os.fork() or os._exit(0)
    os.posix_spawn(python, [python, "-c", ""], {})
    subprocess.run([python, "-c", ""], check=False)
    refuse_unless(os.system(":") == 0)
    system_call("sigqueue", process, int(signal.SIGCONT), None)
    os.killpg(process, signal.SIGSTOP)
    os.setpgid(0, 0)
    os.setsid()
    os.execv("/bin/true", ["true"])
    """
)
for number in (os.getppid(), TARGETS["grader"], process, -1, 0, 1):
    attempts("os.kill(number, 0)", number=number)

# Privileges, memory, descriptors, and what outlives a process: shared memory, queues, semaphores, keys, timers.
IPC_CREAT = 0o1000
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
    mmap.mmap(-1, 4 << 30).close()
    bytearray(4 << 30)
    system_call("shmget", 0, 4096, IPC_CREAT | 0o600)
    system_call("msgget", 0, IPC_CREAT | 0o600)
    system_call("semget", 0, 1, IPC_CREAT | 0o600)
    system_call("mq_open", b"/canary", os.O_CREAT | os.O_RDWR, 0o600, None)
    system_call("inotify_init")
    system_call("timer_create", 0, None, ctypes.byref(ctypes.c_void_p()))
    """
)
for name, number in {"bpf": 321, "keyctl": 250, "perf_event_open": 298, "userfaultfd": 323, "io_uring": 425}.items():
    with attempt(name):
        refuse_unless(libc.syscall(number, 0, 0, 0, 0, 0) >= 0 or ctypes.get_errno() not in (1, 38))
