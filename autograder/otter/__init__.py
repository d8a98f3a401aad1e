"""The interface to Otter-Grader. Scores are Otter's; `grading.scoring` asks for them.

    plugin     runs a trusted driver instead of the student's code under `otter run` and on Gradescope
    platform   what a platform starts
    package    the zip that these take

Two ways in, one result: the batch loads the generated files in process; Otter's kernel loads the same files.
"""

PUBLIC_MODULES = ("package",)
"""The modules that other rooms may import."""
