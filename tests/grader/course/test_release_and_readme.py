"""Tests of the release and the README: version numbers agree, and each release has notes."""

from __future__ import annotations

import json
import re
import runpy
import tomllib

import pytest
import yaml

from autograder.cli import main
from autograder.course import ROOT
from tests.grader.tools import readme_pictures

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
notes = runpy.run_path(str(ROOT / ".ci" / "notes.py"))["notes"]


def test_the_citation_names_this_version_and_its_date() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == VERSION
    assert f"## {VERSION} - {citation['date-released']}\n" in CHANGELOG


def test_the_notes_of_a_release_are_those_of_its_version_alone() -> None:
    text = notes(VERSION, CHANGELOG)
    assert text.startswith("### ") and "\n## " not in text and text in CHANGELOG
    with pytest.raises(LookupError, match=r"no section 0\.9"):
        notes("0.9", CHANGELOG)


def test_the_changelog_has_dates_and_the_usual_headings() -> None:
    assert all(
        re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", title) for title in re.findall(r"^## (.*)", CHANGELOG, re.M)
    )
    headings = {*re.findall(r"^### (.*)", notes(VERSION, CHANGELOG), re.M)}
    assert headings <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_every_workflow_may_only_read_unless_a_job_says_so() -> None:
    """No workflow for pull requests has write access, and no workflow keeps a token after checkout."""
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = yaml.safe_load(path.read_text("utf-8"))
        on = workflow[True]  # YAML 1.1 parses the key `on` as true.
        if "pull_request" in on:
            assert workflow["permissions"] == {"contents": "read"} and "concurrency" in workflow, path.name


def test_the_pictures_of_the_readme_are_current() -> None:
    """To redraw outdated pictures, run `python -m tests.grader.tools.readme_pictures`."""
    shown = re.findall(r"\]\(docs/pictures/([\w.]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert {*shown} == readme_pictures.SOURCES.keys() == {path.name for path in readme_pictures.FOLDER.glob("*.png")}
    assert json.loads(readme_pictures.HASHES.read_text("utf-8")) == readme_pictures.hashes()


MAX_GUIDE_WORDS = 3000


def test_the_guide_for_instructors_is_short_and_shows_the_report() -> None:
    """An instructor can read the guide in fifteen minutes and find every command and every output file in it."""
    guide = (ROOT / "autograder" / "README.md").read_text("utf-8")
    assert len(guide.split()) <= MAX_GUIDE_WORDS
    assert re.findall(r"!\[[^\]]{20,}\]\(\.\./docs/pictures/([\w.]+)\)", guide) == ["report.png"]
    assert all(re.search(rf"\b{name}\b", guide) for name in main.commands)
    files = ("grades.csv", "students.csv", "changes.csv", "similarity.csv", "report.html", "adjustments.csv")
    assert all(f"`{name}`" in guide for name in files)
    targets = re.findall(r"\]\(([\w./]+)\)", guide)
    assert targets and all((ROOT / "autograder" / target).is_file() for target in targets)


def test_the_links_of_the_readme_lead_somewhere() -> None:
    """Each link leads to a file, a heading on the page, or a page that GitHub provides for every
    repository."""
    readme = (ROOT / "README.md").read_text("utf-8")
    headings = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.*)", readme, re.M)
    }
    targets = [target for target in re.findall(r"\]\(([^)]+)\)", readme) if "://" not in target]
    of_github = [target for target in targets if target.startswith("../../")]
    assert of_github == ["../../deployments/github-pages"]
    for target in {*targets} - {*of_github}:
        path, _, heading = target.partition("#")
        assert (ROOT / path).exists() if path else heading in headings, target


def test_the_command_that_the_readme_names_is_a_script_of_the_package() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert re.findall(r"uvx --from \S+ (\w+) learn", (ROOT / "README.md").read_text("utf-8")) == ["whereabouts"]
    assert "whereabouts" in scripts
