"""Shared parts of the lessons' experiments: statistics over seeds, paired differences, tables, and parallel jobs.

To run all experiments with one progress bar, as `make experiment` and `make experiment FULL=1` do, type:

    python -m assignments.experiments [--full]

An experiment is the `lab.py` in a lesson's folder, a module with three functions:

    jobs(full)                  the arguments of each job, as tuples of plain values
    job(path, *arguments)       one job, on the functions in the file at `path`; runs in a separate process
    keep(path, full, results)   writes files and pictures from the results, in the order of the jobs; returns what to
                                print

Without `full`, an experiment takes a few minutes. With `full`, an experiment also repeats longer measurements,
whose results come with the course as files and otherwise stay unchanged.
"""

from __future__ import annotations

import csv
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from autograder.checks.output_encoding import print_anywhere

RELIABLE = 0.9
"""Lowest accuracy at which a trained model is called reliable."""
CLEAR = 0.05
"""Largest p-value at which the lessons call a difference clear."""


# Numbers from several seeds.


def spread(values: np.ndarray) -> str:
    """Return mean ± standard deviation over the seeds, with n − 1 in the denominator: np.std(values, ddof=1)."""
    if np.isnan(values).all():
        return "no entry"
    return f"{number(values.mean())} ± {values.std(ddof=1):.2f}"


def mean_and_reliable(accuracies: np.ndarray) -> str:
    """Return mean ± standard deviation and, in brackets, the number of reliable seeds."""
    reliable = "" if np.isnan(accuracies).all() else f" ({(accuracies >= RELIABLE).sum()})"
    return spread(accuracies) + reliable


def number(value: float, digits: int = 2) -> str:
    """Format a number with `digits` decimals and a true minus sign (−); zero has no sign."""
    return "no entry" if np.isnan(value) else f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


class Paired(NamedTuple):
    """Comparison of two measurements of the same models, model by model."""

    mean: float
    """Mean of the differences `after` − `before`."""
    deviation: float
    """Standard deviation of the differences, with n − 1 in the denominator."""
    gained: int
    """Number of models with a higher value after than before."""
    models: int
    p: float
    """P-value of the differences, as computed by `sign_flip`."""


def paired(before: np.ndarray, after: np.ndarray) -> Paired:
    """Compare two measurements; entry i of each belongs to model i."""
    differences = np.asarray(after, dtype=np.float64) - before
    gained = int((differences > 0).sum())
    return Paired(differences.mean(), differences.std(ddof=1), gained, len(differences), sign_flip(differences))


def sign_flip(differences: np.ndarray) -> float:
    """Return the share of the 2ⁿ choices of signs whose mean difference is at least as far from 0 as the measured mean.

    If the change has no effect, each difference could just as well have the opposite sign. The function therefore
    tries every choice of signs for the differences. With n models, the share is at least 2/2ⁿ.
    """
    differences = np.asarray(differences, dtype=np.float64)
    signs = np.array(list(product((1, -1), repeat=len(differences))))
    totals = np.abs(signs @ differences)
    return float((totals >= abs(differences.sum()) - 1e-9).mean())


def compared(before: np.ndarray, after: np.ndarray) -> str:
    """Format a comparison in a few words: +0.24, 8 of 8, p 0.008."""
    change = paired(before, after)
    sign = "+" if round(change.mean, 2) > 0 else ""
    return f"{sign}{number(change.mean)}, {change.gained} of {change.models}, p {change.p:.3f}"


# Tables and files.


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    first, *rows = ["| " + " | ".join(line) + " |" for line in (header, *lines)]
    return "\n".join([first, "|" + "---|" * len(header), *rows])


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file with a header."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, each as a dict that maps column titles to text."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def load(path: Path) -> ModuleType:
    """Load a file as a module."""
    spec = spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Running.


class ProgressLine:
    """Progress line in a terminal: the number of finished jobs, and the name of the last job.

    If the output is not a terminal, nothing is printed.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs, self.done, self.shown = jobs, 0, sys.stderr.isatty()

    def step(self, name: str) -> None:
        """Count a finished job, and show its name."""
        self.done += 1
        if self.shown:
            filled = "#" * (30 * self.done // self.jobs)
            end = "\n" if self.done == self.jobs else ""
            print(
                f"\r\033[K[{filled:30}] {self.done} of {self.jobs}: {name[:60]}", end=end, file=sys.stderr, flush=True
            )


def side_by_side(calls: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Run calls (function, *arguments) in parallel on all cores and yield their results in order."""
    from concurrent.futures import ProcessPoolExecutor  # imported here, because a browser tab has no processes

    # These matrices are small: a library that splits each product over all cores only slows down the other jobs.
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    os.environ |= dict.fromkeys(threads, "1")
    progress = ProgressLine(len(calls))
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(*call) for call in calls]
        for call, future in zip(calls, futures, strict=True):
            yield future.result()
            progress.step(", ".join(str(argument) for argument in call[2:]))


def student_file(lab: Path) -> Path:
    """Return the file whose functions an experiment uses: the solution if there is one, else the student's file."""
    folder = lab.resolve().parent
    solution = folder.parents[1] / "solutions" / f"{folder.name}.py"
    return solution if solution.is_file() else folder / f"{folder.name}.py"


def run(labs: Sequence[ModuleType], full: bool = False, path: Path | None = None) -> None:
    """Run the experiments one after another.

    If a function is missing or wrong, the other experiments still run, and the program ends with a message
    about that function.
    """
    print_anywhere()
    missing = []
    for lab in labs:
        at = path or student_file(Path(str(lab.__file__)))
        try:
            report = lab.keep(at, full, list(side_by_side([(lab.job, at, *job) for job in lab.jobs(full)])))
        except (NotImplementedError, ValueError) as reason:
            missing.append(f"{at.name}: {reason}")
        else:
            print(report)
    if missing:
        sys.exit("\n".join(missing))


def requests_full(arguments: Sequence[str]) -> bool:
    """Return True if `--full` is requested; any other argument exits the program with a message."""
    parser = ArgumentParser(description="Measure what the lessons report.")
    parser.add_argument("--full", action="store_true", help="also what takes hours")
    return bool(parser.parse_args(arguments).full)


def main(arguments: Sequence[str]) -> None:
    """Run one lesson's experiment (one or two minutes on two cores), or all experiments."""
    names = sorted(path.parent.name for path in Path(__file__).parent.glob("*/lab.py"))
    parser = ArgumentParser(description="Measure what the lessons report.")
    parser.add_argument("assignment", nargs="?", choices=names, help="one lesson; without it, all that measure")
    parser.add_argument("--full", action="store_true", help="also what takes hours")
    options = parser.parse_args(arguments)
    run(
        [import_module(f"assignments.{name}.lab") for name in names if options.assignment in (None, name)], options.full
    )


if __name__ == "__main__":
    main(sys.argv[1:])
