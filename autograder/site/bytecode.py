"""Compiled Python modules for the tab, which halve the time until Python is ready.

Pyodide compiles them in Node.js: no other Python is certain to have the version of the tab's Python.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from autograder.course import UserError
from autograder.files import write_files

SCRIPT = Path(__file__).with_name("compile_modules.cjs")

STANDARD_LIBRARY = "python_stdlib.zip"
"""The Pyodide file with the modules of Python itself."""

OPTIMIZATION_LEVELS = {STANDARD_LIBRARY: 2}
"""Archive → Python's level of optimization, if it is not 0. Level 2 leaves out docstrings, which numpy needs."""

TIMEOUT_SECONDS = 600
"""Maximum time of Node.js for all archives, which take about 10 seconds on an idle machine."""


def compiled(archives: Mapping[str, Mapping[str, bytes]], pyodide: Path) -> dict[str, dict[str, bytes]]:
    """Return the archives, as path → content, with each module compiled by the Pyodide in a folder.

    A module that Python cannot compile stays as it is. Do not compile a module whose text a program reads.
    Raise UserError if Node.js is missing or fails.
    """
    with tempfile.TemporaryDirectory() as name:
        folders = {archive: Path(name, str(OPTIMIZATION_LEVELS.get(archive, 0)), archive) for archive in archives}
        write_files({folders[name] / path: text for name in archives for path, text in archives[name].items()})
        _run_node(pyodide, Path(name))
        return {archive: _modules(folder) for archive, folder in folders.items()}


def _run_node(pyodide: Path, folder: Path) -> None:
    command = ["node", str(SCRIPT), str(pyodide.resolve()), str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS)
    except FileNotFoundError as error:
        raise UserError("Node.js is missing, in which Pyodide compiles them: install Node.js 18 or newer") from error
    except subprocess.TimeoutExpired as error:
        raise UserError(f"Pyodide in {pyodide} did not compile them within {TIMEOUT_SECONDS} seconds") from error
    if done.returncode:
        raise UserError(f"Pyodide in {pyodide} does not run in Node.js: {done.stderr.strip()[-500:]}")


def _modules(folder: Path) -> dict[str, bytes]:
    """Return path → content of the files in a folder, without the source of compiled modules."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {path: content for path, content in files.items() if not (path.endswith(".py") and f"{path}c" in files)}
