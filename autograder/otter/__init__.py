"""The interface to Otter-Grader, which also computes the scores for `grading.otter_scoring`.

    plugin             runs a trusted driver instead of the student's code, under `otter run` and on Gradescope
    gradescope_entry   the entry point of a Gradescope container
    package            the zip for `otter run` and Gradescope

A batch and Otter give the same result: in a batch, a grader process loads the same generated files as Otter's kernel.
"""

MODULES_FOR_OTHER_PACKAGES = ("package",)
"""Modules that other `autograder` packages may import."""
