"""Which functions of a file build on which others: so that a mistake is told once, where it sits."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from autograder.checks.test_result import TestResult


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


def compared_with(failing: Mapping[str, Collection[TestResult]]) -> dict[str, str]:
    """For each function that fails only in tests that also call another failing one: that one, which fails by itself."""
    by_itself = [name for name, missed in failing.items() if any(set(one.called) == {name} for one in missed)]
    causes = {}
    for name in failing.keys() - set(by_itself):
        others = [other for other in by_itself if all(other in one.called for one in failing[name])]
        if others:
            causes[name] = others[0]
    return causes
