"""`python -m autograder.checks`: see `launch`."""

import sys

from autograder.checks.launch import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
