"""Batch grading: read and grade a class's submissions, store the grades in a gradebook, and write the results.

run           one run, from the folders to the results
workers       graders with a concurrent.futures interface
gradebook     the single store of submissions and grades; gradebook_database defines its tables and its lock
adjustments   the instructor's manual corrections
output_files  a run's files: grades_and_feedback writes tables and feedback, changes compares with the last run
summary       the run's result on the screen
"""

MODULES_FOR_OTHER_PACKAGES = ("gradebook", "output_files", "run", "workers")
"""Modules that other `autograder` packages may import."""
