"""The text of a result in Markdown, for every audience, in terminals, feedback files, Otter and pages.

Text that a submission can control appears in a code block, or with all Markdown and HTML characters escaped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING

from autograder.checks.function_status import FunctionStatus, Status
from autograder.checks.results import TestResult, points_possible, points_won
from autograder.protocol.failure_kinds import Kind

if TYPE_CHECKING:
    from rich.console import Console

MAX_UNTRUSTED_LINE_CHARACTERS = 400
"""Maximum length, in characters, of a line that a submission can control."""


class Audience(Enum):
    """The reader of a result, and the stage at which they read it."""

    HOME = auto()
    """A student at home, who may see details of every test that runs there."""
    BEFORE_RELEASE = auto()
    """A student before the results of hidden tests are published."""
    AFTER_RELEASE = auto()
    """A student after the release; for a hidden test, only the rule and the kind of mistake are shown."""
    STAFF = auto()


_MARKUP_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", **{mark: f"\\{mark}" for mark in "\\`*_[]|~"}}
)


def printable_lines(text: str) -> str:
    """Turn text that a submission can control into printable characters in lines of bounded length."""
    if not text.replace("\n", "").isprintable():
        text = text.replace("\t", "    ")
        text = "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
    longest = MAX_UNTRUSTED_LINE_CHARACTERS
    lines = (line if len(line) <= longest else f"{line[: longest - 2]} …" for line in text.split("\n"))
    return "\n".join(lines)


def code_block(text: str) -> str:
    """Turn text that a submission can control into a Markdown code block, where markup has no effect."""
    return "\n".join(f"    {line}" for line in printable_lines(text).split("\n"))


def escape_markdown(text: str) -> str:
    """Escape text that a submission can control, so that it adds no markup, HTML or links to a Markdown sentence."""
    escaped = printable_lines(" ".join(text.split())).translate(_MARKUP_ESCAPES)
    return re.sub(r"(?i)(www)\.", r"\1&#46;", escaped.replace("://", "&#58;//"))


def print_markdown(console: Console, text: str, indent: str = "") -> None:
    """Print Markdown in a terminal without wrapping lines, so that a call can be copied."""
    from rich.text import Text

    for line in text.split("\n"):
        if line.startswith("    "):
            console.print(Text(indent + line, "bold" if line.startswith("    >>> ") else ""), soft_wrap=True)
        elif match := re.match(r"\*\*(.+?)\*\*(.*)|##? (.+)", line):
            if match[3] and line.startswith("##"):
                console.print()
            bold, rest = match[1] or match[3].replace("`", ""), match[2] or ""
            console.print(
                Text.assemble(indent, (without_markdown(bold), "bold"), without_markdown(rest)),
                soft_wrap=True,
            )
        elif line:
            console.print(
                Text(indent + without_markdown(line), {"✓": "green", "✗": "red"}.get(line[0], "")), soft_wrap=True
            )


def without_markdown(text: str) -> str:
    """Return Markdown as plain text, without bold marks and escapes."""
    return html.unescape(re.sub(r"\\(.)", r"\1", re.sub(r"(?m)^\*\*(.+?)\*\*", r"\1", text)))


def points_text(test_results: Sequence[TestResult]) -> str:
    """Return the points won out of the points possible, as text such as `3 of 8`."""
    return f"{points_won(test_results):g} of {points_possible(test_results):g}"


_NOTE_BY_STATUS = {
    Status.RIGHT_ONCE_FIXED: "right, once `{cause}` is right",
    Status.INHERITED: "builds on `{cause}`: fix that first",
    Status.COMPARED: "its test also calls `{cause}`: fix that first",
    Status.WAITING: "waits for `{cause}`",
    Status.UNREACHED: "not defined by your file, for the reason above",
    Status.UNFINISHED: "not implemented yet",
}


def status_note(function_status: FunctionStatus) -> str:
    """Return a short note on a function's status, or an empty string if the function itself has a mistake."""
    cause = function_status.cause if (function_status.cause or "").isidentifier() else "another function"
    words = _NOTE_BY_STATUS.get(function_status.status, "").format(cause=cause)
    promise = "its docstring has a `Raises` line, but your function has no `raise`"
    return "; ".join(filter(None, [words, promise if function_status.lacks_promised_error else ""]))


def mistakes_text(function_status: FunctionStatus, audience: Audience, mistakes_in_full: int = 1) -> str:
    """Return the text about one function's mistakes: the likely cause, and the tests that fail.

    Students see only `mistakes_in_full` failed public tests in full; staff see every failed test in full.
    """
    mistakes, staff = function_status.mistakes, audience is Audience.STAFF
    cause = next((mistake.hint for mistake in mistakes if mistake.hint), None)  # the most serious mistakes come first
    open_to = (Audience.STAFF, Audience.HOME)  # at home, hidden tests only run in self-study
    public = [mistake for mistake in mistakes if audience in open_to or not mistake.test.hidden]
    shown = public if staff else public[:mistakes_in_full]
    parts = [f"**Likely cause:** {cause}"] if cause else []
    for mistake in shown:
        hidden = ", hidden" if mistake.test.hidden else ""
        head = f"`{mistake.test.name}` ({points_text([mistake])}{hidden}): " if staff else ""
        call = f"{mistake.call}\n" if mistake.call else ""
        parts.append(f"{head}{mistake.test.rule}:\n\n{code_block(call + mistake.message)}")
    if audience is not Audience.HOME and len(public) > len(shown):
        parts.append(f"Other public tests of this function that fail: {len(public) - len(shown)}.")
    if audience is Audience.AFTER_RELEASE:
        parts.append(_hidden_test_findings(mistakes, {mistake.kind for mistake in public}, cause is not None))
    return "\n\n".join(filter(None, parts))


def _hidden_test_findings(mistakes: Iterable[TestResult], seen: set[Kind | None], is_explained: bool) -> str:
    """Return what the hidden tests found that the public tests or a known cause do not already explain."""
    seen = seen | {Kind.VALUE} if seen and is_explained else seen
    hidden = [mistake for mistake in mistakes if mistake.test.hidden]
    news = [mistake for mistake in hidden if mistake.kind not in seen]
    if not news:
        return "On inputs that are not shown, the function fails in the same way." if hidden else ""
    lines = dict.fromkeys(f"- {mistake.test.rule}: {mistake.kind.value}." for mistake in news if mistake.kind)
    return "On inputs that are not shown:\n\n" + "\n".join(lines)
