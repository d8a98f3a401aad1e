"""The command `python -m autograder.checks`, which students use.

The code of the command is in the package `laptop`. Only this module of `checks` imports from a higher layer,
because the established name of the command refers to this package.
"""

from autograder.laptop.__main__ import start

if __name__ == "__main__":
    start()
