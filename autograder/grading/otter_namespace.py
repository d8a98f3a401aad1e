"""The namespace for generated Otter test files, in a module that imports little, because Otter's kernel loads it."""

from __future__ import annotations

from collections.abc import Callable, Collection


def otter_namespace(passed: Collection[str]) -> dict[str, Callable[[str], None]]:
    """Return the namespace for generated test files: `result(name)` raises an exception if the test did not pass."""

    def result(name: str) -> None:
        if name not in passed:
            raise LookupError(name)  # Otter catches any Exception

    return {"result": result}
