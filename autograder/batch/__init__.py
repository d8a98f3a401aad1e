"""Many submissions: read, graded by warm processes here or on a cluster, kept in the gradebook, written out.

    coordinator     one run, from the folder to the report
    jobs            what passes between coordinator and graders, and the loop that asks them, wherever they run
    grader_process  a grader process
    pool            the grader processes of this machine, a thread for each
    cluster         those of others, through Dask
    gradebook       what was handed in and what it came to: the one place where grades are kept
    output          the files under OUT
    progress_bar    the bar
    postprocessing  similarity and the report, once all is graded
    summary         what it came to
    adjusting       a person's word on a grade

One process coordinates: it alone reads what was handed in and writes anything.
"""

FRONT_DOOR = ("adjusting", "coordinator", "gradebook", "jobs", "pool", "postprocessing")
"""The modules that other rooms may import."""
