"""The wall: student code runs in a locked worker process that has only numpy.

    zygote                a warm interpreter with numpy loaded, which forks a worker for each submission
    worker                the process that loads the submission and answers calls
    function_substitutes  functions that return the grader's answers in a submission's second worker
    confine               the locks that a worker applies to itself before loading the submission
    system_calls          the system calls that a worker may make
    wire                  the frames between a worker and the grader
    limits                limits on a submission, and on the grader while it checks results
    client                the grader's side, which opens workers, waits for replies and kills workers
    sandboxed_submission  a submission as tests see it: one worker at a time, within overall limits
    escape_attempts       lines of Python that try to break one of the sandbox's promises
    self_test             runs the attempts before any submission is graded

The grader imports `sandboxed_submission`, `limits` and `self_test`, and the modules that these build on. The only parts
of the project that zygote and worker import are `protocol.call`, `protocol.codec`, `protocol.load` and this package.
"""

MODULES_FOR_OTHER_PACKAGES = (
    "sandboxed_submission",
    "client",
    "confine",
    "limits",
    "self_test",
    "function_substitutes",
)
"""Modules that other `autograder` packages may import."""
