"""The machinery of Whereabouts: file → submission → sandbox → suite → score → gradebook → report, one room per step.

This file contains no imports: the sandbox's worker loads `autograder.sandbox`, and nothing else may come with it.
"""
