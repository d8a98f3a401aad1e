"""The interface to Otter-Grader, which also computes the scores for `grading.otter_scoring`.

    plugin             runs a trusted driver instead of the student's code, under `otter run` and on Gradescope
    gradescope_entry   the entry point of a Gradescope container
    package            the zip for `otter run` and Gradescope

A batch and Otter give the same result: the generated files that a grader process loads in a batch are the same ones
that Otter's kernel loads.
"""

MODULES_FOR_OTHER_PACKAGES = ("package",)
"""Modules that other packages of `autograder` may import."""
