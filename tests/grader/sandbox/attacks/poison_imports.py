"""Idea: change what the next interpreter imports: compiled files of the standard library, numpy and the grader.

Stopped by: Landlock: the interpreter's own files are open to be read only.
"""

import importlib.util
import os

import numpy

for module in (os, re, numpy, sys.modules["autograder.protocol.codec"]):
    for path in (module.__file__, importlib.util.cache_from_source(module.__file__)):
        with attempt(f"writing to {os.path.basename(path)}"):
            os.close(os.open(path, os.O_WRONLY))
