"""Tests of reading one submitted file, which yields either code or a message that explains the problem."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import resource
import struct
import sys
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.checks.source import MAX_CODE_CHARACTERS
from autograder.submission import Submission, UngradablePathError, bounded_reading, read_submission
from tests.grader.support.student_folders import archive_of, put

KNOWN = ["attention", "naive", "rope", "alibi", "context_extension"]
CODE = "def rotate_half(x):\n    return x\n"
MIB = 1 << 20


def encrypted() -> bytes:
    """Return a zip with a header that marks the member as password-protected."""
    data = bytearray(archive_of({"rope.py": CODE}))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(header) + flags] |= 1
    return bytes(data)


def lying(content: bytes, claimed: int) -> bytes:
    """Return a zip in which both headers of the file inside claim a wrong size."""
    data = bytearray(archive_of({"rope.py": content}))
    for header, size in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(header) + size, claimed)
    return bytes(data)


def one_sentence(text: str) -> bool:
    outside_brackets = re.sub(r"\(.*\)", "", text)  # brackets enclose Python's message
    return (
        text.isprintable() and text.endswith(".") and not re.search(r"[.!] [A-Z]", outside_brackets) and len(text) < 500
    )


def refused(submission: Submission, *words: str) -> None:
    """Assert that the submission is a row whose problem mentions certain words."""
    assert submission.problem is not None, submission
    assert submission.cells == ()
    message = submission.problem.message
    assert one_sentence(message), message
    message.encode("utf-8")
    for word in words:
        assert word in message


@contextlib.contextmanager
def little_memory(extra: int) -> Iterator[None]:
    """Limit the growth of this process's memory to `extra` bytes."""
    with open("/proc/self/statm") as status:
        used = int(status.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + extra, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.fixture
def submission_file(tmp_path: Path):
    """Return a function that writes a file and reads the file as a submission for rope."""

    def write(content: bytes | str, name: str = "ada.py") -> Submission:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_submission(path, "rope", KNOWN)

    return write


LATIN = "# -*- coding: latin-1 -*-\nname = 'é'\n"
READABLE = {
    "a mark": (b"\xef\xbb\xbf" + CODE.encode(), CODE, ""),
    "old line ends": (CODE.replace("\n", "\r").encode(), CODE, ""),
    "little UTF-16": (CODE.replace("\n", "\r\n").encode("utf-16"), CODE, "utf-16"),
    "big UTF-16": (b"\xfe\xff" + CODE.encode("utf-16-be"), CODE, "utf-16"),
    "a coding line": (LATIN.encode("latin-1"), LATIN, "read as iso-8859-1"),
    "none so far down": (b"x = 1\n\n# coding: nonsense\n", "x = 1\n\n# coding: nonsense\n", ""),
}


@pytest.mark.parametrize(("content", "text", "note"), READABLE.values(), ids=READABLE)
def test_any_usual_text_is_read(submission_file, content: bytes, text: str, note: str) -> None:
    submission = submission_file(content)
    assert (submission.problem, submission.cells) == (None, (text,))
    assert submission.sha256 == hashlib.sha256(content).hexdigest()
    assert not note or note in submission.notes[0]


def deep(opening: str, middle: str = "", closing: str = "") -> str:
    """Return text that is nested as deeply as the limit on the length of code allows."""
    depth = MAX_CODE_CHARACTERS // len(opening + closing) - 10
    return opening * depth + middle + closing * depth


NO_TEXT = {
    "nul bytes": (b"x = 1\n\0\0", "null bytes"),
    "undecodable": (b"name = '\xe9'\n", "UTF-8"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "not text"),
    "docx": (archive_of({"word/document.xml": "<w/>"}), "hand in"),
    "html": (b"\n<!DOCTYPE html><html><body>def f(): pass</body></html>", "not Python"),
    "too large": (b"#" * (4 * MIB + 1), "4 MiB"),
    **{f"encoding {name}": (f"# coding: {name}\nx = 1\n".encode(), name) for name in ("nonsense", "zip")},
}
NO_PYTHON = {
    "comments": ("# later\n# coding is hard\n", "no code"),
    "syntax": ("x = 1\ny = = 2\n", "line 2"),
    "indent": ("x = 1\n  y = 2\n", "unexpected indent"),
    "many brackets": (deep("("), "nested"),
    "many signs": (deep("-", "1"), "nested"),
    "many elifs": ("if 1:\n    pass\n" + deep("elif 1:\n    pass\n"), "nested"),
    "deep blocks": ("\n".join(" " * depth + "if 1:" for depth in range(200)), "indentation"),
    "large number": ("x = " + "9" * 5000, "4300"),
    "too much code": ("x = 1\n" * (MAX_CODE_CHARACTERS // 6 + 1), "256 KiB"),
}


@pytest.mark.parametrize(("content", "word"), (NO_TEXT | NO_PYTHON).values(), ids=[*NO_TEXT, *NO_PYTHON])
def test_what_is_no_text_or_no_python_is_refused(submission_file, content: bytes | str, word: str) -> None:
    """Doubtful Python causes no warning."""
    with warnings.catch_warnings(record=True) as caught, little_memory(1024 * MIB):
        warnings.simplefilter("always")
        refused(submission_file(content), word)
        assert submission_file('x = "\\d" is 1\ny = 1if x else 2\n').problem is None
    assert not caught


@pytest.mark.parametrize("ending", [".docx", ""])
def test_other_kinds_of_file_are_refused(submission_file, ending: str) -> None:
    refused(submission_file(CODE, f"ada{ending}"), ".py or .ipynb", f"ada{ending}")


def test_nothing_is_run_and_nothing_is_written(submission_file, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    before = set(sys.modules)
    assert submission_file(f"open({str(trace)!r}, 'w')\nimport this\n").problem is None
    assert submission_file(archive_of({"rope/rope.py": CODE}), "ada.zip").problem is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ada.py", "ada.zip"]
    assert "this" not in set(sys.modules) - before


def test_links_pipes_and_what_is_closed_are_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links are not followed, pipes are not waited for, and a file that grows during reading is read only up to the
    limit."""
    (tmp_path / "secret.py").write_text(CODE)
    for name, target in (
        ("ada.py", tmp_path / "secret.py"),
        ("bob.py", tmp_path / "nowhere"),
        ("eve.zip", "/dev/zero"),
    ):
        (tmp_path / name).symlink_to(target)
        assert read_submission(tmp_path / name, "rope", KNOWN).sha256 == ""
        refused(read_submission(tmp_path / name, "rope", KNOWN), "link")
    os.mkfifo(tmp_path / "pipe.py")
    refused(read_submission(tmp_path / "pipe.py", "rope", KNOWN), "no code")
    (tmp_path / "sparse.py").touch()
    os.truncate(tmp_path / "sparse.py", 1 << 40)
    refused(read_submission(tmp_path / "sparse.py", "rope", KNOWN), "4 MiB")
    with pytest.raises(UngradablePathError, match=r"nobody\.py does not exist"):
        read_submission(tmp_path / "nobody.py", "rope", KNOWN)

    def forbid(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(bounded_reading.os, "open", forbid)
    refused(read_submission(tmp_path / "secret.py", "rope", KNOWN), "Permission denied")


GOOD_ZIPS: dict[str, tuple[dict[str, bytes | str], str, int]] = {
    "furniture": ({"ada/.git/hooks/rope.py": "no", ".DS_Store": "no", "ada/rope.py": CODE}, "ada/rope.py", 0),
    "one is named": ({"rope.py": CODE, "rope_old.py": "no", "scratch.py": "no"}, "rope.py", zipfile.ZIP_LZMA),
    "many members": ({f"{number}.txt": "" for number in range(1001)} | {"rope.py": CODE}, "rope.py", 0),
    "large in all": ({f"{n}.txt": b"\0" * (4 * MIB) for n in range(5)} | {"rope.py": CODE}, "rope.py", 8),
    **{
        name: ({name: CODE}, name.replace("\\", "/"), 0)
        for name in ("../rope.py", "/rope.py", "C:rope.py", "a\\rope.py")
    },
}


@pytest.mark.parametrize(("members", "chosen", "method"), GOOD_ZIPS.values(), ids=GOOD_ZIPS)
def test_the_one_file_in_a_zip_is_read(
    submission_file, tmp_path: Path, members: dict[str, bytes | str], chosen: str, method: int
) -> None:
    """A zip is never unpacked to disk, so names that would escape a folder are harmless."""
    data = archive_of(members, method)
    with little_memory(512 * MIB):
        submission = submission_file(data, "ada.zip")
    assert (submission.problem, submission.file, submission.cells) == (None, f"ada.zip!{chosen}", (CODE,))
    assert submission.sha256 == hashlib.sha256(data).hexdigest()
    assert [path.name for path in tmp_path.iterdir()] == ["ada.zip"]


BAD_ZIPS = {
    "encrypted": (encrypted(), "encrypted"),
    "not a zip": (b"Rar!\x1a\x07\x01\x00", "not a zip"),
    "empty file": (b"", "not a zip"),
    "empty zip": (archive_of({}), "ada.zip"),
    "cut off": (archive_of({"rope.py": CODE})[:-30], "cannot be read"),
    "damaged": (archive_of({"rope.py": CODE}).replace(b"PK\x03\x04", b"PK\x03\x05"), "cannot be read"),
    "damaged content": (archive_of({"rope.py": CODE}, 0).replace(b"rotate", b"ROTATE"), "CRC"),
    "large member": (archive_of({"rope.py": b"#" * (4 * MIB + 1)}), "larger than 4 MiB"),
    "lying about its size": (lying(b"#" * (16 * MIB), 100), "cannot be read"),
    "zip in zip": (archive_of({"rope.zip": archive_of({"rope.py": CODE})}), "rope.zip"),
}


@pytest.mark.parametrize(("data", "word"), BAD_ZIPS.values(), ids=BAD_ZIPS)
def test_a_bad_zip_is_refused(submission_file, data: bytes, word: str) -> None:
    with little_memory(512 * MIB):
        refused(submission_file(data, "ada.zip"), word)


def test_several_assignments_are_one_file_once_it_is_said_which(tmp_path: Path) -> None:
    files = {"rope.py": CODE, "naive.py": "x = 1\n"}
    put(tmp_path, {"zip.zip": archive_of(files)} | {f"ada/{name}": text for name, text in files.items()})
    for given in ("zip.zip", "ada"):
        refused(read_submission(tmp_path / given, None, KNOWN), "naive, rope", "--assignment")
        assert read_submission(tmp_path / given, "rope", KNOWN).cells == (CODE,)
        assert read_submission(tmp_path / given, "naive", KNOWN).cells == ("x = 1\n",)


NAMED = {
    "rope.py": "rope",
    "Rope.PY": "rope",
    "rope_ada.py": "rope",
    "ada rope.v2.ipynb": "rope",
    "context-extension.py": "context_extension",
    "rope/ada.py": "rope",
    "rope/naive.py": "rope",
    "rope_2d_ada.py": "rope_2d",
    "rope_2d.py": "rope_2d",
    "doejane_LATE_12345_67890_alibi-1.py": "alibi",
    **dict.fromkeys(["ada.py", "ropes.py", "europe.py", "naive_rope.py", "contextextension.py"], ""),
}


STUDENTS = {
    "rope_ada.py": "ada",
    "rope_2d_ada.py": "ada",
    "ada rope.v2.ipynb": "ada_v2",
    "doejane_LATE_12345_67890_alibi-1.py": "doejane",
}
"""Students whose file names contain more than their own names."""


@pytest.mark.parametrize(("path", "expected"), NAMED.items())
def test_a_name_tells_the_assignment_or_is_a_problem(tmp_path: Path, path: str, expected: str) -> None:
    """The longest of several names counts if it contains the others."""
    file = tmp_path / "given" / path
    put(tmp_path / "given", {path: "x = 1\n"})
    submission = read_submission(file, None, [*KNOWN, "rope_2d"])
    assert (submission.assignment, submission.file) == (expected, file.name)
    assert submission.student == STUDENTS.get(path, file.stem)
    if not expected:
        refused(submission, "--assignment", file.name)
