"""Everything that knows Otter-Grader.

    generate   the collected pytest tests as Otter's exception-based test files, one a question
    score      results → Otter's GradingResults: scores, totals and Gradescope JSON are Otter's own
    plugin     puts a trusted driver in the place of the student's code under `otter run`, `otter grade` and Gradescope
    package    the zip that these take

Two ways in, one result: the batch loads the generated files in process; Otter's kernel loads the same files.
"""

FRONT_DOOR = ("package", "zips")
"""The modules that other rooms may import."""
