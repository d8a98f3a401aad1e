"""Solutions → what students get: a handout that provably holds no answer.

left_open which rules only hidden tests check, by kind
stubs     the committed files that are generated from the solutions
bundle    the handout as a folder and as a zip
leaks     reads every byte of a handout and finds what must not be in it
template  the handout's own README, Makefile and settings
"""

from autograder.handout.bundle import build
from autograder.handout.leaks import leaks
from autograder.handout.stubs import HandoutError, regenerate, stale, stub

__all__ = ["HandoutError", "build", "leaks", "regenerate", "stale", "stub"]
