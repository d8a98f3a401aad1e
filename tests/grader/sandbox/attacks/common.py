"""The beginning of every attack. A submission is the honest stub, then this file, then the attack.

An attack is safe even if the wall fails: its loops, memory and time are bounded, and it sends nothing anywhere.

    in_every_call(f)       makes every function of the assignment return f(name, args)
    late_in_every_call(f)  makes them call f() after more calls than public tests make
    tried()                records in a file that the attack was made
    OPENED                 a mark of this worker alone, which a replacement worker must not get to a student
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
    """Do the same after 40 calls, more than public tests make; those calls raise NotImplementedError."""
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
    """Write to every open descriptor except the first three."""
    for descriptor in range(3, 64):
        rest = memoryview(data)
        with contextlib.suppress(OSError):
            while rest:
                rest = rest[os.write(descriptor, rest) :]


def carried(args):
    """Return a mark for some arguments, which the test recognises in any output."""
    return f"carried{hashlib.sha256(repr(args).encode()).hexdigest()[:32]}"


OPENED = carried((os.getpid(),))
