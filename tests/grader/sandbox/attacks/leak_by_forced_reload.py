"""Idea: end a worker in the middle of a hidden test, so that the time at which it ends reveals something
about the input. While the replacement worker loads the file, it prints its mark, imports a module of this
name, and raises an exception with the mark.

Defence: what a student reads about loading the file is final before the first hidden call.
"""

import importlib

tried()
print(OPENED)
late_in_every_call(lambda: os._exit(0))
with contextlib.suppress(ImportError):
    importlib.import_module(OPENED)
raise RuntimeError(OPENED)
