"""The command `python -m autograder.checks`, which students use.

The code of the command is in the package `laptop`. Only this module of `checks` imports from a higher layer,
because the name of the command is older than the layers.
"""

from autograder.laptop.__main__ import start

if __name__ == "__main__":
    start()
