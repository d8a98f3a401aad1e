"""Idea: read the process's own memory, byte by byte: what the zygote has freed may still lie there.

Stopped by: the zygote starts in an empty environment and never reads an answer; the file of its memory is closed too.
"""

import ctypes

with attempt("opening the map of its memory"):
    open("/proc/self/maps").close()
with attempt("opening its memory"):
    open("/proc/self/mem", "rb").close()

# The environment block as the kernel laid it out at the start.
environ = (ctypes.c_char_p * 200).in_dll(ctypes.CDLL(None), "environ")
block = ctypes.cast(ctypes.addressof(environ), ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p)))[0]
lines = []
while block[len(lines)]:
    lines.append(block[len(lines)].decode())
found_nothing("the environment block", "\n".join(lines))
