"""Idea: loop in what Python calls to monitor a program (from 3.12 on): that is not traced itself.

Stopped by: to register such a function is an event, and no call counts after it.
"""

print("TRIED looping in a monitor")
todo = []


def work(*args):
    while todo:
        todo.pop()()


def watched():
    pass


if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(3, "attack")
    sys.monitoring.register_callback(3, sys.monitoring.events.PY_START, work)
    sys.monitoring.set_local_events(3, watched.__code__, sys.monitoring.events.PY_START)


def hidden(loop):
    todo.append(loop)
    watched()
    work()


looping(hidden)
