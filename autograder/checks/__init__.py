"""What a test may say about a submission, in the words of the lesson.

This room ships to students: it imports numpy, pytest, hypothesis and rich, holds no answer, and knows nothing of
graders. The same tests run through it on a laptop (the student's file in this process), in the grader (the file
behind the wall) and on the reference solutions.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a student may have an older one, and should hear of it once
    raise SystemExit("Python 3.11 or newer is needed; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031 - for old ones

FRONT_DOOR = (
    "call",
    "codec",
    "expect",
    "explanation",
    "failure",
    "golden",
    "plugin",
    "proxy",
    "source",
    "status",
    "test_result",
)
"""The modules that other rooms may import."""
