"""`python -m tests.grader.tools.update_expected_scores [ASSIGNMENT …]`: grade the samples and write their scores into
`expected_scores`.

A sample's row does not change if the sample's score is still within the row's range. After a run, `git diff` shows how
a change to the tests affected each sample; read the diff before you commit.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from autograder import course
from autograder.grading.grader import grade_alone
from autograder.submission import read_submission

SCORES = Path(__file__).parents[1] / "grading" / "expected_scores"


def main(names: list[str]) -> None:
    """Grade the samples of the specified assignments, or of all, and write their scores."""
    for name in names or [one.name for one in course.term_assignments()]:
        table = SCORES / f"{name}.csv"
        with table.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            (path,) = (course.ROOT / "tests" / "submissions" / name).glob(f"{row['student']}.*")
            found = read_submission(path, name, [name])
            if found.problem is None:
                grade = grade_alone(course.find(name), found, ())
                row["status"] = grade.status
                if not float(row["lowest"]) <= grade.score <= float(row["highest"]):
                    row["lowest"] = row["highest"] = f"{grade.score:g}"
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
