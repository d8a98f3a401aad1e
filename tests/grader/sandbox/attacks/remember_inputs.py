"""Idea: remember what the hidden tests ask, in the module, in files, in the environment, and tell it when the answers are read.

Stopped by: public tests and answers come first, and what a student is told of them is settled before the first hidden call.
"""

import os

print("TRIED remembering inputs", flush=True)
memory = []


def remember(name, args):
    memory.append(carried(args))
    os.environ["MEMORY"] = " ".join(memory)[:1000]
    with open("memory", "a") as file:
        file.write(memory[-1])
    ANSWERS.update(dict.fromkeys(ANSWERS, " ".join(memory)[:1000]))
    print("remembered", *memory[-20:], *os.listdir("."), file=sys.stderr, flush=True)
    raise NotImplementedError


in_every_call(remember)
