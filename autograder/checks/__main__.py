"""`python -m autograder.checks`: see `standing`."""

import sys

from autograder.checks.progress import main

sys.exit(main(sys.argv[1:]))
