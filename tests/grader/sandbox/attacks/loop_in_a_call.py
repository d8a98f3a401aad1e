"""Idea: never return.

Stopped by: the grader's clock; after two such calls a function is not called again.
"""

print("TRIED a loop in a call", flush=True)


def loop(name, args):
    while True:
        pass


in_every_call(loop)
