"""The command `python -m autograder.checks`, which students know.

Its code is in the room `laptop`. This is the only upward import of `checks`: the name of the command is older than
the rooms.
"""

from autograder.laptop.__main__ import start

if __name__ == "__main__":
    start()
