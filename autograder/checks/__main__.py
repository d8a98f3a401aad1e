"""The command `python -m autograder.checks`, which students use.

The code of the command is in the room `laptop`. Only this module of `checks` imports from a higher room,
because the name of the command is older than the rooms.
"""

from autograder.laptop.__main__ import start

if __name__ == "__main__":
    start()
