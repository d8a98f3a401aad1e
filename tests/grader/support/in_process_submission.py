"""A trusted module that is called like a submission, as often as follow-through needs, but without a separate
process.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograder.hints import catalogue
from autograder.protocol.call import Call, Reply


class Loaded(catalogue.ModuleBackend):
    """A trusted module that takes the place of a submission."""

    is_out_of_time = False

    def __init__(self, module: types.ModuleType, changes: Mapping[str, Any] | None = None) -> None:
        """Store the names that extra cells define in `changes`, and use them only during a call."""
        super().__init__(module)
        self.changes = changes or {}

    def call(self, call: Call) -> Reply:
        before = dict(vars(self.module))
        vars(self.module).update(self.changes)
        try:
            return super().call(call)
        finally:
            if self.changes:
                _restore(self.module, before)

    def send_ahead(self, calls: Iterable[Call]) -> None:
        """Do nothing, because there is no other process."""

    def close(self) -> None:
        """Do nothing, because the module's next call needs no new process."""

    @contextlib.contextmanager
    def second_process(self, *more_cells: str) -> Iterator[Loaded]:
        """Return the same module with extra cells at the end."""
        before = dict(vars(self.module))
        for cell in more_cells:
            exec(cell, vars(self.module))
        changes = {name: value for name, value in vars(self.module).items() if before.get(name) is not value}
        _restore(self.module, before)
        yield Loaded(self.module, changes)


def _restore(module: types.ModuleType, before: Mapping[str, Any]) -> None:
    for name in vars(module).keys() - before.keys():
        del vars(module)[name]
    vars(module).update(before)
