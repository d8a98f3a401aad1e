"""Idea: turn the counting of lines off for the length of a loop, and on again.

Stopped by: Python reports it to an audit hook, which nothing removes; a call that did so counts as a loop.
"""

print("TRIED turning the trace off")


def hidden(loop):
    trace = sys.gettrace()
    sys.settrace(None)
    loop()
    sys.settrace(trace)


looping(hidden)
