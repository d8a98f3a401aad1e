"""Idea: loop in code of which only the loop says no line.

Stopped by: where Python traces no line, the steps back are counted.
"""

print("TRIED a loop without lines")
scope = {}
exec(compile("def run(n):\n    x = 1\n    y = 2\n    for _ in range(n):\n        pass\n", "elsewhere.py", "exec"), scope)
code = scope["run"].__code__
honest = next(start for start, _, line in code.co_lines() if line == 4) // 2
rest = len(code.co_code) // 2 - honest
A_LINE_FURTHER, NOWHERE = bytes([0xE8, 2]), bytes([0xF8])  # what one unit of code says
scope["run"].__code__ = code.replace(co_linetable=A_LINE_FURTHER * honest + NOWHERE * rest)


def hidden(loop):
    scope["run"](loop.size)


looping(hidden)
