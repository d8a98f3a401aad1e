"""Idea: text that a terminal obeys: clear the screen, forge a line, rename the window, paste into the shell.

Stopped by: what a submission says is shown without control characters.
"""

ESCAPES = "\x1b[2J\x1b[1A\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x9b31m\x90q\x9c\r20 of 20\x08\x08\x00\x7f"
print("TRIED", ESCAPES)


class Rude(Exception):
    pass


Rude.__name__ = "Rude" + ESCAPES.replace("\0", "")


def raise_it(name, args):
    print(ESCAPES)
    raise Rude(ESCAPES)


in_every_call(raise_it)
ANSWERS = {key: ESCAPES for key in ANSWERS}
