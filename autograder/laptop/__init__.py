"""What a student starts on their own machine: `python -m autograder.checks`, and the checks of a notebook.

    launch           the command line: checks once, at every save, or for the course in the browser
    screen           what is said of an assignment, and how the terminal shows it
    progress         one run of the tests, and where a student stands
    local_context    runs the student's file in this process and hands it to the tests; a pytest plugin
    live_page        the course in the browser: what the checks said, and pictures of one's own functions
    alone            learning without an instructor: hidden tests, reasons, solutions; in a checkout only
    notebook_checks  the same tests on what a notebook defines

It ships to students, but for `alone`, and no other room imports more of it than its front door.
"""

FRONT_DOOR = ("notebook_checks",)
"""The modules that other rooms may import."""
