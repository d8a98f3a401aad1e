"""`python -m autograder.checks`: see `standing`."""

import sys

from autograder.checks.standing import main

sys.exit(main(sys.argv[1:]))
