"""Idea: return an object that is equal to everything, and true in every comparison.

Stopped by: the codec: only exact built-in types and plain arrays cross; this becomes a described wrong type.
"""

print("TRIED an object equal to everything")


class Anything:
    shape, ndim, dtype, size = (), 0, "float64", 1

    def _yes(self, *args, **kwargs):
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __hash__ = object.__hash__

    def _self(self, *args, **kwargs):
        return self

    __sub__ = __rsub__ = __add__ = __mul__ = __abs__ = __getitem__ = __call__ = _self


in_every_call(lambda name, args: Anything())
ANSWERS = {key: Anything() for key in ANSWERS}
