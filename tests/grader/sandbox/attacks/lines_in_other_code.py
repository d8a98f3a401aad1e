"""Idea: loop in code that is compiled from text, under another file's name.

Stopped by: all lines count but those of the standard library and of numpy.
"""

print("TRIED looping in other code")
scope = {}
exec(compile("def run(n):\n    for _ in range(n):\n        pass\n", "elsewhere.py", "exec"), scope)


def hidden(loop):
    scope["run"](loop.size)


looping(hidden)
