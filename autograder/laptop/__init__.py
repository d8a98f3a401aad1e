"""The commands and checks that run on a student's own machine: `python -m autograder.checks`, and notebooks.

    launch           the command line: checks once, at every save, or with the course in the browser
    host             the differences between a terminal and a browser tab
    local_context    one run of the tests on the student's file in this process; a pytest plugin
    progress         the state of an assignment after a run, and its text in Markdown
    page_state       the same for a lesson's page, as HTML
    lesson_pictures  the lesson's pictures, drawn from the student's functions
    live_page        the server of the course's pages, with results and pictures at every save
    learn            the command `whereabouts learn` of an installed package, in a learner's folder
    self_study       hidden tests, reasons and solutions for learning without an instructor; in a checkout only
    notebook_checks  the same tests on the functions of a notebook

The room ships to students, except for `self_study` and `learn`.
"""

PUBLIC_MODULES = (
    "__main__",
    "host",
    "lesson_pictures",
    "local_context",
    "notebook_checks",
    "page_state",
    "progress",
    "self_study",
)
"""The modules that other rooms may import."""
