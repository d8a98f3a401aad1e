"""A search for secrets in a handout, as a second safeguard after the list of files in `bundle`.

Texts are compared without spaces, quotes and escapes, so a secret line is found even in a notebook's JSON, in prose,
with different indentation, or split in two. Text that also occurs in a stub, a public test or the `checks` package is
not secret.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Set

from autograder.course import Assignment, all_lessons, seed, shipped_autograder_files
from autograder.handout.stubs_and_recorded_values import BEGIN, END, right_answer_entries, stub

MIN_SECRET_CHARACTERS = 24
"""Minimum length, in characters without spaces, of a secret line; a line such as `return x` reveals nothing."""
LOOKUP_BLOCK_CHARACTERS = MIN_SECRET_CHARACTERS // 2

_TINY_MODEL_FOLDER = "assignments/model/tiny"
BINARY_FILE_PATHS = frozenset(
    {
        "assignments/writer/weights.safetensors",
        "assignments/writer/recorded.npz",
        f"{_TINY_MODEL_FOLDER}/model.safetensors",
        f"{_TINY_MODEL_FOLDER}/logits.npz",
    }
)
"""Paths of files that contain numbers instead of text."""


def leaks(files: Mapping[str, bytes]) -> list[str]:
    """Return a description of each secret in the files; an empty list means that students may receive the files."""
    secrets = _secret_descriptions()
    by_block = _by_block(secrets)
    texts = {name: content for name, content in files.items() if name not in BINARY_FILE_PATHS}
    reasons = {content: [*_in_file(content, secrets, by_block)] for content in set(texts.values())}
    return [f"{name}: {what}" for name, content in texts.items() for what in reasons[content]]


def _by_block(parts: Iterable[str]) -> dict[str, set[str]]:
    """Return the parts that can begin around each block of characters; the empty block holds all short parts."""
    by_block: dict[str, set[str]] = {}
    for part in parts:
        starts = range(LOOKUP_BLOCK_CHARACTERS) if len(part) >= MIN_SECRET_CHARACTERS else ()
        for block in [part[start : start + LOOKUP_BLOCK_CHARACTERS] for start in starts] or [""]:
            by_block.setdefault(block, set()).add(part)
    return by_block


def _parts_in(squeezed: str, by_block: Mapping[str, Set[str]]) -> set[str]:
    """Return the parts that occur in a squeezed text."""
    # A part's first MIN_SECRET_CHARACTERS always contain one of these blocks, so most parts need no search.
    blocks = {
        squeezed[start : start + LOOKUP_BLOCK_CHARACTERS] for start in range(0, len(squeezed), LOOKUP_BLOCK_CHARACTERS)
    }
    likely = {part for block in by_block.keys() & {"", *blocks} for part in by_block[block]}
    return {part for part in likely if part in squeezed}


def _in_file(content: bytes, secrets: Mapping[str, str], by_block: Mapping[str, Set[str]]) -> Iterator[str]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        yield "not text, so it could contain anything"
        return
    # A seed of three or fewer digits, or one that equals the year of the licence, is indistinguishable from other
    # numbers.
    number = str(seed())
    is_distinct = len(number) > 3 and number in text
    if is_distinct and re.search(rf"(?<![\w.+/])(?<!\(c\) ){number}(?![\w.+/])", text):
        yield "the term's seed"
    without_tags = re.sub(r"<[^>]*>", "", text)  # highlighted code contains tags
    squeezed = "".join(map(_squeezed, dict.fromkeys((text, without_tags))))
    if found := _parts_in(squeezed, by_block):
        yield from (what for part, what in secrets.items() if part in found)


def _secret_descriptions() -> dict[str, str]:
    """Return the secrets of all lessons, even those that this term leaves out, each with a description."""
    shown = [path.read_text("utf-8") for path in shipped_autograder_files()]
    secrets = {BEGIN: "a solution's marks", END: "a solution's marks"}
    for assignment in map(Assignment, all_lessons()):
        name = assignment.name
        solution, hidden = assignment.solution.read_text("utf-8"), assignment.hidden_tests.read_text("utf-8")
        shown += [stub(solution, name), assignment.public_tests.read_text("utf-8")]
        secrets |= dict.fromkeys(right_answer_entries(solution), f"an answer of {name}")
        secrets |= dict.fromkeys(re.findall(r"(?m)^def (test_\w+)", hidden), f"a hidden test for {name}")
        for whose, text in {"solution": solution, "hidden tests": hidden}.items():
            # Docstrings are meant to be read, and the first lesson shows how to call the provided function.
            lines = re.sub(r'(?s)""".*?"""', "", text).split("\n")
            long = [
                line for line in lines if len(_squeezed(line)) >= MIN_SECRET_CHARACTERS and "_features(" not in line
            ]
            secrets |= dict.fromkeys(long, f"a line of {name}'s {whose}")
    public = _squeezed("\n".join(shown))
    squeezed = {_squeezed(text): f"{what}: {text.strip()[:60]}" for text, what in secrets.items()}
    in_public = _parts_in(public, _by_block(squeezed))
    return {part: what for part, what in squeezed.items() if part not in in_public}


def _squeezed(text: str) -> str:
    """Return a text without the characters that copying, indenting, quoting or escaping can change."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), html.unescape(text))
    # A notebook's JSON quotes each line of a cell separately.
    return re.sub(r"""\\n",\s*"|\\[nrt]|[\s"'\\]""", "", text)
