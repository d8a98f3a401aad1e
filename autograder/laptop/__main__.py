"""`python -m autograder.checks` and `python -m autograder.laptop`: see `launch`."""

import sys

if __name__ == "__main__":
    try:
        from autograder.laptop.launch import main
    except ModuleNotFoundError as missing:
        sys.exit(
            f"{missing.name} is not installed for this Python ({sys.executable}). Start the one of this folder:"
            " .venv/bin/python -m autograder.checks (README.md says how to set it up)."
        )
    sys.exit(main(sys.argv[1:]))
