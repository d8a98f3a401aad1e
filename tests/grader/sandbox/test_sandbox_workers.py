"""Sandbox tests that grade nothing: each test runs a few lines in a worker, calls a submission, or looks at a
process."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyseccomp
import pytest

from autograder.protocol.call import Call
from autograder.protocol.failure_kinds import CallStopped, SubmissionStatus
from autograder.sandbox import confine, self_test, system_calls
from autograder.sandbox.client import Sandbox, SandboxError, Worker, WorkerDiedError
from autograder.sandbox.escape_attempts import EscapeAttempt
from autograder.sandbox.limits import LIMITS, MIB, bounded_memory
from autograder.sandbox.sandboxed_submission import SandboxedBackend

QUICK = dataclasses.replace(LIMITS, call_seconds=1.0, scratch_bytes=MIB, file_count=100)
"""Limits that are enforced like the real ones but are reached sooner."""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """Sandbox that all tests share, so that each test starts with whatever the previous test has left behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WHEREABOUTS_SECRET", "canary-1")
        with closing(Sandbox(limits=QUICK)) as warm:
            yield warm


@contextmanager
def loaded(sandbox: Sandbox, *cells: str) -> Iterator[SandboxedBackend]:
    """Load a submission behind the wall, and check afterwards that no process or file remains."""
    backend = SandboxedBackend(sandbox, "rope", cells)
    try:
        yield backend
    finally:
        backend.close()
        assert not Path(f"/proc/{sandbox.process.pid}/task/{sandbox.process.pid}/children").read_text()
        assert not os.listdir(sandbox.scratch)


def result_of(backend: SandboxedBackend, function: str, *args: Any) -> Any:
    """Return the result of calling a function of the submission."""
    reply = backend.call(Call(function, args))
    assert reply.raised is None, reply.raised
    return reply.value


def is_running(process: int) -> bool:
    return not self_test._is_gone(process)


# Actions that the system refuses but that the self-test does not try before every batch

DETOURS = """
    open('/proc/self/root' + file).close()
    open(os.path.join(os.getcwd(), *['..'] * 20, file.lstrip('/'))).close()
    open('/proc/self/mem', 'rb').close()
    os.open('/dev/ptmx', os.O_WRONLY | os.O_RDWR)
    os.open(os.__file__, os.O_WRONLY)
    os.listdir('/proc')
    os.listdir('..')
    os.unlink(file); refuse_where(os.path.exists(file))
    open('own', 'wb').close(); os.unlink('own'); refuse_where(os.path.exists('own'))
    resource.prlimit(grader, resource.RLIMIT_CPU)
    os.sched_getaffinity(grader)
"""


def test_detours_are_refused(sandbox: Sandbox) -> None:
    with self_test._attempt_variables(sandbox) as variables:
        worker = self_test._Examined(sandbox, variables)
        through = [worker.lets_through(EscapeAttempt("", "", line.strip())) for line in DETOURS.strip().splitlines()]
        worker.kill_or_describe_end()
    assert set(through) == {""}


LETS_THROUGH_PROGRAM = """
import ctypes
def lets_through(calls):
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    refused = (1, 11, 38)  # EPERM, EAGAIN, ENOSYS
    return [call for call in calls if syscall(*map(ctypes.c_uint64, call)) >= 0 or ctypes.get_errno() not in refused]
"""

LIMITED_CALLS = "futex clone clone3 open openat ioctl fcntl unlink unlinkat rmdir prlimit64 sched_getaffinity"

FORBIDDEN_CALLS = """
    bpf chmod chown connect execve fallocate fork inotify_init io_uring_setup keyctl kill link memfd_create mkdir mknod
    mount msgget openat2 perf_event_open pidfd_open process_vm_readv ptrace recvmsg rename semget sendmsg setrlimit
    setuid setxattr shmget socket symlink timer_create unshare userfaultfd utimensat vfork
"""
"""System calls that workers must not make, because each of them would break a promise."""


def test_the_kernel_is_asked_for_nothing_but_what_is_allowed(sandbox: Sandbox) -> None:
    """The kernel refuses every system call, open flag, descriptor command and device command that is not
    explicitly allowed."""
    number = {
        name: pyseccomp.resolve_syscall(pyseccomp.system_arch(), name) for name in system_calls._ALLOWED_CALLS.split()
    }
    assert number.keys().isdisjoint(FORBIDDEN_CALLS.split())
    number |= {name: pyseccomp.resolve_syscall(pyseccomp.system_arch(), name) for name in LIMITED_CALLS.split()}
    nowhere = 2**64 - 1
    kernel_calls = {335, 336}  # uretprobe and uprobe: the filter does not see these calls, but the kernel refuses them
    calls = [(other, *[nowhere] * 6) for other in range(600) if other not in {*number.values(), *kernel_calls}]
    calls += [(number["fcntl"], 0, one, 0) for one in range(2048) if one not in system_calls._ALLOWED_FCNTL_COMMANDS]
    calls += [
        (number["ioctl"], 0, one, 0) for one in range(0x5400, 0x5480) if one not in system_calls._ALLOWED_IOCTL_REQUESTS
    ]
    shared = [operation for operation in range(512) if not operation & system_calls.FUTEX_PRIVATE_FLAG]
    calls += [(number["futex"], 0, operation, 1, 0, 0, 0) for operation in shared]
    for mode in range(4):
        odd = [
            1 << bit for bit in range(2, 64) if not 1 << bit & system_calls.ALLOWED_FLAGS_BY_ACCESS_MODE.get(mode, 0)
        ]
        calls += [(number["openat"], nowhere, nowhere, mode | flag, 0) for flag in odd]
    assert os.O_TRUNC & system_calls.ALLOWED_FLAGS_BY_ACCESS_MODE[os.O_RDONLY] == 0
    assert os.O_PATH & system_calls.ALLOWED_FLAGS_BY_ACCESS_MODE[os.O_RDONLY] == 0
    with loaded(sandbox, LETS_THROUGH_PROGRAM) as backend:
        assert result_of(backend, "lets_through", calls) == []


SEARCH_PROGRAM = r"""
import ctypes, gc, os, re, sys
import __main__

def stack():
    frame, seen = sys._getframe(1), []
    while frame is not None:
        seen += [frame.f_code.co_filename, repr(frame.f_locals), repr(list(frame.f_globals))]
        frame = frame.f_back
    return seen

def environment_block():
    environ = (ctypes.c_char_p * 1).in_dll(ctypes.CDLL(None), "environ")
    block, lines = ctypes.cast(ctypes.addressof(environ), ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p)))[0], []
    while block[len(lines)]:
        lines.append(block[len(lines)].decode())
    return lines

def search():
    told = [*stack(), *environment_block(), *sys.argv, *sys.orig_argv, *sys.path, repr(vars(__main__))]
    objects = [one for thing in gc.get_objects() for one in gc.get_referents(thing) if type(one) is str]
    remembered = {name for finder in sys.path_importer_cache.values() for name in getattr(finder, "_path_cache", ())}
    found = [one for one in told if re.search("pytes[t]|hypothesi[s]|/hidde[n]/|/solution[s]/", one)]
    found += [one for one in objects if re.search(r"canary-[0-9]|/(solutions|hidden|misconceptions)/\\w+\\.py$", one)]
    return found + sorted({"solutions", "tests", "autograder", "otter"} & remembered)
"""


def test_a_worker_inherits_nothing_of_the_grader(sandbox: Sandbox) -> None:
    """A worker gets no variable, path or object from the grader. A worker gets no environment variable, path
    or object from the grader."""
    with loaded(sandbox, SEARCH_PROGRAM) as backend:
        assert result_of(backend, "search") == []


# Actions that a submission may perform


def test_threads_temporary_files_and_lazy_imports_work(sandbox: Sandbox) -> None:
    source = """
import numpy as np
def work():
    import concurrent.futures, dataclasses, tempfile, random, xml.dom.minidom, wave, colorsys, numpy.polynomial.legendre
    with tempfile.TemporaryFile() as file, tempfile.NamedTemporaryFile() as named:
        file.write(b"x")
        named.write(b"y")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda n: n * n, range(5)))
"""
    with loaded(sandbox, source) as backend:
        assert result_of(backend, "work") == [0, 1, 4, 9, 16]


# Calls that end a process or exhaust a resource

HELPERS = """
import ctypes, mmap, os, platform, re, signal, struct, time

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGABRT}:
    signal.signal(number, signal.SIG_IGN)

def on_the_wire(data):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, data)
        except OSError:
            pass

def as_32_bits():
    if platform.machine() != "x86_64":
        os.abort()
    room = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    room.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")  # mov eax, 20; int 0x80; ret: getpid
    return ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(room)))()

def another_interpreter():
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        import _interpreters as interpreters
    try:
        interpreters.run_string(interpreters.create(), "pass")
    finally:  # Python 3.13 cannot make one here
        os.abort()

class Deadly(Exception):
    def __str__(self):
        os._exit(3)

def deadly():
    raise Deadly

def byte_by_byte():
    on_the_wire(struct.pack("<I", 1000))
    while True:
        on_the_wire(b"x")
        time.sleep(0.05)

def without_a_wire():
    os.closerange(0, 256)
    while True:
        pass

def write(count):
    for number in range(count):
        open(f"file-{number}", "wb").close()
    time.sleep(0.1)
"""

MESSAGES_BY_BEHAVIOUR = {
    "os._exit(0)": "f ended its process",
    "os.abort()": "f ended its process",
    "ctypes.string_at(0)": "SIGSEGV, typical of endless recursion or running out of memory",
    "as_32_bits()": "ended its process",
    "another_interpreter()": "ended its process",
    "deadly()": "ended its process",
    "re.match('(a*)*b', 'a' * 60)": "did not return within 1 seconds",
    "on_the_wire(b'\\xff' * 4)": "answered with something other than a result",
    "on_the_wire(struct.pack('<I', 0))": "answered with something other than a result",
    "on_the_wire(struct.pack('<II', 4, 2**32 - 1))": "answered with something other than a result",
    "on_the_wire(struct.pack('<II', 8, 1) + b'l\\xff\\xff\\xff')": "answered with something other than a result",
    "byte_by_byte()": "did not return",
    "without_a_wire()": "ended its process",
    "write(200)": "wrote more than 1 MiB or 100 files",
}
"""Expected message for each behaviour of a function."""


@pytest.mark.parametrize("behaviour", MESSAGES_BY_BEHAVIOUR)
def test_a_call_that_ends_or_never_does_is_one_failed_call(sandbox: Sandbox, behaviour: str) -> None:
    """The first worker ends, a second worker continues with the file, and nothing remains of the first
    worker."""
    source = f"{HELPERS}\ndef f(): {behaviour}\ndef g(): return [*os.listdir('.'), os.stat('.').st_size < 1 << 14]"
    with loaded(sandbox, source) as backend:
        assert result_of(backend, "g") == [True]
        assert backend.worker is not None
        first = backend.worker.process
        with pytest.raises(CallStopped, match=MESSAGES_BY_BEHAVIOUR[behaviour]):
            backend.call(Call("f"))
        assert not is_running(first)
        assert result_of(backend, "g") == [True]


UNINTERRUPTED = "sum(range(10**12))"  # a single C call, during which no line of Python runs


@pytest.mark.parametrize(("behaviour", "status"), [("import os; os._exit(0)", "killed"), (UNINTERRUPTED, "timeout")])
def test_a_file_that_does_not_load_is_tried_once(sandbox: Sandbox, behaviour: str, status: str) -> None:
    with loaded(sandbox, f"def f(): pass\n{behaviour}") as backend:
        for _ in range(2):
            with pytest.raises(CallStopped, match="while it was loaded"):
                backend.call(Call("f"))
        assert backend.status == SubmissionStatus(status) and backend.deaths == 1


SLOW_ENDS = (
    "while True: pass",
    "import time\nfor _ in range(8): time.sleep(1)",
    "import threading; threading.Event().wait()",
    "while True:\n    try: h()\n    except Exception: pass",
    "h = lambda: h()\nwhile True:\n    try: h()\n    except RecursionError: pass",
    "import queue; queue.Queue().get()",
    "import itertools; sum(1 for _ in itertools.count())",
    "import numpy as np\nwhile True: np.ones((50, 50)) @ np.ones((50, 50))",
    "import concurrent.futures as c\nwith c.ThreadPoolExecutor() as p: p.submit(lambda: __import__('time').sleep(9))",
)


@pytest.mark.parametrize("end", SLOW_ENDS)
def test_what_stands_above_an_endless_or_slow_end_counts(sandbox: Sandbox, end: str) -> None:
    """Functions defined above the point where a file hangs or slows down also count."""
    with loaded(sandbox, f"def f(): return 1\n{end}") as backend:
        assert result_of(backend, "f") == 1
        assert backend.failure is not None and backend.failure.kind == "LoadTimeout"
        assert "longer than 1 seconds" in backend.failure.message and backend.failure.line is not None
        assert backend.call(Call("never")).raised is not None
        assert (backend.status, backend.deaths) == (None, 0)


def test_what_stands_below_a_slow_cell_of_a_notebook_counts_too(sandbox: Sandbox) -> None:
    slow = ["import time; time.sleep(9)", "while True: pass"]
    with loaded(sandbox, "def f(): return 1", *slow, "def g(): return 2") as backend:
        assert (result_of(backend, "f"), result_of(backend, "g")) == (1, 2)
        assert backend.failure is not None and "(in code cell 2)" in backend.failure.message


def test_calls_sent_ahead_are_answered_in_order_and_end_with_their_worker(sandbox: Sandbox) -> None:
    """Calls that a worker had not answered before it ended are passed to the replacement worker."""
    calls = [Call("f", (number,)) for number in (1, 2, 0, 3)]
    with loaded(sandbox, "import os\ndef f(n): return n or os._exit(1)") as backend:
        backend.send_ahead(calls)
        assert [backend.call(call).value for call in calls[:2]] == [1, 2]
        with pytest.raises(CallStopped):
            backend.call(calls[2])
        assert backend.call(calls[3]).value == 3


def test_a_call_that_was_not_sent_ahead_skips_those_that_were(sandbox: Sandbox) -> None:
    with loaded(sandbox, "def f(n): return n") as backend:
        backend.send_ahead([Call("f", (number,)) for number in range(3)])
        assert backend.call(Call("f", (7,))).value == 7


def test_a_worker_that_does_not_read_what_is_sent_ahead_has_ended(sandbox: Sandbox) -> None:
    """A worker that forges replies can leave requests unread, although they seem to have been answered."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                ours.send(bytes(1 << 16))
        worker = Worker(sandbox, ours)
        worker.send_ahead([b"one", b"two"])
        with pytest.raises(WorkerDiedError):
            worker.ask(b"one", 1)


def test_what_is_printed_goes_nowhere(sandbox: Sandbox) -> None:
    source = """
import os
def f():
    for _ in range(100): os.write(2, b"y" * (1 << 20)), print("y" * 1000)
    return [os.path.samestat(os.fstat(standard), os.stat(os.devnull)) for standard in (0, 1, 2)]
"""
    with loaded(sandbox, source) as backend:
        assert result_of(backend, "f") == [True] * 3


def test_a_thread_does_not_outlive_its_worker(sandbox: Sandbox) -> None:
    """After a worker ends, its threads can write neither into the next worker's folder nor into the parent
    folder."""
    source = """
import os, threading, time
def note():
    while True:
        for place in ("note", "../note"):
            try: open(place, "w").close()
            except OSError: pass
        time.sleep(0.001)
def f(): threading.Thread(target=note, daemon=True).start()
"""
    with loaded(sandbox, source) as backend:
        result_of(backend, "f")
    time.sleep(0.02)
    sandbox.home.chmod(0o700)  # allows a user other than root to list the folder
    assert os.listdir(sandbox.home) == ["files"] and os.listdir(sandbox.scratch) == []


def test_another_process_s_descriptors_cannot_be_asked_for(sandbox: Sandbox) -> None:
    """The kernel reveals how many descriptors any process has open, so two submissions could communicate
    through these numbers."""
    source = (
        "import os\ndef open_in(process):\n    return [n for n in range(64) if"
        " os.path.lexists(f'/proc/{process}/fd/{n}')]"
    )
    with loaded(sandbox, source) as backend:
        assert result_of(backend, "open_in", 10**7) == []
        assert backend.worker is not None
        if (
            os.geteuid() == 0
            and os.stat(f"/proc/{backend.worker.process}/fd").st_uid == 0
            and not everybody_may_read_the_interpreter()
        ):
            pytest.skip("only root may enter the folder of this interpreter, so a worker's files are root's")
        with closing(Sandbox()) as other, loaded(other, "def f():\n    return 1") as theirs:
            assert result_of(theirs, "f") == 1 and theirs.worker is not None
            assert result_of(backend, "open_in", theirs.worker.process) == []


def everybody_may_read_the_interpreter() -> bool:
    return all(confine._is_readable_by_everyone(Path(module.__file__ or "")) for module in (os, np))


# Properties and end of a worker


def test_the_kernel_says_that_the_locks_are_on(sandbox: Sandbox) -> None:
    """A worker that multiplies matrices still has only one thread."""
    source = "import numpy as np\ndef f():\n    x = np.ones((300, 300))\n    return float((x @ x).sum())"
    with loaded(sandbox, source) as backend:
        assert result_of(backend, "f") == 300.0**3
        assert backend.worker is not None
        process = Path(f"/proc/{backend.worker.process}")
        status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
        assert (status["NoNewPrivs"], status["Seccomp"], status["Threads"]) == ("1", "2", "1")
        assert (process / "oom_score_adj").read_text().strip() == "1000"
        assert (process / "environ").stat().st_uid == 0, "not to be dumped"
        limits = (process / "limits").read_text().splitlines()
        for bound in ("Max processes", "Max core file size"):
            assert "unlimited" not in next(line for line in limits if line.startswith(bound))


def test_a_worker_and_its_zygote_end_with_their_grader() -> None:
    read_end, write_end = os.pipe()
    grader = os.fork()
    if grader == 0:
        abandoned = Sandbox()
        backend = SandboxedBackend(abandoned, "rope", ("def f(): pass",))
        result_of(backend, "f")
        assert backend.worker is not None
        os.write(write_end, f"{abandoned.process.pid} {backend.worker.process} {abandoned.scratch}".encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(grader, 0)
    zygote, worker, scratch = os.read(read_end, 1000).decode().split()
    os.close(read_end)
    os.close(write_end)
    while is_running(int(zygote)) or is_running(int(worker)):
        time.sleep(0.01)
    assert not Path(scratch).parent.exists()


def test_closing_leaves_nothing(tmp_path: Path) -> None:
    gc.collect()
    before = set(os.listdir("/proc/self/fd"))
    box = Sandbox()
    with loaded(box, "def f(): pass") as backend:
        result_of(backend, "f")
    process = box.process.pid
    box.close()
    assert not is_running(process)
    assert not box.home.exists()
    assert set(os.listdir("/proc/self/fd")) == before


# Failures of the wall itself


def test_a_zygote_that_has_ended_is_the_machines_fault() -> None:
    with closing(Sandbox()) as doomed:
        backend = SandboxedBackend(doomed, "rope", ("def f(): return 7",))
        assert result_of(backend, "f") == 7
        doomed.process.kill()
        doomed.process.wait()
        with pytest.raises(SandboxError):
            result_of(backend, "f")


# Limits in the grader's process


def test_a_function_that_is_not_there_is_asked_for_once(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing function is requested again only after another function has run, because that function may
    have defined it. A function that exists and raises NameError itself is called every time."""
    with loaded(sandbox, "def f(): return g()\ndef late():\n    global h\n    h = f") as backend:
        backend.call(Call("f"))
        requested, honest = [], backend._ask
        monkeypatch.setattr(backend, "_ask", lambda name, request: requested.append(name) or honest(name, request))
        for name in ("h", "i", "h", "f", "h", "f", "late", "h"):
            backend.call(Call(name))
        assert requested == ["h", "i", "f", "h", "f", "late", "h"]


def test_results_that_take_long_to_look_at_use_up_the_time(sandbox: Sandbox) -> None:
    with loaded(sandbox, "def f(): return 1") as backend:
        assert result_of(backend, "f") == 1
        with backend.second_process() as second:
            assert result_of(second, "f") == 1
            backend.deadline = second.deadline = time.monotonic() - 1
            for process in (backend, second):
                with pytest.raises(CallStopped, match="not run: the submission has used its 50 seconds"):
                    result_of(process, "f")
                assert process.status == "timeout"


def test_memory_of_the_tests_is_bounded() -> None:
    with bounded_memory(1 << 27):
        with pytest.raises(MemoryError):
            np.empty(1 << 25)
        np.empty(1 << 20)
    np.empty(1 << 25)


# Two processes of the same submission

FUTEX_PROGRAM = """
import ctypes, mmap, os, threading, time

syscall = ctypes.CDLL(None, use_errno=True).syscall
syscall.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
FUTEX, WAIT, WAKE = {"x86_64": 202}.get(os.uname().machine, 98), 0, 1
libc = ctypes.CDLL(None)
PAGE = ctypes.cast(libc.abs, ctypes.c_void_p).value & ~3  # in the text of the C library, which both have mapped
ticks, woken = [], []

def tick():
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.0005)

def wait():
    value = ctypes.c_uint32.from_address(PAGE).value
    while syscall(FUTEX, PAGE, WAIT, value, None, None) == 0:
        woken.append(time.monotonic())

def listen():
    for work in (tick, wait):
        threading.Thread(target=work, daemon=True).start()

def heard(begin, end):
    return [sum(begin < when < end for when in times) for times in (ticks, woken)]

def speak():
    begin, count = time.monotonic(), 0
    while time.monotonic() - begin < 0.2:
        count += max(0, syscall(FUTEX, PAGE, WAKE, 100, None, None))
    return [begin, time.monotonic(), count]

def works():
    thread = threading.Thread(target=sum, args=([],))
    thread.start()
    thread.join()
    return "joined"
"""


def test_two_processes_do_not_meet_at_a_futex(sandbox: Sandbox) -> None:
    """Two processes map the same C library; without the private flag, the kernel would treat its pages as
    memory that both processes share."""
    with (
        closing(Sandbox(limits=QUICK)) as other,
        loaded(sandbox, FUTEX_PROGRAM) as backend,
        loaded(other, FUTEX_PROGRAM) as second,
    ):
        result_of(backend, "listen")
        begin, end, count = result_of(second, "speak")
        ticks, woken = result_of(backend, "heard", begin, end)
        assert (count, woken) == (0, 0) and ticks > 0
        assert result_of(second, "works") == "joined"


def test_a_submissions_first_process_sleeps_while_the_second_is_asked(sandbox: Sandbox) -> None:
    """The first process sleeps, so it cannot infer calls to the second process from the load of the machine."""
    with loaded(sandbox, FUTEX_PROGRAM) as backend:
        result_of(backend, "listen")
        with backend.second_process() as second:
            begin, end, _ = result_of(second, "speak")
            assert result_of(backend, "heard", begin, end) == [0, 0]
            result_of(second, "listen")
            begin, end, _ = result_of(backend, "speak")
            assert result_of(second, "heard", begin, end) == [0, 0]
            assert result_of(second, "works") == result_of(backend, "works") == "joined"
        begin = time.monotonic()
        time.sleep(0.05)
        assert result_of(backend, "heard", begin, time.monotonic())[0] == 0, "awake again only when it is asked"
        assert result_of(backend, "works") == "joined"


def test_a_closed_sandbox_leaves_no_process_of_its_second_one() -> None:
    sandbox = Sandbox(limits=QUICK)
    processes = [sandbox.process, sandbox.second_sandbox.process]
    sandbox.close()
    assert all(process.poll() is not None for process in processes)


@pytest.mark.parametrize("ended", ["first", "second"])
def test_a_process_that_ends_asleep_is_replaced(sandbox: Sandbox, ended: str) -> None:
    source = "import os, threading, time\ndef f(): return 1\ndef end(): threading.Timer(0.05, os._exit, [0]).start()"
    with loaded(sandbox, source) as first, first.second_process() as second:
        assert result_of(first, "f") == result_of(second, "f") == 1
        backend = first if ended == "first" else second
        result_of(backend, "end")
        time.sleep(0.1)
        with pytest.raises(CallStopped, match="ended its process"):
            while True:
                result_of(backend, "f")
        assert result_of(first, "f") == result_of(second, "f") == 1
