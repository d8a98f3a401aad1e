"""Limits on a submission, and on the grader while it checks results."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from autograder.protocol import codec
from autograder.sandbox import wire

MIB = 1 << 20


def _limit(default: Any, unit: str, what: str) -> Any:
    return field(default=default, metadata={"unit": unit, "what": what})


@dataclass(frozen=True)
class Limits:
    """Limits on a submission, each enforced by the kernel, the zygote or the grader.

    `autograder doctor` prints them.
    """

    call_seconds: float = _limit(5.0, "s", "wall-clock time for one call, and for loading the file")
    submission_seconds: float = _limit(
        50.0, "s", "wall-clock time for a submission: for all its calls, and for the tests that check its results"
    )
    second_process_seconds: float = _limit(
        10.0, "s", "wall-clock time, out of the submission's, for replies from its second process in one test phase"
    )
    memory_bytes: int = _limit(1024 * MIB, "MiB", "address space of a worker")
    tasks: int = _limit(32, "", "threads of a worker, which cannot start any process")
    scratch_bytes: int = _limit(
        64 * MIB, "MiB", "size of the files in the scratch folder, which is new for every worker"
    )
    file_count: int = _limit(1000, "", "files in the scratch folder")
    open_files: int = _limit(64, "", "descriptors of a worker")
    reply_bytes: int = _limit(wire.MAX_REPLY_BYTES, "MiB", "size of one reply")
    total_reply_bytes: int = _limit(32 * MIB, "MiB", "size of all replies of a process together")
    result_numbers: int = _limit(codec.MAX_NUMBERS_PER_MESSAGE, "", "numbers in one result")
    worker_restarts: int = _limit(8, "", "restarts of a worker that ended")
    slow_calls: int = _limit(2, "", "calls that do not return, after which their function is not called again")

    def iter_amounts_and_descriptions(self) -> Iterator[tuple[str, str]]:
        """Yield the amount (with its unit) and the description of each limit in readable form."""
        for limit in fields(self):
            unit = limit.metadata["unit"]
            amount = getattr(self, limit.name) / (MIB if unit == "MiB" else 1)
            yield f"{int(amount)} {unit}".rstrip(), limit.metadata["what"]


LIMITS = Limits()
"""The limits that apply when submissions are graded."""

MAX_MEMORY_ADDED_TO_GRADER = 1 << 30
"""Maximum number of bytes that checking one submission can add to the grader's address space: 30 times as much as
honest results need."""


@contextmanager
def bounded_memory(max_added_bytes: int = MAX_MEMORY_ADDED_TO_GRADER) -> Iterator[None]:
    """Limit this process's address space to its current size plus `max_added_bytes` inside the context.

    A larger allocation raises MemoryError, so the test that needs it fails: the product of two arrays returned by a
    submission can take 20 GB.
    """
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    bound = pages * resource.getpagesize() + max_added_bytes
    resource.setrlimit(resource.RLIMIT_AS, (bound if soft == resource.RLIM_INFINITY else min(bound, soft), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
