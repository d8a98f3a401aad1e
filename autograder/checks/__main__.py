"""The command `python -m autograder.checks`, which students use: see `laptop.checks_command`.

The code of the command is in the `laptop` package. This is the only module of `checks` that imports from a higher
layer, because the command's established name refers to `checks`.
"""

import sys


def start() -> None:
    """Run the command; if a package is missing, print its name and exit."""
    try:
        from autograder.laptop.checks_command import main
    except ModuleNotFoundError as missing:
        sys.exit(
            f"{missing.name} is not installed for this Python ({sys.executable}). Use the Python in this folder:"
            " .venv/bin/python -m autograder.checks (README.md says how to set it up)."
        )
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    start()
