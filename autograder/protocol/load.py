"""Load a student's file, so that as much of it as possible defines its functions.

Like `protocol.call`, this module imports only numpy and the standard library, and is used by the sandboxed worker and
on a student's laptop.
"""

from __future__ import annotations

import sys
import traceback
import types
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib.machinery import ModuleSpec
from typing import Any

from autograder.protocol.call import Raised, describe_exception


def load(name: str, cells: Sequence[str], filename: str) -> tuple[types.ModuleType, Raised | None]:
    """Execute a submission as the module `name`, registered before it runs, like any imported module.

    A file is one cell; a notebook has many, and a cell that raises an exception does not stop the next cell.
    An empty module replaces each unavailable import, so functions that do not use the import still work. Return
    the module with all names defined so far, and the first exception that stopped a cell or, if no cell
    stopped, the exception of the first missing import. Line numbers continue through all cells.
    """
    module = types.ModuleType(name)
    module.__file__ = filename
    module.__dict__["display"] = _ignore_display
    sys.modules[name] = module
    stopped: list[Raised] = []
    lines_before = 0
    stand_in = _StandInModuleFinder()
    sys.meta_path.insert(0, stand_in)
    with warnings.catch_warnings(action="ignore"):
        for number, cell in enumerate(cells, start=1):
            try:
                stand_in.run(compile("\n" * lines_before + cell, filename, "exec", dont_inherit=True), module)
            except BaseException as error:  # a submission can raise anything, even SystemExit
                raised = describe_exception(error, filename)
                if len(cells) > 1:
                    raised = replace(raised, message=f"{raised.message} (in code cell {number})")
                stopped.append(raised)
            lines_before += cell.count("\n") + 1
    stand_in.remove()
    return module, next(iter(stopped + list(stand_in.missing.values())), None)


def _ignore_display(*objects: object, **options: object) -> None:
    """Do nothing: a stand-in for `display`, which IPython defines in every notebook."""


class _StandInModuleFinder:
    """Import finder that provides an empty module for each unavailable import outside a `try`."""

    def __init__(self) -> None:
        self.missing: dict[str | None, Raised] = {}

    def run(self, code: types.CodeType, module: types.ModuleType) -> None:
        """Execute the code, and start again each time an empty module has replaced another unavailable import."""
        while True:
            try:
                return exec(code, module.__dict__)
            except ImportError as error:
                name = _unavailable_module(error, code.co_filename)
                if type(name) is not str or name in {*self.missing, *sys.modules}:
                    raise
                raised = describe_exception(error, code.co_filename)
                message = raised.message if name in raised.message else f"{name}: {raised.message}"
                self.missing[name] = replace(raised, message=message, missing_import=True)

    def remove(self) -> None:
        """Stop providing empty modules, so that no other code in this process imports one."""
        sys.meta_path.remove(self)
        for name in [name for name, module in sys.modules.items() if type(module) is _StandInModule]:
            del sys.modules[name]

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the spec of an empty module for a missing import; None for any other import."""
        is_missing = any(f"{name}.".startswith(f"{missing}.") for missing in self.missing)
        return ModuleSpec(name, self, is_package=True) if is_missing else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return _StandInModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Leave the module empty. Any name imported from it is another empty module."""


def _unavailable_module(error: ImportError, filename: str) -> Any:
    """Return the module that a file imports, such as turtle, although only a library below it may be missing."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename != filename]
    names = (frame.f_globals.get("__name__") for frame in frames if frame.f_code.co_name == "<module>")
    return next(names, error.name)


class _StandInModule(types.ModuleType):
    """An empty module that raises an error when code uses it."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"No module named {self.__name__!r} where this code is graded")

    def __call__(self, *args: object, **kwargs: object) -> Any:
        raise ModuleNotFoundError(f"No module named {self.__name__!r} where this code is graded")
