"""Batches of submissions: read, graded in warm processes here or on a cluster, stored in the gradebook, written out.

run          one run, from the folders to the results
workers      graders behind the interface of concurrent.futures
gradebook    the single store of submissions and grades; database has its tables and its lock
adjustments  the instructor's corrections by hand
publish      files of a run: output writes grades and feedback, student_table and changes a table each
summary      the run on the screen
"""

PUBLIC_MODULES = ("gradebook", "publish", "run", "workers")
"""Modules that other rooms may import."""
