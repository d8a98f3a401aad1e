"""Which functions of a file build on which others: so that a mistake is told once, where it sits."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping


class Blocks:
    """What each function of a file builds on.

    Only what is asked for is followed, since of functions that call each other in a ring every one builds on all.
    """

    def __init__(self, direct: Mapping[str, Collection[str]]) -> None:
        self._direct = direct
        self._below: dict[str, frozenset[str]] = {}

    def below(self, name: str) -> frozenset[str]:
        """All functions of the same file that one uses, directly or through others."""
        if name not in self._below:
            found: set[str] = set()
            waiting = list(self._direct.get(name, ()))
            while waiting:
                one = waiting.pop()
                if one not in found:
                    found.add(one)
                    waiting += self._direct[one]
            self._below[name] = frozenset(found - {name})
        return self._below[name]

    def root_causes(self, failing: Collection[str]) -> dict[str, str]:
        """For each failing function that builds on another failing one: the function to fix first."""
        causes = {}
        for name in failing:
            below = [other for other in failing if other in self.below(name)]
            lowest = [other for other in below if not any(third in self.below(other) for third in below)]
            if below:
                causes[name] = (lowest or below)[0]
        return causes


def building_blocks(source: str) -> Blocks:
    """What the functions of a file build on; none for text that is not Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Blocks({})
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return Blocks(
        {
            name: {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and part.id in functions} - {name}
            for name, node in functions.items()
        }
    )
