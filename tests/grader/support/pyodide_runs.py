"""Checks of many files in Pyodide, outside a browser, and in this machine's Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder import course

SCRIPT = Path(__file__).with_name("write_page_states.py")

Item = tuple[str, str, int | None, bool]
"""A lesson, the text of a student's file, the number of a known mistake, if any, to put into the loaded file, and True
if hidden tests are to run as well, as in self-study."""


def in_pyodide(items: Sequence[Item], site: Path, pyodide: Path, folder: Path) -> list[Any]:
    """Return the state of a lesson's page for each item, from a site's archives."""
    shutil.copy(SCRIPT, folder)
    (folder / "items.json").write_text(json.dumps(items), "utf-8")
    subprocess.run(["node", SCRIPT.with_suffix(".mjs"), pyodide, site, folder], check=True, capture_output=True)
    states: list[Any] = json.loads((folder / "page-states.json").read_text("utf-8"))
    return states


def natively(items: Sequence[Item], site: Path, folder: Path) -> list[Any]:
    """Return the state of a lesson's page for each item, from this machine's Python."""
    for path in site.glob("course-*.zip"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder / "native")
    shutil.rmtree(folder / "native" / "autograder")  # it may be compiled for a different Python
    shutil.copytree(course.PACKAGE_FOLDER, folder / "native" / "autograder")
    shutil.copy(SCRIPT, folder / "native")
    (folder / "native" / "items.json").write_text(json.dumps(items), "utf-8")
    env = os.environ | {"PYTHONPATH": str(folder / "native"), "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, SCRIPT.name], cwd=folder / "native", env=env, check=True, capture_output=True)
    states: list[Any] = json.loads((folder / "native" / "states.json").read_text("utf-8"))
    return states
