"""The command `python -m autograder.checks`, which students use.

Its code is in the room `laptop`. This is the only upward import in `checks`: the command's name is older than the
rooms.
"""

from autograder.laptop.__main__ import start

if __name__ == "__main__":
    start()
