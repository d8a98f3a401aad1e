"""Solutions → what students get: a handout that holds no answer.

    stubs      the committed files that are generated from the solutions
    bundle     the handout as a folder and as a zip
    otter_files   what Otter and notebooks read in it
    leaks      a second lock: finds what must not be in a handout
    template   the handout's own README, Makefile and settings
    forms      Otter's test files, a notebook's cells and the page of a solution, to be filled in
    solutions  the solutions as pages, for after the deadline
    new        the files of a new assignment, from new_assignment
    validate      what an assignment must have before anything is made of it

What `bundle` does not name does not ship.
"""

from autograder.handout.bundle import COURSE, build, contents
from autograder.handout.leaks import leaks
from autograder.handout.new import create
from autograder.handout.stubs import HandoutError, regenerate, stale, stub, write
from autograder.handout.validate import complaint

__all__ = [
    "COURSE",
    "HandoutError",
    "build",
    "complaint",
    "contents",
    "create",
    "leaks",
    "regenerate",
    "stale",
    "stub",
    "write",
]
