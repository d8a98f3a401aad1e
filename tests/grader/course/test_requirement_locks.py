"""Tests of lock files: both locks pin the same versions, and the smaller lock includes everything that
grading imports.
"""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder import course

CONFIGURATION = tomllib.loads((course.ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT, GROUPS = CONFIGURATION["project"], CONFIGURATION["dependency-groups"]
LOCKS = ("requirements.lock", "requirements-grading.lock", "requirements-setup.lock")
HANDOUT = course.PACKAGE_FOLDER / "handout" / "template" / "requirements.txt.template"
OMITTED_PACKAGES = {"playwright"}
"""Package omitted on purpose, because Otter needs it only to print notebooks as PDF."""


def locked(name: str) -> dict[str, set[tuple[str, ...]]]:
    """Return the versions and hashes of each package. Some packages have several versions, for different
    versions of Python."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for entry in re.split(r"^(?=\w)", (course.ROOT / name).read_text("utf-8"), flags=re.MULTILINE)[1:]:
        package, version = re.match(r"([\w.-]+)==([\w.!+]+)", entry).groups()  # type: ignore[union-attr]
        found.setdefault(package, set()).add((version, *re.findall(r"--hash=\S+", entry)))
    assert all(len(version) > 1 for versions in found.values() for version in versions)
    return found


def test_the_smaller_lock_has_the_versions_of_the_larger_one() -> None:
    everything, grading = locked("requirements.lock"), locked("requirements-grading.lock")
    assert {name: pinned for name, pinned in everything.items() if name in grading} == grading
    assert not OMITTED_PACKAGES & grading.keys() and not {"matplotlib", "mypy", "ruff"} & grading.keys()


def test_the_smaller_lock_is_complete() -> None:
    """The lock includes all direct and indirect dependencies of the project on this machine."""
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *extras["grading"], *extras["cluster"], *GROUPS["checkout"]]
    asked = [Requirement(line) for line in lines]
    grading, seen = locked("requirements-grading.lock"), set()
    while asked:
        one = asked.pop()
        name = canonicalize_name(one.name)
        if name in OMITTED_PACKAGES or (name, frozenset(one.extras)) in seen:
            continue
        seen.add((name, frozenset(one.extras)))
        assert name in grading, f"{name} is missing: CONTRIBUTING.md says how the locks are made"
        for text in metadata.requires(name) or ():
            inner = Requirement(text)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in (*one.extras, "")):
                asked.append(inner)


def test_no_lock_names_an_index() -> None:
    for name in LOCKS:
        assert "http" not in (course.ROOT / name).read_text("utf-8")


def test_what_installs_the_packages_is_locked_too() -> None:
    assert [*locked("requirements-setup.lock")] == [Requirement(line).name for line in GROUPS["setup"]]


def test_the_ranges_of_the_handout_hold_the_locked_versions() -> None:
    """Students can install the versions that the course was tested with."""
    pinned = locked("requirements.lock")
    lines = [line for line in HANDOUT.read_text("utf-8").splitlines() if line and line[0] != "#"]
    requirements = [Requirement(line) for line in lines]
    for requirement in requirements:
        for version, *_ in pinned.get(canonicalize_name(requirement.name), ()):
            assert requirement.specifier.contains(version), f"the lock has {requirement.name} {version}"
    assert {canonicalize_name(requirement.name) for requirement in requirements} - pinned.keys() <= {"ipywidgets"}


def test_the_students_half_asks_for_no_grader() -> None:
    """An installation for learning includes neither Otter-Grader nor the sandbox."""
    learning = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    assert not learning & {"otter-grader", "pandas", "ipython", "pebble", "landlockpy", "pyseccomp"}
