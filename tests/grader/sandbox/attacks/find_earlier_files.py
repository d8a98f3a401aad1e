"""Idea: leave a note for the worker that comes next: what the public tests showed, what the hidden ones asked.

Stopped by: every worker has a new folder.
"""

import os

notes = [name for name in os.listdir(".") if name.startswith("note")]
with attempt("finding a note"):
    refuse_unless(notes)


def note(name, args):
    with open(f"note-{name}", "w") as file:
        file.write(repr(args))
    os._exit(0)


in_every_call(note)
