"""Tests of output streams: output stays readable even if a stream cannot encode every character."""

from __future__ import annotations

import functools
import io
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import output_encoding
from autograder.course import ROOT

ENCODINGS = ("cp1252:strict", "cp1252:replace", "ascii:strict", "ascii:replace")
SAMPLE = str(ROOT / "tests" / "submissions" / "sinusoidal" / "unfinished.py")
COMMANDS = {
    "autograder grade --help": ["-m", "autograder.cli", "grade", "--help"],
    "autograder check": ["-m", "autograder.cli", "check", SAMPLE],
    "autograder doctor": ["-m", "autograder.cli", "doctor"],
    "checks --alone": ["-m", "autograder.checks", "rope", "--alone"],
    "writer": ["-m", "assignments.writer", "Two tokens θ that"],
}


RUNS = [
    *((command, "cp1252:strict" if command.startswith("autograder") else "ascii:strict") for command in COMMANDS),
    ("autograder doctor", "ascii:strict"),
]
"""Each command with the encoding that lacks the most characters, and one command that uses Click with both encodings.

ASCII lacks every character that cp1252 lacks, but without a locale, Click, which prints for `autograder`, mistakes an
ASCII stream for a UTF-8 stream."""


def printed(text: str, encoding: str) -> str:
    """Return text as printed to a stream with the specified encoding and error handler."""
    name, _, errors = encoding.partition(":")
    stream = io.TextIOWrapper(io.BytesIO(), encoding=name, errors=errors, newline="\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        output_encoding.print_anywhere()
        print(text, end="")
        stream.flush()
    return stream.buffer.getvalue().decode(name)  # type: ignore[attr-defined]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=st.text())
def test_every_text_arrives_and_what_the_stream_has_is_as_it_was(encoding: str, text: str) -> None:
    letters = [printed(letter, encoding) for letter in text]
    assert printed(text, encoding) == "".join(letters)
    for letter, arrived in zip(text, letters, strict=True):
        if letter.encode(encoding.partition(":")[0], "ignore"):
            assert arrived == letter
        else:
            assert arrived and arrived.isascii() and arrived.isprintable()


def test_no_two_marks_look_alike() -> None:
    marks = [printed(mark, "ascii:replace") for mark in "✓✗·±−×"]
    assert marks == ["ok", "fail", "*", "+-", "-", "x"]


def test_letters_are_spelled() -> None:
    assert printed("θ_i ≤ 2π, Ω, x² … é, Ł, 李, \ud800", "ascii:strict") == (
        "theta_i <= 2pi, Omega, x2 ... e, \\u0141, \\u674e, \\ud800"
    )


@functools.cache
def output(command: str, encoding: str) -> str:
    """Return the output of a command that writes to a pipe with the specified encoding."""
    done = subprocess.run(
        [sys.executable, *COMMANDS[command]],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": encoding, "COLUMNS": "200"},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1) and b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    return done.stdout.decode(encoding.partition(":")[0].replace("ascii", "utf-8"))


@pytest.mark.long
@pytest.mark.parametrize(("command", "encoding"), RUNS)
def test_no_command_loses_a_letter_or_its_life(command: str, encoding: str) -> None:
    expected, actual = output(command, "utf-8"), output(command, encoding)
    assert expected and actual.count("?") == expected.count("?")
    assert len(actual.splitlines()) == len(expected.splitlines())
