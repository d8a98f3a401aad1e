"""Find tests that need too much memory or time: `python -m tests.grader.tools.resource_demands [ASSIGNMENT …]`.

Every public and hidden test runs on the simplest possible implementation of each docstring
(`course/simplest_implementations`, for example one rotation matrix per position), and may use at most
MAX_SECONDS and, besides numpy, at most MAX_MEMORY. A test that needs more demands something that no docstring
asks for.
"""

from __future__ import annotations

import inspect
import resource
import signal
import sys
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType

from autograder import course
from autograder.checks.proxy import Backend
from autograder.checks.results import Test, TestResult
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.hints import catalogue

MAX_MEMORY = 64 << 20
"""Bytes that a test may use besides numpy and its own inputs."""

MAX_SECONDS = 1.0
"""Processor seconds that all calls of one test may use together."""

MEMORY_LIMIT, SECONDS_LIMIT = 1 << 30, 5
"""Bytes and processor seconds after which a test is stopped, because its demands are already excessive."""

SIMPLEST = Path(__file__).parents[1] / "course" / "simplest_implementations"


@dataclass(frozen=True)
class Demand:
    """Resources that one test needs on a plain implementation."""

    test: str
    memory: int
    seconds: float
    failure: str = ""

    @property
    def is_excessive(self) -> bool:
        """Return True if no docstring prepares students for this test's demands."""
        return bool(self.failure) or self.memory > MAX_MEMORY or self.seconds > MAX_SECONDS

    def __str__(self) -> str:
        """Return the test with its memory use, its processor time, and its failure, if any."""
        return f"{self.test}: {self.memory / 2**20:.0f} MiB, {self.seconds:.2f} s {self.failure}".rstrip()


def plain_module(assignment: Assignment) -> ModuleType:
    """Return the solution with every function replaced by a plain implementation, if there is one."""
    path = SIMPLEST / f"{assignment.name}.py"
    reading = ModuleType(assignment.name)
    exec(compile(path.read_text("utf-8"), str(path), "exec"), vars(reading))
    functions = {name: value for name, value in vars(reading).items() if inspect.isfunction(value) and name[0] != "_"}
    return catalogue.solution_with(assignment, functions)


def demands(assignment: Assignment) -> Iterator[Demand]:
    """Yield the resources that each test needs on plain implementations. Change this process's limits."""
    suite, backend = Suite(assignment), catalogue.ModuleBackend(plain_module(assignment))
    suite.run(
        catalogue.ModuleBackend(suite.reference.solution)
    )  # stores the correct values, which do not count as the test's memory
    resource.setrlimit(resource.RLIMIT_AS, (_present_address_space() + MEMORY_LIMIT, resource.RLIM_INFINITY))
    signal.signal(signal.SIGPROF, _cut_off)
    for test in suite.tests:
        tracemalloc.start()
        result, seconds = _timed_run(suite, backend, test)
        memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        if not result.passed or seconds > MAX_SECONDS:
            # A second run decides, since tracing the memory multiplies the time of code that creates many objects.
            result, seconds = _timed_run(suite, backend, test)
        yield Demand(test.name, memory, seconds, "" if result.passed else result.message)


def _timed_run(suite: Suite, backend: Backend, test: Test) -> tuple[TestResult, float]:
    """Return the result of a test, which is stopped at the limit, and the processor seconds that it needed."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS_LIMIT)
    started = time.process_time()
    result = suite.run_test(backend, test)
    seconds = time.process_time() - started
    signal.setitimer(signal.ITIMER_PROF, 0)
    return result, seconds


def _cut_off(signum: int, frame: FrameType | None) -> None:
    raise RuntimeError(f"needs more than {SECONDS_LIMIT} seconds")


def _present_address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def main(names: list[str]) -> int:
    """Print every excessive demand, and return 1 if there are any."""
    found = [
        f"{assignment.name}: {demand}"
        for assignment in course.term_assignments()
        if not names or assignment.name in names
        for demand in demands(assignment)
        if demand.is_excessive
    ]
    print("\n".join(found) or "No test demands more than its docstring says.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
