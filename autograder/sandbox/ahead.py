"""What tests are going to ask, sent to the worker before they ask it.

Grader and worker take turns on one core. Most calls take less time than a turn does, and whoever gets the core finds the
other's data in its caches. But nearly all that tests ask is settled before any answer comes: so a rehearsal on the solution
(`autograder.rehearsal`) writes down each part's requests, the worker gets them many at a time, and a test finds its replies
waiting. What depends on an answer is asked as it comes, and nothing is sent beyond it: a submission sees the calls in the
order in which tests make them, and at most some that a failing test did not come to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

MAX_BYTES = 64 << 10
"""Bytes of requests on the way: they have to fit into the wire at once, or both sides could wait for each other to read."""


@dataclass(frozen=True)
class Step:
    """One request."""

    function: str
    request: bytes
    """as it goes onto the wire"""


@dataclass(frozen=True)
class Script:
    """What the tests of a part ask, one after the other."""

    steps: tuple[Step | None, ...] = ()
    """None where a request depends on an earlier answer"""
    starts: Mapping[str, int] = field(default_factory=dict)
    """each test's first step, by the test's name"""


class Ahead:
    """How far the tests have come in their script, and how far it has been sent."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._follows = False
        self._at = 0
        self._sent = 0

    @property
    def on_the_way(self) -> int:
        """Replies that are yet to be received."""
        return max(0, self._sent - self._at)

    def missed(self, test: str) -> int:
        """How many of these belong to tests before this one, which did not come to ask for them."""
        return max(0, min(self._sent, self._script.starts.get(test, self._sent)) - self._at)

    def begin(self, test: str) -> None:
        """This test comes now, and of those before it nothing is on the way."""
        self._follows = test in self._script.starts
        if not self.on_the_way:
            self._at = self._sent = self._script.starts.get(test, 0)

    def has_sent(self, request: bytes) -> bool:
        """Whether this is what comes next, and was sent already."""
        step = self._script.steps[self._at] if self.on_the_way else None
        return step is not None and step.request == request

    def to_send(self, request: bytes, may_call: Callable[[str], bool]) -> bytes:
        """What to send where a test asks this: nothing if that was done, else the request and what follows in the script."""
        if self.on_the_way:
            return b""
        steps = self._script.steps[self._at :] if self._follows else ()
        first = steps[0] if steps else None
        if first is None or first.request != request:
            self._follows = bool(steps) and first is None
            return request
        requests, size = [request], len(request)
        for step in steps[1:]:
            if step is None or size + len(step.request) > MAX_BYTES or not may_call(step.function):
                break
            requests.append(step.request)
            size += len(step.request)
        self._sent = self._at + len(requests)
        return b"".join(requests)

    def answered(self) -> None:
        """A request has got its reply, or never will."""
        if self._follows:
            self._at += 1

    def lost(self) -> None:
        """Nothing is on the way any more."""
        self._sent = self._at

    def leave(self) -> None:
        """The test goes its own way, and nothing is on the way."""
        self._follows = False
