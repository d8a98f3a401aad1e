"""The reference solution, with and without known mistakes: what each makes of a call.

It is asked the same about every submission, so it remembers what it said, each thing up to a bound.
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable, Mapping
from typing import Any

from autograder.checks.expect import difference
from autograder.checks.proxy import REFUSED
from autograder.checks.source import CallGraph, Source
from autograder.course import Assignment
from autograder.hints import catalogue
from autograder.hints.catalogue import Misconception
from autograder.hints.explain import UNAFFECTED, Observation
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply, perform

REMEMBERED = 32 * 1024
"""Bytes of a call up to which its answers are remembered, and mistakes explained: one may hand back what a submission
returned, and then be of any size."""


class Reference:
    """All that is known of an assignment. Read when it is first asked."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.reply_to = functools.lru_cache(4096)(self._reply)
        self.asked_by = functools.lru_cache(2048)(self._asked)
        self.mistaken = functools.cache(lambda entry: catalogue.mistaken(assignment, entry))
        self.made_of = functools.lru_cache(1 << 16)(self._made)

    @functools.cached_property
    def right(self) -> types.ModuleType:
        """The reference solution, not to be changed."""
        return catalogue.solution(self.assignment)

    @functools.cached_property
    def call_graph(self) -> CallGraph:
        """What each function of the solution builds on."""
        return CallGraph(Source(self.assignment.solution).functions)

    # What the solution makes of a call

    def reply(self, call: Call) -> Reply:
        """All that comes of a call of the solution."""
        return self.reply_to(call.encoded) if is_small(call) else perform(self.right, call.copy())

    def _reply(self, encoded: bytes) -> Reply:
        reply = perform(self.right, Call(*codec.decode(encoded)))
        if reply.raised is not None and reply.raised.kind == "MemoryError":
            raise MemoryError(reply.raised.message)  # which says nothing of the call, and is not to be remembered
        return reply

    def expected(self, call: Call) -> Any:
        """What the solution returns, or REFUSED."""
        reply = self.reply(call)
        if reply.raised is not None and reply.raised.kind not in ("ValueError", "IndexError"):
            raise RuntimeError(f"the solution raises {reply.raised.kind}: {reply.raised.message}")
        return reply.value if reply.raised is None else REFUSED

    def asked(self, call: Call) -> tuple[Call, ...]:
        """What the solution asks its own functions in a call, each question once."""
        return self.asked_by(call.encoded) if is_small(call) else self._asked(call.encoded)

    def _asked(self, encoded: bytes) -> tuple[Call, ...]:
        asked: dict[bytes, Call] = {}
        module = catalogue.solution(self.assignment)

        def listening(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
            def function(*args: Any, **kwargs: Any) -> Any:
                question = Call(name, args, kwargs).copy()
                with contextlib.suppress(ValueError):  # one that no message has room for
                    asked.setdefault(question.encoded, question)
                return own(*args, **kwargs)

            return function

        call = Call(*codec.decode(encoded))
        for name in (name for name in self.call_graph.below(call.function) if not name.startswith("_")):
            setattr(module, name, listening(name, vars(module)[name]))
        perform(module, call)
        return tuple(asked.values())

    def answer(self, key: str) -> tuple[Any, Mapping[float, str]]:
        """The right entry of ANSWERS, and known wrong numbers for it, each with its hint."""
        return vars(self.right)[ANSWERS][key], self.wrong_answers.get(key, {})

    @functools.cached_property
    def wrong_answers(self) -> Mapping[str, Mapping[float, str]]:
        return catalogue.wrong_answers(self.assignment)

    # What known mistakes make of it

    @functools.cached_property
    def entries(self) -> tuple[Misconception, ...]:
        return catalogue.entries(self.assignment)

    def known(self, function: str) -> tuple[list[Misconception], list[Misconception]]:
        """The known mistakes that can show in the results of a function, the likelier ones first: its own before those
        of functions below it, since somebody may have written anew what the solution takes from another."""
        groups = ({function}, self.call_graph.below(function))
        own, below = ([entry for entry in self.entries if entry.function in group] for group in groups)
        return own, below

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """A call as evidence; None for one that raised, is too large to look at, or where an error is right."""
        if reply.raised is not None or not is_small(call):
            return None
        try:
            right = self.reply_to(call.encoded)
        except MemoryError:  # a test may hand on what a submission returned, of which much is made
            return None
        if right.raised is not None:
            return None
        return Observation(reply.value, right.value, functools.partial(self.made_of, call.encoded))

    def _made(self, encoded: bytes, entry: Misconception) -> Any:
        """What comes of a call beside a known mistake, or SAME: most leave most calls alone."""
        right = self.reply_to(encoded)
        if right.raised is not None:  # which all of them refuse
            return UNAFFECTED
        made = perform(self.mistaken(entry), Call(*codec.decode(encoded)))
        if made.raised is not None:
            return REFUSED
        return made.value if difference(made.value, right.value, None) is not None else UNAFFECTED


def is_small(call: Call) -> bool:
    """Whether a call is small enough to be remembered."""
    try:
        return len(call.encoded) <= REMEMBERED
    except ValueError:
        return False
