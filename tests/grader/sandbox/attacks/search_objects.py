"""Idea: go through every object that the garbage collector knows, for answers, tests and secrets.

Stopped by: the zygote never had any: it loads numpy and the wall's own modules, in an empty environment.
"""

import gc

texts = []
for thing in gc.get_objects():
    for inside in gc.get_referents(thing):
        if type(inside) is str:
            texts.append(inside)
        elif isinstance(inside, types.CodeType):
            texts.append(inside.co_filename)
found_nothing("searching all objects", "\n".join(texts))
with attempt("finding a loaded solution, test or catalogue"):
    rooms = re.compile(r"/(solutions|hidden|misconceptions)/\w+\.py$")
    refuse_unless(any(rooms.search(text) for text in texts))
