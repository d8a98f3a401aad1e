"""What a function should return: the one thing that tests ask of whoever knows the right answers.

Public tests compare with recorded values (`golden`), staff live with the solution (`autograder.grading.catalogue`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from autograder.checks.call import Reply

REFUSED = object()
"""What is wanted of a call with a bad argument: an error."""


class Reference(Protocol):
    """Says what is wanted of one call, and which known mistake a wrong result looks like."""

    def wanted(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The right result of a call, or REFUSED where it is an error."""

    def came(self, function: str, reply: Reply) -> None:
        """Takes note of what came of a call, for whoever looks for its cause afterwards."""

    def answer(self, key: str) -> Any:
        """The right entry of ANSWERS."""

    def known_answers(self, key: str) -> Mapping[float, str]:
        """Known wrong numbers for an entry of ANSWERS, each with its hint."""
