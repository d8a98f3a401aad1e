"""Idea: send a reply ahead of each call, so that every later question gets the answer to an earlier one.

Stopped by: an answer to another question is a wrong answer.
"""

import os

from autograder.protocol import call, codec
from autograder.sandbox import wire

print("TRIED replying twice")


def twice(name, args):
    os.write(wire_descriptors()[0], wire.pack_reply(call.Reply(codec.encode(args[0]))))
    return args[0]


in_every_call(twice)
