"""The site as files: pages, scripts, archives of Python code and, where it is on this machine, Pyodide."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from autograder.course import PACKAGE, ROOT, UserError, assignments
from autograder.handout import contents, leaks
from autograder.handout.bundle import COURSE
from autograder.handout.stubs import HandoutError, write
from autograder.site.libraries import compiled, libraries, zipped

HERE = Path(__file__).parent
PYODIDE, PYTHON = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/", "3.14"
"""The address from which a site loads Pyodide where nobody names another, and the version of its Python."""

SIZES = {"Python": 5.8, "numpy": 3.1}
"""Megabytes of what comes from Pyodide before the first verdict, as a static host sends them."""

CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""The files of Pyodide that every site needs; those of packages are named in the last."""

ALONE = """
    solutions/*.py tests/hidden/* tests/misconceptions/*.py autograder/course.py autograder/laptop/self_study.py
    autograder/grading/__init__.py autograder/grading/quiz.py autograder/hints/*.py
""".split()
"""What the edition for learning alone has beside the handout."""


def build(out: Path, pyodide: str = PYODIDE, alone: bool = False) -> Path:
    """Write the site into a folder, in the place of an earlier one; return it. `pyodide`: an address, or a folder.

    Raises HandoutError rather than giving an answer away, unless the site is for learning alone.
    """
    if out.exists() and not (out / "service-worker.js").is_file():
        raise UserError(f"{out} lies where the site goes, and is none: move it, or choose another --out")
    is_remote = re.match(r"https?://", pyodide) is not None
    files = _files(contents(), alone)
    if not alone and (leaked := leaks({name: content for name, content in files.items()})):
        raise HandoutError("the site would give answers away:\n" + "\n".join(leaked))
    engine = {} if is_remote else _engine(Path(pyodide))
    version = PYTHON if pyodide == PYODIDE else "" if is_remote else _python_of(engine)
    site = _site(files, version, pyodide if is_remote else "pyodide/", alone)
    shutil.rmtree(out, ignore_errors=True)
    write({out / name: content for name, content in site.items()})
    write({out / "pyodide" / name: content for name, content in engine.items()})
    return out
