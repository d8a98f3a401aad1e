"""The results of a run as data for lesson pages, both on the live page and in a browser tab."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt

from autograder.checks.function_status import FunctionStatus
from autograder.checks.result_markdown import escape_markdown
from autograder.laptop.progress_after_run import (
    SIGN_BY_STATUS,
    SPOILER_WARNING,
    AssignmentProgress,
    function_text,
    loading_remarks,
    summary_paragraphs,
)

_MARKDOWN = MarkdownIt("commonmark", {"html": False})


def page_results(all_progress: Sequence[AssignmentProgress], adapt: Callable[[str], str] = str) -> dict[str, Any]:
    """Return the state of each assignment's page: a mark and a text for each function, and a text about the file.

    If the file stops or one of its functions did not return, `runs` is False and no pictures are drawn. `adapt` adapts
    each HTML text to the place where it is shown.
    """
    return {
        progress.assignment: {
            "right": len(progress.correct_functions),
            "next": progress.next_function,
            "runs": not progress.file_problem and not progress.file.timed_out_functions,
            "summary": adapt(_file_summary_html(progress)),
            "functions": {
                function.name: [
                    SIGN_BY_STATUS[function.status],
                    adapt(_MARKDOWN.render(function_text(progress, function)) + _folded_solution(progress, function)),
                ]
                for function in progress.function_statuses
            },
        }
        for progress in all_progress
    }


def _file_summary_html(progress: AssignmentProgress) -> str:
    """Return the text about a file. The next step comes early, because the text is shown in a small box."""
    right, *answers, step = summary_paragraphs(progress)
    step = re.sub(r"\blesson \d+, (\w+)(?=\.$)", r"[\g<0>](\1.html)", step)
    parts = [loading_remarks(progress), right, step, *_next_mistake_text(progress), *answers]
    return str(_MARKDOWN.render("\n\n".join(parts)))


def _next_mistake_text(progress: AssignmentProgress) -> list[str]:
    """Return the first likely cause for the next function or, failing that, the first broken rule."""
    functions = (function for function in progress.function_statuses if function.name == progress.next_function)
    mistakes = [mistake for function in functions for mistake in function.mistakes]
    causes = [f"**Likely cause:** {mistake.hint}" for mistake in mistakes if mistake.hint]
    rules = [f"✗ {mistake.test.rule}: {escape_markdown(mistake.message.splitlines()[0])}" for mistake in mistakes[:1]]
    return causes[:1] or rules


def _folded_solution(progress: AssignmentProgress, function: FunctionStatus) -> str:
    """Return a worked solution in a collapsed section, with a warning if the student's function is not right yet."""
    text = progress.run.worked_solution(progress.assignment, function.name)
    if text is None:
        return ""
    warning = "" if function.is_right else f" Your {function.name} is not right yet. {SPOILER_WARNING}"
    return f"<details><summary>A worked solution.{warning}</summary><pre><code>{escape(text)}</code></pre></details>"
