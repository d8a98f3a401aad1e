"""Tests of the files of a site: the site is complete and gives away no answers."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder import cli, course, handout
from autograder.course import term_assignments
from autograder.handout.leaks import BINARY_FILE_PATHS
from autograder.site import build, libraries, pyodide_release, tab_pages

pytestmark = pytest.mark.long


def every_text(site: Path) -> dict[str, bytes]:
    """Return the contents of all files on a site by path, including the files in archives, but without
    Pyodide's files."""
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
    """Build the site with searchable Python source instead of compiled modules."""
    monkeypatch.setattr(build, "_compiled", lambda archives, pyodide, warn: archives)


def test_a_site_of_an_instructor_gives_nothing_away(
    uncompiled: None, monkeypatch: pytest.MonkeyPatch, handed_out: dict[str, bytes], tmp_path: Path
) -> None:
    """Every byte is checked: the course's files are searched for answers, and the packages match the lock."""
    monkeypatch.setattr(handout, "contents", lambda: handed_out)
    texts = every_text(build.build(tmp_path / "site"))
    weights = {name for name in BINARY_FILE_PATHS if name.startswith("assignments/writer/")}
    assert weights | {"autograder/site/tab.py", "tests/public/test_rope.py", "pytest/__init__.py"} <= texts.keys()
    public = libraries.unpacked_wheels()
    assert [name for name in public if texts.pop(name) != public[name]] == []  # public packages match the lock
    assert handout.leaks(texts) == []
    assert not [name for name in texts if name.startswith(("solutions/", "tests/hidden", "tests/misconceptions"))]
    assert not any(b"self_study" in texts[name] for name in texts if name.endswith((".html", ".js")))


def test_an_answer_in_any_file_stops_the_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    solution = term_assignments()[0].solution.read_bytes()
    monkeypatch.setattr(handout, "contents", lambda: {"course/index.html": solution})
    with pytest.raises(handout.HandoutError, match="would give answers away"):
        build.build(tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_page_loads_what_is_there_and_its_policy_names_one_other_host(site: Path, pyodide: Path) -> None:
    """Every script and stylesheet of a page is a file on the site whose name changes with its content."""
    for page in site.glob("*.html"):
        text = page.read_text("utf-8")
        assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in text
        for name in re.findall(r'(?:src|href)="([\w.-]+\.(?:js|css))"', text):
            assert (site / name).is_file(), f"{page.name} names {name}"
    scripts = dict.fromkeys(("tab.css", "codemirror.js", "page.js"), "")
    local, remote = (
        tab_pages._with_scripts_and_policy('<meta charset="utf-8">', scripts, pyodide)
        for pyodide in ("pyodide/", pyodide_release.ADDRESS)
    )
    assert "://" not in local
    host = re.match(r"https://[^/]+", pyodide_release.ADDRESS)
    assert host is not None and set(re.findall(r"https?://[^/ ;\"]+", remote)) == {host[0]}


def test_every_lesson_sends_the_student_to_its_editor(site: Path) -> None:
    for assignment in term_assignments():
        beginning = (site / f"{assignment.name}.html").read_text("utf-8").partition("<main")[2].partition("<h2")[0]
        assert f"Write <code>{assignment.name}.py</code> in this page's editor" in beginning


SHELL_WORDS = re.compile(
    r"\b(make|autograder|whereabouts) (?=[a-z]+ [A-Z]+=|(check|watch|learn|lesson|setup|site|experiment|notebook)\b)"
    r"|python3? +-|\bpy -m|\bpip\b|\.venv|\./make\.sh|autograder\.checks\b|assignments\.writer\b|jupyter lab"
    r"|[Tt]erminal"
    r"|--(alone|experiment|page|show|watch)\b"
    r"|\b(assignments|autograder|solutions|tests)/\w|\w\.(csv|npz|safetensors|txt)\b|\bthis command\b"
)
"""Shell commands, command-line options, paths in a handout, and the words “terminal” and “this command”."""


def experiment_texts() -> list[str]:
    """Return the texts in the code of the writer's experiments, which a page shows while it runs them."""
    tree = ast.parse((course.ROOT / "assignments" / "writer" / "experiments.py").read_text("utf-8"))
    shown = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)][1:]  # after the docstring
    return [text for text in shown if isinstance(text, str) and " " in text]


def words_of_pages(site: Path) -> dict[str, str]:
    """Return the visible words of each page, and the text of the search index, the stubs and the experiments."""
    words = {
        page.name: re.sub(r"(?s)<script>.*?</script>|<!--.*?-->|<[^>]*>", "", page.read_text("utf-8"))
        for page in site.glob("*.html")
    }
    words |= {path.name: path.read_text("utf-8") for path in (site / "search.js", *(site / "stubs").iterdir())}
    words["experiments"] = " ".join(experiment_texts())
    return {name: " ".join(text.split()) for name, text in words.items()}


def test_no_page_of_a_tab_speaks_of_a_shell(site: Path) -> None:
    """Pages refer to buttons. A passage about the student's own computer points to the handout and contains
    no command."""
    found = {name: [match[0] for match in SHELL_WORDS.finditer(text)] for name, text in words_of_pages(site).items()}
    assert {
        "setup.html",
        "writer.html",
        "index.html",
        "keep.html",
        "search.js",
        "rope.py",
        "experiments",
    } <= found.keys()
    assert {name: words for name, words in found.items() if words} == {}


def test_the_handout_keeps_its_commands(handed_out: dict[str, bytes], site: Path) -> None:
    """The pattern that finds commands also finds them in the handout, whose pages differ from the site's only
    in passages about commands."""
    for name, words in (
        ("setup", "pip"),
        ("writer", "--experiment"),
        ("index", "terminal"),
        ("modern", "make experiment"),
    ):
        page = handed_out[f"course/{name}.html"].decode("utf-8")
        assert words in page and SHELL_WORDS.search(page)
    texts = {name: words_of_pages(site)[f"{name}.html"] for name in ("setup", "writer", "index")}
    assert "“Save all my work”" in texts["setup"]
    assert "press “Check”" in texts["index"] and "“Download attention.py” saves it." in texts["index"]


def test_the_scripts_stay_small_and_readable() -> None:
    scripts = [path.read_text("utf-8").splitlines() for path in (build.HERE / "script").glob("*.js")]
    assert sum(map(len, scripts)) <= 400
    assert [line for script in scripts for line in script if len(line) > 110] == []


def test_the_python_of_a_tab_stays_small() -> None:
    """The four files that run the course in a browser tab have at most 400 lines in total.

    Each of these four files is part of the handout or of the site.
    """
    files = ("site/tab.py", "site/int64_numpy.py", "laptop/terminal_or_tab.py", "laptop/page_results.py")
    texts = [(course.PACKAGE_FOLDER / name).read_text("utf-8").splitlines() for name in files]
    assert sum(map(len, texts)) <= 400


def test_the_command_refuses_a_folder_that_is_no_site_and_a_pyodide_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    for options, words in (
        (["--out", str(tmp_path / "work")], "is in the site's place but is not a site"),
        (["--out", str(tmp_path / "site"), "--pyodide", str(tmp_path / "work")], "contains no Pyodide"),
    ):
        result = CliRunner().invoke(cli.main, ["site", *options])
        assert result.exit_code == 2 and words in result.output


def test_files_of_pyodide_are_what_its_lock_says(site: Path) -> None:
    """A browser refuses to load a package whose hash differs from the lock."""
    (lock_file,) = site.glob("pyodide-*/pyodide-lock.json")
    packages = json.loads(lock_file.read_text("utf-8"))["packages"].values()
    hashes = {lock_file.parent / package["file_name"]: package["sha256"] for package in packages}
    present = {path: digest for path, digest in hashes.items() if path.is_file()}
    assert any("numpy" in path.name for path in present) and any("matplotlib" in path.name for path in present)
    assert {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in present} == present


def test_the_editor_is_what_its_hash_says() -> None:
    """The script that builds the editor writes the editor's file and hash."""
    folder = build.HERE / "editor"
    recorded, name = (folder / "codemirror.sha256").read_text("utf-8").split()
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == recorded


def test_the_libraries_are_those_of_the_lock() -> None:
    """The checks import only numpy, matplotlib and the libraries below."""
    names = {name.partition("/")[0] for name in libraries.unpacked_wheels()}
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
