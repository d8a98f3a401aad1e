"""Idea: keep the audit hook out: a hook that raises keeps any later one from being added, and one may change what it is told.

Stopped by: the hook that watches is added before the file is loaded.
"""

import threading

print("TRIED silencing the hook")


def silent(event, arguments):
    if event == "sys.addaudithook":
        raise RuntimeError


sys.addaudithook(silent)
threading.settrace(None)
sys.setprofile(None)


def hidden(loop):
    trace = sys.gettrace()
    sys.settrace(None)
    loop()
    sys.settrace(trace)


looping(hidden)
