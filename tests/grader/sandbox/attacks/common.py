"""What every attack starts with. A submission is the honest stub, then `TARGETS`, then this file, then the attack.

An attack is safe where the wall fails: its loops, memory and time are bounded, it sends nothing anywhere, it acts on
processes that it started or that the test started for it, and it writes to the test's canaries alone.

    TARGETS           what the test set up to be attacked: files, folders, processes
    attempt(what)     a block that should be stopped; what it says tells the test that it was not
    attempts(lines)   the same for each line
    in_every_call(f)  makes every function of the assignment return f(name, args)
    late_in_every_call(f)  makes them call f() once they were called more often than public tests do
    SECRET, PROJECT   a file that nobody may read, and where the grader's own code lies
    OPENED            a mark of this worker alone: what one that replaces another must not get to a student
"""

import contextlib
import ctypes
import hashlib
import os
import re
import sys
import types

FUNCTIONS = [name for name, value in list(globals().items()) if isinstance(value, types.FunctionType)]
SECRET = os.path.join(TARGETS["folder"], TARGETS["files"][0])
PROJECT = next(iter(sys.modules["autograder"].__path__)).rpartition("/")[0]
libc = ctypes.CDLL(None, use_errno=True)
print("TRIED", flush=True)


@contextlib.contextmanager
def attempt(what):
    try:
        yield
    except (NameError, AttributeError, TypeError) as error:
        print("BROKEN", what, error, flush=True)
    except BaseException:
        return
    else:
        print("ESCAPED", what, flush=True)


def attempts(lines, **given):
    for line in lines.strip().splitlines():
        with attempt(f"{line.strip()} {list(given.values()) or ''}"):
            exec(line.strip(), globals() | given)


def refuse_unless(condition):
    """For an attempt that fails by getting nothing, without any error."""
    if not condition:
        raise PermissionError


def system_call(name, *arguments):
    """A function of the C library, or a system call by its number."""
    call = getattr(libc, name) if isinstance(name, str) else lambda *rest: libc.syscall(name, *rest)
    if call(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def found_nothing(what, text):
    """Reports a canary, which the test has hidden where a submission has no business, in some text."""
    if re.search("canary-[0-9a-f]{32}", text):
        print("ESCAPED", what, flush=True)


def in_every_call(action):
    for name in FUNCTIONS:
        globals()[name] = _calling(action, name)


def _calling(action, name):
    def function(*args, **kwargs):
        return action(name, args)

    function.__name__ = name
    return function


def late_in_every_call(action):
    """As above, after 40 calls, which are more than public tests make; all of them raise NotImplementedError."""
    made = []

    def call(name, args):
        made.append(name)
        if len(made) > 40:
            action()
        raise NotImplementedError

    in_every_call(call)


def wire_descriptors():
    """Every descriptor that is open and not one of the first three."""
    found = []
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            os.fstat(descriptor)
            found.append(descriptor)
    return found


def carried(args):
    """A mark of some arguments that the test recognises wherever it turns up."""
    return f"carried{hashlib.sha256(repr(args).encode()).hexdigest()[:32]}"


OPENED = carried((os.getpid(),))
