"""Bounded reading of uploaded files, folders and zips, without unpacking zips to disk or following links."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import IO

from autograder.submission.records import UnreadableError
from autograder.submission.untrusted_names import stem_and_suffix

MIB = 1 << 20
MAX_FILE_BYTES = 4 * MIB
MAX_NOTEBOOK_OR_ZIP_BYTES = 32 * MIB  # for a notebook, which can contain pictures, or a zip
MAX_FOLDER_ENTRIES = 10_000  # per student
MAX_MEMBER_NAME = 1000  # characters in the name of a file in a zip

CODE_SUFFIXES = (".py", ".ipynb")
READABLE_SUFFIXES = (*CODE_SUFFIXES, ".zip")
_JUNK = {"__macosx", "__pycache__", "node_modules", "site-packages", "venv", "env", "thumbs.db", "desktop.ini"}


def is_junk(name: str) -> bool:
    """Return True for the name of a file or folder that an operating system or a tool leaves behind.

    A file whose name begins with a dot may be a student's code, unless macOS ("._") or Emacs (".#") created
    it. A file such as .rope.py.icloud takes the place of a file that iCloud has not downloaded.
    """
    if name.startswith("."):
        return name != ".." and (name.startswith(("._", ".#")) or not name.endswith((*READABLE_SUFFIXES, ".icloud")))
    return name.endswith("~") or name.casefold() in _JUNK


def size_limit(name: str) -> int:
    """Return the maximum size in bytes of a file with this name."""
    return MAX_NOTEBOOK_OR_ZIP_BYTES if stem_and_suffix(name)[1] in (".ipynb", ".zip") else MAX_FILE_BYTES


def read_bytes(path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return a file's content. Raise UnreadableError if it exceeds `limit` bytes, and OSError for a link."""
    with opened(path) as file:
        return _bounded(file, limit)


def opened(path: Path) -> IO[bytes]:
    """Open a file for reading; if it is a pipe, do not wait for its writer. Raise OSError for a link."""
    return open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def _bounded(file: IO[bytes], limit: int) -> bytes:
    data = file.read(limit + 1)
    if len(data) > limit:
        raise UnreadableError(f"The file is larger than {limit // MIB} MiB: hand in only the code, without data.")
    return data


def files_below(folder: Path) -> list[str]:
    """Return the sorted relative paths, with "/", of all files in a folder tree, except junk and linked folders."""
    os.scandir(folder).close()  # raises an error if the folder is unreadable; os.walk would ignore that
    paths: list[str] = []
    count = 0
    for parent, folders, files in os.walk(folder):
        count += len(folders) + len(files)
        if count > MAX_FOLDER_ENTRIES:
            why = f"The folder contains more than {MAX_FOLDER_ENTRIES} files"
            raise UnreadableError(f"{why}: hand in only the file that you wrote.")
        folders[:] = [name for name in folders if not is_junk(name)]
        paths += [os.path.relpath(os.path.join(parent, name), folder) for name in files if not is_junk(name)]
    return sorted(paths)


def zip_members(data: bytes) -> dict[str, zipfile.ZipInfo]:
    """Return the files in a zip, without junk, keyed and sorted by name. A damaged zip can raise any exception."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = _members(archive)
    return {name: members[name] for name in sorted(members) if len(name) <= MAX_MEMBER_NAME}


def top_of_zip(path: Path) -> tuple[set[str], set[str]]:
    """Return the names of the folders and files at the top level of a zip.

    If a single folder contains everything, return the names in that folder instead. A damaged zip can raise any
    exception.
    """
    with opened(path) as file, zipfile.ZipFile(file) as archive:
        paths = [name.split("/") for name in _members(archive)]
    while paths and all(len(path) > 1 and path[0] == paths[0][0] for path in paths):
        paths = [path[1:] for path in paths]
    return {path[0] for path in paths if len(path) > 1}, {path[0] for path in paths if len(path) == 1}


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files in a zip, without junk, keyed by name."""
    members = {info.filename.replace("\\", "/"): info for info in archive.infolist() if not info.is_dir()}
    return {name: info for name, info in members.items() if not any(map(is_junk, name.split("/")))}


def read_member(data: bytes, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file in a zip. A damaged or encrypted file can raise any exception."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(member) as file:
        return _bounded(file, size_limit(member.filename))
