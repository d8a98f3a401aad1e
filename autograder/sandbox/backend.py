"""A submission behind the wall, as tests see it: loaded when it is first called, replaced when it dies, held to its
limits."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from autograder.protocol.call import ANSWERS, Call, Raised, Reply
from autograder.protocol.failure import Kind, Status, Stopped
from autograder.sandbox import wire
from autograder.sandbox.client import Sandbox, Worker, WorkerDied, WorkerSlow
from autograder.sandbox.limits import Limits


@dataclass(frozen=True)
class Program:
    """What is loaded inside the wall: the module's name and its text, in one cell or, from a notebook, several."""

    name: str
    cells: tuple[str, ...]

    def request(self) -> bytes:
        """The first request of a worker. A source that is too large for the wire is loaded as a file that says so."""
        name = f"{self.name}.py"
        try:
            return wire.load_request(self.name, self.cells, name)
        except ValueError:
            return wire.load_request(self.name, ("raise MemoryError('the file is too large')",), name)


@dataclass(frozen=True)
class Condition:
    """What has become of a submission so far, apart from its results."""

    failure: Raised | None
    """what stopped its file when it was first loaded"""
    stopped: Status | None
    """the status of a submission that is not called any more"""
    printed: str


class Sandboxed:
    """A submission behind the wall, as a test's backend: one worker while it lives, and one budget of time and
    replacements."""

    def __init__(self, sandbox: Sandbox, source: Program, limits: Limits | None = None) -> None:
        """`limits`: where they are others than usual."""
        self.sandbox = sandbox
        self.limits = limits or sandbox.limits
        self.source = source
        self.worker: Worker | None = None
        self.is_loaded = False
        self.failure: Raised | None = None
        self.seconds = 0.0
        self.processor_begin = time.process_time()
        self.deaths = 0
        self.slow: Counter[str] = Counter()
        self.unchanged: dict[str, Reply] = {}
        """ANSWERS, or what the file does not define → the reply: not asked for again before another function has run"""
        self.status: Status | None = None
        self.why = ""
        self.printed = ""

    @property
    def state(self) -> Condition:
        """What has become of it until now."""
        printed = self.printed
        if self.worker is not None:
            self.worker.take_output()
            printed += self.worker.output.decode("utf-8", "replace")
        return Condition(self.failure, self.status, printed[: self.limits.output])

    def call(self, call: Call) -> Reply:
        """Raises Stopped where no answer comes, SandboxError where that is the machine's fault."""
        self._look_at_the_tests_time()
        if self.status is not None:
            raise Stopped(Kind[self.status.name], self.why)
        if self.slow[call.function] >= self.limits.slow_calls:
            raise Stopped(
                Kind.TIMEOUT,
                f"{call.function} did not return {self.limits.slow_calls} times and is not called again",
            )
        if call.function in self.unchanged:
            return self.unchanged[call.function]
        # May raise ValueError: a test hands a result back as an argument, and no result has to be of a size that fits.
        reply = self._call(call.function, wire.request(call))
        if call.function == ANSWERS or (reply.raised is not None and reply.raised.is_undefined(call.function)):
            self.unchanged[call.function] = reply
        else:
            self.unchanged.clear()  # what has run may have defined others
        return reply

    def _call(self, function: str, request: bytes) -> Reply:
        if self.worker is None:
            self.worker = self.sandbox.open()
            loaded = self._ask("your file", self.source.request(), loading=True)
            # What a replacement says could carry what its predecessor has seen.
            if not self.is_loaded:
                self.failure, self.is_loaded = loaded.raised, True
        return self._ask(function, request)

    def _ask(self, what: str, request: bytes, loading: bool = False) -> Reply:
        assert self.worker is not None
        begin = time.monotonic()
        seconds = min(self.limits.call_seconds, self.limits.submission_seconds - self.seconds)
        try:
            return self.worker.ask(request, seconds)
        except WorkerDied as error:
            raise self._died(what, error, loading) from error
        finally:
            self.seconds += time.monotonic() - begin
            if self.seconds >= self.limits.submission_seconds - 0.01:
                self._give_up(
                    Status.TIMEOUT, f"not run: the submission has used its {self.limits.submission_seconds:.0f} seconds"
                )

    def _look_at_the_tests_time(self) -> None:
        """A result can be plain and still make a test compute for long; the processor time of that is bounded too."""
        if time.process_time() - self.processor_begin > self.limits.submission_seconds:
            self._give_up(Status.TIMEOUT, "not run: what the submission returned took too long to look at")

    def _died(self, what: str, error: WorkerDied, loading: bool) -> Stopped:
        """A worker is gone: count it, and give up on the submission where another one would go the same way."""
        ended = self._close() or error.why
        is_slow = isinstance(error, WorkerSlow)
        self.deaths += 1
        self.slow[what] += is_slow
        if loading:
            how = (
                f"did not finish loading {error.limit}"
                if isinstance(error, WorkerSlow)
                else f"{ended} while it was loaded"
            )
            self._give_up(Status.TIMEOUT if is_slow else Status.KILLED, f"{what} {how}")
        elif self.deaths > self.limits.replacements:
            all_slow = sum(self.slow.values()) == self.deaths
            self._give_up(
                Status.TIMEOUT if all_slow else Status.KILLED, f"not run: the submission {ended} {self.deaths} times"
            )
        return Stopped(Kind.TIMEOUT if is_slow else Kind.CRASHED, self.why if loading else f"{what} {ended}")

    def _give_up(self, status: Status, why: str) -> None:
        if self.status is None:
            self.status, self.why = status, why

    def _close(self) -> str:
        """End the worker, keep what it printed; returns in words what had ended it, where that is known."""
        if self.worker is None:
            return ""
        worker, self.worker = self.worker, None
        try:
            return worker.close()
        finally:
            self.printed = (self.printed + worker.output.decode("utf-8", "replace"))[: self.limits.output]

    @contextlib.contextmanager
    def anew(self, *cells: str) -> Iterator[Sandboxed]:
        """The same submission loaded once more, beside this one, with further cells at its end: what it has done until
        now, and has used up, makes no difference."""
        program = replace(self.source, cells=(*self.source.cells, *cells))
        with contextlib.closing(Sandboxed(self.sandbox.beside, program, self.limits.of_a_second_look)) as again:
            yield again

    def close(self) -> None:
        """End the last worker. Nothing of the submission runs any more when this returns; a call after it is made in a
        new one."""
        self._close()
