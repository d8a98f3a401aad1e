"""Idea: leave a note in one part for the next: what the public tests showed, what the hidden ones asked.

Stopped by: every worker begins in an empty folder.
"""

import os

notes = [name for name in os.listdir(".") if name.startswith("note")]
with attempt("finding a note"):
    refuse_unless(notes)


def note(name, args):
    with open(f"note-{name}", "w") as file:
        file.write(repr(args))
    raise NotImplementedError


in_every_call(note)
