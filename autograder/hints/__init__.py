"""Likely causes: the known mistakes that explain the results of a submission.

    catalogue  the known mistakes, and the solution with one of them in it
    reference  the oracle of the grader: the solution, with and without each known mistake
    golden     the oracle of a student's machine: recorded values of the solution
    explain    the rule by which a known mistake explains the calls of a function

`explain` and `golden` ship to students; they contain no solution.
"""

PUBLIC_MODULES = ("catalogue", "explain", "golden", "reference")
"""Modules that other rooms may import."""
