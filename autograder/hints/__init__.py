"""Likely causes: which known mistake explains what a submission returned.

    catalogue  the known mistakes that people wrote down, and the solution with them in it
    rule       when a mistake explains what was seen
    observed   what a submission was seen to do
    oracle     all that is known of an assignment: what the solution and each known mistake make of a call
    live       in the grader: what is behind each mistake that was seen
    recorder   records for the public tests what the oracle says
    recorded   and a student's machine reads it

`rule` and `recorded` ship to students; they hold no solution.
"""

FRONT_DOOR = ("catalogue", "live", "observed", "oracle", "recorded", "recorder", "rule")
"""The modules that other rooms may import."""
