"""Tests of fetching a release of Pyodide: its files come from npm and from an address, are checked against
hashes and cached, and any error is one sentence.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from autograder import cli, handout
from autograder.course import UserError
from autograder.site import build, pyodide_release
from tests.grader.tools import fetch_pyodide

pytestmark = pytest.mark.long

PACKAGES = {"numpy": [], "matplotlib": ["numpy", "pillow"], "pillow": ["six"], "six": [], "scipy": ["numpy"]}
"""Packages of a small release, each with the packages that it needs; the course needs all of them except scipy."""


class _Handler(SimpleHTTPRequestHandler):
    requests: list[str]

    def log_message(self, format: str, *arguments: Any) -> None:
        """Remember the request."""
        self.requests.append(Path(self.path).name)


@dataclass
class Release:
    """Release on this machine: a folder of wheels that a server sends, the archive that npm writes, and the
    requests to the server so far."""

    wheels: Path
    archive: Path
    requests: list[str]


def packed(files: dict[str, bytes], archive: Path) -> str:
    """Write an archive in the form in which npm stores a package, and return its hash."""
    with tarfile.open(archive, "w:gz", compresslevel=1) as opened:
        for name, content in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(content)
            opened.addfile(member, io.BytesIO(content))
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def offered(files: dict[str, bytes], wheels: Path, patch: pytest.MonkeyPatch) -> Iterator[Release]:
    """Offer a release on this machine: a program named `npm` writes the archive with the core, and a server
    sends the wheels."""
    programs = wheels.parent / "programs"
    programs.mkdir()
    archive = programs / "core.tgz"
    npm = programs / "npm"
    npm.write_text(f'#!/bin/sh\n[ "$1" = pack ] && echo fetched >> {programs}/log && cp {archive} pyodide-1.0.0.tgz\n')
    npm.chmod(0o755)
    handler = type("Handler", (_Handler,), {"requests": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(wheels)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    patch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    patch.setenv("XDG_CACHE_HOME", str(wheels.parent / "cache"))
    patch.setattr(pyodide_release, "VERSION", "1.0.0")
    patch.setattr(pyodide_release, "ADDRESS", f"http://127.0.0.1:{server.server_port}/")
    patch.setattr(pyodide_release, "NPM_PACKAGE_SHA256", packed(files, archive))
    yield Release(wheels, archive, handler.requests)
    server.shutdown()
    server.server_close()


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Release]:
    """Small release with a few packages."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    lock: dict[str, Any] = {"packages": {}}
    for name, needed in PACKAGES.items():
        (wheels / f"{name}-1.whl").write_bytes(name.encode())
        sha256 = hashlib.sha256(name.encode()).hexdigest()
        lock["packages"][name] = {"file_name": f"{name}-1.whl", "sha256": sha256, "depends": needed}
    core = {"pyodide.js": b"code", pyodide_release.LOCK_FILE: json.dumps(lock).encode()}
    yield from offered(core, wheels, monkeypatch)


def test_a_release_is_fetched_once_with_what_the_course_needs(release: Release) -> None:
    """If a file in the cache is damaged, it is fetched again."""
    folder = pyodide_release.fetch()
    wheels = [f"{name}-1.whl" for name in sorted(PACKAGES) if name != "scipy"]
    assert sorted(path.name for path in folder.iterdir()) == sorted([*wheels, "pyodide.js", "pyodide-lock.json"])
    assert release.requests == wheels
    assert pyodide_release.fetch() == folder and release.requests == wheels
    (folder / "six-1.whl").write_bytes(b"damaged")
    (folder.parent / "pyodide-1.0.0.tgz").write_bytes(b"damaged")
    pyodide_release.fetch()
    assert (folder / "six-1.whl").read_bytes() == b"six" and release.requests == [*wheels, "six-1.whl"]
    assert (release.archive.parent / "log").read_text() == "fetched\n" * 2


def changed_wheel(release: Release, patch: pytest.MonkeyPatch) -> None:
    (release.wheels / "pillow-1.whl").write_bytes(b"changed")


def missing_wheel(release: Release, patch: pytest.MonkeyPatch) -> None:
    (release.wheels / "pillow-1.whl").unlink()


def no_network(release: Release, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pyodide_release, "ADDRESS", "http://127.0.0.1:9/")


def changed_core(release: Release, patch: pytest.MonkeyPatch) -> None:
    release.archive.write_bytes(b"changed")


def missing_package(release: Release, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pyodide_release, "NEEDED_PACKAGES", ("numpy", "torch"))


def failing_npm(release: Release, patch: pytest.MonkeyPatch) -> None:
    """Replace npm by a program that fails as npm does: it says why, unless it is told to be silent."""
    says = 'case "$*" in *--silent*) ;; *) echo no route to the host >&2 ;; esac'
    (release.archive.parent / "npm").write_text(f"#!/bin/sh\n{says}\nexit 1\n")


def no_npm(release: Release, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("PATH", str(release.wheels))


@pytest.mark.parametrize(
    ("mishap", "sentence"),
    [
        (changed_wheel, "/pillow-1.whl is not the expected file: its sha256 is "),
        (missing_wheel, "/pillow-1.whl cannot be fetched: HTTP Error 404"),
        (no_network, "http://127.0.0.1:9/matplotlib-1.whl cannot be fetched: "),
        (changed_core, "pyodide@1.0.0 is not the expected file: its sha256 is "),
        (missing_package, "Pyodide 1.0.0 contains no package torch"),
        (failing_npm, "npm cannot fetch pyodide@1.0.0:\nno route to the host"),
        (no_npm, "npm is missing, which fetches pyodide@1.0.0: install Node.js"),
    ],
)
def test_what_goes_wrong_is_a_sentence(
    release: Release, monkeypatch: pytest.MonkeyPatch, mishap: Any, sentence: str
) -> None:
    mishap(release, monkeypatch)
    with pytest.raises(UserError) as raised:
        pyodide_release.fetch()
    assert sentence in str(raised.value)


@pytest.fixture
def real_release(
    pyodide: Path, handed_out: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Release]:
    """The Pyodide of the browser tests, offered as a release by a server on this machine."""
    monkeypatch.setattr(handout, "contents", lambda: handed_out)
    monkeypatch.setattr(handout, "leaks", lambda files: [])  # other tests look for answers
    core = {name: (pyodide / name).read_bytes() for name in (*fetch_pyodide.CORE_FILES, pyodide_release.LOCK_FILE)}
    libraries = {name: content for name, content in build.unpacked_wheels().items() if name.startswith("pytest/")}
    monkeypatch.setattr(build, "unpacked_wheels", lambda: libraries)
    (tmp_path / "release").mkdir()
    wheels = tmp_path / "release" / "wheels"
    wheels.symlink_to(pyodide)
    yield from offered(core, wheels, monkeypatch)


def test_a_site_that_loads_the_release_from_its_address_is_compiled_for_it(
    real_release: Release, tmp_path: Path
) -> None:
    """The core of a release is enough to compile the course and its libraries."""
    result = CliRunner().invoke(cli.main, ["site", "--out", str(tmp_path / "site")])
    assert (result.exit_code, result.output) == (0, f"{tmp_path / 'site'}\n")
    assert real_release.requests == []
    for archive in (*(tmp_path / "site").glob("libraries-*.zip"), *(tmp_path / "site").glob("course-*.zip")):
        with zipfile.ZipFile(archive) as opened:
            names = {"libraries": "pytest/__init__", "course": "autograder/site/tab"}
            assert f"{names[archive.name.partition('-')[0]]}.pyc" in opened.namelist()


def test_a_site_with_a_fetched_release_names_no_other_host(
    real_release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "compiled", lambda archives, pyodide: archives)
    monkeypatch.setattr(build, "needed_files", lambda archive: {"module.py": b"y = 2"})
    result = CliRunner().invoke(cli.main, ["site", "--pyodide", "fetch", "--out", str(tmp_path / "site")])
    assert result.exit_code == 0, result.output
    (page,) = (tmp_path / "site").glob("page-*.js")
    assert '"pyodide": "pyodide-' in page.read_text("utf-8")
    assert {path.name for path in (tmp_path / "site").glob("pyodide-*/*.whl")} >= {
        path.name for path in real_release.wheels.glob("numpy-*.whl")
    }
    policies = [
        path.read_text("utf-8").partition('Content-Security-Policy" content="')[2].partition('"')[0]
        for path in (tmp_path / "site").glob("*.html")
    ]
    assert policies and not [policy for policy in policies if not policy or "://" in policy]
