"""Idea: memory in small pieces, kept for ever.

Stopped by: the limit on address space.
"""

print("TRIED much memory in pieces")
kept = []


def take(name, args):
    with attempt("2 GiB in pieces"):
        for _ in range(2048):
            kept.append(b"x" * (1 << 20))
    kept.clear()
    raise NotImplementedError


in_every_call(take)
