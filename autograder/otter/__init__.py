"""The interface to Otter-Grader. Otter computes the scores for `grading.otter_scoring`.

    plugin             runs a trusted driver instead of the student's code under `otter run` and on Gradescope
    gradescope_entry   the entry point of a Gradescope container
    package            the zip for `otter run` and Gradescope

A batch and Otter give the same result: the batch loads the generated files in a process of the grader, and
Otter's kernel loads the same files.
"""

MODULES_FOR_OTHER_PACKAGES = ("package",)
"""Modules that other packages of `autograder` may import."""
