"""The commands and checks that run on a student's own machine: `python -m autograder.checks`, and notebooks.

    launch           the command line: checks once, after every save, or with the course in the browser
    check_places     the differences between a terminal and a browser tab
    local_context    one run of the tests on the student's file in this process; a pytest plugin
    progress         the state of an assignment after a run, and its text in Markdown
    page_results     the state of an assignment as HTML, for a lesson's page
    live_page        the server of the course's pages, with results and pictures after every save
    learn            the installed package's command `whereabouts learn`, in a learner's folder
    self_study       hidden tests, reasons and solutions for learning without an instructor; not in a handout
    student_errors   messages about exceptions of the student's functions outside the tests
    notebook_checks  the public tests on a notebook's functions

Students receive this package, except for `self_study` and `learn`.
"""

IMPORTABLE_MODULES = """
    check_places launch local_context notebook_checks page_results progress self_study student_errors
""".split()
"""Modules that other packages of `autograder` may import."""
