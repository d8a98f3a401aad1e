"""Idea: loop in another interpreter in the same process: no trace reaches it.

Stopped by: it finds no library, since Landlock lets it read none; and to start one is an event, and no call counts after it.
"""

print("TRIED another interpreter")
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
other = interpreters.create()


def hidden(loop):
    interpreters.run_string(other, f"for _ in range({loop.size}): pass")


looping(hidden)
