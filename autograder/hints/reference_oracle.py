"""The oracle in the grader: the reference solution, and the solution with each known mistake in it.

Every submission leads to the same requests, so the oracle caches replies, up to a limit.
"""

from __future__ import annotations

import contextlib
import functools
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from autograder.checks.difference import agrees
from autograder.checks.oracle import Observation, Outcome, Refused, Returned, Unaffected
from autograder.checks.proxy import dtypes
from autograder.checks.source import CallGraph, SourceFile
from autograder.course import Assignment
from autograder.hints import catalogue
from autograder.hints.catalogue import Misconception
from autograder.hints.likely_causes import numpy_error_mark, observation_of
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply, perform

MAX_CACHED_CALL_BYTES = 32 * 1024
"""Maximum size, in bytes, of a call that the oracle caches or explains; a test can pass on a result of any size."""


class InnerCall(NamedTuple):
    """A call that the solution makes to one of its functions while computing an outer call."""

    call: Call
    callers: frozenset[str]
    """Names of the functions through which the outer call leads to this one."""


class Reference:
    """The oracle for one assignment."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.solution = catalogue.solution(assignment)
        """The reference solution; callers must not modify it."""
        functions = SourceFile(assignment.solution).functions
        self.call_graph = CallGraph(functions)
        self.other_correct_ways = catalogue.other_correct_ways(assignment)
        self.call_graph_of_all_ways = CallGraph(
            functions, [(way.function, way.built_on) for way in self.other_correct_ways]
        )
        """The combined call graph of the solution and all other correct ways to write its functions."""
        self.wrong_answers = catalogue.wrong_answers(assignment)
        """The hints for known wrong answers, keyed by question and wrong number."""
        self.entries = catalogue.entries(assignment)
        self._replies = functools.lru_cache(4096)(self._reply)
        self._cached_inner_calls = functools.lru_cache(2048)(self._inner_calls)
        self._mistaken = functools.cache(functools.partial(catalogue.solution_with_mistake, assignment))
        self.outcome_with = functools.lru_cache(1 << 16)(self._outcome_with)
        self.solutions_in_all_ways = functools.cache(lambda function: tuple(self.iter_solutions_in_all_ways(function)))
        """Return the modules that `iter_solutions_in_all_ways` yields for a function; each is made only once."""
        self.ranked_mistake_groups = functools.cache(self._direct_and_inherited_mistakes)

    def iter_solutions_in_all_ways(self, function: str) -> Iterator[types.ModuleType]:
        """Yield the solution, then a copy for each other correct way to write a function or one of its dependencies."""
        yield catalogue.solution(self.assignment)
        for way in self.other_correct_ways:
            if way.function in {function, *self.call_graph.dependencies(function)}:
                yield catalogue.solution_in_another_way(self.assignment, way)

    # The solution's own results

    def reply(self, call: Call) -> Reply:
        """Return the solution's reply to a call."""
        return self._replies(call.encoded) if fits_in_cache(call) else perform(self.solution, call.copy())

    def _reply(self, encoded_call: bytes) -> Reply:
        reply = perform(self.solution, Call(*codec.decode(encoded_call)))
        if reply.raised is not None and reply.raised.kind == "MemoryError":
            raise MemoryError(reply.raised.message)  # free memory changes, so this error must not be cached
        return reply

    def expected(self, call: Call) -> Returned | Refused:
        """Return the correct outcome of a call."""
        reply = self.reply(call)
        if reply.raised is not None and reply.raised.kind not in ("ValueError", "IndexError"):
            raise RuntimeError(f"the solution raises {reply.raised.kind}: {reply.raised.message}")
        return Returned(reply.value) if reply.raised is None else Refused()

    def _reply_if_comparable(self, call: Call) -> Reply | None:
        """Return the solution's reply to a call; None if it is an error, or if the call or the reply is too large."""
        try:
            expected = self._replies(call.encoded) if fits_in_cache(call) else None
        except MemoryError:  # a test can pass on a result of the submission, which can be very large
            return None
        return expected if expected is not None and expected.raised is None else None

    def differs_only_in_dtype(self, call: Call, reply: Reply) -> bool:
        """Return True if a submission replied to a call with correct values in the wrong dtype."""
        expected = self._reply_if_comparable(call) if reply.raised is None else None
        if expected is None:
            return False
        right = dtypes(expected.value)
        return dtypes(reply.value, len(right) + 1) != right and agrees(reply.value, expected.value)

    def inner_calls(self, call: Call) -> tuple[InnerCall, ...]:
        """Return the calls that the solution makes to its own functions during a call, each only once.

        Calls made by the other correct ways are included.
        """
        return self._cached_inner_calls(call.encoded) if fits_in_cache(call) else self._inner_calls(call.encoded)

    def _inner_calls(self, encoded_call: bytes) -> tuple[InnerCall, ...]:
        inner_calls: dict[tuple[bytes, frozenset[str]], InnerCall] = {}
        running: list[str] = []

        def recording(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
            def recorded(*args: Any, **kwargs: Any) -> Any:
                inner_call = InnerCall(Call(name, args, kwargs).copy(), frozenset(running))
                with contextlib.suppress(ValueError):  # a call can be too large for a message
                    inner_calls.setdefault((inner_call.call.encoded, inner_call.callers), inner_call)
                running.append(name)
                try:
                    return function(*args, **kwargs)
                finally:
                    running.pop()

            return recorded

        function = Call(*codec.decode(encoded_call)).function
        for module in self.iter_solutions_in_all_ways(function):
            for name in (
                name for name in self.call_graph_of_all_ways.dependencies(function) if not name.startswith("_")
            ):
                setattr(module, name, recording(name, vars(module)[name]))
            perform(module, Call(*codec.decode(encoded_call)))
        return tuple(inner_calls.values())

    @staticmethod
    def value_with(module: types.ModuleType, call: Call, functions: Mapping[str, Callable[..., Any]]) -> Any:
        """Return a module's result for a call while some of the module's functions are replaced.

        Raise any exception that the module or a replacement raises.
        """
        namespace, call = vars(module), call.copy()
        originals = {name: namespace[name] for name in functions}
        namespace.update(functions)
        try:
            with warnings.catch_warnings(action="ignore"):
                return namespace[call.function](*call.args, **call.kwargs)
        finally:
            namespace.update(originals)

    def right_answer_and_hints(self, key: str) -> tuple[Any, Mapping[float, str]]:
        """Return the right answer for an entry of ANSWERS, and a mapping from known wrong numbers to hints."""
        return vars(self.solution)[ANSWERS][key], self.wrong_answers.get(key, {})

    # The solution with a known mistake in it

    def _direct_and_inherited_mistakes(self, function: str) -> tuple[list[Misconception], list[Misconception]]:
        """Return the known mistakes in a function itself and those in functions that it builds on.

        The second group also applies to the function, because a student might have repeated in it code that the
        solution has in another function.
        """
        groups = ({function}, self.call_graph.dependencies(function))
        in_itself, in_dependencies = ([entry for entry in self.entries if entry.function in group] for group in groups)
        return in_itself, in_dependencies

    def observation(self, call: Call, reply: Reply) -> Observation | None:
        """Return the observation of a call as evidence for or against mistakes.

        Return None if the call should have raised an error, raised an error without a mark, or is too large to compare.
        """
        if (expected := self._reply_if_comparable(call)) is None:
            return None
        predicted = functools.partial(self.outcome_with, call.encoded)
        return observation_of(reply, expected.value, self.ranked_mistake_groups(call.function), predicted)

    def _outcome_with(self, encoded_call: bytes, entry: Misconception) -> Outcome:
        """Return the outcome of a call to the solution with a known mistake in it."""
        expected = self._replies(encoded_call)
        if expected.raised is not None:  # every entry refuses the same arguments as the solution
            return Unaffected()
        call = Call(*codec.decode(encoded_call))
        module = self._mistaken(entry) if call.function != entry.function else _module_of(entry, expected.value)
        reply = perform(module, call)
        if reply.raised is not None:
            return Refused(numpy_error_mark(reply.raised))
        return Returned(reply.value) if not agrees(reply.value, expected.value) else Unaffected()


def _module_of(entry: Misconception, right: Any) -> types.ModuleType:
    """Return a module with only an entry's function, for a call to which the solution replies with the value `right`.

    The function returns what it returns in a copy of the solution, which would compute `right` again for its dtypes.
    """

    def mistaken(*args: Any, **kwargs: Any) -> Any:
        return catalogue.in_dtypes_of(entry.implementation(*args, **kwargs), right)

    module = types.ModuleType(entry.name)
    module.__file__ = entry.name
    vars(module)[entry.function] = mistaken
    return module


def fits_in_cache(call: Call) -> bool:
    """Return True if a call is small enough for the oracle's caches."""
    try:
        return len(call.encoded) <= MAX_CACHED_CALL_BYTES
    except ValueError:
        return False
