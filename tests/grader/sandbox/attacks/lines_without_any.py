"""Idea: let C call a function that says no line and has no loop.

Stopped by: where Python traces no line, the calls are counted.
"""

print("TRIED calls without lines")


def step(x):
    return x


step.__code__ = step.__code__.replace(co_linetable=bytes([0xF8]) * (len(step.__code__.co_code) // 2))


def hidden(loop):
    list(map(step, range(loop.size)))


looping(hidden)
