"""Idea: turn the counting of lines off by a call that no Python line makes, and leave it off.

Stopped by: the event is the function's own, whoever calls it; and at the end the counting has to be on.
"""

print("TRIED turning the trace off in C")


def hidden(loop):
    list(map(sys.settrace, [None]))
    loop()


looping(hidden)
