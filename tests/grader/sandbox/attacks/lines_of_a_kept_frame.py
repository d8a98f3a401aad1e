"""Idea: get at a frame while the file is loaded, when nobody counts, and send no lines from it in a later call: a generator goes on in its frame.

Stopped by: to ask for a frame that may go on is an event at any time, and no call counts after it.
"""

print("TRIED a frame that was kept")
frames, size = [], [0]


def asked():
    frames.append(sys._getframe())
    while True:
        yield
        frames[0].f_trace_lines = False
        for _ in range(size[0]):
            pass


def caught():
    try:
        raise ValueError
    except ValueError as error:
        frames.append(error.__traceback__.tb_frame)
    while True:
        yield
        frames[1].f_trace_lines = False
        for _ in range(size[0]):
            pass


KEPT = [asked(), caught()]
for one in KEPT:
    next(one)
frames.append(KEPT[0].gi_frame)


def hidden(loop):
    size[0] = loop.size
    for one in KEPT:
        next(one)


looping(hidden)
