"""Everything that decides a grade, and what a student is told of it.

suite        an assignment's pytest tests, collected once and run on any number of submissions
catalogue    the known mistakes, and the oracle that recognises them
grader       one submission → one grade
scoring      test results → Otter's scores; otter_files has the files that Otter reads, wording what Otter says
result       a grade, and its form as JSON
row          a grade as it travels, and a row of the gradebook
review       which rows a person should look at, and where
feedback     a grade → words for a student
"""

FRONT_DOOR = ("adjustment", "catalogue", "feedback", "grader", "otter_files", "result", "review", "row", "scoring", "suite", "wording")
"""The modules that other rooms may import."""
