"""A submission in the sandbox, in the form used by tests.

A worker loads the submission's file when a function is first called. A worker that ends is replaced by a new one, as
often as the submission's limits allow.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator

from autograder.protocol.call import ANSWERS, Call, Raised, Reply
from autograder.protocol.failure_kinds import CallStopped, Kind, SubmissionStatus
from autograder.sandbox import wire
from autograder.sandbox.client import Sandbox, Worker, WorkerDiedError, WorkerTimeoutError
from autograder.sandbox.limits import Limits

MIN_WAIT_SECONDS = 0.01
"""Minimum time to wait for a reply; a submission with less time left is not called again."""


class SandboxedBackend:
    """A submission in the sandbox as a test backend, with the time and the restarts that it has left."""

    def __init__(self, sandbox: Sandbox, name: str, cells: tuple[str, ...], limits: Limits | None = None) -> None:
        """Take the code of the module `name`: one cell, or the cells of a notebook.

        Without `limits`, the sandbox's limits apply.
        """
        self.sandbox = sandbox
        self.limits = limits or sandbox.limits
        self.name = name
        self.cells = cells
        self.worker: Worker | None = None
        self.is_loaded = False
        self.failure: Raised | None = None
        """the exception that stopped the submission's file when it was first loaded"""
        self.deadline = time.monotonic() + self.limits.submission_seconds
        """end of the submission's total time for calls and tests, in both of its processes"""
        self.seconds_left = self.limits.submission_seconds
        """time left for replies from this process"""
        self.reply_bytes_left = self.limits.total_reply_bytes
        """bytes left for replies from this process, all of which the grader keeps until the grade is complete"""
        self.deaths = 0
        """number of workers that ended while a reply was pending"""
        self.slow: Counter[str] = Counter()
        """number of calls that did not return in time, keyed by function"""
        self.other: SandboxedBackend | None = None
        """the submission's other process, which is suspended while this one is awake"""
        self.unchanged: dict[str, Reply] = {}
        """replies for ANSWERS and for undefined names, which remain valid until another function has run"""
        self.status: SubmissionStatus | None = None
        """the final status once the submission is no longer called; None until then"""
        self.why = ""
        """the reason for the final status"""

    def call(self, call: Call) -> Reply:
        """Return the reply to a call. Raise CallStopped if no reply arrives.

        Raise SandboxError if the machine is at fault.
        """
        # Even a plain result can make a test compute for a long time, so that counts as the submission's time.
        self._set_status_if_out_of_time()
        if self.status is not None:
            raise CallStopped(Kind[self.status.name], self.why)
        if self.slow[call.function] >= self.limits.slow_calls:
            often = f"{self.limits.slow_calls} times and is not called again"
            raise CallStopped(Kind.TIMEOUT, f"{call.function} did not return {often}")
        if call.function in self.unchanged:
            return self.unchanged[call.function]
        # This can raise ValueError, since a test can pass a result that is too large as an argument.
        request = wire.request(call)
        if self.worker is None:
            self._load()
        reply = self._ask(call.function, request)
        if call.function == ANSWERS or (reply.raised is not None and reply.raised.is_undefined(call.function)):
            self.unchanged[call.function] = reply
        else:
            self.unchanged.clear()  # the function might have changed ANSWERS or defined a missing name
        return reply

    def send_ahead(self, calls: Iterable[Call]) -> None:
        """Send the calls that `call` will make later, in the same order, so that the process need not wait for them.

        Raise CallStopped if the file cannot be loaded, and ValueError if a call is too large.
        """
        requests = [wire.request(call) for call in calls]
        if len(requests) > 1 and self.status is None:
            if self.worker is None:
                self._load()
            assert self.worker is not None
            self.worker.send_ahead(requests)

    def _load(self) -> None:
        request = wire.load_request(self.name, self.cells, f"{self.name}.py", self.limits.call_seconds)
        begin = time.monotonic()
        self.worker = self.sandbox.open()
        self.deadline += time.monotonic() - begin  # starting a worker is the machine's time
        loaded = self._ask("your file", request, loading=True)
        # A later worker's messages could contain what an earlier worker observed.
        if not self.is_loaded:
            self.failure, self.is_loaded = loaded.raised, True

    def _ask(self, what: str, request: bytes, loading: bool = False) -> Reply:
        assert self.worker is not None
        # A file that is interrupted at its time limit can have more cells to run.
        seconds = self.limits.call_seconds * (2 if loading else 1)
        begin = time.monotonic()
        if self.other is not None:
            self.other.suspend()
        try:
            reply = self.worker.ask(request, max(min(seconds, self._time_left()), MIN_WAIT_SECONDS))
            self._count_bytes(reply)
            return reply
        except WorkerDiedError as error:
            raise self._after_worker_death(what, error, loading) from error
        finally:
            self.seconds_left -= time.monotonic() - begin
            self._set_status_if_out_of_time()

    def _count_bytes(self, reply: Reply) -> None:
        """Stop calling the submission if its replies are too large together."""
        self.reply_bytes_left -= len(reply.encoded)
        if self.reply_bytes_left < 0:
            most = f"more than {self.limits.total_reply_bytes >> 20} MiB in all its calls together"
            self._set_final_status(SubmissionStatus.KILLED, f"not run: the submission has returned {most}")

    @property
    def is_out_of_time(self) -> bool:
        """True if the submission has used up its time and is no longer called or checked."""
        return self._time_left() < MIN_WAIT_SECONDS

    def _time_left(self) -> float:
        """Return the number of seconds left until the submission is no longer called."""
        return min(self.seconds_left, self.deadline - time.monotonic())

    def _set_status_if_out_of_time(self) -> None:
        if self.is_out_of_time:
            self._set_final_status(
                SubmissionStatus.TIMEOUT,
                f"not run: the submission has used its {self.limits.submission_seconds:g} seconds",
            )

    def _after_worker_death(self, what: str, error: WorkerDiedError, loading: bool) -> CallStopped:
        """Return the exception for a worker that has ended. Stop calling the submission if too many have ended."""
        ended = self._kill_or_describe_end() or str(error)
        is_slow = isinstance(error, WorkerTimeoutError)
        self.deaths += 1
        self.slow[what] += is_slow
        if loading:
            why = f"{what} {ended} while it was loaded: look at the code outside functions"
            self._set_final_status(SubmissionStatus.TIMEOUT if is_slow else SubmissionStatus.KILLED, why)
        elif self.deaths > self.limits.worker_restarts:
            all_slow = sum(self.slow.values()) == self.deaths
            often = f"not run: the submission {ended} {self.deaths} times"
            self._set_final_status(SubmissionStatus.TIMEOUT if all_slow else SubmissionStatus.KILLED, often)
        return CallStopped(Kind.TIMEOUT if is_slow else Kind.CRASHED, self.why if loading else f"{what} {ended}")

    def _set_final_status(self, status: SubmissionStatus, why: str) -> None:
        if self.status is None:
            self.status, self.why = status, why

    def _kill_or_describe_end(self) -> str:
        """End the worker. Return a description of the limit or crash that had ended it, or an empty string."""
        worker, self.worker = self.worker, None
        return worker.kill_or_describe_end() if worker is not None else ""

    @contextlib.contextmanager
    def second_process(self, *more_cells: str) -> Iterator[SandboxedBackend]:
        """Load the submission, followed by more cells, in a second process, and end that process on exit.

        The second process has separate state and a separate share of the time. At most one of the two processes is
        awake: each is suspended before a request to the other, and the first stays suspended until its next request.
        While the second process can send information, the first therefore cannot receive it.
        """
        begin = time.monotonic()
        second = SandboxedBackend(self.sandbox.second_sandbox, self.name, (*self.cells, *more_cells), self.limits)
        self.deadline += time.monotonic() - begin  # starting a zygote is the machine's time
        second.deadline, second.seconds_left = self.deadline, self.limits.second_process_seconds
        self.other, second.other = second, self
        try:
            with contextlib.closing(second):
                yield second
        finally:
            self.other = None
            self.suspend()

    def suspend(self) -> None:
        """Suspend the worker, if there is one, until its next request."""
        if self.worker is not None:
            self.worker.suspend()

    def close(self) -> None:
        """End the worker and all its threads. A later call starts a new worker."""
        self._kill_or_describe_end()
