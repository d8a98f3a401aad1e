"""Idea: execute so many other lines that those of the loop are not twice as many.

Stopped by: one more line per further position is a loop, however many lines there are besides.
"""

print("TRIED drowning the lines")


def hidden(loop):
    for _ in range(3000):
        pass
    loop()


looping(hidden)
