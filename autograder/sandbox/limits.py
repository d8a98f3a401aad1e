"""Limits for a submission, and for the grader while it checks a result."""

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
    """Limits for a submission, each enforced by the kernel, the zygote or the grader.

    `autograder doctor` prints this table.
    """

    call_seconds: float = _limit(5.0, "s", "wall-clock time for one call, and for loading the file")
    submission_seconds: float = _limit(
        50.0, "s", "wall-clock time for a submission: for all its calls, and for the tests that check its results"
    )
    second_process_seconds: float = _limit(
        10.0, "s", "of these, for replies from its second process in one phase of the tests"
    )
    memory_bytes: int = _limit(1024 * MIB, "MiB", "address space of a worker")
    tasks: int = _limit(32, "", "threads of a worker; it can start no process at all")
    file_bytes: int = _limit(64 * MIB, "MiB", "size of the files in the scratch folder, which is new for every worker")
    file_count: int = _limit(1000, "", "files in the scratch folder")
    open_files: int = _limit(64, "", "descriptors of a worker")
    reply_bytes: int = _limit(wire.MAX_REPLY_BYTES, "MiB", "size of one reply")
    result_numbers: int = _limit(codec.MAX_NUMBERS, "", "numbers in one result")
    worker_restarts: int = _limit(8, "", "restarts of a worker that ended")
    slow_calls: int = _limit(2, "", "calls to a function that did not return; after these it is not called again")

    def table(self) -> Iterator[tuple[str, str]]:
        """Yield each limit's amount and description, for a person to read."""
        for limit in fields(self):
            unit = limit.metadata["unit"]
            amount = getattr(self, limit.name) / (MIB if unit == "MiB" else 1)
            yield f"{int(amount)} {unit}".rstrip(), limit.metadata["what"]


LIMITS = Limits()

SPARE_MEMORY = 1 << 30
"""Bytes of address space that checking one submission may take. Honest results need less than a thirtieth of this."""


@contextmanager
def bounded_memory(spare: int = SPARE_MEMORY) -> Iterator[None]:
    """Limit this process's address space to its present size plus `spare` bytes.

    An allocation beyond that is a MemoryError, and so a failed test: even a plain array may become 20 GB if a test
    multiplies it.
    """
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    bound = pages * resource.getpagesize() + spare
    resource.setrlimit(resource.RLIMIT_AS, (bound if soft == resource.RLIM_INFINITY else min(bound, soft), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
