"""Messages about exceptions that a student's functions raise outside tests: in the writer and in pictures."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

STUDENT_FILE = re.compile(r"assignments[/\\](\w+)[/\\]\1\.py$")
"""Pattern for the end of a path to a student's file."""

MAX_MESSAGE_CHARACTERS = 300
"""Maximum length, in characters, of an exception's message."""


def error_sentence(error: BaseException) -> str:
    """Return a message about an exception that names the student's function and line, as the checks do."""
    if isinstance(error, SyntaxError) and STUDENT_FILE.search(error.filename or ""):
        return f"Your file cannot run: {error.msg} at line {error.lineno} of {Path(error.filename or '').name}."
    function, where = called_function_and_line(error)
    message = f"{type(error).__name__}{where}: {error}"[: MAX_MESSAGE_CHARACTERS + len(where)]
    if not function:
        return f"The results of your functions do not fit together ({message})."
    return f"{function} raised {message}"


def called_function_and_line(error: BaseException) -> tuple[str, str]:
    """Return the student's function that was called, and words for the line that raised the exception.

    Both are empty if no function in a student's file was running.
    """
    steps = [
        (frame.f_code, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if STUDENT_FILE.search(frame.f_code.co_filename)
    ]
    if not steps:
        return "", ""
    called, (code, line) = steps[0][0].co_name, steps[-1]
    return "Your file" if called == "<module>" else called, f" at line {line} of {Path(code.co_filename).name}"
