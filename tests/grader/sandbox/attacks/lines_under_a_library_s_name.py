"""Idea: loop in code that is compiled under the name of a file whose lines do not count.

Stopped by: a library's code is known by itself, as it was before the submission was loaded or as its file has it; a name proves nothing.
"""

import os

import numpy

LOOP = "def run(n):\n    for _ in range(n):\n        pass\n"
counter = sys.modules["autograder.protocol.call"].__file__ if "autograder.protocol.call" in sys.modules else "call.py"
names = ["<frozen importlib._bootstrap>", "<frozen anything>", numpy.__file__, os.__file__, counter]
runs = []
for name in names:
    print("TRIED looping under the name of", os.path.basename(name))
    scope = {}
    exec(compile(LOOP, name, "exec"), scope)
    runs.append(scope["run"])
    print("TRIED looping in code that was renamed to", os.path.basename(name))
    exec(compile(LOOP, "elsewhere.py", "exec"), scope)
    scope["run"].__code__ = scope["run"].__code__.replace(co_filename=name)
    runs.append(scope["run"])


def hidden(loop):
    for run in runs:
        run(loop.size)


looping(hidden)
