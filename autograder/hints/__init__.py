"""Likely causes: the known mistakes that explain a submission's results.

    catalogue         the known mistakes, and the solution with one of them in it
    reference_oracle  the oracle in the grader: the solution, with and without each known mistake
    golden_values     the oracle on a student's machine: values recorded from the solution
    likely_causes     the rule for when a known mistake explains the calls to a function

Students receive `likely_causes` and `golden_values`, which contain no solution.
"""

MODULES_FOR_OTHER_PACKAGES = ("catalogue", "likely_causes", "golden_values", "reference_oracle")
"""Modules that other `autograder` packages may import."""
