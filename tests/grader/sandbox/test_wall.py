"""The grader's side of the wall: what a worker is, how it ends, and what happens when the wall's own parts fail."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.grading.grader import Grader
from autograder.protocol.call import Call
from autograder.protocol.failure import Stopped
from autograder.sandbox import confine
from autograder.sandbox.backend import Sandboxed
from autograder.sandbox.client import Sandbox, SandboxError, Worker
from autograder.sandbox.limits import LIMITS, bounded_memory


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as warm:
        yield warm


@contextmanager
def loaded(sandbox: Sandbox, *cells: str) -> Iterator[Sandboxed]:
    """A submission behind the wall, in its first part."""
    backend = Sandboxed(sandbox, "rope", cells)
    try:
        yield backend
    finally:
        backend.close()


def called(backend: Sandboxed, function: str, *args: Any) -> Any:
    """What a function returns."""
    reply = backend.call(Call(function, args))
    assert reply.raised is None, reply.raised
    return reply.value


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(process: int) -> bool:
    """Waits for the end of a process."""
    while is_running(process):
        time.sleep(0.01)
    return True


# what a submission may do


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
        assert called(backend, "work") == [0, 1, 4, 9, 16]


def test_another_process_s_descriptors_cannot_be_asked_for(sandbox: Sandbox) -> None:
    """Two submissions could talk by which numbers are open; how many are open the kernel tells everybody."""
    source = (
        "import os\ndef open_in(process):\n    return [n for n in range(64) if"
        " os.path.lexists(f'/proc/{process}/fd/{n}')]"
    )
    with loaded(sandbox, source) as backend:
        assert called(backend, "open_in", 10**7) == []
        assert backend.worker is not None
        if (
            os.geteuid() == 0
            and os.stat(f"/proc/{backend.worker.process}/fd").st_uid == 0
            and not everybody_may_read_the_interpreter()
        ):
            pytest.skip("only root may enter the folder of this interpreter, so a worker's files are root's")
        with Sandbox() as other, loaded(other, "def f():\n    return 1") as theirs:
            assert called(theirs, "f") == 1 and theirs.worker is not None
            assert called(backend, "open_in", theirs.worker.process) == []


def everybody_may_read_the_interpreter() -> bool:
    return all(confine._is_open(Path(module.__file__ or "")) for module in (os, np))


# what a worker is


def test_the_kernel_says_that_the_locks_are_on(sandbox: Sandbox) -> None:
    """And linear algebra uses one thread."""
    source = "import numpy as np\ndef f():\n    x = np.ones((300, 300))\n    return float((x @ x).sum())"
    with loaded(sandbox, source) as backend:
        assert called(backend, "f") == 300.0**3
        assert backend.worker is not None
        process = Path(f"/proc/{backend.worker.process}")
        status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
        assert (status["NoNewPrivs"], status["Seccomp"], status["Threads"]) == ("1", "2", "1")
        assert [int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")] == [0, 0, 0, 0]
        if os.geteuid() == 0:
            assert os.getuid() not in {int(user) for user in status["Uid"].split()[:3]}
        assert (process / "oom_score_adj").read_text().strip() == "1000"
        assert (process / "environ").stat().st_uid == 0, "not to be dumped"
        limits = (process / "limits").read_text()
        for line in ("Max address space", "Max processes", "Max core file size"):
            assert "unlimited" not in next(found for found in limits.splitlines() if found.startswith(line))


# how it ends


def test_a_worker_and_its_zygote_end_with_their_grader() -> None:
    read_end, write_end = os.pipe()
    grader = os.fork()
    if grader == 0:
        abandoned = Sandbox()
        backend = Sandboxed(abandoned, "rope", ("def f(): pass",))
        called(backend, "f")
        assert backend.worker is not None
        os.write(write_end, f"{abandoned.process.pid} {backend.worker.process} {abandoned.scratch}".encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(grader, 0)
    zygote, worker, scratch = os.read(read_end, 1000).decode().split()
    os.close(read_end)
    os.close(write_end)
    assert ends(int(zygote))
    assert ends(int(worker))
    assert not Path(scratch).parent.exists()


def test_closing_leaves_nothing(tmp_path: Path) -> None:
    gc.collect()
    before = set(os.listdir("/proc/self/fd"))
    box = Sandbox()
    with loaded(box, "def f(): pass") as backend:
        called(backend, "f")
    process = box.process.pid
    box.close()
    assert not is_running(process)
    assert not box.home.exists()
    assert set(os.listdir("/proc/self/fd")) == before


# when the wall's own parts fail


def test_a_zygote_that_has_ended_is_the_machines_fault() -> None:
    with Sandbox() as doomed:
        backend = Sandboxed(doomed, "rope", ("def f(): return 7",))
        assert called(backend, "f") == 7
        doomed.process.kill()
        doomed.process.wait()
        with pytest.raises(SandboxError):
            called(backend, "f")


def test_no_submission_pays_for_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox error ends the grading: it is no result of a test, inside a property or outside."""

    def fail(self: Sandbox) -> Any:
        raise SandboxError("no worker today")

    rope = course.find("rope")
    with Grader() as grader:
        monkeypatch.setattr(Sandbox, "open", fail)
        with pytest.raises(SandboxError, match="no worker today"):
            grader.grade(rope, (rope.solution.read_text(encoding="utf-8"),))
        monkeypatch.undo()
        assert grader.grade(rope, (rope.solution.read_text(encoding="utf-8"),)).score == 20.0


FORGES = """
from autograder.protocol import call as _call

_honest = _call.perform


def _forged(module, asked):
    reply = _honest(module, asked)
    return _call.Reply(b"?") if asked.function == "apply_rope" else reply


_call.perform = _forged
"""


@pytest.mark.long
def test_bytes_that_are_no_value_are_a_dead_worker_and_nothing_more() -> None:
    """Beside a known mistake too, whose causes are looked for in what was seen."""
    rope = course.find("rope")
    text = rope.solution.read_text(encoding="utf-8").replace("def rope_frequencies(", "def _frequencies(")
    halved = "\ndef rope_frequencies(*args, **kwargs):\n    return _frequencies(*args, **kwargs) / 2\n"
    with Grader() as grader:
        honest = grader.grade(rope, (text + halved,))
        forged = grader.grade(rope, (text + halved + FORGES,))
        assert forged.status is not None and 0 < forged.score < honest.score
        assert forged.questions["apply_rope"] == 0
        assert any("something other than a result" in one.message for one in forged.test_results)


# what the grader bounds on its own side


def test_waiting_for_a_worker_without_output_costs_no_processor_time(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of its output is heard once, and never again."""
    honest, heard = Worker._drain, []

    def drain(self: Worker) -> bytes | None:
        heard.append(honest(self))
        return heard[-1]

    monkeypatch.setattr(Worker, "_drain", drain)
    source = "import os, time\ndef f():\n    os.close(1); os.close(2); time.sleep(0.2)"
    with loaded(sandbox, source) as backend:
        called(backend, "f")
        assert heard.count(b"") == 1


def test_a_function_that_is_not_there_is_asked_for_once(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until another one has run, which may have defined it. One that raises an error of the same kind is asked each
    time."""
    with loaded(sandbox, "def f(): return g()\ndef late():\n    global h\n    h = f") as backend:
        backend.call(Call("f"))
        asked, honest = [], backend._ask
        monkeypatch.setattr(backend, "_ask", lambda name, request: asked.append(name) or honest(name, request))
        for name in ("h", "i", "h", "f", "h", "f", "late", "h"):
            backend.call(Call(name))
        assert asked == ["h", "i", "f", "h", "f", "late", "h"]


def test_results_that_take_long_to_look_at_use_up_the_time(sandbox: Sandbox) -> None:
    with loaded(sandbox, "def f(): return 1") as backend:
        assert called(backend, "f") == 1
        backend.processor_begin -= LIMITS.submission_seconds
        with pytest.raises(Stopped, match="took too long"):
            called(backend, "f")
        assert backend.status == "timeout"


def test_memory_of_the_tests_is_bounded() -> None:
    with bounded_memory(1 << 27):
        with pytest.raises(MemoryError):
            np.empty(1 << 25)
        np.empty(1 << 20)
    np.empty(1 << 25)
