"""From all that a submission was seen to do, the likely cause of each mistake: told once, where it sits, and only if it
fits.

While a suite runs, every call of the submission is kept with what came of it. Afterwards it is worked out what each
known mistake makes of these calls, and one is named by the rule that holds on a student's machine too
(`autograder.hints.rule`).
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from autograder.checks.expect import difference
from autograder.checks.prompt import text, typed
from autograder.checks.proxy import Backend, Refusal, StudentModule
from autograder.checks.results import Phase, TestResult
from autograder.checks.source import Blocks, blocks_of
from autograder.course import Assignment
from autograder.hints import catalogue, signature
from autograder.hints.catalogue import Misconception
from autograder.hints.rule import Hints, Observation, explanations, joined, missing_refusals, outcome
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Raised, Reply, perform
from autograder.protocol.failure import EXCEPTIONS, REFUSALS, VALUES, Kind, Stopped

LOOKED_AT = 32 * 1024
"""Bytes of a call, and of what came of it, up to which it is looked at here: a call may hand back what a submission
returned."""

NUMBERS = (int, float, np.ndarray, np.generic)
"""What a factor can be seen in."""

ENOUGH_NUMBERS = 3
"""Wrong numbers, not 0, in which the same factor is no coincidence."""

_TOO_LARGE = Reply(raised=Raised("a result too large to look at", (), ""))
"""In the place of a larger result."""


@dataclass(frozen=True)
class ObservedTest:
    """How one test came out, and the calls that it made."""

    result: TestResult
    calls: Mapping[Call, Reply]

    @classmethod
    def of(cls, result: TestResult, submission: StudentModule | None) -> ObservedTest:
        """With what its submission replied, as far as that is looked at; a test that asks for none makes no call."""
        seen = submission.seen if submission is not None else {}
        replies = {call: reply for call, reply in seen.items() if reply is not None and call.function != ANSWERS}
        return cls(
            result, {call: reply if len(reply.value) <= LOOKED_AT else _TOO_LARGE for call, reply in replies.items()}
        )


class Replayed:
    """A submission's backend that asks nothing twice: what it was seen to reply to a call, it replies again."""

    def __init__(self, backend: Backend, seen: Mapping[Call, Reply]) -> None:
        self.backend = backend
        self.replies = {(call.encoded, call.measured): reply for call, reply in seen.items() if reply is not _TOO_LARGE}

    @property
    def failure(self) -> Raised | None:
        return self.backend.failure

    def call(self, call: Call) -> Reply:
        return self.replies.get((call.encoded, call.measured)) or self.backend.call(call)


STATE = (
    "The same call, asked first in a new process, gives the right result: so yours depends on the calls before it. Look"
    " for what stays between two calls: a cache that does not look at every argument, an array or list outside of the"
    " function or in a default argument, a `global`. The rule: the same arguments always give the same result."
)
"""What is behind a result that depends on earlier calls."""


def with_causes(
    assignment: Assignment,
    observed: Sequence[ObservedTest],
    cells: Sequence[str],
    keeping_state: frozenset[str] = frozenset(),
) -> list[TestResult]:
    """The results, with the likely cause on the first mistake that it explains. `keeping_state`: see
    `depending_on_earlier_calls`."""
    mistakes = [observed_test.result for observed_test in observed if observed_test.result.is_mistake]
    mistaken = list(dict.fromkeys(mistake.test.question for mistake in mistakes if mistake.test.question != ANSWERS))
    evidence = {name: evidence_of(assignment, name, observed) for name in mistaken}
    wrong = [name for name, rows in evidence.items() if any(row.is_wrong for row in rows)]
    coarse = [mistake.test.question for mistake in mistakes if mistake.kind is Kind.DTYPE]
    blocks = blocks_of("\n".join(cells))
    roots = blocks.root_causes(wrong, also=coarse)
    hints = {
        name: hints_of(assignment, name, rows, is_built_on_a_wrong_one=name in roots) for name, rows in evidence.items()
    }
    for name in hints.keys() & keeping_state - roots.keys():
        hints[name] = replace(hints[name], values=STATE)
    observed = [_of_its_kind(observed_test, hints) for observed_test in _missing_below(assignment, observed, blocks)]
    given: set[str] = set()
    results = []
    for observed_test in observed:
        result = observed_test.result
        if result.is_mistake and (name := result.test.question) in hints:
            result = _explained(assignment, _located(assignment, observed_test), hints[name], given)
        results.append(result)
    return results


def hints_of(
    assignment: Assignment, function: str, rows: Sequence[Observation], is_built_on_a_wrong_one: bool
) -> Hints:
    """What is told of a function. Of a missing refusal only what somebody wrote down: of any other the rule that is
    broken says more."""
    values = [] if is_built_on_a_wrong_one else explanations(rows, candidates(assignment, function, rows))
    return Hints(hint_of(values), hint_of(missing_refusals(rows, written(assignment, function))))


def hint_of(mistakes: Sequence[Misconception]) -> str | None:
    """What is told of mistakes that explain the same."""
    return joined(mistake.hint for mistake in mistakes)


def _located(assignment: Assignment, observed_test: ObservedTest) -> ObservedTest:
    """A public test with the first call that is wrong and what is right there, where it compared or combined several
    calls."""
    result = observed_test.result
    if result.test.phase is not Phase.PUBLIC or result.kind not in VALUES - EXCEPTIONS:
        return observed_test
    for call, reply in observed_test.calls.items():
        row = observation(assignment, call, reply)
        if row is not None and row.is_wrong and row.accepted:
            words = typed(text(call))
            differs = difference(row.got, row.right, None)
            if not words or words == result.call or differs is None:
                return observed_test
            message = (
                result.message
                if differs[1] in result.message
                else f"{result.message}\nAt this call, {call.function}: {differs[1]}"
            )
            return replace(observed_test, result=replace(result, call=words, message=message))
    return observed_test


def _of_its_kind(observed_test: ObservedTest, hints: Mapping[str, Hints]) -> ObservedTest:
    """A test that fails because of earlier calls is of that kind, whatever came."""
    result = observed_test.result
    if (
        result.kind not in VALUES
        or result.test.question not in hints
        or hints[result.test.question].values is not STATE
    ):
        return observed_test
    return replace(observed_test, result=replace(result, kind=Kind.EARLIER_CALLS))


def _missing_below(assignment: Assignment, observed: Sequence[ObservedTest], blocks: Blocks) -> Iterator[ObservedTest]:
    """A missing refusal stands where it is missed first: what builds on that function, or on a helper of it, can miss
    it too, and need not refuse again."""
    lines = {
        observed_test.result.test: catalogue.refused_at(assignment, list(observed_test.calls)[-1])
        for observed_test in observed
        if observed_test.result.kind in REFUSALS and observed_test.calls
    }
    missed: dict[str, set[int | None]] = {}
    for test, line in lines.items():
        missed.setdefault(test.question, set()).add(line)
    order = list(missed)
    for observed_test in observed:
        line = lines.get(observed_test.result.test)
        question = observed_test.result.test.question
        below = blocks.below(question) if line is not None else frozenset()
        before = order[: order.index(question)] if line is not None else []
        others = [name for name in missed if name in below]
        others += [name for name in before if below & blocks.below(name)]
        lower = next((name for name in others if line in missed[name]), None)
        yield replace(observed_test, result=replace(observed_test.result, function=lower)) if lower else observed_test


def _explained(assignment: Assignment, observed_test: ObservedTest, hints: Hints, given: set[str]) -> TestResult:
    """One mistake with what is known of it. A hint is given once."""
    result = observed_test.result
    if result.kind in REFUSALS and result.function is not None:
        return result
    hint = hints.of(result.kind)
    if hint is None and result.test.phase is Phase.HIDDEN:
        if result.kind in REFUSALS and observed_test.calls:
            hint = _rule_of(assignment, *list(observed_test.calls.items())[-1])
        elif result.kind is Kind.REFUSED:
            hint = catalogue.all_refusals(assignment, result.test.question)
    if hint is None or hint in given:
        hint = result.hint if result.kind in VALUES else None
    else:
        given.add(hint)
    return replace(result, hint=hint) if result.kind in VALUES | REFUSALS else result


# What was seen


def evidence_of(assignment: Assignment, function: str, observed: Iterable[ObservedTest]) -> list[Observation]:
    """Every distinct call of a function."""
    rows: dict[bytes, Observation] = {}
    for call, reply in calls_of(function, observed):
        if (
            is_looked_at(call)
            and call.encoded not in rows
            and (row := observation(assignment, call, reply)) is not None
        ):
            rows[call.encoded] = row
    return list(rows.values())


def calls_of(function: str, observed: Iterable[ObservedTest]) -> list[tuple[Call, Reply]]:
    """The calls of a function in some tests, and what came of each."""
    pairs = (pair for observed_test in observed for pair in observed_test.calls.items())
    return [(call, reply) for call, reply in pairs if call.function == function]


def is_looked_at(call: Call) -> bool:
    """Whether a call is small enough to be looked at: one may hand on what a submission returned, and then be of any
    size."""
    try:
        return len(call.encoded) <= LOOKED_AT
    except ValueError:
        return False


class Restartable(Backend, Protocol):
    """A backend whose process can be ended; the next call is then made in a new one."""

    def close(self) -> None:
        """End the process."""

    def anew(self, *cells: str) -> contextlib.AbstractContextManager[Restartable]:
        """The same submission with further cells at its end, in a process of its own."""


def depending_on_earlier_calls(
    assignment: Assignment, before: Sequence[ObservedTest], observed: Sequence[ObservedTest], backend: Restartable
) -> frozenset[str]:
    """The functions whose first wrong call is right in a new process, where nothing was called yet; not those that
    failed `before`.

    The lowest function is asked first: what one leaves behind can hide this of a later one, and never makes it up.
    Where no value was right from the first one on, nothing is asked; a known mistake that explains all calls is asked
    too, since a state can have the same values.
    """
    failing, asked = (
        {observed_test.result.test.question for observed_test in tests if observed_test.result.kind in VALUES}
        for tests in (observed, before)
    )
    suspects = {}
    for name in lowest_first(assignment, failing - asked):
        rows = {
            call: row
            for call, reply in calls_of(name, [*before, *observed])
            if (row := observation(assignment, call, reply)) is not None
        }
        wrong = next((call for call, row in rows.items() if row.is_wrong), None)
        if wrong is not None and any(map(_is_right, rows.values())):
            suspects[name] = wrong
    if suspects:
        backend.close()
    depending = set()
    for name, wrong in suspects.items():
        with contextlib.suppress(Stopped, ValueError):
            again = observation(assignment, wrong, backend.call(wrong))
            if again is not None and not again.is_wrong:
                depending.add(name)
    return frozenset(depending)


def _is_right(row: Observation) -> bool:
    return not row.is_refusal and not row.is_wrong


@functools.lru_cache(maxsize=1024)
def observation(assignment: Assignment, call: Call, reply: Reply) -> Observation | None:
    """A call as evidence; None for one that says nothing or is too large to look at. Remembered, since public calls are
    looked at twice."""
    if not is_looked_at(call):
        return None
    try:
        got = outcome(reply)
    except codec.Malformed:  # evidence that nothing explains
        got = codec.Foreign("something that is no value")
    predicted = predictions_of(assignment, call.encoded).of
    if reply is not _TOO_LARGE:
        return Observation(got, predicted(None), predicted)
    # A right result of that size cannot be told from a wrong one.
    if _is_large(predicted(None)):
        return None
    return Observation(got, predicted(None), lambda entry: got if _is_large(predicted(entry)) else predicted(entry))


# What known mistakes predict


def _is_large(value: Any) -> bool:
    return len(codec.encode(value)) > LOOKED_AT if type(value) in (np.ndarray, tuple) else False


class Predictions:
    """What the solution, and each known mistake, makes of one call: worked out when it is first asked for.

    A mistake that makes no difference makes the very object that is right: most leave most calls alone.
    """

    def __init__(self, assignment: Assignment, encoded: bytes) -> None:
        self.assignment = assignment
        self.encoded = encoded
        self.function = str(codec.decode(encoded)[0])
        self.known: dict[Misconception | None, Any] = {}

    def of(self, entry: Misconception | None) -> Any:
        if entry not in self.known:
            self.known[entry] = self._compute(entry)
        return self.known[entry]

    def _compute(self, entry: Misconception | None) -> Any:
        if entry is None:
            return self._run(catalogue.right(self.assignment))
        right = self.of(None)
        if type(right) is Refusal and entry.origin == signature.SIGNATURE:
            return right
        outcome = self._run(_behaving(self.assignment, entry, self.function))
        if type(right) is Refusal or type(outcome) is Refusal:
            return right if type(outcome) is type(right) else outcome
        differs = difference(outcome, right, None)
        if differs is not None and differs[0] is Kind.TYPE and not entry.undo:
            return Refusal("no result of the right type")
        return right if differs is None else outcome

    def _run(self, module: types.ModuleType) -> Any:
        return outcome(perform(module, Call(*codec.decode(self.encoded))))


predictions_of = functools.lru_cache(maxsize=1024)(Predictions)
"""Remembered, since a test asks the same of every submission; by the call alone, so that none affects another."""


def _behaving(assignment: Assignment, entry: Misconception, function: str) -> types.ModuleType:
    """A module in which `function` behaves as the mistake makes it."""
    if entry.function != function:
        return _mistaken(assignment, entry)
    module = types.ModuleType(assignment.name)
    module.__file__ = str(assignment.solution)
    setattr(module, function, entry.implementation)
    return module


_mistaken = functools.lru_cache(maxsize=512)(catalogue.mistaken)


def candidates(assignment: Assignment, function: str, rows: Sequence[Observation]) -> Iterator[Sequence[Misconception]]:
    """The mistakes that can show in a function's results, the likeliest group first.

    The function's own mistakes come before those below it (somebody may have written anew what the solution takes from
    another function), and what somebody wrote into the catalogue before what is only thinkable.
    """
    own, below = written(assignment, function)
    yield from (own, signature.of_signature(assignment, function), scaled(assignment, function, rows), below)


def scaled(assignment: Assignment, function: str, rows: Sequence[Observation]) -> list[Misconception]:
    """That every result is as many times too large as the largest wrong one, where there are enough numbers to say
    so."""
    pairs = [
        (got[np.isfinite(right)], right[np.isfinite(right)])
        for row in rows
        if row.is_wrong and isinstance(row.got, NUMBERS) and isinstance(row.right, NUMBERS)
        for got, right in [(np.asarray(row.got), np.asarray(row.right))]
        if got.shape == right.shape and got.dtype.kind in "iuf" and right.dtype.kind in "iuf"
    ]
    if sum(np.count_nonzero(right) for _, right in pairs) < ENOUGH_NUMBERS:
        return []
    got, right = max(pairs, key=lambda pair: float(np.abs(pair[1]).max(initial=0)))
    largest = np.abs(right).argmax()
    factor = float(got[largest]) / float(right[largest])
    return [signature.scaled(assignment, function, factor)] if factor and np.isfinite(factor) else []


@functools.cache
def written(assignment: Assignment, function: str) -> tuple[tuple[Misconception, ...], tuple[Misconception, ...]]:
    """Those of the catalogue: the function's own, and those of the functions that it builds on."""
    known, used = catalogue.entries(assignment), below(assignment, function)
    return tuple(entry for entry in known if entry.function == function), tuple(
        entry for entry in known if entry.function in used
    )


@functools.cache
def _blocks(assignment: Assignment) -> Blocks:
    return Blocks(assignment.solution.read_text(encoding="utf-8"))


def below(assignment: Assignment, function: str) -> frozenset[str]:
    """The functions that one builds on in the solution."""
    return _blocks(assignment).below(function)


def lowest(assignment: Assignment, functions: frozenset[str]) -> frozenset[str]:
    """Those that build on no other of these functions."""
    return frozenset(name for name in functions if functions.isdisjoint(below(assignment, name)))


def lowest_first(assignment: Assignment, functions: Iterable[str]) -> list[str]:
    """Functions so that each stands behind those that it builds on."""
    return sorted(functions, key=lambda name: (len(below(assignment, name)), name))


def _rule_of(assignment: Assignment, call: Call, reply: Reply) -> str | None:
    """The rule behind one refusal, by what the solution says when it refuses, without any value."""
    refused = catalogue.refusal(assignment, call.encoded)
    if refused is None:
        return None
    kind, rule = refused
    if reply.raised is None:
        return f"Your code accepts an argument that breaks this rule: {rule}."
    if not reply.raised.on_purpose:
        return f"Your code does not check this argument: the error comes from what it calls. The rule: {rule}."
    if kind not in reply.raised.bases:
        return f"Your code refuses with another error than {kind}. The rule: {rule}."
    return f"The message of your {kind} does not contain the value. The rule: {rule}."
