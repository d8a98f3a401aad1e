"""Tests of contained faults: one submission's costs, exceptions and results never affect another student."""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import course, csv_tables
from autograder.batch.run import grade
from autograder.checks import expect
from autograder.checks.proxy import StudentModule
from autograder.grading.grade import Grade
from autograder.grading.grader import Grader
from autograder.hints import catalogue
from autograder.hints.reference_oracle import Reference
from autograder.protocol.failure_kinds import BrokenTestError, FailedTestError, SubmissionStatus
from autograder.protocol.load import load
from autograder.sandbox.limits import LIMITS, MIB
from autograder.submission.code import functions
from tests.grader.support import classroom
from tests.grader.support.student_folders import archive_of, notebook, put, zip64_with_an_offset_beyond_all_files

NAME = "sinusoidal"
"""Assignment with the quickest suite."""

NAMES = [one.name for one in course.term_assignments()]


# A missing library


def test_a_missing_import_costs_what_uses_it_and_nothing_else(grader: Grader) -> None:
    """The status is import_error, with an explanation, and every function that does not need the import gets
    its points."""
    solution = classroom.right("rope", 0)
    imports = "import matplotlib.pyplot as plt, math\nfrom helpers import (\n    rotate,\n)\n"
    judged = grader.grade(course.find("rope"), (imports + solution,))
    assert (judged.score, judged.status) == (20.0, SubmissionStatus.IMPORT_ERROR)
    assert (
        "matplotlib" in judged.full_feedback
        and "is not available" in judged.full_feedback
        and "stops" not in judged.full_feedback
    )
    uses = imports + solution.replace(
        "def rope_frequencies(", "def rope_frequencies(*args):\n    return plt.arange(*args)\n\n\ndef _("
    )
    lost = grader.grade(course.find("rope"), (uses,))
    assert lost.questions["rope_frequencies"] == 0 < lost.score
    assert any("No module named 'matplotlib.pyplot'" in one.message for one in lost.test_results)


@pytest.mark.parametrize(
    ("text", "names", "line"),
    [
        ("import no_such\nx = 1\n", {"x"}, 1),
        ("import math, no_such.other as y, cmath\nx = 1\n", {"math", "cmath", "x", "y"}, 1),
        ("x = 1; import no_such; z = 2\nimport nor_this\ny = 3\n", {"x", "y", "z"}, 1),
        ("def f():\n    import no_such\nf()\ny = 1\n", {"f", "y"}, 2),
        ("import no_such\nno_such.f()\ny = 1\n", set(), None),
        ("from math import no_such\ny = 1\n", set(), None),
        ("raise ModuleNotFoundError('by hand', name='x')\ny = 1\n", set(), None),
    ],
)
def test_an_import_of_what_is_not_there_stops_nothing(text: str, names: set[str], line: int | None) -> None:
    """A missing import may be anywhere before the first use of its names, and never affects another submission."""
    module, failure = load("missing", [text], "missing.py")
    assert failure is not None and failure.missing_import == (line is not None)
    assert line is None or failure.line == line
    assert names <= set(vars(module)) and ("y" in names or "y" not in vars(module))
    with pytest.raises(ModuleNotFoundError):
        __import__("no_such")


GRAPHICS = {
    "not found": "import no_such_part",
    "not loadable": "raise ImportError('libtk8.6.so: cannot open', name='_tkinter', path='_tkinter.so')",
    "refused": "raise ImportError('this needs a window')",
}
"""Ways in which a library that a module needs may be missing."""


@pytest.mark.parametrize("part", GRAPHICS.values(), ids=GRAPHICS)
@pytest.mark.parametrize(
    "statement", ["import shapes", "from shapes import pos", "import shapes.inner as s", "import outer"]
)
def test_an_import_whose_library_is_missing_stops_nothing(
    statement: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Editors insert imports such as `from turtle import pos`, which work only with a graphics library."""
    put(tmp_path, {"shapes/__init__.py": f"{part}\n", "shapes/inner.py": "", "outer.py": "import math, shapes\n"})
    monkeypatch.syspath_prepend(str(tmp_path))
    module, failure = load("missing", [f"import math\n{statement}\ny = math.pi\n"], "missing.py")
    assert failure is not None and failure.missing_import and failure.line == 2
    assert statement.split()[1].partition(".")[0] in failure.message and "y" in vars(module)
    with pytest.raises(ImportError):
        __import__("shapes")


@pytest.mark.parametrize("name", ["turtle", "tkinter", "ssl", "sqlite3", "readline", "curses"])
def test_an_import_that_the_sandbox_cannot_load_costs_nothing(name: str, grader: Grader) -> None:
    judged = grader.grade(course.find("rope"), (f"import {name}\n" + classroom.right("rope", 0),))
    assert judged.score == 20.0


# A result that a test passes on


CACHES = """
def decode_step(x, wq, wk, wv, n_heads, cache_k, cache_v, position, base=10000.0):
    import numpy as np
    return np.zeros((*x.shape[:-1], x.shape[-1])), np.zeros(3), np.zeros((2, 2))
"""


def test_results_that_are_handed_on_are_never_the_tests_fault(grader: Grader) -> None:
    """If the student's caches have the wrong shape, the reference receives them too: only the tests that use
    these caches fail."""
    judged = grader.grade(course.find("rope"), (classroom.right("rope", 0) + CACHES,))
    assert judged.status == SubmissionStatus.GRADED and 10 < judged.score < 20


def test_a_call_that_cannot_be_is_the_courses_fault_where_all_arguments_are_its_own() -> None:
    assignment = course.find("rope")
    backend = catalogue.ModuleBackend(catalogue.solution(assignment))
    own = StudentModule("rope", backend, Reference(assignment))
    with pytest.raises(BrokenTestError):
        expect.matches(own.rope_frequencies, 3)
    with pytest.raises(BrokenTestError):
        expect.raises(ValueError, own.rope_frequencies, 4)
    with pytest.raises(BrokenTestError):
        expect.matches(own.rope_frequencies, "four")
    own.rope_frequencies(4)
    for arguments in ((3,), ("four",)):
        with pytest.raises(FailedTestError):
            expect.matches(own.rope_frequencies, *arguments)


SAME_RESULT = """
import numpy as np

def _same(*args, **kwargs):
    return RESULT

globals().update(dict.fromkeys(NAMES, _same))
"""


def all_functions_return(result: str, name: str, grader: Grader) -> Grade:
    """Return the grade of a file in which each function of an assignment returns the same result."""
    assignment = course.find(name)
    replaced = SAME_RESULT.replace("RESULT", result).replace("NAMES", repr(sorted(functions(name))))
    return grader.grade(assignment, (assignment.solution.read_text("utf-8"), replaced))


MANY_VALUES = "[(), []] * 9_000"
"""Result of many small values, which take so long to decode that 32 MiB of them would take seconds."""


@pytest.mark.parametrize(
    ("result", "mib"), [("np.ones(1 << 18)", 32), pytest.param(MANY_VALUES, 1, marks=pytest.mark.long)]
)
def test_results_that_are_too_large_together_end_no_grader(
    result: str, mib: int, grader: Grader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The grader keeps all results until the grade is complete. Each result is allowed, but not all of them."""
    assert LIMITS.total_reply_bytes == 32 * MIB
    monkeypatch.setattr(grader.sandbox, "limits", replace(LIMITS, total_reply_bytes=mib * MIB))
    judged = all_functions_return(result, "rope", grader)
    assert judged.status in (SubmissionStatus.KILLED, SubmissionStatus.TIMEOUT) and judged.score <= 2
    assert judged.status is SubmissionStatus.TIMEOUT or f"more than {mib} MiB" in judged.test_results[-1].message


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_different_lengths_end_no_grader(name: str, grader: Grader) -> None:
    """The solution passes on what a wrong function below it returned, and this value is compared with the result."""
    judged = all_functions_return("[[1.0], [1.0, 2.0]]", name, grader)
    assert judged.status is SubmissionStatus.GRADED and judged.score <= 2


# A grader's exceptions


class Fails(Exception):
    pass


def test_no_name_breaks_a_row(tmp_path: Path) -> None:
    """Whatever its cells contain, a table is read back with the same number of cells, each on one line, and
    is never left incomplete."""
    rows = [["student", "score"], ["carriage\rreturn", "1"], ["line\nfeed", 'quo"te'], ["both\r\n", ",;\t"], ["", ""]]
    table = tmp_path / "table.csv"
    csv_tables.write_csv(table, rows)
    with table.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [[re.sub(r"[\r\n\t]", " ", cell) for cell in row] for row in rows]
    before = table.read_bytes()
    assert before.startswith(b'\xef\xbb\xbf"student","score"\n"carriage return","1"\n')
    with pytest.raises(Fails):
        csv_tables.write_csv(table, (row if row[1] != "1" else (_ for _ in ()).throw(Fails()) for row in rows))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"table.csv": before}


# A class with arbitrary submissions added

HONEST = {
    "ada": classroom.right(NAME, 1),
    "bob": classroom.unfinished(NAME, 2),
    "cy": classroom.right(NAME, 3).replace("10000", "1000", 1),
    "di": classroom.stops(NAME, 4),
}
RING = "".join(f"def f{number}(): f{(number + 1) % 2000}()\n" for number in range(2000))
DEEP = "".join(f"def f{number}(x): return x + {number % 7} * x - x / x ** x + x * {number}\n" for number in range(2000))
OTHERS: dict[str, str | bytes] = {
    "ends.py": classroom.ends_its_process(NAME, 0),
    "raises.py": "raise SystemExit\n",
    "ring.py": RING,
    "deep.py": DEEP,
    "fields.py": "f'" + "{x}" * 20_000 + "'",
    "no_such.py": "import no_such\n",
    "half.py": "def (",
    "many.ipynb": notebook(*["x = 1"] * 3000),
    "zip64.zip": zip64_with_an_offset_beyond_all_files(),
    "mallory.zip": archive_of(
        {f"{NAME} (2).py": classroom.right("naive", 0), "tests/x.py": "x = 1", "a/b/c/rope.ipynb": "{"}
    ),
    "submission_metadata.yml": "submission_1:\n  :submitters:\n  - :email: ada\n",
    "submission_1/rope.py": "x = 1\n",
    f"assignments/{NAME}/tests/{NAME}.py": HONEST["cy"],
    f"{NAME}/ada.py": HONEST["bob"],
    "=1+1.py": "",
    "carriage\rreturn.py": "\ufeffx = 1",
    "a" * 200 + ".py": "3",
}


def seen(out: Path) -> dict[str, object]:
    """Return all information in OUT about the honest students except how long their grading took."""
    found: dict[str, object] = {}
    for one in classroom.grades(out):
        if one["student"] in HONEST:
            assert one["student"] not in found, "a row for somebody else"
            found[one["student"]] = {name: value for name, value in one.items() if value}
    page = (out / "report.html").read_text("utf-8")
    for student in HONEST:
        for path in (out / "feedback" / student / f"{NAME}.md", out / "results" / student / f"{NAME}.json"):
            found[f"{student}/{path.name}"] = path.read_bytes()
        lines = re.findall(rf'<a href="feedback/{student}/">(.*?)(?=<tr>|</tbody>)', page, re.DOTALL)
        (found[f"{student} in the report"],) = lines
    return found


def test_arbitrary_submissions_change_nothing_for_a_class(tmp_path: Path) -> None:
    """The rows, feedback and report lines of all other students stay the same, and each arbitrary submission
    adds a row."""
    put(tmp_path / "class", {f"{student}.py": text for student, text in HONEST.items()})
    grade([tmp_path / "class"], tmp_path / "alone", NAME)
    shutil.copytree(tmp_path / "alone", tmp_path / "beside")
    put(tmp_path / "class", OTHERS)
    grade([tmp_path / "class"], tmp_path / "beside", NAME)
    assert seen(tmp_path / "beside") == seen(tmp_path / "alone")
    tops = {name.partition("/")[0] for name in OTHERS}
    assert len(classroom.grades(tmp_path / "beside")) == len(HONEST) + len(tops)
