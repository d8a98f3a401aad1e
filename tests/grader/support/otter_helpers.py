"""Helpers shared by the tests of Otter and of course platforms: zips, Otter's way of grading, and Gradescope's
fields."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import venv
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.otter import package

if TYPE_CHECKING:
    from otter.test_files import GradingResults

METADATA = {
    "id": 123456,
    "created_at": "2026-11-01T14:22:32.365935-07:00",
    "assignment": {
        "due_date": "2026-11-30T23:00:00.000000-07:00",
        "group_size": None,
        "group_submission": False,
        "id": 25828,
        "course_id": 1234,
        "late_due_date": None,
        "release_date": "2026-10-02T00:00:00.000000-07:00",
        "title": "RoPE",
        "total_points": "20.0",
    },
    "submission_method": "upload",
    "users": [{"email": "ada@example.edu", "id": 1234, "name": "Ada Lovelace"}],
    "previous_submissions": [],
}
"""submission_metadata.json as documented on gradescope-autograders.readthedocs.io/en/latest/submission_metadata."""


def otter_run(zipped: Path, submission: Path, out: Path) -> tuple[GradingResults, dict[str, Any]]:
    """Run `otter run` and return the JSON that it writes."""
    import otter.run

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas' warnings about Otter's code
        results = otter.run.main(str(submission), autograder=str(zipped), output_dir=str(out), no_logo=True)
    return results, json.loads((out / "results.json").read_text(encoding="utf-8"))


def by_test(results: GradingResults) -> dict[str, bool]:
    """Return a dict from each test to True if the test passed, and to False otherwise."""
    return {case.test_case.name: case.passed for file in results.results.values() for case in file.test_case_results}


def install(folder: Path) -> Path:
    """Create an environment with the course's wheel and this environment's dependencies, and return its interpreter."""
    wheel = package.wheel(folder)
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
    (packages / "lent.pth").write_text(str(Path(np.__file__).parents[1]) + "\n")
    # One of Otter's own plugins needs these packages.
    for name in ("google/oauth2/credentials.py", "googleapiclient/discovery.py"):
        (packages / name).parent.mkdir(parents=True)
        (packages / name).write_text("build = None\n")
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*command, "--disable-pip-version-check", str(wheel)], check=True)
    return python


def run(command: list[str], folder: Path, **more: str) -> str:
    """Run a command outside the checkout, with `more` added to its environment, and return its output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def gradescope(python: Path, folder: Path, zipped: Path, submission: dict[str, bytes]) -> dict[str, Any]:
    """Grade a submission in a folder laid out like Gradescope's /autograder, with Gradescope's command; the
    zip must have been built for this folder."""
    for name in ("source", "submission", "results"):
        (folder / name).mkdir(parents=True)
    with zipfile.ZipFile(zipped) as archive:
        archive.extractall(folder / "source")
    for name, content in submission.items():
        path = folder / "submission" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "submission_metadata.json").write_text(json.dumps(METADATA), encoding="utf-8")
    run([str(python), str(folder / "source" / "run_otter.py")], folder, JUPYTER_PATH=str(python.parent))
    results: dict[str, Any] = json.loads((folder / "results" / "results.json").read_text(encoding="utf-8"))
    return results


def seen_by_student(results: dict[str, Any]) -> str:
    """Return all text of a result that Gradescope shows to the student before grades are published."""
    visible = [test for test in results["tests"] if test.get("visibility", "visible") == "visible"]
    return "\n".join([results.get("output", ""), *(f"{test['name']}\n{test.get('output', '')}" for test in visible)])


_NUMBER = (int, float)
_FORMATS = frozenset({"text", "html", "simple_format", "md", "ansi"})
_VISIBILITY = frozenset({"hidden", "after_due_date", "after_published", "visible"})
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("score", "max_score", "execution_time"), _NUMBER),
    **dict.fromkeys(("name", "number", "output"), str),
    **dict.fromkeys(("tests", "tags", "leaderboard"), list),
    **dict.fromkeys(("output_format", "test_output_format", "test_name_format", "name_format"), _FORMATS),
    **dict.fromkeys(("visibility", "stdout_visibility"), _VISIBILITY),
    "status": frozenset({"passed", "failed"}),
    "extra_data": dict,
}
_TOP = "score execution_time output output_format test_output_format test_name_format visibility stdout_visibility"
_TOP += " extra_data tests leaderboard"
_TEST = "score max_score status name name_format number output output_format tags visibility extra_data"
"""The fields that a results.json can have, according to gradescope-autograders.readthedocs.io/en/latest/specs."""


def faults(results: dict[str, Any]) -> list[str]:
    """Return the ways in which a result violates the format that Gradescope documents."""
    lines = [*_faults(results, _TOP), *(line for test in results.get("tests", []) for line in _faults(test, _TEST))]
    if "score" not in results and not any("score" in test for test in results.get("tests", [])):
        lines.append("there is no score, neither in all nor of a test")
    return lines


def _faults(fields: dict[str, Any], known: str) -> Iterable[str]:
    for name, value in fields.items():
        expected = _KINDS.get(name) if name in known.split() else ()
        fits = (
            value in expected
            if isinstance(expected, frozenset)
            else isinstance(value, expected) and not isinstance(value, bool)
        )
        if not fits:
            yield f"{name} is {value!r}"
