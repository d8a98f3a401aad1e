"""Limits of a submission, and of the grader while it checks a result."""

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
    """Limits of a submission, each enforced by the kernel, the zygote or the grader.

    `autograder doctor` prints this table.
    """

    call_seconds: float = _limit(5.0, "s", "wall-clock time of one call, and of loading the file")
    submission_seconds: float = _limit(
        50.0, "s", "wall-clock time of a submission: of all its calls, and of the tests that check its results"
    )
    second_process_seconds: float = _limit(10.0, "s", "of these, replies of its second process in a part of the tests")
    memory_bytes: int = _limit(1024 * MIB, "MiB", "address space of a worker")
    tasks: int = _limit(32, "", "threads of a worker; it can start no process at all")
    file_bytes: int = _limit(64 * MIB, "MiB", "files, in a scratch folder that is new for every worker")
    file_count: int = _limit(1000, "", "files in it")
    open_files: int = _limit(64, "", "descriptors of a worker")
    reply_bytes: int = _limit(wire.MAX_REPLY_BYTES, "MiB", "one reply")
    result_numbers: int = _limit(codec.MAX_NUMBERS, "", "numbers in one result")
    worker_restarts: int = _limit(8, "", "restarts of a worker that ended")
    slow_calls: int = _limit(2, "", "calls of a function that did not return; after these it is not called again")

    def table(self) -> Iterator[tuple[str, str]]:
        """Yield the amount and the description of each limit, for a person."""
        for limit in fields(self):
            unit = limit.metadata["unit"]
            amount = getattr(self, limit.name) / (MIB if unit == "MiB" else 1)
            yield f"{int(amount)} {unit}".rstrip(), limit.metadata["what"]


LIMITS = Limits()

SPARE_MEMORY = 1 << 30
"""Bytes of address space that checking one submission may take. Honest results take less than a thirtieth of it."""


@contextmanager
def bounded_memory(spare: int = SPARE_MEMORY) -> Iterator[None]:
    """Limit the address space of this process to its present size and `spare` bytes.

    An allocation beyond that is a MemoryError, and so a failed test.

    A plain array as a result may still become 20 GB if a test multiplies it.
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
