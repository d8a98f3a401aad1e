"""Many submissions: read, graded by warm processes here or on a cluster, kept in the gradebook, written out.

    run          one run, from the folder to the report
    workers      graders, behind the interface of concurrent.futures
    gradebook    what was handed in and what it came to: the one place where grades are kept
    adjustments  the instructor's corrections
    output       the files under OUT
    summary      what it came to

One process coordinates: it alone reads what was handed in and writes anything.
"""

FRONT_DOOR = ("gradebook", "run", "workers")
"""The modules that other rooms may import."""
