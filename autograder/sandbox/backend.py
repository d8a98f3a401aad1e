"""A submission behind the wall, as tests see it: loaded when it is first called, replaced when it dies, held to its
limits."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator

from autograder.protocol.call import ANSWERS, Call, Raised, Reply
from autograder.protocol.failure import Kind, Status, Stopped
from autograder.sandbox import wire
from autograder.sandbox.client import Sandbox, Worker, WorkerDied, WorkerSlow
from autograder.sandbox.limits import Limits


class SandboxedBackend:
    """A submission behind the wall, as a test's backend: one worker while it lives, and one budget of time and
    replacements."""

    def __init__(self, sandbox: Sandbox, name: str, cells: tuple[str, ...], limits: Limits | None = None) -> None:
        """`cells`: the text of the module `name`, in one cell or, from a notebook, several. `limits`: where they are
        others than usual."""
        self.sandbox = sandbox
        self.limits = limits or sandbox.limits
        self.name = name
        self.cells = cells
        self.worker: Worker | None = None
        self.is_loaded = False
        self.failure: Raised | None = None
        """what stopped its file when it was first loaded"""
        self.seconds = 0.0
        self.processor_begin = time.process_time()
        self.deaths = 0
        self.slow: Counter[str] = Counter()
        self.unchanged: dict[str, Reply] = {}
        """ANSWERS, or what the file does not define → the reply: not asked for again before another function has run"""
        self.status: Status | None = None
        """of a submission that is not called any more"""
        self.why = ""

    def call(self, call: Call) -> Reply:
        """Raises Stopped where no answer comes, SandboxError where that is the machine's fault."""
        # A result can be plain and still make a test compute for long: the processor time of that is bounded too.
        if time.process_time() - self.processor_begin > self.limits.submission_seconds:
            self._give_up(Status.TIMEOUT, "not run: what the submission returned took too long to look at")
        if self.status is not None:
            raise Stopped(Kind[self.status.name], self.why)
        if self.slow[call.function] >= self.limits.slow_calls:
            often = f"{self.limits.slow_calls} times and is not called again"
            raise Stopped(Kind.TIMEOUT, f"{call.function} did not return {often}")
        if call.function in self.unchanged:
            return self.unchanged[call.function]
        # May raise ValueError: a test hands a result back as an argument, and no result has to be of a size that fits.
        request = wire.request(call)
        if self.worker is None:
            self._load()
        reply = self._ask(call.function, request)
        if call.function == ANSWERS or (reply.raised is not None and reply.raised.is_undefined(call.function)):
            self.unchanged[call.function] = reply
        else:
            self.unchanged.clear()  # what has run may have defined others
        return reply

    def _load(self) -> None:
        request = wire.load_request(self.name, self.cells, f"{self.name}.py")
        self.worker = self.sandbox.open()
        loaded = self._ask("your file", request, loading=True)
        # What a replacement says could carry what its predecessor has seen.
        if not self.is_loaded:
            self.failure, self.is_loaded = loaded.raised, True

    def _ask(self, what: str, request: bytes, loading: bool = False) -> Reply:
        assert self.worker is not None
        most = self.limits.submission_seconds
        begin = time.monotonic()
        try:
            return self.worker.ask(request, min(self.limits.call_seconds, most - self.seconds))
        except WorkerDied as error:
            raise self._died(what, error, loading) from error
        finally:
            self.seconds += time.monotonic() - begin
            if self.seconds >= most - 0.01:
                self._give_up(Status.TIMEOUT, f"not run: the submission has used its {most:.0f} seconds")

    def _died(self, what: str, error: WorkerDied, loading: bool) -> Stopped:
        """A worker is gone: count it, and give up on the submission where another one would go the same way."""
        ended = self._close() or str(error)
        is_slow = isinstance(error, WorkerSlow)
        self.deaths += 1
        self.slow[what] += is_slow
        if loading:
            why = f"{what} {ended} while it was loaded: look at what stands outside of functions"
            self._give_up(Status.TIMEOUT if is_slow else Status.KILLED, why)
        elif self.deaths > self.limits.replacements:
            all_slow = sum(self.slow.values()) == self.deaths
            often = f"not run: the submission {ended} {self.deaths} times"
            self._give_up(Status.TIMEOUT if all_slow else Status.KILLED, often)
        return Stopped(Kind.TIMEOUT if is_slow else Kind.CRASHED, self.why if loading else f"{what} {ended}")

    def _give_up(self, status: Status, why: str) -> None:
        if self.status is None:
            self.status, self.why = status, why

    def _close(self) -> str:
        """End the worker; returns in words what had ended it, where that is known."""
        worker, self.worker = self.worker, None
        return worker.close() if worker is not None else ""

    @contextlib.contextmanager
    def anew(self, *cells: str) -> Iterator[SandboxedBackend]:
        """The same submission loaded once more, beside this one, with further cells at its end: what it has done until
        now, and has used up, makes no difference."""
        again = SandboxedBackend(self.sandbox.beside, self.name, (*self.cells, *cells), self.limits.of_a_second_look)
        with contextlib.closing(again):
            yield again

    def close(self) -> None:
        """End the last worker. Nothing of the submission runs any more when this returns; a call after it is made in a
        new one."""
        self._close()
