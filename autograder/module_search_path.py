"""A safe module search path for this process and every interpreter that it starts.

A new interpreter looks for modules in its current folder first, and multiprocessing imports a dozen modules before the
parent's path arrives. In a submissions folder, students choose the file names: a `socket.py` there would run with the
grading user's privileges.
"""

from __future__ import annotations

import os
import sys


def use_safe_path() -> None:
    """Remove the current folder from the module search path of this process and all processes that it starts."""
    os.environ["PYTHONSAFEPATH"] = "1"
    # Empty or relative entries, for example from a stray colon, would also put the current folder first.
    if "PYTHONPATH" in os.environ:
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(os.path.isabs, os.environ["PYTHONPATH"].split(os.pathsep)))
    sys.path[:] = filter(os.path.isabs, sys.path)
