"""Idea: the frame of an exception's traceback is a frame that sends lines, too.

Stopped by: reading it is an event.
"""

print("TRIED the frame of an error")


def hidden(loop):
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    frame.f_trace_lines = False
    loop()
    frame.f_trace_lines = True


looping(hidden)
