"""Likely causes: which known mistake explains what a submission returned.

    catalogue  the known mistakes that people wrote down, and the oracle that recognises them
    signature  the mistakes that follow from a function's signature
    rule       when a mistake explains what was seen
    live       in the grader: what each known mistake would have returned
    carried    a mistake costs once: what builds on it is judged beside it
    recorder   records that for the public tests
    recorded   and a student's machine reads it

`rule` and `recorded` ship to students; they hold no solution.
"""

FRONT_DOOR = ("carried", "catalogue", "live", "recorded", "recorder", "rule", "signature")
"""The modules that other rooms may import."""
