"""The Python packages that the checks need in a browser tab, and the parts of Pyodide that the course loads."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from autograder.course import UserError

LOCK_FILE = Path(__file__).with_name("libraries.lock")
"""The lock file, which has one line per package, with its version and the hash of its wheel."""

UNUSED_WHEEL_FILES = re.compile(
    r"pygments/(lexers/(?!__init__|_mapping|python|diff)|styles/(?!__init__|_mapping|default)|formatters/(?!__init__"
    r"|_mapping|terminal\.))|hypothesis/(extra/(?!__init__)|vendor/tlds)|.*\.dist-info/(?!METADATA|entry_points|licenses)"
)
"""Pattern for files that the checks never load, which together make up two thirds of all bytes."""

UNUSED_PYODIDE_FILES = re.compile(
    r"(aifc|cgi|ftplib|imaplib|mailbox|nntplib|optparse|pickletools|poplib|pydoc|smtplib|wsgiref|xmlrpc)\b|numpy/f2py/"
    r"|(_pyio|_pydatetime)\.py|encodings/(mac_|cp(?!437|1252)|iso8859_(?!1\b|15\b))|.*/tests/|.*\.(pyi|h|c|a|pxd|pyx)$"
    r"|fontTools/|pytz/|matplotlib/mpl-data/(sample_data|fonts/(afm|pdfcorefonts))/"
)
"""Pattern of files in Pyodide's archives that the course never loads: servers, clients, headers, tests, old
encodings, modules that Python also has in C, and what matplotlib needs only for PDF files, time zones and examples."""


def cache_folder() -> Path:
    """Return the folder for fetched files, which is outside the repository."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "whereabouts"


def unpacked_wheels() -> dict[str, bytes]:
    """Return the contents of all packages in the lock file, keyed by path. Each wheel is fetched only once, by pip."""
    folder = cache_folder() / "libraries"
    folder.mkdir(parents=True, exist_ok=True)
    hashes = set(re.findall(r"sha256:(\w+)", LOCK_FILE.read_text("utf-8")))
    if hashes - _wheels_by_hash(folder).keys():
        command = [sys.executable, *"-m pip download -q --no-deps --only-binary :all: --require-hashes".split()]
        fetched = subprocess.run([*command, "-d", folder, "-r", LOCK_FILE], capture_output=True, text=True, check=False)
        if fetched.returncode:
            raise UserError(f"pip cannot fetch the packages in {LOCK_FILE.name}:\n{fetched.stderr[-500:]}")
    files: dict[str, bytes] = {}
    for digest, path in _wheels_by_hash(folder).items():
        if digest in hashes:
            with zipfile.ZipFile(path) as wheel:
                files |= {name: wheel.read(name) for name in wheel.namelist() if not UNUSED_WHEEL_FILES.match(name)}
    return files


def _wheels_by_hash(folder: Path) -> dict[str, Path]:
    """Return the paths of the wheels in a folder, keyed by sha256."""
    return {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in sorted(folder.glob("*.whl"))}


def needed_files(archive: bytes) -> dict[str, bytes]:
    """Return the contents of a Pyodide archive, keyed by path, without files that the course never loads."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        names = [name for name in opened.namelist() if not name.endswith("/") and not UNUSED_PYODIDE_FILES.match(name)]
        return {name: opened.read(name) for name in names}
