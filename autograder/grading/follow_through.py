"""A mistake costs once: what fails above a wrong function is asked again with right values in its place.

Examiners call it error carried forward. The submission is loaded once more, in a process of its own, with a substitute
for each function. A substitute holds no rule: it looks up what it was told, notes what it was not, and goes on with the
submission's own function. The solution answers here, in the grader; values go in, never code, and only of wrong
functions that the one that is called builds on.

A second answer counts only where the solution, in that very call, asks a wrong function something to which the
submission's own first process gives another answer than the right one. Everywhere else the first process answers: a
file that says something else when it is asked again gains nothing by that, but above a function whose points it gave
up. That is decided before the second process begins, by the calls that a test makes of the solution: a test that is to
pass makes the same ones.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from autograder.checks.expect import difference
from autograder.checks.proxy import Backend, parts
from autograder.checks.results import Test, TestResult
from autograder.grading.suite import Suite
from autograder.hints.reference import Question
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply, perform
from autograder.protocol.failure import STOPPED, Kind, Stopped

ROUNDS = 8
"""How often a call is made at most: each time more of what it asks is known."""

QUESTIONS = 256
"""What one call may ask at most."""

LARGEST_INT, LARGEST_QUESTION = 1 << 20, 1 << 18
"""The largest whole number in a question, and the most bytes of one."""

SECONDS = 10.0
"""Processor time of this process that the questions of one part of a suite may take."""

AGAIN = frozenset(Kind) - STOPPED - {Kind.NOT_WRITTEN, Kind.NOT_REACHED, Kind.ANSWER, Kind.UNANSWERED, Kind.UNREADABLE}
"""Why a test may have failed that is run again."""

ASKED = "Asked"
"""The error in the place of a result, where something was asked that was not told."""

SUBSTITUTES = """
def _exchange():
    import copy
    from autograder.protocol import codec

    names, told, asked, fetched = set(), {}, {}, set()

    class Asked(BaseException):
        pass

    def substitute(name, own):
        def answer(*args, **kwargs):
            if name in names:
                key = codec.encode((name, args, kwargs))
                if key in told:
                    error, value = told[key]
                    if error:
                        raise (IndexError if error == "IndexError" else ValueError)(value)
                    return copy.deepcopy(value)
                if key not in fetched and len(asked) < MOST:
                    asked[key] = copy.deepcopy((name, args, kwargs))
            try:
                if own is None:
                    raise NotImplementedError
                return own(*args, **kwargs)
            finally:
                if asked and name not in names:
                    raise Asked

        return answer

    def replace(functions):
        for name in functions:
            own = globals().get(name)
            instead = substitute(name, own)
            globals()[name] = instead
            globals().update([(other, instead) for other, value in globals().items() if value is own is not None])

    def exchange(allowed, answers):
        names.clear()
        names.update(allowed)
        told.update((codec.encode(question), answer) for question, answer in answers)
        questions = list(asked.values())
        fetched.update(asked)  # what has no answer then is the submission's own affair
        asked.clear()
        return questions

    return replace, exchange


_replace, _exchange = _exchange()
_replace(FUNCTIONS)
""".replace("MOST", str(QUESTIONS))
"""What is run at the end of the submission."""


def follow_through(
    suite: Suite, backend: Restartable, results: Sequence[TestResult], before: Sequence[TestResult] = ()
) -> list[TestResult]:
    """The tests that failed, run once more with right values below them: those that pass now have their points.

    Layer by layer: first the lowest wrong functions give right values. What is all right then was wrong because of
    them, and is not replaced. `before`: what else is known of the submission, followed through.
    """
    blocks, results = suite.reference.blocks, list(results)
    missing = STOPPED | {Kind.NOT_WRITTEN, Kind.NOT_REACHED}
    replaced = {result.test.question for result in (*before, *results) if result.kind in missing}
    first = _FirstLook(suite, backend, [*before, *results])
    while True:
        wrong = {result.test.question for result in (*before, *results) if not result.passed} - {ANSWERS}
        lowest = blocks.lowest(frozenset(wrong - replaced))
        if not lowest:
            return results
        replaced |= lowest
        results = _asked_again(first, results, replaced)


def _asked_again(first: _FirstLook, results: list[TestResult], replaced: Collection[str]) -> list[TestResult]:
    """The results, those that failed with right values in the place of some functions."""
    suite, backend = first.suite, first.backend
    plans = {result.test: first.plan(result.test, replaced) for result in results if result.kind in AGAIN}
    plans = {test: plan for test, plan in plans.items() if any(step.given for step in plan)}
    if not plans:
        return results
    functions, told = sorted({test.question for test in suite.tests} - {ANSWERS}), []
    with backend.anew(SUBSTITUTES.replace("FUNCTIONS", repr(functions))) as process:
        second = _SecondLook(first, process)
        for result in results:
            if plan := plans.get(result.test):
                second.begin(plan)
                again = suite.run_again(second, result.test)
                if again.passed:
                    given = {name for step in plan for name in step.given}
                    result = replace(again, given=suite.reference.blocks.lowest_first(given)[0], calls=result.calls)
            told.append(result)
    return told


class Restartable(Backend, Protocol):
    """A backend that can load its submission once more. One process lives at a time."""

    def anew(self, *cells: str) -> contextlib.AbstractContextManager[Restartable]:
        """The same submission with further cells at its end, in a process of its own."""

    def close(self) -> None:
        """End the process; the next call is made in a new one."""


@dataclass(frozen=True)
class Step:
    """One call of a test, as it is answered when the test runs again."""

    call: Call
    """as the solution makes the test ask it"""
    reply: Reply | None
    """None where the submission is to be asked once more"""
    given: frozenset[str] = frozenset()
    """the functions of which it is told a right value that is not its own"""
    below: frozenset[str] = frozenset()
    """those of which it may be told values"""
    questions: tuple[Question, ...] = ()
    """what the solution asks them"""


class _FirstLook:
    """What the submission says by itself."""

    def __init__(self, suite: Suite, backend: Restartable, seen: Sequence[TestResult]) -> None:
        self.suite = suite
        self.backend = backend
        self.replies = {(call.encoded, call.measured): reply for result in seen for call, reply in result.calls.items()}
        self.stopped: set[str] = set()
        self.changing = {result.test.question for result in seen if result.kind is Kind.CHANGED}
        self.differs = functools.cache(self._differs)

    def plan(self, test: Test, wrong: Collection[str]) -> list[Step]:
        """How each call of a failed test is answered where wrong functions below its own, or beside it, give right
        values; empty where there are none, or the submission gives no reply."""
        blocks, own = self.suite.reference.blocks, test.question
        calls = self.suite.calls_of(test)
        used = {name for call in calls for name in (call.function, *blocks.below(call.function))}
        replaced = {name for name in used.intersection(wrong) if name != own and own not in blocks.below(name)}
        try:
            return [self._step(call, replaced) for call in calls] if replaced else []
        except Stopped:
            return []

    def _step(self, call: Call, replaced: Collection[str]) -> Step:
        reference = self.suite.reference
        if call.function in replaced:
            question = Question(call.function, call.encoded, reference.reply(call))
            if self.differs(question):
                return Step(call, question.right, frozenset({call.function}))
            return Step(call, self.reply(call))
        below = frozenset(reference.blocks.below(call.function).intersection(replaced))
        questions = tuple(question for question in reference.asked(call) if question.function in below) if below else ()
        asked = {name: [question for question in questions if question.function == name] for name in below}
        if given := frozenset(name for name in below if any(map(self.differs, asked[name]))):
            return Step(call, None, given, below, questions)
        return Step(call, self.reply(call))

    def _differs(self, question: Question) -> bool:
        if question.function in self.stopped:
            return True
        try:
            # Watched only where a test showed that arguments are spoilt: a submission sees whether it is watched.
            call = replace(Call(*codec.decode(question.encoded)), measured=question.function in self.changing)
            return _differ(self.reply(call), question.right)
        except Stopped:
            self.stopped.add(question.function)
            return True

    def knows(self, call: Call) -> bool:
        """Whether it was asked that."""
        return (call.encoded, call.measured) in self.replies

    def reply(self, call: Call) -> Reply:
        """Its answer to a call, asked once."""
        key = (call.encoded, call.measured)
        if key not in self.replies:
            self.replies[key] = self.backend.call(call)
        return self.replies[key]


class _SecondLook:
    """The submission as a test's backend, with right values in the place of wrong functions."""

    failure = None

    def __init__(self, first: _FirstLook, process: Restartable) -> None:
        self.first = first
        self.reference = first.suite.reference
        self.process = process
        self.plan: Iterator[Step] = iter(())
        """what is left of the test that runs"""
        self.questions: dict[bytes, Question] = {}
        """what the solution asks in that test"""
        self.told: set[bytes] = set()
        self.allowed: frozenset[str] = frozenset()
        self.deadline = time.process_time() + SECONDS

    def begin(self, plan: Sequence[Step]) -> None:
        """From now on a test with this plan runs."""
        self.plan = iter(plan)
        self.questions = {question.encoded: question for step in plan for question in step.questions}

    def call(self, call: Call) -> Reply:
        step = next(self.plan, None)
        if step is None or step.call.function != call.function:
            raise Stopped(Kind.RAISED, "it makes other calls than the solution")
        if step.reply is None:
            return self._asked_again(call, step)
        if call.encoded == step.call.encoded:
            return step.reply
        # What came before it was not the solution's: a right reply to another question would be a gift.
        return self.reference.reply(call) if step.given else self._by_itself(call)

    def _by_itself(self, call: Call) -> Reply:
        """What the first process answers. Where it has to be asked, it takes the place of this one, which begins anew
        after it."""
        if self.first.knows(call):
            return self.first.reply(call)
        self.process.close()
        self.told.clear()
        self.allowed = frozenset()
        try:
            return self.first.reply(call)
        finally:
            self.first.backend.close()

    def _asked_again(self, call: Call, step: Step) -> Reply:
        answers = [_answer(question) for encoded, question in self.questions.items() if encoded not in self.told]
        self.told.update(self.questions)
        for _ in range(ROUNDS):
            if answers or self.allowed != step.below:
                self._exchange(step.below, answers)
                self.allowed = step.below
            reply = self.process.call(call)
            if reply.raised is None or reply.raised.kind != ASKED:
                break
            answers = list(self._answers(self._exchange(step.below, [])))
        return reply

    def _exchange(self, allowed: Collection[str], answers: Sequence[Any]) -> Any:
        return self.process.call(Call("_exchange", (sorted(allowed), list(answers)))).value

    def _answers(self, questions: Any) -> Iterator[Any]:
        """The answers to what a submission says that it asked: any plain value may stand here."""
        for question in questions[:QUESTIONS] if type(questions) is list else ():
            match question:
                case (str(name), tuple(args), dict(kwargs)) if name in self.allowed and _is_small((args, kwargs)):
                    encoded = codec.encode((name, args, kwargs))
                    if len(encoded) <= LARGEST_QUESTION and time.process_time() < self.deadline:
                        # Not remembered: it is the submission that asks, and of as much as it likes.
                        right = perform(self.reference.right, Call(name, args, kwargs))
                        if right.raised is None or right.raised.kind in ("ValueError", "IndexError"):
                            yield _answer(Question(name, encoded, right))


def _answer(question: Question) -> tuple[Any, tuple[str, Any]]:
    """A question and its answer, as the submission is told them."""
    return codec.decode(question.encoded), _said(question.right) or ("", question.right.value)


def _said(reply: Reply) -> tuple[str, str] | None:
    return (reply.raised.kind, reply.raised.message) if reply.raised is not None else None


def _differ(reply: Reply, right: Reply) -> bool:
    """Whether a function gave another thing than the right one: another value, dtype or error, or the right value and
    a spoilt argument."""
    if reply.raised is not None or right.raised is not None:
        return _said(reply) != _said(right)
    if reply.changed or difference(reply.value, right.value, None) is not None:
        return True
    pairs = zip(parts(reply.value), parts(right.value), strict=False)
    return any(np.asarray(one).dtype != np.asarray(other).dtype for one, other in pairs)


def _is_small(value: Any) -> bool:
    """Whether a question holds no number over which a solution might loop for long, and nothing that is not plain."""
    if isinstance(value, dict):
        return all(map(_is_small, value.values()))
    if isinstance(value, tuple | list):
        return all(map(_is_small, value))
    if isinstance(value, int | np.integer):
        return abs(int(value)) <= LARGEST_INT
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size:
        return max(abs(int(value.min())), abs(int(value.max()))) <= LARGEST_INT
    return type(value) is not codec.Foreign
