"""Golden values: the correct results of calls in public tests, and fingerprints of the results of known mistakes.

`autograder handout` records golden values from the reference solution. A student's machine can therefore detect a
mistake and show its likely cause without having the code of the solution or of any known mistake.
`autograder/FORMATS.md` describes the files.
"""

from __future__ import annotations

import base64
import functools
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from autograder.checks.oracle import Observation, Outcome, Refused, Returned, Unaffected
from autograder.checks.proxy import Backend, leaves
from autograder.hints.likely_causes import ValueFingerprint, fingerprint, observation_of
from autograder.protocol import codec
from autograder.protocol.call import Call, Raised, Reply
from autograder.protocol.failure_kinds import BrokenTestError

if TYPE_CHECKING:  # the recording code is not in the handout
    from autograder.hints.reference_oracle import Reference

IN_ITSELF, IN_DEPENDENCIES = "own", "below"
"""Names of the two groups of known mistakes: those in a function itself, and those in functions that it builds on."""

ARGUMENTS_RECORD_TOLERANCE = 1e-9
"""Allowed difference between numbers in two records of the same arguments, relative to 1 + |number|."""

FingerprintRecord = list[float] | str | None
"""A recorded fingerprint of an outcome: for a value, the lengths of its axes and two sums; for an error, its mark or
None."""


@functools.lru_cache(maxsize=1024)
def decoded(expected: str | None) -> Returned | Refused:
    """Return the outcome that a record encodes; cached, since every submission needs the same ones."""
    return Refused() if expected is None else Returned(codec.decode(base64.b64decode(expected), writeable=False))


def fingerprint_record(outcome: Outcome) -> FingerprintRecord:
    """Return an outcome's fingerprint record, or None if it is an error without a mark or has no fingerprint."""
    if isinstance(outcome, Refused):
        return outcome.numpy_error_mark or None
    value = fingerprint(outcome.value) if isinstance(outcome, Returned) else None
    return None if value is None else [*value.shape, *(float(f"{total:.10g}") for total in value.sums)]


def outcome_of_record(record: FingerprintRecord) -> Returned | Refused:
    """Return the outcome that a fingerprint record stands for."""
    if record is None or isinstance(record, str):
        return Refused(record or "")
    *shape, first, second = record
    return Returned(ValueFingerprint(tuple(map(int, shape)), (first, second)))


class RecordedMistake(NamedTuple):
    """A known mistake, as far as a student's machine knows it."""

    number: str
    """Position of the mistake in the function's groups; outcomes are recorded under this number."""
    hint: str


class GoldenValues:
    """The oracle on a student's machine: one assignment's recorded values; empty if the file is missing."""

    def __init__(self, path: Path) -> None:
        self.content: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        self.calls: Iterator[dict[str, Any]] = iter(())
        """Recorded calls of the current test, in order."""
        self.recorded: dict[Call, dict[str, Any]] = {}
        """The records of the submission's calls, keyed by call."""

    def go_to_test(self, test: str) -> GoldenValues:
        """Go to the first recorded call of a test, and return this oracle."""
        self.calls = iter(self.content.get("calls", {}).get(test, []))
        return self

    def expected(self, call: Call) -> Returned | Refused:
        """Return the correct outcome of the test's next call. Raise BrokenTestError if it is not recorded."""
        golden = self.recorded[call] = next(self.calls, {})
        if golden.get("function") != call.function:
            raise BrokenTestError(f"no recorded value for this call to {call.function}: run `make handout`")
        return decoded(golden["expected"])

    def right_answer_and_hints(self, key: str) -> NoReturn:
        """Raise BrokenTestError, since no right answer is recorded."""
        raise BrokenTestError("answers are not in the handout")

    def ranked_mistake_groups(self, function: str) -> list[list[RecordedMistake]]:
        """Return the groups of known mistakes that can change a function's results, likelier group first."""
        groups = self.content.get("known", {}).get(function, {}).values()
        return [[RecordedMistake(number, hint) for number, hint in group.items()] for group in groups]

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """Return the observation of a call as evidence for or against mistakes; None if its result is not recorded."""
        if (golden := self.recorded.get(call)) is not None:
            right, records = decoded(golden["expected"]), golden["mistakes"]
        elif (other := self._uncompared_call_record(call)) is not None:
            right, records = outcome_of_record(other["result"]), other["mistakes"]
        else:
            return None
        if isinstance(right, Refused):
            return None

        def predicted(mistake: RecordedMistake) -> Outcome:
            return outcome_of_record(records[mistake.number]) if mistake.number in records else Unaffected()

        return observation_of(reply, right.value, self.ranked_mistake_groups(call.function), predicted)

    def _uncompared_call_record(self, call: Call) -> dict[str, Any] | None:
        """Return the record of a call with the same arguments whose result no test compares with the solution's."""
        records = self.content.get("other_calls", {}).get(call.function, ())
        arguments = arguments_record(call) if records else None
        return next((record for record in records if _is_same(record["arguments"], arguments)), None)


def arguments_record(call: Call) -> FingerprintRecord:
    """Return a fingerprint record of the numbers in a call's arguments, and of counts that tell similar calls apart."""
    arguments = leaves((call.args, call.kwargs))
    parts = [np.frombuffer(part.encode(), np.uint8) if type(part) is str else part for part in arguments]
    numbers = [part for part in parts if isinstance(part, int | float | np.generic | np.ndarray)]
    single = sum(np.asarray(part).dtype == np.float32 for part in numbers)
    return fingerprint_record(Returned((len(call.args), len(call.kwargs), single, *numbers)))


def _is_same(record: FingerprintRecord, arguments: FingerprintRecord) -> bool:
    """Return True if two records of arguments agree to within the precision of a record."""
    if record is None or arguments is None or len(record) != len(arguments):
        return False
    return np.allclose(record, arguments, ARGUMENTS_RECORD_TOLERANCE, ARGUMENTS_RECORD_TOLERANCE)


class GoldenRecorder:
    """An oracle that answers with the solution's values and records every request of the public tests."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.right_answer_and_hints = reference.right_answer_and_hints
        self.observation = reference.observation
        self.test = ""
        """Name of the current test."""
        self.calls: dict[str, list[dict[str, Any]]] = {}
        """The records of each test's calls, keyed by test name."""
        self.other_calls: dict[str, list[dict[str, Any]]] = {}
        """Records of calls whose results no test compares with the solution's, keyed by function."""
        self.last_expected: Call | None = None
        self.hints: dict[str, dict[str, dict[int, str]]] = {}
        """The hints for mistakes that change some call, keyed by function, group and the mistake's number."""

    def content(self) -> dict[str, Any]:
        """Return the content of the file to record, with mistakes in the catalogue's order."""
        mistakes = {
            function: {
                group: {str(number): hints[number] for number in sorted(hints)} for group, hints in groups.items()
            }
            for function, groups in self.hints.items()
        }
        return {"known": mistakes, "calls": self.calls, "other_calls": self.other_calls}

    def expected(self, call: Call) -> Returned | Refused:
        """Return and record a call's correct outcome, and record its wrong outcome with each mistake."""
        expected = self.reference.expected(call)
        encoded = None
        if isinstance(expected, Returned):
            encoded = base64.b64encode(codec.encode(expected.value)).decode("ascii")
        golden = {"function": call.function, "expected": encoded, "mistakes": self._record_mistakes(call)}
        self.calls.setdefault(self.test, []).append(golden)
        self.last_expected = call
        return expected

    def record_other_call(self, call: Call, reply: Reply) -> None:
        """Record the fingerprint of the solution's reply to a call, unless `expected` has already recorded it."""
        result = fingerprint_record(Returned(reply.value)) if reply.raised is None else None
        arguments, records = arguments_record(call), self.other_calls.setdefault(call.function, [])
        is_known = any(_is_same(record["arguments"], arguments) for record in records)
        if call is not self.last_expected and result is not None and not is_known:
            records.append({"arguments": arguments, "result": result, "mistakes": self._record_mistakes(call)})

    def _record_mistakes(self, call: Call) -> dict[str, FingerprintRecord]:
        """Return records of a call's outcomes, keyed by the number of the mistake, and store the mistakes' hints."""
        groups = self.hints.setdefault(call.function, {IN_ITSELF: {}, IN_DEPENDENCIES: {}})
        records = {}
        for number, entry in enumerate(itertools.chain(*self.reference.ranked_mistake_groups(call.function))):
            outcome = self.reference.outcome_with(call.encoded, entry)
            record = fingerprint_record(outcome)
            if record is not None or isinstance(outcome, Refused):
                records[str(number)] = record
                groups[IN_ITSELF if entry.function == call.function else IN_DEPENDENCIES][number] = entry.hint
        return records


class RecordingBackend:
    """The solution as a test backend, with a recorder of its results."""

    failure: Raised | None = None

    def __init__(self, recorder: GoldenRecorder, backend: Backend) -> None:
        self.recorder = recorder
        self.backend = backend

    def call(self, call: Call) -> Reply:
        """Make a call, and record the result."""
        reply = self.backend.call(call)
        self.recorder.record_other_call(call, reply)
        return reply


def as_text(content: dict[str, Any]) -> str:
    """Return the text of the file to record: JSON with each fingerprint on one line."""
    lines = json.dumps(content, indent=1, ensure_ascii=False)
    return re.sub(r"\[([^][\"{}]+)\]", lambda numbers: f"[{' '.join(numbers[1].split())}]", lines) + "\n"
