"""A mistake costs once: what builds on a function with a known mistake is judged beside the solution with that mistake
in it.

Examiners call it consequential marking. A mistake is carried on only where somebody wrote it into the catalogue, or the
result is the right one in another form (twice, transposed), where the function behaves so in all its observed calls,
and where it still makes the function do some work: beside a constant, zeros or an echo anything would be right.

Beside a result of another shape what builds on it raises, beside a mistake that nobody knows it is anything, and so it
is beside a result that depends on earlier calls. There the submission is asked again: with the shape set right in it,
with a stand-in for the function, in the solution too, or each call in a process of its own.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.checks.proxy import Refusal, parts
from autograder.hints.catalogue import Misconception
from autograder.hints.observed import ObservedTest, Replayed, Restartable, calls_of, is_looked_at
from autograder.hints.oracle import Oracle
from autograder.hints.rule import Observation, explanations, outcome, same
from autograder.protocol import codec
from autograder.protocol.call import ANSWERS, Call, Reply, perform

TRIVIALLY = 1e-6
"""How near to a result that needs no work one is taken for it."""

LARGEST = 1 << 20
"""Bytes of a call and its result up to which they are compared: that a function does not loop is asked with long
sequences."""

MAX_FORMS = 3
"""Entries that explain the same calls of a function and may differ in others: up to this many are tried."""


class Mistaken:
    """The solution with known mistakes in it, as a reference."""

    def __init__(
        self, oracle: Oracle, entries: tuple[Misconception, ...], with_several_results: Collection[str] = ()
    ) -> None:
        """`with_several_results`: the functions that return a tuple when they are right."""
        self.oracle = oracle
        self.entries = entries
        self.with_several_results = with_several_results
        self.functions = tuple(entry.function for entry in entries)

    def outcome(self, call: Call) -> Any:
        """What comes of a call."""
        return self.oracle.outcome(self.entries, call)

    @property
    def cell(self) -> str:
        """What gives mistaken functions of the submission itself their right shape, or their stand-in; empty where they
        stay as they are."""
        return "".join(map(self._instead, self.entries))

    @property
    def where_shapes_are_right(self) -> Mistaken:
        """What is mistaken still after that."""
        return Mistaken(self.oracle, tuple(entry for entry in self.entries if not entry.undo))

    def _instead(self, entry: Misconception) -> str:
        if entry.source:
            source = textwrap.indent(entry.source, "    ")
            return _STANDING_IN.format(function=entry.function, source=source, name=entry.name)
        several = entry.function in self.with_several_results
        return _RESHAPING.format(function=entry.function, undo=entry.undo, several=several) if entry.undo else ""


_RESHAPING = """
def {function}(*args, _own={function}, **kwargs):
    import numpy as np
    result = _own(*args, **kwargs)
    parts = [{undo} for part in map(np.asarray, result if {several} else [result])]
    return tuple(parts) if {several} else parts[0]
"""


_STANDING_IN = """
_own = globals().get({function!r})
def {function}(*args, **kwargs):
    import numpy as np
{source}
    return {name}(*args, **kwargs)
globals().update([(name, {function}) for name, value in globals().items() if value is _own is not None])
"""
"""Other names of the function get it too."""


def mistaken(
    oracle: Oracle, observed: Sequence[ObservedTest], keeping_state: frozenset[str] = frozenset()
) -> Iterator[Mistaken]:
    """The solution with the mistakes that a submission was seen to make; once for each form that these may have. Most
    make none; of a function that depends on earlier calls it cannot be said."""
    forms_of: dict[str, list[Misconception]] = {}
    several: set[str] = set()
    wrong = {observed_test.result.test.question for observed_test in observed if observed_test.result.is_mistake}
    for function in oracle.blocks.lowest_first(wrong - keeping_state):
        calls = calls_of(function, observed)
        below = Mistaken(oracle, tuple(forms[0] for forms in forms_of.values())) if forms_of else None
        if below is None or not _explains(below, calls):
            rows = oracle.evidence(function, observed)
            several.update({function} if any(type(row.right) is tuple for row in rows) else ())
            known = oracle.known(function)
            # A mistake that is too small to be seen in a function itself may show in what builds on it.
            coarse = [
                entry
                for entry in known.below
                if entry.function in wrong - forms_of.keys()
                and _can_be(entry, oracle.evidence(entry.function, observed))
            ]
            groups = (coarse, known.own, known.other_forms, known.scaled(rows))
            forms = [entry for entry in explanations(rows, groups) if not _is_trivial(oracle, entry, calls)]
            forms_of |= {forms[0].function: forms[:MAX_FORMS]} if forms else {}
    for number in range(max(map(len, forms_of.values()), default=0)):
        entries = tuple(forms[min(number, len(forms) - 1)] for forms in forms_of.values())
        yield Mistaken(oracle, entries, several)


def with_stand_ins(known: Mistaken, failing: Set[str]) -> Mistaken:
    """The solution with known mistakes, and with a stand-in for the lowest of the functions that fail all the same: as
    far as others build on it that do."""
    oracle, entries = known.oracle, list(known.entries)
    below = {function: oracle.blocks.below(function) for function in failing}
    for function in oracle.blocks.lowest_first(failing):
        is_built_on = any(function in others for others in below.values())
        if (
            function in oracle.stand_ins
            and is_built_on
            and below[function].isdisjoint(failing & oracle.stand_ins.keys())
        ):
            entries.append(oracle.stand_ins[function])
    return Mistaken(oracle, tuple(entries), known.with_several_results) if entries[len(known.entries) :] else known


def _explains(mistaken: Mistaken, calls: Iterable[tuple[Call, Reply]]) -> bool:
    """Whether all calls of a function came out as they do beside a mistake below it."""
    return all(same(outcome(reply), mistaken.outcome(call)) for call, reply in calls)


def _can_be(entry: Misconception, rows: Sequence[Observation]) -> bool:
    """Whether these calls of a function may come from a mistake, beside others: one that is wrong does, or none is."""
    wrong = [row for row in rows if row.is_wrong]
    return not wrong or any(row.accepted and same(row.got, row.predicted(entry)) for row in wrong)


def _is_trivial(oracle: Oracle, entry: Misconception, calls: Iterable[tuple[Call, Reply]]) -> bool:
    """Whether a function with this mistake does no work, though the right one does."""
    made = []
    for call, _ in calls:
        if is_looked_at(call):
            of = oracle.predictions(call).of
            if type(of(None)) is not Refusal and not is_trivial(of(None), call.args):
                made.append((of(entry), call.args))
    refused = all(type(value) is Refusal for value, _ in made)
    easy = all(is_trivial(value, args) and not _is_filled(value) for value, args in made)
    return refused or easy or _is_one_value([value for value, _ in made])


def _is_filled(value: Any) -> bool:
    """Whether a result is an array of the right size with one number in it, not 0: what builds on it has its work to do
    still."""
    return isinstance(value, np.ndarray) and value.size > 1 and bool((value == value.flat[0]).all() and value.flat[0])


def _is_one_value(values: Sequence[Any]) -> bool:
    """Whether the same comes of every call, where there are several."""
    return len(values) > 2 and all(same(value, other) for value, other in itertools.pairwise(values))


def is_trivial(value: Any, args: Sequence[Any]) -> bool:
    """Whether a result needs no work: it is empty, no number, zero, one number in every place, the identity, or an
    argument."""
    return all(_is_trivial_part(np.asarray(part), args) for part in parts(value))


def _is_trivial_part(array: np.ndarray, args: Sequence[Any]) -> bool:
    if array.dtype.kind not in "biuf" or not array.size or np.isnan(array).any():
        return True
    given = [np.asarray(value) for value in args if isinstance(value, int | float | np.ndarray)]
    easy = [
        np.full_like(array, array.flat[0] if array.ndim else 0),
        *(value for value in given if value.shape == array.shape),
    ]
    if array.ndim > 1:
        easy.append(np.broadcast_to(np.eye(*array.shape[-2:]), array.shape))
    numbers = (value for value in easy if value.dtype.kind in "biuf")
    return any(np.allclose(array, value, rtol=TRIVIALLY, atol=TRIVIALLY) for value in numbers)


class Beside(Replayed):
    """A submission's backend in which what agrees with the mistaken solution counts as what is right.

    Each such result is replaced by the right one, which may be a refusal, so that a test goes on as beside a right
    function: its other calls, its properties and what it asks besides values (dtype, loops, arguments left alone) are
    judged as ever.
    """

    def __init__(self, backend: Restartable, seen: Mapping[Call, Reply], mistaken: Mistaken) -> None:
        super().__init__(backend, seen)
        self.mistaken = mistaken

    def call(self, call: Call) -> Reply:
        reply = super().call(call)
        if reply.raised is not None or call.function == ANSWERS or len(reply.encoded) + len(call.encoded) > LARGEST:
            return reply
        right, wrong = self.mistaken.oracle.predictions(call).of(None), self.mistaken.outcome(call)
        got = outcome(reply)
        if type(wrong) is Refusal or not same(got, wrong) or same(wrong, right) or is_trivial(wrong, call.args):
            return reply
        if type(right) is Refusal:
            return perform(self.mistaken.oracle.right, replace(call.copy(), measured=False))
        return replace(reply, encoded=codec.encode(_made_right(got, right)))


def _made_right(got: Any, right: Any) -> Any:
    """The right result, in the dtypes of what came: these are judged too."""
    if type(right) is tuple:
        return tuple(_made_right(part, other) for part, other in zip(got, right, strict=True))
    if isinstance(got, np.ndarray | np.generic) and got.dtype.kind == np.asarray(right).dtype.kind:
        return np.asarray(right).astype(got.dtype) if isinstance(got, np.ndarray) else got.dtype.type(right)
    return right


class Anew(Replayed):
    """A submission's backend in which each call that came out wrong is made again, in a process where nothing was
    called yet."""

    def __init__(self, oracle: Oracle, backend: Restartable, seen: Mapping[Call, Reply]) -> None:
        super().__init__(backend, seen)
        self.oracle = oracle

    def call(self, call: Call) -> Reply:
        reply = super().call(call)
        seen = self.oracle.observation(call, reply)
        if seen is not None and not seen.is_wrong:
            return reply
        self.backend.close()
        return self.backend.call(call)
