"""The image's steps, as far as a machine without a builder of images can tell: what they name is there, and is what the
course needs."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from importlib import import_module

import pytest
from click.testing import CliRunner
from packaging.specifiers import SpecifierSet

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


def test_it_begins_with_a_python_that_the_course_runs_on() -> None:
    assert STEPS[0][0] == "FROM" and {name for name, _ in STEPS} == {"FROM", "RUN", "COPY", "WORKDIR", "ENTRYPOINT"}
    version = re.fullmatch(r"python:(3\.\d+)-slim", STEPS[0][1])
    assert version and version[1] in SpecifierSet(PROJECT["project"]["requires-python"])


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


def test_what_installs_the_course_is_locked_and_without_an_index_s_choice() -> None:
    packages, itself = (shlex.split(step) for step in steps("RUN")[1:])
    assert {"--no-deps", "--require-hashes"} <= {*packages} and {"--no-deps", "--no-build-isolation"} <= {*itself}
    (backend,) = PROJECT["build-system"]["requires"]
    lock = (course.ROOT / "requirements-grading.lock").read_text("utf-8")
    name = backend.partition(">")[0]
    assert f"\n{name}==" in lock
    assert "libseccomp2" in steps("RUN")[0]  # the library that pyseccomp loads


def test_it_starts_the_command_that_the_guide_gives_to_docker() -> None:
    assert json.loads(steps("ENTRYPOINT")[0]) == ["autograder"]
    module, function = PROJECT["project"]["scripts"]["autograder"].split(":")
    assert getattr(import_module(module), function) is main
    (folder,) = steps("WORKDIR")
    given = [shlex.split(line) for line in re.findall(r"^    docker run .*", GUIDE, re.MULTILINE)]
    assert given and all(f"$PWD:{folder}" in words for words in given)


@pytest.mark.parametrize("command", sorted(set(re.findall(r"docker run .* whereabouts (\w+)", GUIDE))))
def test_the_guide_s_commands_exist(command: str) -> None:
    assert CliRunner().invoke(main, [command, "--help"]).exit_code == 0


def test_no_results_and_no_environment_are_copied() -> None:
    """Who graded here has the class in these folders."""
    left = (course.ROOT / ".dockerignore").read_text("utf-8").split()
    assert {".git", ".venv*", "dist", "results"} <= {*left}
