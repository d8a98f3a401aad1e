"""The assignment mentioned by the name of a file or folder."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from typing import NamedTuple


class Mention(NamedTuple):
    """The assignment mentioned by a name, if any.

    The match is exact if the name is the assignment's name.
    """

    assignment: str = ""
    is_exact: bool = False

    @property
    def strength(self) -> int:
        """Sort key: of several mentions, the strongest counts."""
        return bool(self.assignment) + self.is_exact


def mention(name: str, assignments: Collection[str]) -> Mention:
    """Return the assignment that a name contains as a word, or an empty mention if it contains none or several.

    If one matching assignment's name contains another's, as rope_2d contains rope, the longest counts.
    """
    words = f"_{_snake_case(name)}_"
    named = {each for each in assignments if f"_{_snake_case(each)}_" in words}
    outer = [each for each in named if not any(each != other and f"_{each}_" in f"_{other}_" for other in named)]
    if len(outer) != 1:
        return Mention()
    return Mention(outer[0], is_exact=outer[0].casefold() == name.casefold())


def words_besides_assignment(name: str, assignment: str) -> frozenset[str]:
    """Return the words of three or more letters in a name, other than those of the assignment's name."""
    rest = f"_{_snake_case(name)}_".replace(f"_{_snake_case(assignment)}_", "_")
    return frozenset(re.findall(r"[^\W\d_]{3,}", rest))


def name_besides_assignment(name: str, assignment: str) -> str:
    """Return a name without the assignment's, such as ada for rope_ada, or the whole name if nothing else is left."""
    words = r"[\W_]+".join(map(re.escape, _snake_case(assignment).split("_")))
    parts = re.split(rf"(?:^|[\W_]+){words}(?:[\W_]+|$)", name, flags=re.IGNORECASE) if assignment else []
    return "_".join(filter(None, parts)) or name


@functools.lru_cache(4096)
def _snake_case(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
