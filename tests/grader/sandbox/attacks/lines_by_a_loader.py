"""Idea: turn the counting off through the functions that load libraries, or in code under their name: libraries ask for frames, too.

Stopped by: a library is loaded only where its own module runs, and it is known by its code and not by a name.
"""

import importlib._bootstrap as loader

print("TRIED turning the trace off by a loader")
call = loader._call_with_frames_removed
scope = {"sys": sys}
exec(compile("def off(trace):\n    sys.settrace(trace)\n", "<frozen importlib._bootstrap>", "exec"), scope)


def hidden(loop):
    trace = sys.gettrace()
    call(sys.settrace, None)
    loop()
    call(sys.settrace, trace)
    scope["off"](None)
    loop()
    scope["off"](trace)


looping(hidden)
