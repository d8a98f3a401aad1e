"""Idea: sabotage the worker. Every reply is True, the built-in functions and numpy find all values equal,
modules and streams are missing, and hooks, traces and profilers misbehave.

Defence: each worker belongs to a single submission. A worker's replies are only values, and another process
decides whether these values are right.
"""

import builtins
import gc
import threading
import warnings

import numpy as np

from autograder.protocol import call, codec

tried()
success = codec.encode(True)
call.perform = lambda module, asked: call.Reply(success, executed_lines=0)
sys.modules["autograder.checks.expect"] = types.ModuleType("expect")
builtins.isinstance = lambda *args: True
builtins.abs = lambda value: 0
builtins.all = builtins.any = lambda values: True
builtins.AssertionError = ValueError
for name in ("allclose", "isclose", "array_equal", "all", "abs", "isnan", "max"):
    setattr(np, name, lambda *args, **kwargs: True)
np.testing.assert_allclose = lambda *args, **kwargs: None
sys.stdout = sys.stderr = None
sys.excepthook = sys.displayhook = None
threading.settrace(lambda *args: 1 / 0)
sys.setprofile(lambda *args: None)
sys.setswitchinterval(100)
gc.disable()
warnings.catch_warnings = None
for name in list(sys.modules):
    if name not in ("sys", "builtins", "__main__"):
        del sys.modules[name]
