"""Idea: tell the one frame that loops to send no lines, and take that back at the end.

Stopped by: to get at a frame is an event as well, by whatever name it is asked for.
"""

print("TRIED a frame without lines")


def hidden(loop):
    def generator():
        (frame := mine.gi_frame).f_trace_lines = False
        loop_here = range(200)
        for _ in loop_here:
            pass
        frame.f_trace_lines = True
        yield

    mine = generator()
    list(mine)
    frame = sys._getframe(1)
    frame.f_trace_lines = False
    trace, frame.f_trace = frame.f_trace, None
    loop()
    frame.f_trace_lines, frame.f_trace = True, trace


looping(hidden)
