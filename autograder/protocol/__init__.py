"""Calls and replies, in a form shared by the sandbox, the tests and a student's laptop.

    call           makes one call to a student's function, and describes the result
    codec          converts plain values to bytes and back, and nothing else
    load           loads a student's file, so that as much of it as possible defines its functions
    failure_kinds  names the results of tests and submissions: kinds of mistakes, and the exceptions for them

Students receive this package. It imports only numpy and the standard library, because a sandboxed worker loads it.
"""

MODULES_FOR_OTHER_PACKAGES = ("call", "codec", "load", "failure_kinds")
"""Modules that other `autograder` packages may import."""
