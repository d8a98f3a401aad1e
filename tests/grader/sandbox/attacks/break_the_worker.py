"""Idea: take the worker apart: no modules, no streams, odd hooks, traces and profilers left behind.

Stopped by: it is this submission's worker; the next has another.
"""

import gc
import threading
import warnings

print("TRIED breaking the worker", flush=True)
sys.stdout = sys.stderr = None
sys.excepthook = sys.displayhook = None
threading.settrace(lambda *args: 1 / 0)
sys.setprofile(lambda *args: None)
sys.setswitchinterval(100)
gc.disable()
warnings.catch_warnings = None
for name in list(sys.modules):
    if name not in ("sys", "builtins", "__main__"):
        del sys.modules[name]
