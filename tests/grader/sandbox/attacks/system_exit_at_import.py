"""Idea: SystemExit while the file is loaded, as a script ends itself.

Stopped by: it is caught in the worker like any exception.
"""

print("TRIED SystemExit at import")
raise SystemExit(0)
