"""How much of everything a submission may use, and the grader while it looks at a result."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.protocol import codec
from autograder.sandbox import wire

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Bounds of one submission, each enforced by the kernel, the zygote or the grader."""

    call_seconds: float = 5.0
    """wall-clock time of one call, and of loading the file"""
    submission_seconds: float = 60.0
    """wall-clock time of all its calls together; also processor time of a worker, and of the tests that look at its
    results"""
    memory: int = 1024 * MIB
    """address space of a worker"""
    tasks: int = 32
    """threads of a worker; it can start no process at all"""
    files: int = 64 * MIB
    """size of its scratch folder"""
    file_count: int = 1000
    """files in its scratch folder"""
    open_files: int = 64
    """descriptors of a worker"""
    output: int = 64 * 1024
    """bytes kept of what it prints"""
    message: int = wire.MAX_REPLY
    """bytes of one reply"""
    numbers: int = codec.MAX_NUMBERS
    """numbers in one result"""
    replacements: int = 8
    """how often a dead worker is replaced within one submission"""
    slow_calls: int = 2
    """after so many calls of one function that did not return, it is not called again"""

    @property
    def of_a_second_look(self) -> Limits:
        """What a submission may use each time that it is asked anew: a sixth of its time."""
        return replace(self, submission_seconds=self.submission_seconds / 6)


LIMITS = Limits()

SPARE_MEMORY = 1 << 30
"""Bytes of address space that looking at one submission may take. Honest results take less than a thirtieth of it."""


@contextmanager
def bounded_memory(spare: int = SPARE_MEMORY) -> Iterator[None]:
    """No more address space than this process has now, and `spare`. What goes beyond is a MemoryError, and so a failed
    test.

    A result may be a plain array, and still one that a test multiplies into 20 GB.
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
