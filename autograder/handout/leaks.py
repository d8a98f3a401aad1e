"""A second lock: finds what must not be in a handout, whatever put it there. The first one is that `bundle` names what
ships.

Texts are compared without spaces, quotes and escapes, so that a line is found inside a notebook's JSON, in prose,
indented otherwise or broken in two. What a stub, a public test or the room of checks says too is no secret.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from autograder.course import assignments, seed, shipped_code
from autograder.handout.stubs import BEGIN, END, answer_texts, stub

ACCIDENT = 24
"""Shorter lines, spaces aside, are written by anybody: `return x` tells nothing."""

NUMBERS = "assignments/writer/weights.npz"
"""The one file that is no text."""


def leaks(files: Mapping[str, bytes]) -> list[str]:
    """One line for each thing in these files that students must not have; empty where there is none."""
    secrets = _secrets()
    once = {content: name for name, content in files.items() if name != NUMBERS}  # a picture lies in two folders
    found = {content: [*_in_file(name, content, secrets)] for content, name in once.items()}
    return [f"{name}: {what}" for name, content in files.items() for what in found.get(content, ())]


def _in_file(name: str, content: bytes, secrets: dict[str, dict[str, str]]) -> Iterator[str]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        yield "no text, and could hold anything"
        return
    # A seed of three digits or fewer cannot be told from any other number, nor one that is the licence's year.
    if len(str(seed())) > 3 and re.search(rf"(?<![\w.+/])(?<!\(c\) ){seed()}(?![\w.+/])", text):
        yield "the term's seed"
    plain = re.sub(r"<[^>]*>", "", text) if name.endswith(".html") else ""  # highlighted code has tags in it
    bare = _bare(text) + _bare(plain)
    windows = {bare[place : place + ACCIDENT] for place in range(len(bare))}
    for beginning, parts in secrets.items():
        if beginning in (windows if len(beginning) == ACCIDENT else bare):
            yield from (what for part, what in parts.items() if part in bare)


def _secrets() -> dict[str, dict[str, str]]:
    """The first letters of each secret → secret → what it is."""
    said = [path.read_text("utf-8") for path in shipped_code()]
    told: dict[str, str] = {BEGIN: "a solution's marks", END: "a solution's marks"}
    for one in assignments():
        solution, hidden = one.solution.read_text("utf-8"), one.hidden_tests.read_text("utf-8")
        said += [stub(solution, one.name), one.public_tests.read_text("utf-8")]
        bodies = re.findall(rf"{BEGIN}(.*?){END}", solution, re.DOTALL)
        told |= dict.fromkeys(bodies, f"a body of {one.name}'s solution")
        told |= dict.fromkeys(answer_texts(solution, one.name), f"an answer of {one.name}")
        told |= dict.fromkeys(re.findall(r"(?m)^def (test_\w+)", hidden), f"a hidden test of {one.name}")
        for whose, text in {"solution": "\n".join(bodies), "hidden tests": hidden}.items():
            # Docstrings are meant to be read; how arguments are taken by the given function is told in lesson 1.
            code = re.sub(r'(?s)""".*?"""', "", text)
            lines = [line for line in code.split("\n") if len(_bare(line)) >= ACCIDENT and "_features(" not in line]
            told |= dict.fromkeys(lines, f"a line of {one.name}'s {whose}")
    public = _bare("\n".join(said))
    secrets: dict[str, dict[str, str]] = {}
    for text, what in told.items():
        if (part := _bare(text)) and part not in public:
            secrets.setdefault(part[:ACCIDENT], {}).setdefault(part, f"{what}: {text.strip()[:60]}")
    return secrets


def _bare(text: str) -> str:
    """A text without what may change when it is copied, indented, quoted or escaped."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), html.unescape(text))
    # A notebook's JSON has each line of a cell in quotes of its own.
    return re.sub(r"""\\n",\s*"|\\[nrt]|[\s"'\\]""", "", text)
