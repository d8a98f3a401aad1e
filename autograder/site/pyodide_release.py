"""A Pyodide release in a folder on this machine, for sites that do not rely on another host.

The release's core is an npm package; the wheels of numpy and matplotlib come from the release's address. All of these
files are checked by hash and kept for the next build.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import subprocess
import tarfile
import urllib.request
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from autograder.course import UserError
from autograder.files import write_files
from autograder.site.libraries import cache_folder

VERSION = "314.0.7"
"""The Pyodide release that a site loads Python from, unless the build names another."""

NPM_PACKAGE_SHA256 = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
"""Hash of the release's npm package."""

ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
"""The address of the release."""

NEEDED_PACKAGES = ("numpy", "matplotlib")
"""The Pyodide packages that the course needs, not including their dependencies."""

LOCK_FILE = "pyodide-lock.json"
"""The file in the core that lists the release's packages and their files' hashes."""

DOWNLOAD_TIMEOUT_SECONDS = 60
"""Maximum time to wait for an answer from the release's address."""


def fetch() -> Path:
    """Return a folder with the release. Fetch each file that is missing or has the wrong hash."""
    folder = fetch_core()
    packages = json.loads((folder / LOCK_FILE).read_text("utf-8"))["packages"]
    for name in sorted(with_dependencies(packages, NEEDED_PACKAGES)):
        if name not in packages:
            raise UserError(f"Pyodide {VERSION} contains no package {name}")
        file, sha256 = packages[name]["file_name"], packages[name]["sha256"]
        if not _is_file_with_hash(folder / file, sha256):
            (folder / file).write_bytes(_checked(_downloaded_unchecked(ADDRESS + file), sha256, ADDRESS + file))
    return folder


def fetch_core() -> Path:
    """Return a folder with the release's core, which is Python without numpy. Fetch it if it is missing."""
    folder = cache_folder() / f"pyodide-{VERSION}"
    core = npm_package(f"pyodide@{VERSION}", NPM_PACKAGE_SHA256)
    write_files({folder / name: content for name, content in core.items()})
    return folder


def npm_package(package: str, sha256: str) -> dict[str, bytes]:
    """Return the contents of an npm package such as `name@1.0.0`, keyed by file name."""
    archive = cache_folder() / f"{package.replace('@', '-')}.tgz"
    if not _is_file_with_hash(archive, sha256):
        archive.parent.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", "--loglevel=error", package]
        try:
            packed = subprocess.run(command, cwd=archive.parent, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise UserError(f"npm is missing, which fetches {package}: install Node.js") from error
        if packed.returncode:
            reason = "\n".join(packed.stderr.splitlines()[:4])  # below these lines, npm prints where in npm it failed
            raise UserError(f"npm cannot fetch {package}:\n{reason}")
        _checked(archive.read_bytes(), sha256, package)
    with tarfile.open(archive) as opened:
        files = {member.name.removeprefix("package/"): opened.extractfile(member) for member in opened}
        return {name: file.read() for name, file in files.items() if file is not None}


def with_dependencies(packages: Mapping[str, Any], names: Collection[str]) -> set[str]:
    """Return the names of these Pyodide packages and all their dependencies."""
    needed = {other for name in names if name in packages for other in packages[name]["depends"]}
    return with_dependencies(packages, needed | {*names}) if needed - {*names} else {*names}


def _downloaded_unchecked(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=DOWNLOAD_TIMEOUT_SECONDS) as reply:
            return bytes(reply.read())
    except (OSError, http.client.HTTPException) as error:
        raise UserError(f"{address} cannot be fetched: {error}") from error


def _is_file_with_hash(path: Path, sha256: str) -> bool:
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def _checked(content: bytes, sha256: str, source: str) -> bytes:
    """Return the content. Raise UserError if it does not have the expected hash."""
    if (actual := hashlib.sha256(content).hexdigest()) != sha256:
        raise UserError(f"{source} is not the expected file: its sha256 is {actual}, expected {sha256}")
    return content
