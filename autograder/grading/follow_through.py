"""A mistake costs once: what fails above a wrong function is asked again with right values in its place.

Examiners call it error carried forward. The submission is loaded once more, in a process of its own, with a substitute
for each function. A substitute holds no rule: it looks up what it was told, notes what it was not, and goes on with the
submission's own function. The solution answers here, in the grader; values go in, never code, and only of wrong
functions that the one that is called builds on.

A second answer counts only where the solution, in that very call, asks a wrong function something to which the
submission's own first process gives another answer than the right one. Everywhere else the first process answers: a
file that says something else when it is asked again gains nothing by that, but above a function whose points it gave
up.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.checks.expect import difference
from autograder.checks.proxy import Backend, parts
from autograder.checks.results import TestResult
from autograder.grading.suite import Suite
from autograder.protocol.call import ANSWERS, Call, Reply, perform
from autograder.protocol.failure import ITS_OWN, STOPPED, Kind, Stopped
from autograder.sandbox.backend import SandboxedBackend

ROUNDS, QUESTIONS = 8, 256
"""How often a call is made at most, each time with more known of what it asks; and what it may ask in all."""

LARGEST_INT, LARGEST_QUESTION = 1 << 20, 1 << 18
"""The largest whole number in a question, and the most bytes of one."""

SECONDS = 10.0
"""Processor time of this process that the questions of one part of a suite may take."""

MISSING = frozenset({Kind.NOT_WRITTEN, Kind.NOT_REACHED})

NEVER_AGAIN = STOPPED | {Kind.ANSWER, Kind.UNANSWERED}
"""Why a test failed that is not run again; and none is of a function that is not there."""

ASKED = "Asked"
"""The error in the place of a result, where something was asked that was not told."""

SUBSTITUTES = """
def _exchange(functions):
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

    def exchange(allowed, answers):
        names.clear()
        names.update(allowed)
        told.update((codec.encode(question), answer) for question, answer in answers)
        questions = list(asked.values())
        fetched.update(asked)  # what has no answer then is the submission's own affair
        asked.clear()
        return questions

    for name in functions:
        own = globals().get(name)
        instead = globals()[name] = substitute(name, own)
        globals().update([(other, instead) for other, value in globals().items() if value is own is not None])
    return exchange


_exchange = _exchange(FUNCTIONS)
""".replace("MOST", str(QUESTIONS))
"""What is run at the end of the submission."""


def follow_through(
    suite: Suite, backend: SandboxedBackend, results: Sequence[TestResult], before: Sequence[TestResult] = ()
) -> list[TestResult]:
    """The tests that failed, run once more with right values below them: those that pass now have their points.

    Layer by layer: first the lowest wrong functions give right values. What is all right then was wrong because of
    them, and is not replaced. `before`: what else is known of the submission, followed through.
    """
    results, replaced = list(results), frozenset[str]()
    missing = {result.test.question for result in (*before, *results) if result.kind in MISSING}
    failed = [result for result in results if not result.passed and result.kind not in NEVER_AGAIN]
    again = {result.test for result in failed if result.test.question not in missing}
    functions = sorted({test.question for test in suite.tests} - {ANSWERS})
    with backend.second_process(SUBSTITUTES.replace("FUNCTIONS", repr(functions))) as process:
        second = _SecondLook(suite, backend, process, [*before, *results])
        while again:
            failed = [result for result in (*before, *results) if not result.passed]
            second.wrong_values = {result.test.question for result in failed if result.kind not in ITS_OWN}
            wrong = {result.test.question for result in failed} - {ANSWERS}
            if not (lowest := suite.reference.call_graph.lowest(frozenset(wrong - replaced))):
                break
            replaced |= lowest
            results = [
                second.of(result, replaced) if result.test in again and not result.passed else result
                for result in results
            ]
    return results


class _SecondLook:
    """The submission as a test's backend, with right values in the place of wrong functions."""

    failure = None

    def __init__(self, suite: Suite, first: Backend, process: Backend, known: Sequence[TestResult]) -> None:
        self.suite = suite
        self.reference = suite.reference
        self.first = first
        self.process = process
        self.replies = {(call.encoded, call.measured): reply for one in known for call, reply in one.calls.items()}
        """what the first process said"""
        self.stopped: set[str] = set()
        """functions that gave the first process no reply"""
        self.replaced: set[str] = set()
        """wrong functions below the one that a test is about, or beside it"""
        self.wrong_values: set[str] = set()
        """those of them that gave a wrong value to a test: of the others, an error alone may be told"""
        self.given: set[str] = set()
        """those of them whose right values made a difference in this test"""
        self.deadline = time.process_time() + SECONDS

    def of(self, result: TestResult, wrong: Collection[str]) -> TestResult:
        """The result of a test that failed, with right values in the place of some functions."""
        call_graph, own = self.reference.call_graph, result.test.question
        self.replaced = {name for name in wrong if name != own and own not in call_graph.below(name)}
        self.given.clear()
        if not self.replaced or not (again := self.suite.run_again(self, result.test)).passed or not self.given:
            return result
        return replace(again, given=call_graph.topological_order(self.given)[0], calls=result.calls)

    def call(self, call: Call) -> Reply:
        names = sorted(self.replaced & self.reference.call_graph.below(call.function))
        asked = [call] if call.function in self.replaced else []
        if names and not asked:
            asked = [each for each in self.reference.asked(call) if each.function in names]
        given = {each.function for each in asked if self._differs(each)}
        self.given |= given
        if not given:
            return self._by_itself(call)
        return self.reference.reply(call) if call.function in self.replaced else self._told(call, names, asked)

    def _by_itself(self, call: Call) -> Reply:
        """What the first process says, asked once."""
        key = (call.encoded, call.measured)
        if key not in self.replies:
            self.replies[key] = self.first.call(call)
        return self.replies[key]

    def _differs(self, question: Call) -> bool:
        """Whether the submission's own function gives another thing than the right one. Where no test of it found a
        wrong value, that can only be an error: what else would cost it little, and it could keep two guesses apart."""
        right = self.reference.reply(question)
        if right.raised is None and question.function not in self.wrong_values:
            return False
        if question.function not in self.stopped:
            try:
                return _differ(self._by_itself(replace(question, measured=False)), right)
            except Stopped:
                self.stopped.add(question.function)
        return True

    def _told(self, call: Call, names: list[str], asked: Sequence[Call]) -> Reply:
        """What the second process says, which is told the answers to what the solution asks, and to what it asks."""
        answers = [_answer(question, self.reference.reply(question)) for question in asked]
        for _ in range(ROUNDS):
            self._exchange(names, answers)
            reply = self.process.call(call)
            if reply.raised is None or reply.raised.kind != ASKED:
                break
            answers = list(self._answers(names, self._exchange(names, [])))
        return reply

    def _exchange(self, names: list[str], answers: list[Any]) -> Any:
        return self.process.call(Call("_exchange", (names, answers))).value

    def _answers(self, names: list[str], questions: Any) -> Iterator[Any]:
        """The answers to what a submission says that it asked: any plain value may stand here."""
        for question in questions[:QUESTIONS] if type(questions) is list else ():
            match question:
                case (str(name), tuple(args), dict(kwargs)) if name in names and _is_small((args, kwargs)):
                    call = Call(name, args, kwargs)
                    if len(call.encoded) <= LARGEST_QUESTION and time.process_time() < self.deadline:
                        # Not remembered: it is the submission that asks, and of as much as it likes.
                        right = perform(self.reference.right, call.copy())
                        if right.raised is None or right.raised.kind in ("ValueError", "IndexError"):
                            yield _answer(call, right)


def _answer(question: Call, right: Reply) -> tuple[Any, tuple[str, Any]]:
    """A question and its answer, as the submission is told them."""
    said = (right.raised.kind, right.raised.message) if right.raised is not None else ("", right.value)
    return (question.function, question.args, question.kwargs), said


def _differ(reply: Reply, right: Reply) -> bool:
    """Whether a function gave another thing than the right one: another value, dtype or error."""
    if reply.raised is not None or right.raised is not None:
        return (reply.raised and reply.raised.kind) != (right.raised and right.raised.kind)
    if difference(reply.value, right.value, None) is not None:
        return True
    dtypes = [[np.asarray(part).dtype for part in parts(one.value)] for one in (reply, right)]
    return dtypes[0] != dtypes[1]


def _is_small(value: Any) -> bool:
    """Whether a question holds no number over which a solution might loop for long, and nothing that is not plain."""
    if isinstance(value, dict | tuple | list):
        return all(map(_is_small, value.values() if isinstance(value, dict) else value))
    numbers = np.asarray(value)
    if numbers.dtype.kind in "iu":
        return not numbers.size or float(np.abs(numbers.astype(float)).max()) <= LARGEST_INT
    return value is None or numbers.dtype.kind in "bfU"
