"""Parses text that somebody else wrote, within bounds: what could take long, or much memory, is not parsed at all.

A submission is read in a process that can be ended; but whoever grades it looks at its text once more, and has no such
process.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
import unicodedata
import warnings

MAX_CODE = 256 * 1024
"""Characters of code. The syntax tree takes up to a thousand times that in bytes, and some parsers quadratic time."""

MAX_BRACES = 10_000
"""Python 3.11 parses the fields of one f-string in quadratic time: 80,000 take 13 s, and so many 0.2 s."""

MAX_MARKS = 200
"""Combining marks in a row. The parser sorts the marks of a name in quadratic time: 262,000 of them take 210 s."""

# The parser stores `import a.b.c…` with all its beginnings, so that a long chain takes quadratic memory.
_CHAIN = re.compile(r"\b(?:[^\W\d]\w*+\.){64}")
_GAPS = re.compile(r"[ \t\f]+|\\\n")


def parse(text: str) -> ast.Module:
    """The syntax tree. Raises SyntaxError or ValueError for text that is no Python, or too dear to parse."""
    if len(text) > MAX_CODE:
        raise ValueError(f"it has more than {MAX_CODE // 1024} KiB of code")
    if text.count("{") > MAX_BRACES:
        raise ValueError(f"it holds more than {MAX_BRACES:,} braces")
    if _CHAIN.search(_GAPS.sub("", text)):
        raise ValueError("it holds a name with more than 64 dots")
    if _most_marks(text) > MAX_MARKS:
        raise ValueError(f"it holds a letter with more than {MAX_MARKS} combining marks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape is the student's affair
        try:
            return ast.parse(text)
        except (RecursionError, SystemError, MemoryError) as error:
            # Python before 3.14 also names the memory where its stack is full.
            raise ValueError("it is nested too deeply, or takes more memory to parse than there is") from error


def _most_marks(text: str) -> int:
    """The length of the longest run of combining marks, as the parser sees them: a character may stand for several."""
    if text.isascii():
        return 0
    characters = itertools.chain.from_iterable(map(_parts, text))
    runs = itertools.groupby(characters, key=lambda character: unicodedata.combining(character) > 0)
    return max((sum(1 for _ in run) for is_mark, run in runs if is_mark), default=0)


@functools.lru_cache(4096)
def _parts(character: str) -> str:
    """What the parser takes a character apart into."""
    return unicodedata.normalize("NFKD", character)
