"""The site as files: it gives away no answer, and it is complete."""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder import cli, handout
from autograder.course import term_assignments
from autograder.handout.leaks import BINARY_FILES
from autograder.site import build, libraries

pytestmark = pytest.mark.long


def every_text(site: Path) -> dict[str, bytes]:
    """Return path → content of every file on a site except Pyodide's own, including files inside archives."""
    texts: dict[str, bytes] = {}
    for path in site.rglob("*"):
        name = path.relative_to(site).as_posix()
        if path.is_file() and not name.startswith("pyodide-"):
            if path.suffix == ".zip":
                with zipfile.ZipFile(path) as archive:
                    texts |= {entry: archive.read(entry) for entry in archive.namelist()}
            else:
                texts[name] = path.read_bytes()
    return texts


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the site with Python code as text, which can be searched."""
    monkeypatch.setattr(build, "compiled", lambda files, version: dict(files))


def test_a_site_of_an_instructor_gives_nothing_away(
    uncompiled: None, monkeypatch: pytest.MonkeyPatch, handed_out: dict[str, bytes], tmp_path: Path, pyodide: Path
) -> None:
    """Every byte is examined: the course's files are searched, and the packages match the lock."""
    monkeypatch.setattr(handout, "contents", lambda: handed_out)
    texts = every_text(build.build(tmp_path / "site", str(pyodide)))
    weights = {name for name in BINARY_FILES if name.startswith("assignments/writer/")}
    assert weights | {"autograder/site/tab.py", "tests/public/test_rope.py", "pytest/__init__.py"} <= texts.keys()
    public = libraries.libraries()
    assert [name for name in public if texts.pop(name) != public[name]] == []  # by the lock's hashes
    assert handout.leaks(texts) == []
    assert not [name for name in texts if name.startswith(("solutions/", "tests/hidden", "tests/misconceptions"))]
    assert not any(b"self_study" in texts[name] for name in texts if name.endswith((".html", ".js")))


def test_an_answer_in_any_file_stops_the_build(
    monkeypatch: pytest.MonkeyPatch, handed_out: dict[str, bytes], tmp_path: Path, pyodide: Path
) -> None:
    solution = term_assignments()[0].solution.read_bytes()
    monkeypatch.setattr(handout, "contents", lambda: handed_out | {"course/index.html": solution})
    with pytest.raises(handout.HandoutError, match="would give answers away"):
        build.build(tmp_path / "site", str(pyodide))
    assert not (tmp_path / "site").exists()


def test_a_page_loads_what_is_there_and_its_policy_names_one_other_host(site: Path, pyodide: Path) -> None:
    """Every script and stylesheet of a page is a file on the site whose name changes with its content."""
    for page in site.glob("*.html"):
        text = page.read_text("utf-8")
        assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in text
        for name in re.findall(r'(?:src|href)="([\w.-]+\.(?:js|css))"', text):
            assert (site / name).is_file(), f"{page.name} names {name}"
    assert (
        "://"
        not in build._with_scripts_and_policy(
            "x.html", b"<head></head>", {"tab.css": "", "codemirror.js": "", "page.js": ""}, "pyodide/"
        )
        .decode()
        .partition("content=")[2]
        .partition(">")[0]
    )
    remote = build._with_scripts_and_policy(
        "x.html", b'<meta charset="utf-8">', {"tab.css": "", "codemirror.js": "", "page.js": ""}, build.PYODIDE_ADDRESS
    )
    assert set(re.findall(rb"https?://[^/ ;\"]+", remote)) == {
        re.match(r"https://[^/]+", build.PYODIDE_ADDRESS)[0].encode()
    }  # type: ignore[index]


def test_every_lesson_sends_the_student_to_its_editor_and_not_to_a_terminal(site: Path) -> None:
    for assignment in term_assignments():
        beginning = (site / f"{assignment.name}.html").read_text("utf-8").partition("<main")[2].partition("<h2")[0]
        assert f"Write <code>{assignment.name}.py</code> in this page's editor" in beginning
        assert ".venv" not in beginning


def test_the_command_refuses_a_folder_that_is_no_site_and_a_pyodide_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    for options, words in (
        (["--out", str(tmp_path / "work")], "is in the site's place but is not a site"),
        (["--out", str(tmp_path / "site"), "--pyodide", str(tmp_path / "work")], "contains no Pyodide"),
    ):
        result = CliRunner().invoke(cli.main, ["site", *options])
        assert result.exit_code == 2 and words in result.output


def test_files_of_pyodide_are_what_its_lock_says(site: Path) -> None:
    """A browser refuses a package with a different hash."""
    (lock_file,) = site.glob("pyodide-*/pyodide-lock.json")
    packages = json.loads(lock_file.read_text("utf-8"))["packages"].values()
    hashes = {lock_file.parent / package["file_name"]: package["sha256"] for package in packages}
    present = {path: digest for path, digest in hashes.items() if path.is_file()}
    assert any("numpy" in path.name for path in present) and any("matplotlib" in path.name for path in present)
    assert {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in present} == present


@pytest.mark.parametrize("version", ["3.12", ""])
def test_modules_are_compiled_for_a_version_that_is_known_and_here(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pyodide's address does not show its Python version; modules compiled for another version would not load."""
    monkeypatch.setattr(libraries.shutil, "which", lambda name: sys.executable)
    names = ["a.py", "numpy/f2py/b.py", "numpy/tests/c.py", "smtplib.py"]
    archive = libraries.zipped(dict.fromkeys(names, b"x = 1"))
    with zipfile.ZipFile(io.BytesIO(libraries.compiled_pyodide_archive(archive, version))) as opened:
        assert opened.namelist() == (["a.pyc"] if version else names)
    monkeypatch.setattr(libraries.shutil, "which", lambda name: None)
    assert libraries.compiled_pyodide_archive(archive, version) == archive


def test_the_editor_is_what_its_hash_says() -> None:
    """The script that builds the editor writes both."""
    folder = build.HERE / "editor"
    recorded, name = (folder / "codemirror.sha256").read_text("utf-8").split()
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == recorded


def test_the_libraries_are_those_of_the_lock() -> None:
    """The checks need no other library: everything that they import, besides numpy and matplotlib, is there."""
    names = {name.partition("/")[0] for name in libraries.libraries()}
    assert {
        "pytest",
        "_pytest",
        "hypothesis",
        "sortedcontainers",
        "markdown_it",
        "mdurl",
        "packaging",
        "pygments",
    } <= names
