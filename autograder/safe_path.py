"""The safe path of Python, for every interpreter that this process starts.

A new interpreter looks for modules in its current folder first, and multiprocessing imports a dozen of them before the
path of its parent arrives. In a folder of submissions students choose the names: a `socket.py` there would run with the
rights of the grading user.
"""

from __future__ import annotations

import os
import sys


def use_safe_path() -> None:
    """Remove the current folder from the module search path of this process and of all that it starts later."""
    os.environ["PYTHONSAFEPATH"] = "1"
    # An empty or relative entry, for example from a stray colon, is the current folder as well, and comes first.
    if "PYTHONPATH" in os.environ:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(os.path.isabs, os.environ["PYTHONPATH"].split(os.pathsep)))
    sys.path[:] = filter(os.path.isabs, sys.path)
