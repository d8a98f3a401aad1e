"""What a function should return, and what known mistakes return instead.

Public tests compare with values recorded from the reference solution when the handout is built: a student's machine holds
the values and the fingerprints of mistakes, never the code of either. Staff compare live (`autograder.grading.catalogue`).
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from autograder.checks import codec
from autograder.checks.call import Reply
from autograder.checks.failure import BrokenTest

TOLD = 2
"""Known mistakes that explain the same are all told, up to this many. More of them say nothing."""

REFUSED = object()
"""What is wanted of a call with a bad argument: an error."""


class Reference(Protocol):
    """Says what is wanted of one call, and which known mistake a wrong result looks like."""

    def wanted(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The right result of a call, or REFUSED where it is an error."""

    def came(self, function: str, reply: Reply) -> None:
        """Takes note of what came of a call, for whoever looks for its cause afterwards."""

    def answer(self, key: str) -> Any:
        """The right entry of ANSWERS."""

    def known_answers(self, key: str) -> Mapping[float, str]:
        """Known wrong numbers for an entry of ANSWERS, each with its hint."""


@dataclass(frozen=True)
class Fingerprint:
    """Enough of a value to recognise it, too little to read it: its shape and four weighted sums. NaN and ±inf count as numbers."""

    shape: tuple[int, ...]
    sums: tuple[float, ...]

    def matches(self, other: Fingerprint, tolerance: float) -> bool:
        """Equal, if each value may be off by that much."""
        return self.shape == other.shape and np.allclose(self.sums, other.sums, rtol=tolerance, atol=tolerance * (1 + math.prod(self.shape)))


def fingerprint(value: Any) -> Fingerprint | None:
    """The fingerprint of a number, an array or a tuple of arrays; None for anything else."""
    parts = value if type(value) is tuple else (value,)
    if not all(isinstance(part, int | float | np.ndarray | np.generic) for part in parts):
        return None
    arrays = [np.asarray(part) for part in parts]
    if not arrays or any(array.dtype.kind == "c" for array in arrays):
        return None
    flat = np.concatenate([array.ravel().astype(np.float64, copy=False) for array in arrays])
    # A masked score is −inf: it must leave the other values their say.
    flat = np.nan_to_num(flat, nan=7.0, posinf=11.0, neginf=-13.0)
    # Weights that repeat at no lag, so that a reordering of the features changes the sums.
    places = np.arange(1, flat.size + 1, dtype=np.float64)
    with np.errstate(all="ignore"):
        sums = tuple(float(flat @ np.cos(places * math.sqrt(prime))) for prime in (2, 3, 5, 7))
    return Fingerprint(tuple(axis for array in arrays for axis in array.shape), sums)


def decoded(wanted: str) -> Any:
    """A recorded value."""
    return codec.decode(base64.b64decode(wanted))


class GoldenValues:
    """The reference of one public test: its calls in order, as recorded for that test."""

    def __init__(self, calls: list[dict[str, Any]], evidence: Evidence | None) -> None:
        self.calls: Iterator[dict[str, Any]] = iter(calls)
        self.current: dict[str, Any] = {}
        self.evidence = evidence

    def wanted(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.current = next(self.calls, {})
        if self.current.get("function") != function:
            raise BrokenTest(f"no recorded value for this call of {function}: run `make handout`")
        wanted = self.current["wanted"]
        return REFUSED if wanted is None else decoded(wanted)

    def came(self, function: str, reply: Reply) -> None:
        if self.evidence is not None and self.current.get("function") == function:
            self.evidence.add(self.current, reply)
        self.current = {}

    def answer(self, key: str) -> Any:
        raise BrokenTest("answers are not in the handout")

    def known_answers(self, key: str) -> Mapping[float, str]:
        return {}


class Evidence:
    """What came of all recorded calls of a run: enough to say which known mistake explains every one of them."""

    def __init__(self) -> None:
        self.calls: dict[str, list[tuple[dict[str, Any], Reply]]] = {}

    def add(self, recorded: dict[str, Any], reply: Reply) -> None:
        """One call as it was recorded, and what came of it."""
        self.calls.setdefault(recorded["function"], []).append((recorded, reply))

    def hints(self) -> Iterator[tuple[str, str]]:
        """Each function whose mistakes are explained, with the hint; what builds on others comes first."""
        for function in reversed(self.calls):
            if hint := self.hint(function):
                yield function, hint

    def hint(self, function: str) -> str | None:
        """The hint of the mistake that explains every call of a function, right ones and wrong ones; None where none does."""
        calls = self.calls.get(function, [])
        known = {mistake["hint"]: mistake["near"] for recorded, _ in calls for mistake in recorded["mistakes"]}
        left = [hint for hint in known if all(_explains(hint, recorded, reply) for recorded, reply in calls)]
        nearest = [hint for hint in left if known[hint]] or left
        return " Or: ".join(nearest) if 0 < len(nearest) <= TOLD else None


def _explains(hint: str, recorded: dict[str, Any], reply: Reply) -> bool:
    """Whether a known mistake does with one call what the submission did: the same wrong thing, or nothing wrong."""
    predicted = next((one for one in recorded["mistakes"] if one["hint"] == hint), None)
    refused = reply.raised is not None
    if recorded["wanted"] is None:
        return refused == (predicted is None)
    if refused:
        return predicted is not None and predicted["shape"] is None
    value = codec.decode(reply.value)
    wanted = decoded(recorded["wanted"])
    mark, right = fingerprint(value), fingerprint(wanted)
    known = Fingerprint(tuple(predicted["shape"]), tuple(predicted["sums"])) if predicted and predicted["shape"] is not None else None
    other = right if predicted is None else known
    single = any(isinstance(part, np.ndarray) and part.dtype == np.float32 for part in (value, wanted))
    return mark is not None and other is not None and mark.matches(other, 2e-5 if single else 1e-8)


def golden_values(path: Path, test: str, evidence: Evidence | None = None) -> Reference:
    """The reference for one test of a file of recorded values. Of a test that recorded none, asking for one is the mistake."""
    calls = _read(path, path.stat().st_mtime_ns).get(test, []) if path.is_file() else []
    return GoldenValues(calls, evidence)


_files: dict[Path, tuple[int, dict[str, Any]]] = {}


def _read(path: Path, changed: int) -> dict[str, Any]:
    if path not in _files or _files[path][0] != changed:
        _files[path] = (changed, json.loads(path.read_text(encoding="utf-8")))
    return _files[path][1]
