"""Compilation of Python modules for the browser tab, which halves Python's startup time.

Pyodide compiles the modules in Node.js, because no other Python is certain to have the same version as the tab's.
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
"""The Pyodide file with Python's own modules."""

OPTIMIZATION_LEVEL_BY_ARCHIVE = {STANDARD_LIBRARY: 2}
"""Python's optimization level for an archive. Other archives use level 0, because numpy needs its docstrings, which
level 2 strips."""

TIMEOUT_SECONDS = 600
"""Maximum time for compiling all archives in Node.js, which takes about 10 seconds on an idle machine."""


def compiled(archives: Mapping[str, Mapping[str, bytes]], pyodide: Path) -> dict[str, dict[str, bytes]]:
    """Return the archives, each a mapping from path to content, with modules compiled by the Pyodide in a folder.

    Modules that Python cannot compile are left as they are. The sources of compiled modules are left out, so no code
    may depend on them. Raise UserError if Node.js is missing or fails.
    """
    with tempfile.TemporaryDirectory() as name:
        folders = {
            archive: Path(name, str(OPTIMIZATION_LEVEL_BY_ARCHIVE.get(archive, 0)), archive) for archive in archives
        }
        write_files({folders[name] / path: text for name in archives for path, text in archives[name].items()})
        _run_node(pyodide, Path(name))
        return {archive: _files_without_compiled_sources(folder) for archive, folder in folders.items()}


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


def _files_without_compiled_sources(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder, keyed by path, without the sources of compiled modules."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {path: content for path, content in files.items() if not (path.endswith(".py") and f"{path}c" in files)}
