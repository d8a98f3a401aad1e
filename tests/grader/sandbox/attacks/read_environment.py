"""Idea: tokens and paths of the grader in the environment, the arguments, or the main module.

Stopped by: the zygote starts in an environment of its own, and drops its arguments.
"""

import os

import __main__

found_nothing("the environment", repr(dict(os.environ)))
found_nothing("the main module", repr({name: repr(value)[: 10**4] for name, value in vars(__main__).items()}))
with attempt("an unexpected variable"):
    ours = "LANG|LC_CTYPE|HOME|TMPDIR|MALLOC_ARENA_MAX|PYTHON(HASHSEED|DONTWRITEBYTECODE)|[A-Z]+_(NUM|MAXIMUM)_THREADS"
    refuse_unless([name for name in os.environ if not re.fullmatch(ours, name)])
