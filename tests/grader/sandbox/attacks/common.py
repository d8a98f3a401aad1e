"""Beginning of every attack. Every hostile submission consists of the unfinished stub, the text of this file
and the text of the attack, in this order.

An attack is harmless even if the wall fails: its loops, memory and time are bounded, and it contacts no other
machine.

`in_every_call(f)` makes every function of the assignment return f(name, args). `late_in_every_call(f)` makes
every function call f() after more calls than public tests make. `tried()` leaves a file as evidence that the
attack ran. `OPENED` is the mark of the current worker, which a replacement worker must not show to a student.
"""

import contextlib
import hashlib
import os
import sys
import types

FUNCTIONS = [name for name, value in list(globals().items()) if isinstance(value, types.FunctionType)]


def in_every_call(action):
    for name in FUNCTIONS:
        globals()[name] = _calling(action, name)


def _calling(action, name):
    def function(*args, **kwargs):
        return action(name, args)

    function.__name__ = name
    return function


def late_in_every_call(action):
    """Make every function call `action` from the 41st call on, when all public tests have run; every call
    raises NotImplementedError."""
    made = []

    def call(name, args):
        made.append(name)
        if len(made) > 40:
            action()
        raise NotImplementedError

    in_every_call(call)


def tried():
    open("tried", "w").close()


def on_the_wire(data):
    """Write to every open descriptor except those of the standard streams."""
    for descriptor in range(3, 64):
        rest = memoryview(data)
        with contextlib.suppress(OSError):
            while rest:
                rest = rest[os.write(descriptor, rest) :]


def carried(args):
    """Return a mark that identifies these arguments; the tests recognise it in any output."""
    return f"carried{hashlib.sha256(repr(args).encode()).hexdigest()[:32]}"


OPENED = carried((os.getpid(),))
