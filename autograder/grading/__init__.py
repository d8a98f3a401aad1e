"""Modules that decide a grade and its feedback.

    grader           grades one submission
    suite            an assignment's pytest tests, collected once and run on any number of submissions
    follow_through   a mistake costs once: failed tests run again with right values from the functions they build on
    retry            the second run of a failed test
    two_processes    the submission being graded, and its second process, which uses right values
    exchange_limits  the size and the cost of questions between the two processes
    optional         functions that the term does not grade, and the score without them
    scoring          the test files that Otter reads, and its scores and texts
    grade            a grade, and its JSON form
    feedback         a grade as text for a student or for teaching staff
    quiz             the right answers and their reasons
    row              a grade in the gradebook, with corrections by hand
    needs_review     the submissions that teaching staff should look at

Only `grader` and `scoring` load Otter and the sandbox, so a program that only reads grades stays small.
"""

PUBLIC_MODULES = ("feedback", "grader", "quiz", "grade", "needs_review", "row", "scoring", "suite")
"""Modules that other rooms may import."""
