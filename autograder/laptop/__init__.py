"""What a student starts on their own machine: `python -m autograder.checks`, and the checks of a notebook.

    launch           starts the checks, watches over them, starts them again at every save
    lesson_server    the lesson in the browser, which shows what the checks said
    screen           one run of the checks, and what it prints
    progress         where a student stands, by the public tests
    local_context    hands the student's file to the tests; a pytest plugin
    in_process       runs that file in this process
    limit            ends a call that does not return
    notebook_checks  the same tests on what a notebook defines

It ships to students and stands at the top: no other room imports it.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a student may have an older one, and should hear of it once
    raise SystemExit("Python 3.11 or newer is needed; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031 - for old ones

FRONT_DOOR = ("notebook_checks",)
"""The modules that other rooms may import."""
