"""Modules that decide a grade and its feedback.

    grader                     grades one submission
    suite                      an assignment's pytest tests, run on any number of submissions
    suite_run                  the run of a suite on one submission, phase after phase
    follow_through             deducts points for a mistake only once: runs failed tests again with correct values
    follow_through_second_run  the second run of a failed test
    follow_through_processes   the submission in two processes, the second with correct values
    follow_through_limits      limits on the calls that the grader answers with correct values
    ungraded_functions         leaves out the functions that the term does not grade
    otter_scoring              writes the test files that Otter reads, takes Otter's scores, and scales them
    grade                      a grade, and its JSON form
    feedback                   a grade as text for a student or for teaching staff
    answer_key                 the right answers to a lesson's questions, with reasons
    row                        a grade in the gradebook, with corrections by hand
    needs_review               the submissions that teaching staff should look at

Only `grader` and `otter_scoring` load the sandbox and Otter, so a program that only reads grades stays small.
"""

MODULES_FOR_OTHER_PACKAGES = (
    "feedback",
    "grader",
    "answer_key",
    "grade",
    "needs_review",
    "row",
    "otter_scoring",
    "suite",
)
"""Modules that other packages of `autograder` may import."""
