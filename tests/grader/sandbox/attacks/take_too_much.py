"""Idea: memory in small pieces, threads without end, a file without end, very many files, output without end.

Stopped by the system: the limits on address space, tasks and a file's length; the zygote's watch over threads and the
folder; the grader keeps 64 KiB of what is printed, and throws away the rest.
"""

import threading
import time


def memory():
    kept = [b"x" * (1 << 20) for _ in range(2048)]
    print("ESCAPED with", len(kept), "MiB")


def threads():
    with attempt("200 threads"):
        for _ in range(200):
            threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
        time.sleep(0.2)


def long_files():
    with attempt("512 MiB"):
        for number in range(64):
            with open(f"long-{number}", "wb") as file:
                file.write(b"x" * (8 << 20))
            time.sleep(0.01)


def many_files():
    with attempt("100 000 files"):
        for number in range(100_000):
            open(f"many-{number}", "wb").close()


def output():
    for _ in range(256):
        os.write(1, b"y" * (1 << 16))


def take(name, args):
    [memory, threads, long_files, many_files, output][FUNCTIONS.index(name) % 5]()
    raise NotImplementedError


in_every_call(take)
