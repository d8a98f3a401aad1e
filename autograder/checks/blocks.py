"""Which functions of a file build on which others: so that a mistake is told once, where it sits."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping


def building_blocks(source: str) -> dict[str, frozenset[str]]:
    """Function → all functions of the same file that it uses, directly or through others. Empty for text that is not Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    direct = {
        name: {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and part.id in functions} - {name}
        for name, node in functions.items()
    }
    return {name: frozenset(_reachable(name, direct)) for name in functions}


def _reachable(name: str, direct: Mapping[str, Collection[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(direct[name])
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += direct[one]
    return found - {name}


def root_causes(failing: Collection[str], blocks: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """For each failing function that builds on another failing one: the function to fix first."""
    causes = {}
    for name in failing:
        below = [other for other in failing if other in blocks.get(name, ())]
        lowest = [other for other in below if not any(third in blocks.get(other, ()) for third in below)]
        if below:
            causes[name] = (lowest or below)[0]
    return causes
