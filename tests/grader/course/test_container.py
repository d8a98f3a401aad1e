"""Tests of the container image: the build steps refer to existing files and install everything that the course needs.
None of these tests needs a tool that builds images.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib

from click.testing import CliRunner

from autograder import course
from autograder.cli import main

PROJECT = tomllib.loads((course.ROOT / "pyproject.toml").read_text("utf-8"))
STEPS = [
    line.split(" ", 1)
    for line in (course.ROOT / "Containerfile").read_text("utf-8").splitlines()
    if line and line[0] != "#"
]
GUIDE = (course.ROOT / "autograder" / "README.md").read_text("utf-8")


def steps(kind: str) -> list[str]:
    return [rest for name, rest in STEPS if name == kind]


def test_what_it_copies_is_there_before_it_is_used() -> None:
    copied: set[str] = set()
    for kind, rest in STEPS:
        if kind == "COPY":
            source, target = rest.split()
            assert (course.ROOT / source).exists() and target.startswith("/course")
            copied.add(source)
        for lock in re.findall(r"-r /course/(\S+)", rest):
            assert lock in copied
        if "-e /course" in rest:
            assert "." in copied


def test_it_starts_the_command_that_the_guide_gives_to_docker() -> None:
    assert json.loads(steps("ENTRYPOINT")[0]) == ["autograder"]
    (folder,) = steps("WORKDIR")
    given = [shlex.split(line) for line in re.findall(r"^    docker run .*", GUIDE, re.MULTILINE)]
    assert given and all(f"$PWD:{folder}" in words for words in given)


def test_the_guide_s_commands_exist() -> None:
    for command in re.findall(r"docker run .* whereabouts (\w+)", GUIDE):
        assert CliRunner().invoke(main, [command, "--help"]).exit_code == 0


def test_no_results_and_no_environment_are_copied() -> None:
    """Folders excluded from the image can contain a class's grades from an instructor's computer."""
    left = (course.ROOT / ".dockerignore").read_text("utf-8").split()
    assert {".git", ".venv*", "dist", "results"} <= {*left}
