"""A call and its reply: what the wall, the tests and a student's laptop share.

    call     performs one call of a student's function, and says what came of it
    codec    plain values ↔ bytes, nothing else
    failure  what became of a test and of a submission: kinds of mistakes, and the exceptions that carry them

It ships to students, and knows numpy and the standard library alone: a worker behind the wall loads it.
"""

PUBLIC_MODULES = ("call", "codec", "failure")
"""The modules that other rooms may import."""
