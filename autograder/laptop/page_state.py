"""What a lesson's page shows of the checks, in the live page and in a browser tab alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt

from autograder.laptop import progress
from autograder.laptop.progress import Progress


def page_state(all_progress: Sequence[Progress]) -> dict[str, Any]:
    """Return assignment → what its page shows: a mark and a text for each function, and a text for the whole file."""
    html = MarkdownIt("commonmark", {"html": False}).render
    return {
        each.name: {
            "right": len(each.right),
            "next": each.next_function,
            "told": html(f"{progress.beginning(each)}\n\n{progress.ending(each)}"),
            "functions": {
                function.name: [progress.MARKS[function.state], html(progress.section(each, function))]
                for function in each.function_states
            },
        }
        for each in all_progress
    }
