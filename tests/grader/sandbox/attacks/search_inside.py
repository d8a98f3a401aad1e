"""Idea: what a worker inherits: environment, arguments, main module, stack, every object, names that imports remember,
the environment block as the kernel laid it out.

Stopped by the system: the zygote starts in an environment of its own, never reads an answer, and forgets before it
forks.
"""

import gc

import __main__


looked = []


def look(name, args):
    if looked:
        raise NotImplementedError
    looked.append(name)
    frame, seen = sys._getframe(), []
    while frame is not None:
        seen += [frame.f_code.co_filename, repr(frame.f_locals)[:5000], repr(list(frame.f_globals))]
        frame = frame.f_back
    found_nothing("climbing the stack", "".join(seen))
    with attempt("finding a test in the stack"):
        refuse_unless(re.search("pytest|hypothesis|tests/hidden|solutions", "".join(seen)))
    raise NotImplementedError


in_every_call(look)
environ = (ctypes.c_char_p * 200).in_dll(ctypes.CDLL(None), "environ")
block = ctypes.cast(ctypes.addressof(environ), ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p)))[0]
lines = []
while block[len(lines)]:
    lines.append(block[len(lines)].decode())
found_nothing("the environment block", "\n".join(lines))
found_nothing("the environment", repr(dict(os.environ)))
found_nothing("the main module", repr({name: repr(value)[: 10**4] for name, value in vars(__main__).items()}))
ARGUMENTS = (*sys.argv, *sys.orig_argv, *sys.path)
OURS = "LANG|LC_CTYPE|HOME|TMPDIR|MALLOC_ARENA_MAX|PYTHON(HASHSEED|DONTWRITEBYTECODE)|[A-Z]+_(NUM|MAXIMUM)_THREADS"
texts = []
for thing in gc.get_objects():
    texts += [inside for inside in gc.get_referents(thing) if type(inside) is str]
    if isinstance(thing, types.FunctionType):
        texts.append(thing.__code__.co_filename)
found_nothing("all objects", "\n".join(texts))
rooms = re.compile(r"/(solutions|hidden|misconceptions)/\w+\.py$")
remembered = {name for finder in sys.path_importer_cache.values() for name in getattr(finder, "_path_cache", ())}
attempts(
    """
    refuse_unless([name for name in os.environ if not re.fullmatch(OURS, name)])
    refuse_unless(any(PROJECT in argument for argument in ARGUMENTS))
    refuse_unless(any(rooms.search(text) for text in texts))
    refuse_unless({"solutions", "tests", "autograder", "otter", "hypothesis"} & remembered)
    """
)
