"""Work that exceeds a limit, in a module that imports little, because each killed process is replaced by one that loads
this module again.
"""

from __future__ import annotations

import os


def exceed_limit(thing: str) -> str:
    """Exceed the resource limit named by `thing`, or return `thing` if it names no limit."""
    while thing == "time":
        pass
    if thing == "memory":
        bytearray(200 << 20)
    if thing == "end":
        os._exit(3)
    return thing
