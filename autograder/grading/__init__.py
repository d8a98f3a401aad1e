"""Modules that decide a grade and its feedback.

    grader                     grades one submission
    suite                      an assignment's pytest tests, which can run on any number of submissions
    suite_run                  a run of a suite on one submission, phase by phase
    follow_through             deducts points for a mistake only once by rerunning failed tests with correct values
    follow_through_second_run  the second run of a failed test
    follow_through_processes   the submission in two processes, the second of which uses correct values
    follow_through_limits      limits on the calls that the grader answers with correct values
    ungraded_functions         leaves out functions that are not graded this term
    otter_scoring              writes the test files that Otter reads, takes Otter's scores, and scales them
    otter_namespace            the namespace for those test files, for the grader and for Otter's kernel
    grade                      a grade, and its JSON form
    feedback                   a grade as text for a student or for teaching staff
    answer_key                 the right answers to a lesson's questions, with reasons
    row                        a grade in the gradebook, with manual corrections
    needs_review               the submissions that teaching staff should look at

Only `grader` and `otter_scoring` load the sandbox and Otter, so programs that only read grades stay small.
"""

MODULES_FOR_OTHER_PACKAGES = (
    "feedback",
    "grader",
    "answer_key",
    "grade",
    "needs_review",
    "row",
    "otter_namespace",
    "otter_scoring",
    "suite",
)
"""Modules that other `autograder` packages may import."""
