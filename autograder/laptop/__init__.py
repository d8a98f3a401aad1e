"""The commands and checks that run on a student's own machine: `python -m autograder.checks` and notebooks.

    checks_command             the command line: checks run once, after every save, or with the course in the browser
    terminal_or_tab            the differences between terminals and browser tabs
    in_process_test_run        one test run on the student's file in this process; a pytest plugin
    public_or_self_study       the choice between running the public tests and self-study
    progress_after_run         an assignment's state after a run, and its text in Markdown
    page_results               an assignment's state as HTML for a lesson's page
    live_page                  the server for course pages, with results and pictures after every save
    learn_command              the installed package's `whereabouts learn` command, in a learner's folder
    self_study                 hidden tests, reasons and solutions for learning without an instructor; not in handouts
    picture_and_writer_errors  messages about exceptions that student functions raise outside tests
    notebook_checks            the public tests, run on a notebook's functions

Students receive this package except for `self_study` and `learn_command`.
"""

MODULES_FOR_OTHER_PACKAGES = """
    terminal_or_tab checks_command in_process_test_run public_or_self_study notebook_checks page_results
    progress_after_run self_study picture_and_writer_errors
""".split()
"""Modules that other `autograder` packages may import."""
