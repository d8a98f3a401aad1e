"""The handout for students, generated from the solutions without their answers.

    stubs_and_recorded_values  the committed files that are generated from the solutions
    bundle                     the handout as a folder and as a zip
    otter_files                the handout's files for Otter and its notebooks
    leaks                      the search for secrets in a handout
    template                   the handout's README, Makefile and settings
    forms                      templates of Otter's test files, of a notebook's cells and of a solution's page
    solution_pages             the solutions as pages, for publication after the deadline
    new                        the files of a new assignment, from new_assignment
    validate                   parts that an assignment must have before anything is made from it

Students receive only the files that `bundle` lists.
"""

from autograder.handout.bundle import PAGES_FOLDER, build_handout, contents
from autograder.handout.leaks import leaks
from autograder.handout.new import create_assignment
from autograder.handout.stubs_and_recorded_values import HandoutError, regenerate
from autograder.handout.validate import first_problem

__all__ = [
    "PAGES_FOLDER",
    "HandoutError",
    "build_handout",
    "contents",
    "create_assignment",
    "first_problem",
    "leaks",
    "regenerate",
]
