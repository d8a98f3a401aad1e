"""The commands and checks that run on a student's own machine: `python -m autograder.checks`, and notebooks.

    checks_command             the command line: checks once, after every save, or with the course in the browser
    terminal_or_tab            the differences between a terminal and a browser tab
    in_process_test_run        one run of the tests on the student's file in this process; a pytest plugin
    public_or_self_study       the choice between a run of the public tests and a run in self-study
    progress_after_run         the state of an assignment after a run, and its text in Markdown
    page_results               the state of an assignment as HTML, for a lesson's page
    live_page                  the server of the course's pages, with results and pictures after every save
    learn_command              the installed package's command `whereabouts learn`, in a learner's folder
    self_study                 hidden tests, reasons and solutions for learning without an instructor; not in a handout
    picture_and_writer_errors  messages about exceptions of the student's functions outside the tests
    notebook_checks            the public tests on a notebook's functions

Students receive this package, except for `self_study` and `learn_command`.
"""

MODULES_FOR_OTHER_PACKAGES = """
    terminal_or_tab checks_command in_process_test_run public_or_self_study notebook_checks page_results
    progress_after_run self_study picture_and_writer_errors
""".split()
"""Modules that other packages of `autograder` may import."""
