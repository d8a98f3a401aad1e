"""A call and its reply, which the wall, the tests and a student's laptop share.

    call     makes one call to a student's function, and describes its result
    codec    plain values ↔ bytes, nothing else
    failure  results of tests and submissions: kinds of mistakes, and exceptions for them

Students receive it, and it imports only numpy and the standard library, because a worker behind the wall loads it.
"""

PUBLIC_MODULES = ("call", "codec", "failure")
"""The modules that other rooms may import."""
