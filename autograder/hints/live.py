"""From all that a submission was seen to do, the likely cause of each mistake: told once, where it sits, and only if it
fits.

After a suite has run, the oracle works out what each known mistake makes of the calls that the submission was seen to
answer, and one is named by the rule that holds on a student's machine too (`autograder.hints.rule`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.checks.expect import difference
from autograder.checks.prompt import text, typed
from autograder.checks.results import Phase, TestResult
from autograder.hints.catalogue import Misconception
from autograder.hints.observed import ObservedTest
from autograder.hints.oracle import Oracle
from autograder.hints.rule import Hints, Observation, dtype_hint, explanations, joined, missing_refusals, rounding_hint
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import EXCEPTIONS, REFUSALS, VALUES, Kind


def with_causes(oracle: Oracle, observed: Sequence[ObservedTest]) -> list[TestResult]:
    """The results, with the likely cause on the first mistake that it explains."""
    mistakes = [observed_test.result for observed_test in observed if observed_test.result.is_mistake]
    mistaken = dict.fromkeys(mistake.test.question for mistake in mistakes if mistake.test.question != ANSWERS)
    # What passes with right values below was wrong by what it was given.
    own = [
        observed_test
        for observed_test in observed
        if not (observed_test.result.passed and observed_test.result.function)
    ]
    hints = {name: hints_of(oracle, name, oracle.evidence(name, own)) for name in mistaken}
    given: set[str] = set()
    results = []
    for observed_test in observed:
        result = observed_test.result
        if result.is_mistake and (name := result.test.question) in hints:
            result = _explained(_located(oracle, observed_test), hints[name], given)
        results.append(result)
    return results


def hints_of(oracle: Oracle, function: str, rows: Sequence[Observation]) -> Hints:
    """What is told of a function. Of a missing refusal only what somebody wrote down: of any other the rule that is
    broken says more."""
    known = oracle.known(function)
    values = explanations(rows, known)
    refusals = missing_refusals(rows, known)
    return Hints(_told(values) or rounding_hint(rows), _told(refusals), dtype_hint(rows))


def _told(mistakes: Sequence[Misconception]) -> str | None:
    return joined(mistake.hint for mistake in mistakes)


def _located(oracle: Oracle, observed_test: ObservedTest) -> ObservedTest:
    """A public test with the first call that is wrong and what is right there, where it compared or combined several
    calls."""
    result = observed_test.result
    if result.test.phase is not Phase.PUBLIC or result.kind not in VALUES - EXCEPTIONS:
        return observed_test
    for call, reply in observed_test.calls.items():
        row = oracle.observation(call, reply)
        if row is not None and row.is_wrong and row.accepted:
            words = typed(text(call))
            differs = difference(row.got, row.right, None)
            if not words or words == result.call or differs is None:
                return observed_test
            more = "" if differs[1] in result.message else f"\nAt this call, {call.function}: {differs[1]}"
            return observed_test.but(call=words, message=result.message + more)
    return observed_test


def _explained(observed_test: ObservedTest, hints: Hints, given: set[str]) -> TestResult:
    """One mistake with what is known of it. A hint is given once."""
    result = observed_test.result
    hint = hints.of(result.kind)
    if hint is None or hint in given:
        hint = result.hint if result.kind in VALUES else None
    else:
        given.add(hint)
    return replace(result, hint=hint) if result.kind in VALUES | REFUSALS | {Kind.DTYPE} else result
