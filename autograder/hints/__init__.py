"""Likely causes: which known mistake explains what a submission returned.

    catalogue  the known mistakes that people wrote down, and the solution with them in it
    reference  what the solution, and each known mistake, makes of a call
    explain    when a mistake explains what was seen
    golden     the same for a student's machine: what the solution was asked, written down and read

`explain` and `recorded` ship to students; they hold no solution.
"""

PUBLIC_MODULES = ("catalogue", "explain", "golden", "reference")
"""The modules that other rooms may import."""
