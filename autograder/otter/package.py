"""The zip for `otter run` and Gradescope, made by Otter's generator, with the course as a wheel.

A platform needs no package source other than the public package index: the environment file installs the wheel from the
zip, and all other packages in the versions from `requirements.lock`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from autograder.course import ROOT, Assignment, UserError
from autograder.files import write_zip
from autograder.grading.otter_scoring import otter_files_by_name
from autograder.grading.suite import Suite
from autograder.module_search_path import use_safe_path

PLUGIN_CLASS = "autograder.otter.plugin.GradingPlugin"
CONSTRAINTS_FILE = "constraints.txt"

_RUN_OTTER_TEMPLATE = '''"""The script that the platform starts."""

if __name__ == "__main__":  # the process that reads the submission also loads this file
    from autograder.otter.gradescope_entry import grade_in_container

    grade_in_container({folder!r}, {assignment!r})
'''


def build(
    chosen: Iterable[Assignment], folder: Path, config: dict[str, Any] | None = None, isolation: str = "full"
) -> Iterator[Path]:
    """Write `<folder>/<name>.zip` for each assignment, and yield its path.

    `config` holds the instructor's settings for Otter's configuration.
    """
    from otter.run import AutograderConfig  # here, because this import takes a second and a wheel does not need Otter
    from otter.utils import OTTER_CONFIG_FILENAME

    with tempfile.TemporaryDirectory() as scratch:
        built = wheel(Path(scratch))
        for assignment in chosen:
            target = folder / f"{assignment.name}.zip"
            settings = _otter_config(assignment, config or {}, isolation)
            starter = _RUN_OTTER_TEMPLATE.format(
                folder=AutograderConfig(settings).autograder_dir, assignment=assignment.name
            )
            files = _otter_generated_files(assignment, settings, built.name)
            files |= {OTTER_CONFIG_FILENAME: json.dumps(settings, indent=1).encode(), "run_otter.py": starter.encode()}
            files |= {built.name: built.read_bytes(), CONSTRAINTS_FILE: _constraints().encode()}
            write_zip(target, files, executable=frozenset({"run_autograder", "setup.sh"}))
            yield target


def _otter_config(assignment: Assignment, config: dict[str, Any], isolation: str) -> dict[str, Any]:
    """Return Otter's configuration. The course's plugin comes last and keeps what earlier plugins tell the student."""
    ours: dict[str, Any] = {"assignment": assignment.name, "suite": assignment.grading_hash}
    if isolation != "full":
        ours["isolation"] = isolation
    return config | {"plugins": [*config.get("plugins", []), {PLUGIN_CLASS: ours}]}


def _otter_generated_files(assignment: Assignment, config: dict[str, Any], wheel: str) -> dict[str, bytes]:
    """Return the files that Otter's generator writes: test files, scripts and the environment file."""
    from otter.generate import main as otter_generate
    from otter.run import AutograderConfig

    source = f"{AutograderConfig(config).autograder_dir}/source"
    # Leave out the plugins, because Otter would load them here, and Otter's own plugins need packages from the
    # platform.
    config = {name: value for name, value in config.items() if name != "plugins"}
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        (scratch / "tests").mkdir()
        for file, content in otter_files_by_name(Suite(assignment, only_graded=True).tests).items():
            (scratch / "tests" / file).write_text(content, encoding="utf-8")
        (scratch / "config.json").write_text(json.dumps(config), encoding="utf-8")
        (scratch / "requirements.txt").write_text(
            f"-c {source}/{CONSTRAINTS_FILE}\n{source}/{wheel}[grading]\n", encoding="utf-8"
        )
        otter_generate(
            tests_dir=str(scratch / "tests"),
            output_path=str(scratch / "zip"),
            config=str(scratch / "config.json"),
            requirements=str(scratch / "requirements.txt"),
            no_environment=True,
            python_version=f"{sys.version_info.major}.{sys.version_info.minor}",
        )
        with zipfile.ZipFile(scratch / "zip") as archive:
            return {entry: archive.read(entry) for entry in archive.namelist()}


def wheel(folder: Path) -> Path:
    """Build a wheel of the project, including the course, from the checkout, and return its path."""
    if not (ROOT / "pyproject.toml").is_file():
        raise UserError("the zips can be built only from a checkout of the course, and this is an installed copy")
    use_safe_path()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation"]
    command += ["--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise UserError(f"the course could not be built into a wheel:\n{made.stderr.strip()}")
    (built,) = folder.glob("*.whl")
    return built


def _constraints() -> str:
    """Return the package versions that the course is tested with."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^[\w.-]+==[^\\\n]*[^\\\s]", lock, re.MULTILINE)) + "\n"
