"""Tests of the compiled modules of a site: Pyodide itself compiles them, and a site without compiled modules
says so."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder import cli, handout
from autograder.course import UserError
from autograder.site import build, bytecode

pytestmark = pytest.mark.long

MODULE = '''"""Documented."""


def choose(value, of=frozenset({words!r})):
    assert value in {{{members}}}, "unknown"
    return of
'''

NEVER_STARTS = "exports.loadPyodide = () => new Promise(() => {});"
FAILS = "exports.loadPyodide = async () => { throw new Error('no memory'); };"
BROKEN = "exports.loadPyodide = ("


pytestmark = pytest.mark.usefixtures("node")


def modules(seed: int) -> dict[str, bytes]:
    """Return modules in nested packages, with sets of strings that a compiler can put in any order."""
    rng = random.Random(seed)
    words = [["".join(rng.choices("abcdefgh", k=5)) for _ in range(12)] for _ in range(12)]
    texts = [MODULE.format(words=each, members=", ".join(map(repr, each))).encode() for each in words]
    return {f"{'nested/' * (number % 3)}module{number}.py": text for number, text in enumerate(texts)}


OTHER_FILES = {"not_python.py": b"x = (", "nested/data.py": b"\0", "module0.json": b"{}", "module1.pyi": b"x: int"}
"""Files that are not Python programs; the names of two of them differ from a neighbouring module's only in the
suffix."""


def test_each_module_is_compiled_and_nothing_else_changes(pyodide: Path) -> None:
    """Compiling the same files twice gives the same bytes, although each run of Python orders a set of strings
    differently."""
    programs = {"libraries": modules(1), bytecode.STANDARD_LIBRARY: modules(2)}
    archives = {archive: files | OTHER_FILES for archive, files in programs.items()}
    first, second = (bytecode.compiled(archives, pyodide) for _ in range(2))
    assert first == second and first.keys() == archives.keys()
    for archive, files in first.items():
        assert {path: files.pop(path) for path in OTHER_FILES} == OTHER_FILES
        assert files.keys() == {f"{path}c" for path in programs[archive]}
        for path, content in files.items():
            assert content[4:8] == b"\1\0\0\0"  # a browser does not compare the module with its source
            assert b"/modules" not in content and path[:-1].encode() in content
            assert (b"Documented." in content) == (archive == "libraries")


def archives_of(site: Path) -> Iterator[tuple[str, zipfile.ZipFile]]:
    """Yield the archives of a site that contain compiled modules and no Python source."""
    for path in [*site.glob("libraries-*.zip"), *site.glob("pyodide-*/*.whl"), *site.glob("pyodide-*/*.zip")]:
        with zipfile.ZipFile(path) as archive:
            yield path.name, archive


def test_a_site_is_compiled_for_its_pyodide_whatever_python_builds_it(site: Path) -> None:
    """Python would not load a module with another version's magic number."""
    versions = set()
    for name, archive in archives_of(site):
        names = archive.namelist()
        assert not [path for path in names if path.endswith(".py")], name
        versions |= {archive.read(path)[:4] for path in names if path.endswith(".pyc")}
    assert len(versions) == 1
    (course,) = site.glob("course-*.zip")
    with zipfile.ZipFile(course) as archive:
        assert archive.read("autograder/site/tab.pyc")[:4] in versions


@pytest.mark.parametrize(
    ("script", "sentence"),
    [(NEVER_STARTS, "does not run in Node.js: "), (FAILS, "Node.js: no memory"), (BROKEN, "does not run in Node.js: ")],
)
def test_a_pyodide_that_cannot_compile_is_a_sentence(script: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "pyodide.js").write_text(script, "utf-8")
    with pytest.raises(UserError) as raised:
        bytecode.compiled({"libraries": modules(3)}, tmp_path)
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    ("pyodide_source", "path", "sentence"),
    [
        (None, "", "Node.js is missing, in which Pyodide compiles them: install Node.js 18 or newer"),
        ("https://localhost/pyodide/", None, "the version of Python at https://localhost/pyodide/ is unknown"),
    ],
)
def test_a_site_that_cannot_be_compiled_is_built_and_says_so(
    pyodide_source: str | None,
    path: str | None,
    sentence: str,
    pyodide: Path,
    handed_out: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handout, "contents", lambda: handed_out)
    monkeypatch.setattr(handout, "leaks", lambda files: [])  # other tests look for answers
    monkeypatch.setattr(build, "unpacked_wheels", lambda: {"pytest/__init__.py": b"x = 1"})
    monkeypatch.setattr(build, "needed_files", lambda archive: {"module.py": b"y = 2"})
    if path is not None:
        monkeypatch.setenv("PATH", path)
    options = ["--pyodide", pyodide_source or str(pyodide), "--out", str(tmp_path / "site")]
    result = CliRunner().invoke(cli.main, ["site", *options])
    assert result.exit_code == 0, result.output
    warning = "Warning: the site's Python modules are not compiled, so Python takes up to twice as long to start"
    assert result.output.count(warning) == 1 and sentence in result.output
    names = [name for _, archive in archives_of(tmp_path / "site") for name in archive.namelist()]
    assert "pytest/__init__.py" in names and not [name for name in names if name.endswith(".pyc")]
