"""Idea: turn the counting of lines off inside an import, where libraries ask for frames, too, and on again afterwards.

Stopped by: an import is a library's only where nothing of the submission runs in it.
"""

import sys

print("TRIED turning the counting off in an import")


class Finder:
    loop = None

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if cls.loop is not None and name == "no_such_module_at_all":
            loop, cls.loop = cls.loop, None
            tracer, profiler = sys.gettrace(), sys.getprofile()
            sys.settrace(None)
            loop()
            sys.settrace(tracer)
            sys.setprofile(profiler)
        return None


sys.meta_path.insert(0, Finder)


def hidden(loop):
    Finder.loop = loop
    try:
        import no_such_module_at_all
    except ImportError:
        pass


looping(hidden)
