"""Many submissions: read, graded by warm processes here or on a cluster, kept in the gradebook, written out.

`run` is one run, from the folder to the report; `workers` are graders behind the interface of concurrent.futures; the
`gradebook` is the one place where grades are kept; `adjustments` are the instructor's; `output` and `summary` say what
it came to. One process coordinates: it alone writes anything.
"""

PUBLIC_MODULES = ("gradebook", "run", "workers")
"""The modules that other rooms may import."""
