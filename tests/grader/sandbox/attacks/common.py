"""What every attack starts with. A submission is the honest stub, then this file, then `TARGETS`, then the attack.

An attack is safe where the wall fails: its loops, memory and time are bounded, it stays on the loopback, it acts on processes
that it started or that the test started for it, and it writes to the test's canaries alone.

    TARGETS           what the test set up to be attacked: files, folders, processes, listeners
    attempt(what)     a block that should be stopped; what it says tells the test whether it was
    in_every_call(f)  makes every function of the assignment return f(name, args)
    looping(hidden)   makes every function loop over the sequence in hidden(loop), before it does what it does; loop.size says how often
    OPENED            a mark of this worker alone: what one that replaces another must not get to a student
"""

import contextlib
import re
import sys
import types

FUNCTIONS = [name for name, value in list(globals().items()) if isinstance(value, types.FunctionType)]

CANARY = re.compile(r"canary-[0-9a-f]{32}")
"""What the test has hidden in files, environments and memory that are none of a submission's business."""


@contextlib.contextmanager
def attempt(what):
    print("TRIED", what, flush=True)
    try:
        yield
    except (NameError, AttributeError, TypeError) as error:
        print("BROKEN", what, error, flush=True)
    except BaseException as error:
        print("STOPPED", what, type(error).__name__, flush=True)
    else:
        print("ESCAPED", what, flush=True)


def found_nothing(what, text):
    """Reports a canary in some text that the attack could lay hands on."""
    print("TRIED", what, flush=True)
    if CANARY.search(text):
        print("ESCAPED", what, flush=True)


def refuse_unless(condition):
    """For an attempt that fails by getting nothing, without any error."""
    if not condition:
        raise PermissionError


def in_every_call(action):
    for name in FUNCTIONS:
        globals()[name] = _calling(action, name)


def _calling(action, name):
    def function(*args, **kwargs):
        return action(name, args)

    function.__name__ = name
    return function


def looping(hidden):
    for name in FUNCTIONS:
        globals()[name] = _looping(hidden, globals()[name])


def _looping(hidden, honest):
    def function(*args, **kwargs):
        def loop():
            for _ in range(loop.size):
                pass

        loop.size = max((size for array in args for size in getattr(array, "shape", ())), default=0)
        hidden(loop)
        return honest(*args, **kwargs)

    function.__name__ = honest.__name__
    return function


def project():
    """Where the grader's own code lies, as far as a submission can see."""
    import autograder

    return next(iter(autograder.__path__)).rpartition("/")[0]


def wire_descriptors():
    """Every descriptor that is open and not one of the first three."""
    import os

    found = []
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            os.fstat(descriptor)
            found.append(descriptor)
    return found


def carried(args):
    """A mark of some arguments that the test recognises wherever it turns up."""
    import hashlib

    return f"carried{hashlib.sha256(repr(args).encode()).hexdigest()[:32]}"


def _opened():
    import os

    return carried((os.getpid(),))


OPENED = _opened()
