"""Idea: end the process in a call, by its status, abort, address 0, a stack without end, a system call of 32 bits,
another interpreter, the text of an exception; or never end, in one long step inside C with all signals ignored.

Stopped by the grader: a dead worker is a failed call; it is replaced a bounded number of times, and SIGKILL comes from
outside. Seccomp ends a process that calls the system as another architecture would.
"""

import mmap
import platform
import signal

GETPID = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGABRT}:
    signal.signal(number, signal.SIG_IGN)


def overflow():
    sys.setrecursionlimit(10**6)
    nested = []
    for _ in range(10**5):
        nested = [nested]
    return repr(nested) or nested == nested[:]


def call_as_32_bits():
    if platform.machine() == "x86_64":
        memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        memory.write(GETPID)
        if ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))() == os.getpid():
            print("ESCAPED by a 32-bit system call", flush=True)


def start_another_interpreter():
    """No trace would reach it. It finds no library, which ends the process."""
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        import _interpreters as interpreters
    interpreters.run_string(interpreters.create(), "print('ESCAPED into another interpreter')")


class Deadly(Exception):
    def __str__(self):
        os._exit(3)


ENDS = [
    lambda: os._exit(0),
    os.abort,
    lambda: ctypes.string_at(0),
    overflow,
    call_as_32_bits,
    start_another_interpreter,
    lambda: re.match(r"(a*)*b", "a" * 60),
    lambda: None,
]


def die(name, args):
    ENDS[FUNCTIONS.index(name) % len(ENDS)]()
    raise Deadly


in_every_call(die)
