"""What a student starts on their own machine: `python -m autograder.checks`, and the checks of a notebook.

    launch           the command line: checks once, at every save, or for the course in the browser
    local_context    one run of the tests on the student's file in this process; a pytest plugin
    progress         where a student stands by it, and what is said of that, in the terminal and elsewhere
    live_page        the course in the browser: what the checks said, and pictures of one's own functions
    self_study       learning without an instructor: hidden tests, reasons, solutions; in a checkout only
    notebook_checks  the same tests on what a notebook defines

It ships to students, but for `self_study`, and no other room imports more of it than its front door.
"""

PUBLIC_MODULES = ("notebook_checks",)
"""The modules that other rooms may import."""
