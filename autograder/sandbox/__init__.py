"""The wall: student code runs in a locked worker process that has only numpy.

    zygote   a warm interpreter with numpy loaded; forks a worker for each submission
    worker   the process that loads the submission and answers calls
    function_substitutes  functions that return the grader's answers, in a submission's second worker
    confine  the locks that a worker applies to itself before it loads the submission
    system_calls  the system calls that a worker may make
    wire     the frames between a worker and the grader
    limits   limits for a submission, and for the grader that checks its results
    client   the grader's side: opens workers, waits for replies, kills
    backend  a submission as tests see it: one worker at a time, within overall limits
    escape_attempts  lines of Python that try to break a promise of the sandbox
    self_test  runs the attempts before anything is graded

The grader imports `backend`, `limits` and `self_test`, and what these build on; zygote and worker import nothing from
the project except `protocol.call`, `protocol.codec` and this room.
"""

PUBLIC_MODULES = ("backend", "client", "confine", "limits", "self_test", "function_substitutes")
"""The modules that other rooms may import."""
