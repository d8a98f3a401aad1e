"""Idea: turn the counting of lines off, and loop.

Stopped by: a call that ends without the grader's counting counts as a loop. (Who turns it on again is not noticed.)
"""

print("TRIED turning the trace off")


def hidden(loop):
    sys.settrace(None)
    loop()


looping(hidden)
