"""`python -m autograder.checks` and `python -m autograder.laptop`: see `launch`."""

import sys

from autograder.laptop.launch import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
