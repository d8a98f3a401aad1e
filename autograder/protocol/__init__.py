"""A call and its reply, which the wall, the tests and a student's laptop share.

    call     performs one call of a student's function, and describes its result
    codec    plain values ↔ bytes, nothing else
    failure  results of a test and of a submission: kinds of mistakes, and exceptions for them

It ships to students, and imports only numpy and the standard library, because a worker behind the wall loads it.
"""

PUBLIC_MODULES = ("call", "codec", "failure")
"""The modules that other rooms may import."""
