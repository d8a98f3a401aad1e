"""What is made of a whole class once it is graded: `python -m autograder.batch.postprocessing OUT`.

In a process of its own, since comparing a class takes memory in proportion to it, and the coordinator's stays the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from autograder.batch.gradebook import GradebookError
from autograder.reports import class_page, similarity


def main(out: str) -> None:
    """Write similarity.csv and then report.html, which shows it."""
    try:
        similarity.write(Path(out))
        class_page.write(Path(out))
    except GradebookError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1])
