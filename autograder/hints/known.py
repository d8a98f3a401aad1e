"""The known mistakes that can show in one function's results, in the order in which they are thought of."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence, Set

from autograder.hints import signature
from autograder.hints.catalogue import Misconception
from autograder.hints.rule import Observation


class KnownMistakes:
    """The mistakes of one function, and those below it."""

    def __init__(
        self, function: str, right: signature.Implementation, entries: Sequence[Misconception], used: Set[str]
    ) -> None:
        """`right`: the function of the solution; `used`: those that it builds on."""
        self.function = function
        self.right = right
        self.own = [entry for entry in entries if entry.function == function]
        self.below = [entry for entry in entries if entry.function in used]
        self._times = functools.lru_cache(maxsize=64)(functools.partial(signature.scaled, function, right))

    @functools.cached_property
    def other_forms(self) -> list[Misconception]:
        """That it does all of its work, and returns another form of the right result."""
        return signature.of_results(self.function, self.right)

    @functools.cached_property
    def thinkable(self) -> list[Misconception]:
        """Those that nobody had to write down. Their hints are the plainer ones."""
        return [*signature.of_arguments(self.function, self.right), *self.other_forms]

    def scaled(self, rows: Sequence[Observation]) -> list[Misconception]:
        """That every result is the right one times the same number, where these say so."""
        factor = signature.factor(rows)
        return [self._times(factor)] if factor is not None else []

    def candidates(self, rows: Sequence[Observation]) -> Iterator[Sequence[Misconception]]:
        """Those that can show in these calls of the function, the likeliest group first.

        Its own mistakes come before those below it (somebody may have written anew what the solution takes from another
        function), and what somebody wrote into the catalogue before what is only thinkable.
        """
        yield self.own
        yield self.thinkable
        yield self.scaled(rows)
        yield self.below
