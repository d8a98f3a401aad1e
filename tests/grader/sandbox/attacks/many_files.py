"""Idea: not much of anything, but a hundred thousand files.

Stopped by: the zygote's watch over the folder.
"""

print("TRIED many files", flush=True)


def fill(name, args):
    with attempt("100 000 files"):
        for number in range(100_000):
            open(f"{name}-{number}", "wb").close()
    raise NotImplementedError


in_every_call(fill)
