"""Work that exceeds a limit or harms other work, in a module that imports little, because each killed process is
replaced by one that loads this module again.
"""

from __future__ import annotations

import os
import threading
import time


def exceed_limit(thing: str) -> str:
    """Exceed the resource limit named by `thing`, or return `thing` if it names no limit.

    “slow” takes a second; after “end later”, the process ends while it works on the next item.
    """
    while thing == "time":
        pass
    if thing == "memory":
        bytearray(200 << 20)
    if thing == "end":
        os._exit(3)
    if thing == "end later":
        threading.Timer(0.2, os._exit, [3]).start()
    if thing == "slow":
        time.sleep(1)
    return thing
