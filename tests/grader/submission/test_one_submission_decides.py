"""One submission decides about its own student and nothing else: what it costs, raises and returns, through every way
in."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import tempfile
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from autograder import course, files
from autograder.batch.run import grade
from autograder.batch.summary import Summary
from autograder.checks import expect
from autograder.checks.proxy import StudentModule
from autograder.checks.telling import Audience
from autograder.cli import main
from autograder.course import Assignment
from autograder.grading import feedback
from autograder.grading import grader as graders
from autograder.grading.grader import Grader
from autograder.hints import catalogue
from autograder.hints.reference import Reference
from autograder.otter import package
from autograder.protocol.call import load
from autograder.protocol.failure import BrokenTest, Kind, Wrong
from autograder.protocol.status import Status
from autograder.submission import read_file
from tests.grader.support import classroom
from tests.grader.support import handed_in as platforms
from tests.grader.support.folders import put, zip64_with_an_offset_beyond_all_files

NAME = "sinusoidal"
"""The assignment whose suite is quickest."""

NAMES = [one.name for one in course.assignments()]


def run(folder: Path, out: Path, assignment: str | None = None) -> tuple[Summary, str]:
    printed = io.StringIO()
    summary = grade([folder], out, assignment, console=Console(file=printed, width=200))
    return summary, printed.getvalue()


# A library that is not there


def test_a_missing_import_costs_what_uses_it_and_nothing_else(grader: Grader) -> None:
    """Status import_error, a sentence for the student, and every function that does without it has its points."""
    solution = classroom.right("rope", 0)
    imports = "import matplotlib.pyplot as plt, math\nfrom helpers import (\n    rotate,\n)\n"
    judged = grader.grade(course.find("rope"), (imports + solution,))
    assert (judged.score, judged.status) == (20.0, Status.IMPORT_ERROR)
    said = feedback.body(judged, "rope", Audience.LATER)
    assert "matplotlib" in said and "is not there" in said and "stops" not in said
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
        ("from __future__ import annotations\nimport no_such\nx: Nothing = 1\n", {"x"}, 2),
        ("import math, no_such.other as y, cmath\nx = 1\n", {"math", "cmath", "x", "y"}, 1),
        ("from no_such.other import y, z\nfrom no_such import *\nx = 1\n", {"x", "y", "z"}, 1),
        ("x = 1; import no_such; z = 2\nimport nor_this\ny = 3\n", {"x", "y", "z"}, 1),
        ("x = 1\nif x:\n    import no_such\ny = 1\n", {"x", "y"}, 3),
        ("def f():\n    import no_such\nf()\ny = 1\n", {"f", "y"}, 2),
        ("import no_such\nno_such.f()\ny = 1\n", set(), None),
        ("from math import no_such\ny = 1\n", set(), None),
        ("raise ModuleNotFoundError('by hand', name='x')\ny = 1\n", set(), None),
        (
            "while True:\n    __import__('x' + str(len(globals())))\n    globals()['x' + str(len(globals()))] = 1",
            set(),
            None,
        ),
    ],
)
def test_an_import_of_what_is_not_there_stops_nothing(text: str, names: set[str], line: int | None) -> None:
    """Wherever it stands, until somebody uses it; and nothing is left of it for anybody else."""
    module, failure = load("missing", [text], "missing.py")
    assert failure is not None and failure.left_out == (line is not None)
    assert line is None or failure.line == line
    assert names <= set(vars(module)) and ("y" in names or "y" not in vars(module))
    with pytest.raises(ModuleNotFoundError):
        __import__("no_such")


def test_what_a_file_does_where_an_import_is_missing_is_its_own() -> None:
    text = "try:\n    import no_such\nexcept ImportError:\n    no_such = 7\n"
    module, failure = load("missing", [text], "missing.py")
    assert failure is None and module.no_such == 7


# A result that a test hands on


CACHES = """
def decode_step(x, wq, wk, wv, n_heads, cache_k, cache_v, position, base=10000.0):
    import numpy as np
    return np.zeros((*x.shape[:-1], x.shape[-1])), np.zeros(3), np.zeros((2, 2))
"""


def test_results_that_are_handed_on_are_never_the_tests_fault(grader: Grader, tmp_path: Path) -> None:
    """Caches of the wrong shape, given back to the reference: those tests fail, and all others are as they were."""
    text = classroom.right("rope", 0) + CACHES
    judged = grader.grade(course.find("rope"), (text,))
    assert judged.status == Status.GRADED and 10 < judged.score < 20
    put(tmp_path, {"rope.py": text})
    checked = CliRunner().invoke(main, ["check", str(tmp_path / "rope.py"), "--json"])
    assert checked.exit_code == 1 and json.loads(checked.output)["score"] == judged.score


def test_a_call_that_cannot_be_is_the_courses_fault_where_all_arguments_are_its_own() -> None:
    assignment = course.find("rope")
    backend = catalogue.Module(catalogue.solution(assignment))
    own = StudentModule("rope", backend, Reference(assignment))
    with pytest.raises(BrokenTest):
        expect.matches(own.rope_frequencies, 3)
    with pytest.raises(BrokenTest):
        expect.raises(ValueError, own.rope_frequencies, 4)
    with pytest.raises(BrokenTest):
        expect.matches(own.rope_frequencies, "four")
    own.rope_frequencies(4)
    for arguments in ((3,), ("four",)):
        with pytest.raises(Wrong):
            expect.matches(own.rope_frequencies, *arguments)


# Whatever a grader raises


class Fails(Exception):
    pass


@pytest.mark.parametrize("error", [Fails("odd"), RecursionError(), MemoryError(), OverflowError("too large")])
def test_check_and_otter_give_a_grade_whatever_one_submission_makes_a_grader_raise(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """As long as a new grader judges the solution; where it does not, nobody is blamed."""
    assignment, solution = course.find(NAME), course.find(NAME).solution.read_text("utf-8")
    judge = Grader.grade

    def fails(self: Grader, of: Assignment, cells: tuple[str, ...]) -> object:
        if cells != (solution,):
            raise error
        return judge(self, of, cells)

    monkeypatch.setattr(Grader, "grade", fails)
    given = read_file(assignment.stub, NAME, NAMES)
    judged = graders.grade_alone(assignment, given, ())
    assert judged.status is Status.KILLED and judged.score == 0
    assert {one.kind for one in judged.test_results} == {Kind.KILLED}
    monkeypatch.setattr(Grader, "grade", lambda *_: (_ for _ in ()).throw(error))
    with pytest.raises(graders.CannotGrade):
        graders.grade_alone(assignment, given, ())


# CSV


def test_no_name_breaks_a_row(tmp_path: Path) -> None:
    """Whatever a cell holds, a reader finds the same cells again, and the file is whole or not there."""
    rows = [["student", "score"], ["carriage\rreturn", "1"], ["line\nfeed", 'quo"te'], ["both\r\n", ",;\t"], ["", ""]]
    files.write_csv(tmp_path / "table.csv", rows)
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == rows
    assert (tmp_path / "table.csv").read_bytes().startswith(b'"student","score"\n"carriage\rreturn","1"\n')
    before = (tmp_path / "table.csv").read_bytes()
    with pytest.raises(Fails):
        files.write_csv(
            tmp_path / "table.csv", (row if row[1] != "1" else (_ for _ in ()).throw(Fails()) for row in rows)
        )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"table.csv": before}


# A class, and one arbitrary submission


HONEST = {
    "ada": classroom.right(NAME, 1),
    "bob": classroom.unfinished(NAME, 2),
    "cy": classroom.right(NAME, 3).replace("10000", "1000", 1),
    "di": classroom.stops(NAME, 4),
}
STUDENTS = [*HONEST, "zoe", "mallory", "ada_1", "submission_1", "assignments", "=1+1", "carriage\rreturn", "a" * 200]

names = st.sampled_from(
    [
        *(
            f"{NAME}.py",
            f"{NAME} (2).py",
            "rope.py",
            "main.py",
            "explore.ipynb",
            "report.pdf",
            "submission_metadata.yml",
            "tests/x.py",
        ),
        *(
            f"assignments/{NAME}/{NAME}.py",
            f"assignments/{NAME}/tests/{NAME}.py",
            "tests/public/test_rope.py",
            "submission_1/rope.py",
        ),
        *(f"{NAME}/ada.py", f"{NAME}/bob.py", "hand in.zip", "old/hand in.zip", ".git/config", "a/b/c/d/rope.ipynb"),
    ]
)
addresses = st.lists(st.sampled_from([*STUDENTS, "ada@example.edu"]), max_size=4).map(
    lambda people: "submission_1:\n  :submitters:\n" + "".join(f"  - :email: {json.dumps(one)}\n" for one in people)
)
pieces = st.sampled_from(
    [
        *(
            classroom.right(NAME, 5),
            HONEST["ada"],
            classroom.unfinished(NAME, 5),
            classroom.ends_its_process(NAME, 0),
            "x = 1\n",
            "",
        ),
        *(
            "import no_such\n",
            "raise SystemExit\n",
            "def (",
            "\ufeffx = 1",
            "[]",
            "3",
            "{}",
            "(" * 5000,
            "f'" + "{x}" * 20_000 + "'",
        ),
        "".join(f"def f{number}(): f{(number + 1) % 2000}()\n" for number in range(2000)),
        "".join(
            f"def f{number}(x): return x + {number % 7} * x - x / x ** x + x * {number}\n" for number in range(2000)
        ),
        json.dumps({"cells": [{"cell_type": "code", "source": classroom.right(NAME, 6)}]}),
        json.dumps({"cells": [{"cell_type": "code", "source": "x = 1"}] * 3000}),
    ]
)
contents = st.one_of(
    pieces.map(str.encode),
    addresses.map(str.encode),
    st.just(zip64_with_an_offset_beyond_all_files()),
    st.binary(max_size=40),
)
trees = st.dictionaries(names, contents, max_size=5)


def zipped(tree: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in tree.items():
            archive.writestr(name, content)
    return stream.getvalue()


@st.composite
def submissions(draw: st.DrawFn) -> dict[str, bytes]:
    """What one student may hand in: a file or a folder, under a name that nobody else of the class has."""
    student = draw(st.sampled_from([one for one in STUDENTS if one not in HONEST]))
    tree = draw(trees)
    match draw(st.sampled_from(["folder", "file", "zip", "name"])):
        case "folder":
            return {f"{student}/": b""} | {f"{student}/{name}": content for name, content in tree.items()}
        case "zip":
            return {f"{student}.zip": zipped(tree)}
        case "file":
            ending = draw(st.sampled_from([".py", ".ipynb", ".zip", ".txt", ""]))
            return {f"{student}{ending}": draw(contents)}
    # The name is all that is odd: metadata, an assignment, the handout, a download of Canvas.
    odd = [
        "submission_metadata.yml",
        f"{NAME}/ada.py",
        "rope/bob.py",
        f"assignments/{NAME}/{NAME}.py",
        "ada_9_9_sinusoidal.py",
    ]
    return {draw(st.sampled_from(odd)): draw(contents)}


def seen(out: Path) -> dict[str, object]:
    """All that OUT says of the honest students, but for how long their grading took."""
    found: dict[str, object] = {}
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        for one in csv.DictReader(file):
            if one["student"] in HONEST:
                assert one["student"] not in found, "a row for somebody else"
                found[one["student"]] = {name: value for name, value in one.items() if value and name != "seconds"}
    for student in HONEST:
        for path in (out / "feedback" / student / f"{NAME}.md", out / "results" / student / f"{NAME}.json"):
            found[f"{student}/{path.name}"] = path.read_bytes()
    # A pair of alike submissions is about both: a copy is listed with what it is a copy of.
    lines = [
        row for row in re.findall(r"<tr>(.*?)(?=<tr>|</tbody>)", (out / "report.html").read_text("utf-8"), re.DOTALL)
    ]
    lines = [row for row in lines if 'class="line"' not in row]
    for student in HONEST:
        found[f"{student} in the report"] = [line for line in lines if re.search(rf">{student}(</a>)?<td", line)]
        assert found[f"{student} in the report"]
    return found


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A class of plain files, and the OUT of grading it alone."""
    folder, out = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("alone")
    put(folder, {f"{student}.py": text for student, text in HONEST.items()})
    run(folder, out, NAME)
    return folder, out


@settings(max_examples=8, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(submission=submissions())
def test_one_arbitrary_submission_changes_nothing_for_a_class(
    honest: tuple[Path, Path], submission: dict[str, bytes]
) -> None:
    """Rows, feedback and the report's entries of all others stay as they were without it."""
    folder, alone = honest
    with tempfile.TemporaryDirectory() as scratch:
        beside, out = Path(scratch, "class"), Path(scratch, "out")
        shutil.copytree(folder, beside)
        shutil.copytree(alone, out)
        put(beside, dict(submission))
        summary, _ = run(beside, out, NAME)
        assert seen(out) == seen(alone)
        assert sum(len(one.scores) for one in summary.assignments.values()) <= len(HONEST) + 3


# A solved clone of the handout for each assignment


@pytest.fixture(scope="module")
def clones(handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One clone of the handout per assignment, that assignment solved and all else untouched."""
    folder = tmp_path_factory.mktemp("clones")
    for one in course.assignments():
        put(
            folder / f"positions-{one.name}",
            handed_out | {f"assignments/{one.name}/{one.name}.py": one.solution.read_bytes()},
        )
    return folder


def test_a_solved_clone_scores_20_in_a_class_of_clones(clones: Path, tmp_path: Path) -> None:
    run(clones, tmp_path / "out")
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(NAMES) ** 2
    for one in rows:
        solved = one["student"] == one["assignment"]
        assert (one["score"], one["status"]) == ("20" if solved else "0", "graded"), one


def test_a_solved_clone_scores_20_when_it_is_checked(clones: Path, assignment: Assignment, grader: Grader) -> None:
    submission = read_file(clones / f"positions-{assignment.name}", assignment.name, NAMES)
    assert submission.problem is None
    assert grader.grade(assignment, submission.cells).score == 20


def test_the_command_checks_a_clone(clones: Path) -> None:
    checked = CliRunner().invoke(
        main, ["check", str(clones / "positions-attention"), "--assignment", "attention", "--json"]
    )
    assert checked.exit_code == 0 and json.loads(checked.output)["score"] == 20


@pytest.mark.usefixtures("quick_kernels", "ready_wheel")
def test_a_solved_clone_scores_20_through_otter(clones: Path, tmp_path: Path) -> None:
    assignment = course.find("attention")
    (zipped_suite,) = package.build([assignment], tmp_path / "zips")
    clone = clones / "positions-attention"
    (tmp_path / "handed_in").mkdir()
    (tmp_path / "out").mkdir()
    shutil.copy(clone / "assignments" / "attention" / "attention.py", tmp_path / "handed_in")
    results, _ = platforms.otter_run(zipped_suite, tmp_path / "handed_in" / "attention.py", tmp_path / "out")
    assert results.total == 20
