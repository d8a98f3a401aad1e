"""A mistake costs once: what fails above a wrong function is asked again with right values in its place.

Examiners call it error carried forward. The submission is loaded once more, in a process of its own, with a substitute
for each function that is wrong, unwritten or raises. A substitute holds no rule: it looks up what it was told, notes
what it was not, and goes on with the submission's own function. The solution answers here, in the grader; values go in,
never code, and only of functions that the one that is called builds on.

A second answer counts only where the solution, in that very call, asks a replaced function something to which the
submission's own first process gives another answer than the right one. Everywhere else the first answer stands: so a
file that answers otherwise when it is asked again gains nothing by that, but above a function whose points it gave up.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.checks.expect import difference
from autograder.checks.proxy import Backend, parts
from autograder.checks.results import TestResult, by_question, points_possible, points_won
from autograder.checks.source import Blocks
from autograder.grading.suite import Suite
from autograder.hints.observed import ObservedTest, Restartable
from autograder.hints.oracle import Oracle, Question
from autograder.hints.rule import outcome
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply
from autograder.protocol.failure import Stopped
from autograder.protocol.status import TestStatus

PRICE = 0.0
"""The share of its points that a function has lost before others are given right values of it."""

ROUNDS = 8
"""How often a call is made at most: each time more of what it asks is known."""

QUESTIONS = 256
"""What one call may ask at most."""

LARGEST_INT, LARGEST_QUESTION = 1 << 20, 1 << 18
"""The largest whole number in a question, and the most bytes of one."""

SURELY_RIGHT = 1e-10
"""A difference, relative to 1 + |wanted|, that is order of operations: what builds on a larger one may multiply it."""

SECONDS = 10.0
"""Processor time of this process that the questions of one part of a suite may take."""

SUBSTITUTES = """
def _exchange():
    import copy
    from autograder.protocol import codec

    names, told, asked = set(), {}, {}

    def substitute(name, own):
        def answer(*args, **kwargs):
            if name in names:
                key = codec.encode((name, args, kwargs))
                if key in told:
                    error, value = told[key]
                    if error:
                        raise (IndexError if error == "IndexError" else ValueError)(value)
                    return copy.deepcopy(value)
                if len(asked) < 256:
                    asked[key] = copy.deepcopy((name, args, kwargs))
            if own is None:
                raise NotImplementedError
            return own(*args, **kwargs)

        return answer

    def replace(wrong):
        for name in wrong:
            own = globals().get(name)
            instead = substitute(name, own)
            globals()[name] = instead
            globals().update([(other, instead) for other, value in globals().items() if value is own is not None])

    def exchange(allowed, answers):
        names.clear()
        names.update(allowed)
        told.update((codec.encode(question), answer) for question, answer in answers)
        questions = list(asked.values())
        asked.clear()
        return questions

    return replace, exchange


_replace, _exchange = _exchange()
_replace(WRONG)
"""
"""What is run at the end of the submission, with the names of its wrong functions."""


def follow_through(
    suite: Suite, backend: Restartable, observed: Sequence[ObservedTest], seen: Sequence[ObservedTest]
) -> list[ObservedTest]:
    """The tests that failed, run once more with right values below them: those that pass now have their points.

    `seen`: all that is known of the submission, these tests included.
    """
    wrong = _wrong(suite.oracle.blocks, [each.result for each in seen])
    again = {each.result.test for each in observed if _replaced(suite.oracle.blocks, each.result, wrong)}
    if not again:
        return list(observed)
    with backend.anew(SUBSTITUTES.replace("WRONG", repr(sorted(wrong)))) as second:
        look = _SecondLook(suite.oracle, backend, second)
        told = []
        for each in observed:
            if each.result.test in again:
                look.begin(each, _replaced(suite.oracle.blocks, each.result, wrong))
                result = suite.run_again(look, each.result.test)
                if result.passed and look.given:
                    function = suite.oracle.blocks.lowest_first(look.given)[0]
                    each = replace(each, result=replace(result, function=function))
            told.append(each)
    return told


def _wrong(blocks: Blocks, results: Sequence[TestResult]) -> set[str]:
    """The functions that have lost points of their own."""
    groups = by_question(result for result in results if result.test.question != ANSWERS)
    lost = {name: points_possible(group) - points_won(group) for name, group in groups.items()}
    return {name for name, group in groups.items() if lost[name] > PRICE * points_possible(group)}


def _replaced(blocks: Blocks, result: TestResult, wrong: Collection[str]) -> set[str]:
    """The wrong functions that a failed test uses below its own, or beside it."""
    if result.status not in (TestStatus.FAILED, TestStatus.WAITING) or result.test.question == ANSWERS:
        return set()
    own = result.test.question
    used = {name for called in (own, *result.test.calls) for name in (called, *blocks.below(called))}
    return {name for name in used.intersection(wrong) if name != own and own not in blocks.below(name)}


class _SecondLook:
    """A submission's backend in which functions give right values, as far as its first process shows them to be
    wrong."""

    failure = None

    def __init__(self, oracle: Oracle, first: Backend, second: Backend) -> None:
        self.oracle = oracle
        self.first, self.second = first, second
        self.is_wrong: dict[bytes, bool] = {}
        """what the solution asks a replaced function → whether the submission's own answers otherwise"""
        self.told: set[bytes] = set()
        self.allowed: set[str] = set()
        self.deadline = time.process_time() + SECONDS

    def begin(self, observed_test: ObservedTest, replaced: set[str]) -> None:
        """A test, and the functions that are replaced in it."""
        self.replaced = replaced
        self.seen = {(call.encoded, call.measured): reply for call, reply in observed_test.calls.items()}
        self.given: set[str] = set()
        """the functions of which right values were told that made a difference"""

    def call(self, call: Call) -> Reply:
        if call.function in self.replaced:
            right = self.oracle.reply(call)
            question = Question(call.function, call.encoded, right)
            if not self._differs(question, call):
                return self._first(call)
            self.given.add(call.function)
            return right
        below = self.replaced & self.oracle.blocks.below(call.function)
        questions = [question for question in self.oracle.asked(call) if question.function in below] if below else []
        differing = {question.function for question in questions if self._differs(question)}
        if not differing:
            return self._first(call)
        self.given |= differing
        return self._second(call, below, questions)

    def _first(self, call: Call) -> Reply:
        return self.seen.get((call.encoded, call.measured)) or self.first.call(call)

    def _differs(self, question: Question, call: Call | None = None) -> bool:
        if question.encoded not in self.is_wrong:
            asked = call or Call(*codec.decode(question.encoded))
            try:
                reply = self._first(asked)
            except Stopped:
                self.is_wrong[question.encoded] = True
            else:
                self.is_wrong[question.encoded] = _differ(reply, question.right)
        return self.is_wrong[question.encoded]

    def _second(self, call: Call, below: set[str], questions: Sequence[Question]) -> Reply:
        answers = [_answer(question) for question in questions if question.encoded not in self.told]
        self.told.update(question.encoded for question in questions)
        for _ in range(ROUNDS):
            if answers or self.allowed != below:
                self._exchange(below, answers)
                self.allowed = below
            reply = self.second.call(call)
            answers = list(self._answers(self._exchange(below, [])))
            if not answers:
                break
        return reply

    def _exchange(self, allowed: set[str], answers: Sequence[Any]) -> Any:
        reply = self.second.call(Call("_exchange", (sorted(allowed), list(answers))))
        return outcome(reply) if reply.raised is None else []

    def _answers(self, questions: Any) -> Any:
        """The answers to what a submission says that it asked: any plain value may stand here."""
        for question in questions[:QUESTIONS] if type(questions) is list else ():
            match question:
                case (str(name), tuple(args), dict(kwargs)) if name in self.allowed and _is_small((args, kwargs)):
                    encoded = codec.encode((name, args, kwargs))
                    if len(encoded) <= LARGEST_QUESTION and time.process_time() < self.deadline:
                        right = self.oracle.reply(Call(name, args, kwargs))
                        if right.raised is None or right.raised.kind in ("ValueError", "IndexError"):
                            yield _answer(Question(name, encoded, right))


def _answer(question: Question) -> tuple[Any, tuple[str, Any]]:
    right = question.right
    told = (right.raised.kind, right.raised.message) if right.raised is not None else ("", codec.decode(right.value))
    return codec.decode(question.encoded), told


def _differ(reply: Reply, right: Reply) -> bool:
    """Whether a function gave another thing than the right one: another value, dtype or error, or the right value and
    a spoilt argument."""
    if reply.raised is not None or right.raised is not None:
        return _said(reply) != _said(right)
    got, wanted = outcome(reply), outcome(right)
    if reply.changed or difference(got, wanted, SURELY_RIGHT) is not None:
        return True
    pairs = zip(parts(got), parts(wanted), strict=False)
    return any(np.asarray(one).dtype != np.asarray(other).dtype for one, other in pairs)


def _said(reply: Reply) -> tuple[str, str] | None:
    return (reply.raised.kind, reply.raised.message) if reply.raised is not None else None


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
