"""Tests of the similarity report: it lists disguised copies, lists no independent solutions, and accuses nobody."""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder import bounded_processes, cli
from autograder.batch.gradebook import Gradebook
from autograder.cli_support import WRONG_USE
from autograder.course import Assignment
from autograder.reports import similarity
from autograder.submission import Submission
from tests.grader.support import made_up_gradebooks
from tests.grader.support.student_folders import SOLVED, archive_of, put

TESTS_FOLDER = Path(__file__).parents[2]
Rows = list[dict[str, str]]


@pytest.fixture(autouse=True)
def in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare submissions in the test's process unless a test requests separate processes."""
    if "separate_processes" not in request.fixturenames:
        monkeypatch.setattr(bounded_processes, "map_bounded", map)


@pytest.fixture
def separate_processes() -> None:
    """Compare submissions in separate processes, as a batch does."""


def disguised_copy(text: str, kept_names: set[str]) -> str:
    """Return a copy of a program with functions shuffled, names changed, and comments and docstrings removed. Names in
    `kept_names` stay the same."""
    tree = ast.parse(text)
    defined_names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    defined_names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    defined_names |= {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    random.Random(0).shuffle(functions)
    tree.body = [*others[:-1], *functions, others[-1]]
    names = {name: f"{name[0]}{place}" for place, name in enumerate(sorted(defined_names - kept_names - {"ANSWERS"}))}
    return re.sub(r"(?<![\w.])[^\W\d]\w*(?![\w'])", lambda found: names.get(found[0], found[0]), ast.unparse(tree))


def stub_function_names(assignment: Assignment) -> set[str]:
    tree = ast.parse(assignment.stub.read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def compare(out: Path, codes: dict[str, str], assignment: str = "rope") -> Rows:
    """Return the similar pairs in a class in which every student submitted one file."""
    grade = made_up_gradebooks.grade(assignment, 0.0, random.Random(0))
    made_up_gradebooks.write(
        out, [(made_up_gradebooks.submission_file(name, code, assignment), grade) for name, code in codes.items()]
    )
    return write_and_read_pairs(out)


def write_and_read_pairs(out: Path, *others: Submission) -> Rows:
    with Gradebook.reading(out) as book:
        assert similarity.write(out, book.rows(), book.code_cells, others) == []
    return similarity.read(out) or []


def student_pairs(pairs: Rows) -> set[frozenset[str]]:
    return {frozenset((pair["student"], pair["other_student"])) for pair in pairs}


def test_copies_are_found_and_independent_solutions_are_not(tmp_path: Path) -> None:
    """Only the disguised copies in a class of otherwise independent submissions are listed. A submission that
    contains the reference solution or a published sample is also listed, even with different names."""
    assignment, name = Assignment("attention"), "attention"
    kept_names = stub_function_names(assignment)
    paths = sorted((TESTS_FOLDER / "submissions" / name).glob("*.py"))
    samples = {path.stem: path.read_text("utf-8") for path in paths if path.stem in ("complete", "unfinished")}
    copies = {f"copy of {student}": disguised_copy(text, kept_names) for student, text in samples.items()}
    pairs = compare(tmp_path, samples | copies | {"eve": source_of_functions(7, 8)}, name)
    assert student_pairs(pairs) == {frozenset({student, f"copy of {student}"}) for student in samples} and samples
    assert all(float(pair[share]) > 0.9 for pair in pairs for share in ("share", "other_share"))
    compare(
        tmp_path,
        {"max": disguised_copy(assignment.solution.read_text("utf-8"), kept_names), "eve": source_of_functions(7, 8)},
        name,
    )
    named = student_pairs(write_and_read_pairs(tmp_path, *similarity.course_solutions_and_samples()))
    assert frozenset({"max", "reference solution"}) in named
    assert all(
        re.fullmatch(r"\w+|reference solution|\w+ \(sample of this course\)", one) for one in set().union(*named)
    )
    assert all("max" in pair and "eve" not in pair for pair in named)
    compare(tmp_path, samples, name)
    assert write_and_read_pairs(tmp_path, *similarity.course_solutions_and_samples()) == [], (
        "the sample class is not compared with itself"
    )


@pytest.mark.parametrize("lesson", ["attention", "naive", "alibi"])
def test_a_sample_is_never_shown_as_a_student(lesson: str, tmp_path: Path) -> None:
    """A student can have the name of one sample and submit a copy of another sample."""
    paths = sorted((TESTS_FOLDER / "submissions" / lesson).glob("*.py"))
    found = 0
    for path, namesake in zip(paths, [*paths[1:], paths[0]], strict=True):
        compare(tmp_path, {namesake.stem: path.read_text("utf-8"), "eve": source_of_functions(7, 8)}, lesson)
        names = set().union(*student_pairs(write_and_read_pairs(tmp_path, *similarity.course_solutions_and_samples())))
        others = names - {namesake.stem}
        assert all(one == "reference solution" or one.endswith(" (sample of this course)") for one in others)
        found += f"{path.stem} (sample of this course)" in others
    assert found > 1


def source_of_function(number: int) -> str:
    """Return the source of a function, which differs for each number."""
    draw = random.Random(number)
    verbs = "sin cos exp abs sqrt cumsum sort round floor ceil tanh square diff prod".split()
    calls = [
        f"    x = np.{draw.choice(verbs)}(x) {draw.choice('+-*/')} np.{draw.choice(verbs)}(x[{draw.randrange(99)}:])"
        for _ in range(8)
    ]
    return "\n".join([f"def f{number}(x):", *calls, "    return x", ""])


def source_of_functions(*numbers: int) -> str:
    return "\n\n".join(map(source_of_function, numbers))


def test_what_the_handout_gives_is_set_aside(tmp_path: Path) -> None:
    """Unchanged stubs do not count as similar, and neither do two files that contain the same provided
    code."""
    given = Assignment("extrapolation").folder
    stub, lab = (given / name for name in ("extrapolation.py", "lab_model.py"))
    codes = {f"stub {n}": f"# {n}\n{stub.read_text('utf-8')}" for n in range(3)}
    codes |= {f"lab {n}": f"{lab.read_text('utf-8')}\n\n{source_of_functions(n)}" for n in range(3)}
    assert compare(tmp_path, codes, "extrapolation") == []


def test_what_much_of_the_class_has_is_set_aside(tmp_path: Path) -> None:
    """Code shared by half of the class does not count, but code shared by only two students does."""
    codes = {
        f"student {n}": source_of_functions(100 + n, 200 + n) + (source_of_functions(1, 2, 3) if n % 2 else "")
        for n in range(40)
    }
    codes["student 39"] = codes["student 38"].replace("x", "y") + source_of_functions(1, 2, 3)
    assert student_pairs(compare(tmp_path, codes)) == {frozenset({"student 38", "student 39"})}


def test_shares_say_what_is_alike(tmp_path: Path) -> None:
    """Two students share half of one file and all of the other file, although one function was renamed. In a
    class of three, code shared by two students still counts."""
    codes = {
        "ada": source_of_functions(1, 2, 3, 4),
        "bob": source_of_functions(2, 1).replace("f1", "g"),
        "cy": source_of_functions(5, 6),
    }
    (pair,) = compare(tmp_path, codes)
    assert (pair["student"], pair["other_student"], pair["other_share"]) == ("ada", "bob", "1.00")
    assert float(pair["share"]) == pytest.approx(0.5, abs=0.1)


def test_a_group_is_held_together_by_its_strongest_links(tmp_path: Path) -> None:
    """Four similar files form one group with three listed pairs, and two other files form a second group. Comparing the
    submissions a second time gives the same result."""
    codes = {name: f"# {name}\n{source_of_functions(1, 2, 3)}" for name in "abcd"}
    pairs = compare(
        tmp_path, codes | {"e": source_of_functions(5, 6), "f": source_of_functions(6, 5), "g": source_of_functions(9)}
    )
    assert [pair["group"] for pair in pairs] == ["1", "1", "1", "2"]
    assert set().union(*student_pairs(pairs[:3])) == set("abcd")
    assert write_and_read_pairs(tmp_path) == pairs


def test_two_who_handed_in_one_file_are_one_submission(tmp_path: Path) -> None:
    grade = made_up_gradebooks.grade("rope", 0.0, random.Random(0))
    ada, bob = (made_up_gradebooks.submission_file(name, source_of_functions(1, 2)) for name in ("ada", "bob"))
    eve = Submission("eve", "rope", ada.file, ada.sha256, ada.cells)
    made_up_gradebooks.write(tmp_path, [(one, grade) for one in (ada, bob, eve)])
    assert student_pairs(write_and_read_pairs(tmp_path)) == {frozenset({"ada; eve", "bob"})}


def test_too_little_code_says_nothing(tmp_path: Path) -> None:
    """Two very short files can be equal by chance."""
    short = "def f(x):\n    return np.arange(x, dtype=float) + 1\n"
    assert compare(tmp_path, {"ada": short, "bob": short}) == []


@pytest.mark.usefixtures("separate_processes")
def test_hostile_code_is_read_like_any_other(tmp_path: Path) -> None:
    """Deeply nested, long, unusual or unreadable code neither stops the comparison nor hides a copy."""
    extras = {"ada": "x = " + " + ".join(["1"] * 2000), "bob": "y = 0x" + "f" * 20000, "cy": "z = 1j, None, ..."}
    pairs = compare(tmp_path, {name: f"{extra}\n{source_of_functions(1, 2)}" for name, extra in extras.items()})
    assert set().union(*student_pairs(pairs)) == {"ada", "bob", "cy"}


def test_the_csv_holds_names_safely(tmp_path: Path) -> None:
    """A name with a spreadsheet formula or a line break is read back as harmless text on one line."""
    compare(tmp_path, {"=cmd()": source_of_functions(1, 2), 'a "b", c\n<i>': source_of_functions(2, 1)})
    (row,) = similarity.read(tmp_path) or []
    assert (row["student"], row["other_student"]) == ("'=cmd()", 'a "b", c <i>')


def test_a_changed_csv_is_left_alone(tmp_path: Path) -> None:
    """A table with different columns or unreadable content counts as missing."""
    for change in ("student,why\nada,because\n", "", "\0"):
        (tmp_path / similarity.SIMILARITY_FILE).write_text(change, "utf-8")
        assert similarity.read(tmp_path) is None


@pytest.mark.usefixtures("separate_processes")
def test_the_command(tmp_path: Path) -> None:
    """The command `autograder similarity OUT` lists the pairs, writes the CSV file and updates the report. No
    message accuses a student."""
    assert CliRunner().invoke(cli.main, ["similarity", str(tmp_path / "nothing")]).exit_code == WRONG_USE
    compare(tmp_path, {"ada": source_of_functions(1, 2), "bob": source_of_functions(2, 1)})
    result = CliRunner().invoke(cli.main, ["similarity", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "ada and bob" in result.output and "similarity.csv" in result.output and "read both" in result.output
    assert not re.search(r"plagiar|cheat|copy|suspicio|offen[cd]|guilt|theft", result.output, re.IGNORECASE)
    assert "Worth reading side by side" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("copies", [2, 29])
def test_copies_with_other_names_are_named_to_the_instructor(tmp_path: Path, copies: int) -> None:
    """Copies are listed even if so many students have the same code that it would otherwise count as common code."""
    codes = {f"copy {n:02}": re.sub(r"\bx\b", f"x{n}", source_of_functions(1, 2, 3)) for n in range(copies)}
    codes |= {f"own {n}": source_of_functions(100 + n, 200 + n, 300 + n) for n in range(29 - copies)}
    pairs = compare(tmp_path, codes)
    assert set().union(*student_pairs(pairs)) == {name for name in codes if name.startswith("copy")}
    assert all(pair["share"] == pair["other_share"] == "1.00" for pair in pairs)
    assert len({pair["group"] for pair in pairs}) == 1


def test_an_earlier_term_is_a_folder_as_it_was_graded(tmp_path: Path) -> None:
    """A student who submitted a file from an earlier term is listed beside the file's author. Pairs within
    the earlier class are not listed."""
    last = tmp_path / "2025" / "rope"
    last.mkdir(parents=True)
    for name, text in (
        ("bob", source_of_functions(1, 2)),
        ("cy", source_of_functions(1, 2).replace("x", "y")),
        ("zed.txt", ""),
    ):
        (last / (name if "." in name else f"{name}.py")).write_text(text)
    out = tmp_path / "out"
    compare(out, {"ada": source_of_functions(2, 1).replace("x", "z"), "eve": source_of_functions(7, 8)})
    result = CliRunner().invoke(cli.main, ["similarity", str(out), "--against", str(last.parent)])
    assert result.exit_code == 0, result.output
    rows = similarity.read(out) or []
    assert rows and all("ada" in pair and pair < {"ada", "bob (2025)", "cy (2025)"} for pair in student_pairs(rows))


def test_an_earlier_term_s_zips_are_read_or_named(tmp_path: Path) -> None:
    """A zip from one student is compared like a single file. A zip of a whole class is not compared, and a
    message tells the instructor what to do."""
    put(
        tmp_path / "2025" / "rope",
        {"bob.zip": archive_of({"w/rope.py": source_of_functions(1, 2)}), "eve.py": "def f(:"},
    )
    class_ = {f"doe{n}_10{n}_900{n}_rope.py": source_of_functions(n, n + 1) for n in range(2)}
    put(tmp_path / "2025" / "rope", {"canvas.zip": archive_of(class_)})
    put(tmp_path / "2025" / "rope", {"mail.zip": archive_of({f"{n}.py": SOLVED for n in range(3)})})
    out = tmp_path / "out"
    compare(out, {"ada": source_of_functions(2, 1).replace("x", "z"), "cy": source_of_functions(7, 8)})
    result = CliRunner().invoke(cli.main, ["similarity", str(out), "--against", str(tmp_path / "2025")])
    assert {frozenset(pair) for pair in student_pairs(similarity.read(out) or [])} == {frozenset({"ada", "bob (2025)"})}
    assert "Not compared: canvas (2025): rope/canvas.zip is a download from Canvas: unpack it" in result.output
    assert "Not compared: eve (2025): The file is not Python" in result.output
    assert re.search(r"Not compared: mail .2025.: .* could each be rope; .* unpack rope/mail.zip", result.output)
