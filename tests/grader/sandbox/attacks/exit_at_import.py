"""Idea: end the process while the file is loaded.

Stopped by: the grader notices that the wire is closed; there is nothing to call then.
"""

import os

print("TRIED ending at import", flush=True)
os._exit(0)
