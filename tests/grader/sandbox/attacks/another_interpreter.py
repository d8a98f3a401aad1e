"""Idea: loop in another interpreter in the same process: no trace reaches it.

Stopped by the system: Landlock: it finds no library, and does not start.
"""

print("TRIED another interpreter")
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
interpreters.run_string(interpreters.create(), "print('ESCAPED into another interpreter')")
