"""The handout for students, generated from the solutions without their answers.

    stubs_and_recorded_values  committed files that are generated from the solutions
    bundle                     the handout as a folder and as a zip
    otter_files                the handout's Otter files and its notebooks
    leaks                      a search for secrets in a handout
    template                   the handout's README, Makefile and settings
    forms                      templates for Otter test files, notebook cells and solution pages
    solution_pages             the solutions as pages, for publication after the deadline
    new                        the files of a new assignment, copied from new_assignment
    validate                   checks that an assignment has every part before anything is made from it

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
