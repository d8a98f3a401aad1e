"""One file handed in, good or bad: it is read, or there is one sentence that says why not."""

from __future__ import annotations

import contextlib
import hashlib
import io
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

from autograder import course
from autograder.checks.parsing import MAX_CODE
from autograder.submission import NothingToGrade, Submission, code, read_file
from tests.grader.support.folders import archive_of, put

KNOWN = [
    "attention",
    "naive",
    "sinusoidal",
    "learned",
    "rope",
    "relative",
    "alibi",
    "context_extension",
    "extrapolation",
]
CODE = "def rotate_half(x):\n    return x\n"
MIB = 1 << 20


def special(name: str, mode: int) -> bytes:
    """A zip with one member that is a link, a pipe or a device."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.create_system, info.external_attr = 3, mode << 16
        archive.writestr(info, "/etc/passwd")
    return stream.getvalue()


def encrypted() -> bytes:
    """A zip that says of its member that a password protects it."""
    data = bytearray(archive_of({"rope.py": CODE}))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(header) + flags] |= 1
    return bytes(data)


def lying(content: bytes, claimed: int) -> bytes:
    """A zip whose member unpacks to another size than both its headers claim."""
    data = bytearray(archive_of({"rope.py": content}))
    for header, size in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(header) + size, claimed)
    return bytes(data)


def one_sentence(text: str) -> bool:
    outside_brackets = re.sub(r"\(.*\)", "", text)  # in brackets, Python's own message is quoted
    return (
        text.isprintable() and text.endswith(".") and not re.search(r"[.!] [A-Z]", outside_brackets) and len(text) < 500
    )


def refused(submission: Submission, *words: str) -> None:
    """The submission is a row with a problem that names these words."""
    assert submission.problem is not None, submission
    assert submission.cells == ()
    message = submission.problem.message
    assert one_sentence(message), message
    message.encode("utf-8")
    for word in words:
        assert word in message


@contextlib.contextmanager
def little_memory(extra: int) -> Iterator[None]:
    """Within, the process may grow by so many bytes and no more."""
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
    """Writes a file and reads it as what somebody handed in for rope."""

    def write(content: bytes | str, name: str = "ada.py") -> Submission:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_file(path, "rope", KNOWN)

    return write


READABLE = {
    "plain": (CODE.encode(), ""),
    "crlf": (CODE.replace("\n", "\r\n").encode(), ""),
    "cr": (CODE.replace("\n", "\r").encode(), ""),
    "bom": (b"\xef\xbb\xbf" + CODE.encode(), ""),
    "utf16_little": (b"\xff\xfe" + CODE.encode("utf-16-le"), "utf-16"),
    "utf16_big": (b"\xfe\xff" + CODE.encode("utf-16-be"), "utf-16"),
    "utf16_crlf": (b"\xff\xfe" + CODE.replace("\n", "\r\n").encode("utf-16-le"), "utf-16"),
}


@pytest.mark.parametrize(("content", "note"), READABLE.values(), ids=READABLE)
def test_any_usual_text_is_read(submission_file, content: bytes, note: str) -> None:
    submission = submission_file(content)
    assert submission.problem is None
    assert submission.cells == (CODE,)
    assert submission.sha256 == hashlib.sha256(content).hexdigest()
    assert [note in each for each in submission.notes] == ([True] if note else [])


CODING_LINES = [
    b"# -*- coding: latin-1 -*-\nname = '\xe9'\n",
    b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nname = '\xe9'\n",
]


@pytest.mark.parametrize("content", CODING_LINES)
def test_a_coding_line_is_obeyed(submission_file, content: bytes) -> None:
    submission = submission_file(content)
    assert submission.problem is None and submission.cells[0].endswith("name = 'é'\n")
    assert any("read as" in note for note in submission.notes)
    assert submission_file("x = 1\n# coding: nonsense\n").problem is None  # too far down to be one


@pytest.mark.parametrize("name", ["nonsense", "rot13", "zip", "hex", "undefined", "utf-16"])
def test_a_coding_line_names_an_encoding_of_text(submission_file, name: str) -> None:
    refused(submission_file(f"# coding: {name}\nx = 1\n"), name, "UTF-8")


def deep(opening: str, middle: str = "", closing: str = "") -> str:
    """Nested as deeply as the bound on code allows."""
    depth = MAX_CODE // len(opening + closing) - 10
    return opening * depth + middle + closing * depth


NO_TEXT = {
    "empty": (b"", "no code"),
    "nul bytes": (b"x = 1\n\0\0", "null bytes"),
    "utf16 without mark": (CODE.encode("utf-16-le"), "null bytes"),
    "odd utf16": (b"\xff\xfea", "utf-16"),
    "undecodable": (b"name = '\xe9'\n", "UTF-8"),
    "random": (bytes(range(256)), "UTF-8"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "not text"),
    "docx": (archive_of({"word/document.xml": "<w/>"}), "hand in"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "not text"),
    "html": (b"\n<!DOCTYPE html><html><body>def f(): pass</body></html>", "not Python"),
    "too large": (b"#" * (4 * MIB + 1), "4 MiB"),
}


@pytest.mark.parametrize(("content", "word"), NO_TEXT.values(), ids=NO_TEXT)
def test_what_is_no_text_is_refused(submission_file, content: bytes, word: str) -> None:
    refused(submission_file(content), word)


NO_PYTHON = {
    "whitespace": ("  \n\t\n", "no code"),
    "comments": ("# later\n# coding is hard\n", "no code"),
    "syntax": ("x = 1\ny = = 2\n", "line 2"),
    "prose": ("I could not do the exercise, sorry.\n", "line 1"),
    "python 2": ("def f():\n    print 'x'\n", "line "),
    "python 2 except": ("try:\n    pass\nexcept A, e:\n    pass\n", "line "),
    "tabs": ("if 1:\n\tx = 1\n        y = 2\n", "line "),
    "indent": ("x = 1\n  y = 2\n", "unexpected indent"),
    "conflict": ("<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> main\n", "line "),
    "magic": ("import numpy as np\n%matplotlib inline\n", "line "),
    "shell": ("!pip install numpy\n", "line "),
    "quotes": ("name = “rope”\n", "line "),
    "control characters": ("x = 1 \x1b[31m\x07\n", "line 1"),
    "open bracket": ("x = (1,\n", "line 1"),
    "many brackets": (deep("("), "nested"),
    "closed brackets": (deep("(", "", ")"), "nested"),
    "many signs": (deep("-", "1"), "nested"),
    "long sum": (deep("1+", "1"), "nested"),
    "long chain": ("x = a" + deep(".b"), "64 dots"),
    "long import": ("import a" + deep(".a"), "64 dots"),
    "long import over lines": ("import a" + deep(".\\\n a"), "64 dots"),
    "many elifs": ("if 1:\n    pass\n" + deep("elif 1:\n    pass\n"), "nested"),
    "deep blocks": ("\n".join(" " * depth + "if 1:" for depth in range(200)), "indentation"),
    "large number": ("x = " + "9" * 5000, "4300"),
    "too much code": ("x = 1\n" * (MAX_CODE // 6 + 1), "256 KiB"),
}


@pytest.mark.parametrize(("content", "word"), NO_PYTHON.values(), ids=NO_PYTHON)
def test_what_is_no_python_is_refused(submission_file, content: str, word: str) -> None:
    with warnings.catch_warnings(record=True) as caught, little_memory(1024 * MIB):
        warnings.simplefilter("always")
        refused(submission_file(content), word)
        assert submission_file('x = "\\d" is 1\ny = 1if x else 2\n').problem is None
    assert not caught, "doubtful Python warns nobody"


def test_running_out_of_memory_is_said_as_that(submission_file, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("ast.parse", lambda *_: (_ for _ in ()).throw(MemoryError))
        problem = submission_file(CODE).problem
    assert problem is not None and "more memory to parse than there is" in problem.message


@pytest.mark.parametrize("ending", [".docx", ".pdf", ".txt", ".rar", ""])
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
    """No link is followed, no writer is waited for, and what grows while it is read is bounded."""
    (tmp_path / "secret.py").write_text(CODE)
    for name, target in (
        ("ada.py", tmp_path / "secret.py"),
        ("bob.py", tmp_path / "nowhere"),
        ("eve.zip", "/dev/zero"),
    ):
        (tmp_path / name).symlink_to(target)
        assert read_file(tmp_path / name, "rope", KNOWN).sha256 == ""
        refused(read_file(tmp_path / name, "rope", KNOWN), "link")
    os.mkfifo(tmp_path / "pipe.py")
    refused(read_file(tmp_path / "pipe.py", "rope", KNOWN), "no code")
    (tmp_path / "sparse.py").touch()
    os.truncate(tmp_path / "sparse.py", 1 << 40)
    refused(read_file(tmp_path / "sparse.py", "rope", KNOWN), "4 MiB")
    with pytest.raises(NothingToGrade, match=r"nobody\.py does not exist"):
        read_file(tmp_path / "nobody.py", "rope", KNOWN)

    def forbid(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(code.os, "open", forbid)
    refused(read_file(tmp_path / "secret.py", "rope", KNOWN), "Permission denied")


GOOD_ZIPS = {
    "plain": ({"rope.py": CODE}, "rope.py"),
    "any name": ({"final version.py": CODE}, "final version.py"),
    "nested": ({"hand-in/src/rope.py": CODE}, "hand-in/src/rope.py"),
    "furniture": (
        {"rope.py": CODE, "__MACOSX/._rope.py": b"\0\5", ".DS_Store": b"\0", "._rope.py": b"\0", "a.txt": "a"},
        "rope.py",
    ),
    "git": ({"ada/.git/config": "", "ada/.git/hooks/rope.py": "no", "ada/rope.py": CODE}, "ada/rope.py"),
    "one is named": ({"rope.py": CODE, "rope_old.py": "no", "scratch.py": "no"}, "rope.py"),
    "clone": (
        {
            "w/assignments/rope/rope.py": CODE,
            "w/assignments/rope/explore.ipynb": "{}",
            "w/assignments/figures.py": "",
            "w/assignments/naive/naive.py": "",
            "w/tests/public/test_rope.py": "",
        },
        "w/assignments/rope/rope.py",
    ),
    "word in the name": ({"rope_final.py": CODE, "naive.py": "no", "utilities.py": "no"}, "rope_final.py"),
}


@pytest.mark.parametrize(("members", "chosen"), GOOD_ZIPS.values(), ids=GOOD_ZIPS)
def test_the_one_file_in_a_zip_is_read(submission_file, members: dict[str, bytes | str], chosen: str) -> None:
    data = archive_of(members)
    submission = submission_file(data, "ada.zip")
    assert submission.problem is None
    assert (submission.file, submission.cells) == (f"ada.zip!{chosen}", (CODE,))
    assert submission.sha256 == hashlib.sha256(data).hexdigest()


ODD_ZIPS = {
    **{
        f"named {name}": archive_of({name: CODE})
        for name in ("../rope.py", "/rope.py", "C:rope.py", "..\\rope.py", "a\\rope.py")
    },
    "bzip2": archive_of({"rope.py": CODE}, zipfile.ZIP_BZIP2),
    "lzma": archive_of({"rope.py": CODE}, zipfile.ZIP_LZMA),
    "large in all": archive_of({f"{number}.txt": b"\0" * (4 * MIB) for number in range(5)} | {"rope.py": CODE}),
    "many members": archive_of({f"{number}.txt": "" for number in range(1001)} | {"rope.py": CODE}),
}


@pytest.mark.parametrize("data", ODD_ZIPS.values(), ids=ODD_ZIPS)
def test_nothing_is_unpacked_so_nothing_about_unpacking_is_refused(
    submission_file, data: bytes, tmp_path: Path
) -> None:
    with little_memory(512 * MIB):
        assert submission_file(data, "ada.zip").cells == (CODE,)
    assert [path.name for path in tmp_path.iterdir()] == ["ada.zip"]


BAD_ZIPS = {
    "a link in it": (special("rope.py", 0o120777), "line 1"),
    "encrypted": (encrypted(), "encrypted"),
    "not a zip": (b"Rar!\x1a\x07\x01\x00", "not a zip"),
    "empty file": (b"", "not a zip"),
    "empty zip": (archive_of({}), "ada.zip"),
    "cut off": (archive_of({"rope.py": CODE})[:-30], "cannot be read"),
    "damaged": (archive_of({"rope.py": CODE}).replace(b"PK\x03\x04", b"PK\x03\x05"), "cannot be read"),
    "damaged content": (archive_of({"rope.py": CODE}, 0).replace(b"rotate", b"ROTATE"), "CRC"),
    "large member": (archive_of({"rope.py": b"#" * (4 * MIB + 1)}), "larger than 4 MiB"),
    "lying about its size": (lying(b"#" * (300 * MIB), 100), "cannot be read"),
    "zip in zip": (archive_of({"rope.zip": archive_of({"rope.py": CODE})}), "rope.zip"),
    "nothing readable": (archive_of({"rope.docx": b"PK"}), "rope.docx"),
    "two candidates": (archive_of({"a/rope.py": CODE, "b/rope.py": CODE}), "a/rope.py and ada.zip!b/rope.py"),
    "two unnamed": (archive_of({"main.py": CODE, "other.py": CODE}), "main.py and ada.zip!other.py"),
    "empty code": (archive_of({"rope.py": ""}), "no code"),
    "no Python": (archive_of({"rope.py": "def"}), "line 1"),
}


@pytest.mark.parametrize(("data", "word"), BAD_ZIPS.values(), ids=BAD_ZIPS)
def test_a_bad_zip_is_refused(submission_file, data: bytes, word: str) -> None:
    with little_memory(512 * MIB):
        refused(submission_file(data, "ada.zip"), word)


def test_several_assignments_are_one_file_once_it_is_said_which(tmp_path: Path) -> None:
    files = {"rope.py": CODE, "naive.py": "x = 1\n"}
    put(tmp_path, {"zip.zip": archive_of(files)} | {f"ada/{name}": text for name, text in files.items()})
    for given in ("zip.zip", "ada"):
        refused(read_file(tmp_path / given, None, KNOWN), "naive, rope", "--assignment")
        assert read_file(tmp_path / given, "rope", KNOWN).cells == (CODE,)
        assert read_file(tmp_path / given, "naive", KNOWN).cells == ("x = 1\n",)


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


@pytest.mark.parametrize(("path", "wanted"), NAMED.items())
def test_a_name_tells_the_assignment_or_is_a_problem(tmp_path: Path, path: str, wanted: str) -> None:
    """Of names that lie in each other the longest is meant."""
    file = tmp_path / "given" / path
    put(tmp_path / "given", {path: "x = 1\n"})
    submission = read_file(file, None, [*KNOWN, "rope_2d"])
    assert (submission.assignment, submission.file) == (wanted, file.name)
    assert submission.student == ("doejane" if "LATE" in path else file.stem)
    if not wanted:
        refused(submission, "--assignment", file.name)


def test_one_students_folder_can_be_checked_too(tmp_path: Path) -> None:
    """The functions tell the assignment where no name does."""
    put(tmp_path / "mail", {"ada/work/rope.py": CODE, "homework final.py": course.find("rope").solution.read_bytes()})
    ada, other = (read_file(tmp_path / "mail" / name, None, KNOWN) for name in ("ada", "homework final.py"))
    assert (ada.student, ada.assignment, ada.cells) == ("ada", "rope", (CODE,))
    assert (other.student, other.assignment, other.problem) == ("homework final", "rope", None)
