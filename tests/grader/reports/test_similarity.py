"""Similarity: a copy in disguise is found, independent solutions are not, and nobody is accused."""

from __future__ import annotations

import ast
import csv
import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder import cli
from autograder.batch import summary
from autograder.batch.gradebook import Gradebook
from autograder.course import Assignment
from autograder.reports import similarity
from autograder.reports.similarity import Pair
from autograder.submission import Submission
from tests.grader.support import gradebooks

TESTS = Path(__file__).parents[2]
SMALL = 400
"""characters that a solution has beyond its stub; every lesson's has thousands"""


@pytest.fixture(autouse=True)
def in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing begins no processes, but in the tests that say so: what these cost is the business of `parallel`."""
    if "apart" not in request.fixturenames:
        monkeypatch.setattr(similarity, "in_order", map)


@pytest.fixture
def apart() -> None:
    """This test compares as a batch does, in processes of their own."""


class Disguise(ast.NodeTransformer):
    """Gives every name of the student's own another one, and rewords every message."""

    def __init__(self, names: set[str]) -> None:
        self.names = {name: f"{name[0]}{place}" for place, name in enumerate(sorted(names))}

    def new(self, name: str) -> str:
        return self.names.get(name, name)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.new(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(self.new(node.arg))

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        return ast.keyword(node.arg and self.new(node.arg), self.visit(node.value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.name = self.new(node.name)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Constant:
        return ast.Constant("this will not do")


def disguised(text: str, given: set[str]) -> str:
    """The same program renamed, reordered, without comments and docstrings, laid out anew. `given` names stay."""
    tree = ast.parse(text)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    Disguise(own - given - {"ANSWERS"}).visit(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    random.Random(0).shuffle(functions)
    tree.body = [*others[:-1], *functions, others[-1]]
    return ast.unparse(ast.fix_missing_locations(tree))


def given_names(assignment: Assignment) -> set[str]:
    return set(similarity.units([assignment.stub.read_text("utf-8")], set()))


def complete_samples(assignment: Assignment) -> dict[str, str]:
    """The complete solutions in the sample class, and the course's own: each was written by itself."""
    with (TESTS / "grader" / "grading" / "expected_scores" / f"{assignment.name}.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "graded"]
    complete = [row["student"] for row in rows if row["lowest"] == row["highest"] == "20"]
    paths = {name: TESTS / "submissions" / assignment.name / f"{name}.py" for name in complete}
    texts = {name: path.read_text("utf-8") for name, path in paths.items() if path.is_file()}
    return texts | {"solution": assignment.solution.read_text("utf-8")}


def is_small(assignment: Assignment) -> bool:
    """Whether a solution has too little code to say anything: an example that waits to be replaced."""
    return len(assignment.solution.read_text("utf-8")) - len(assignment.stub.read_text("utf-8")) < SMALL


def compare(out: Path, codes: dict[str, str], assignment: str = "rope") -> list[Pair]:
    """The pairs of a class in which everybody handed in one file."""
    grade = gradebooks.grade(assignment, 0.0, random.Random(0))
    gradebooks.write(out, [(gradebooks.submission_file(name, assignment, code), grade) for name, code in codes.items()])
    return written(out)


def written(out: Path, *others: Submission) -> list[Pair]:
    """The pairs, in OUT/similarity.csv as well."""
    with Gradebook.reading(out) as book:
        assert similarity.write(out, book, others) == []
        return similarity.find(book, others)[0]


def who(pairs: list[Pair]) -> set[frozenset[str]]:
    return {frozenset(name for one in pair.files for name in one.students) for pair in pairs}


def test_disguised_copies_are_found_and_independent_solutions_are_not(assignment: Assignment, tmp_path: Path) -> None:
    """Each complete sample next to a disguised copy of it: those pairs are listed, and no others.

    Of an assignment that is still an example, or is small, no sample has enough code to say anything.
    """
    samples = complete_samples(assignment)
    assert len(samples) > 1
    small = is_small(assignment)
    copies = {f"copy of {name}": disguised(text, given_names(assignment)) for name, text in samples.items()}
    pairs = compare(tmp_path, samples | copies, assignment.name)
    assert who(pairs) == {frozenset({name, f"copy of {name}"}) for name in samples if not small}
    assert all(min(pair.shares) > 0.9 for pair in pairs)


def test_samples_of_a_class_are_not_alike_unless_derived(assignment: Assignment, tmp_path: Path) -> None:
    """Of the whole sample class only those of `rope` that were made from one another are listed."""
    folder = TESTS / "submissions" / assignment.name
    pairs = compare(tmp_path, {path.stem: path.read_text("utf-8") for path in folder.glob("*.py")}, assignment.name)
    if assignment.name == "rope":
        assert pairs and frozenset({"ada", "grace"}) not in who(pairs)
    else:
        assert not pairs


def one_function(number: int, lines: int = 8) -> str:
    """A function unlike any of another number."""
    draw = random.Random(number)
    verbs = (
        "sin",
        "cos",
        "exp",
        "abs",
        "sqrt",
        "cumsum",
        "sort",
        "round",
        "floor",
        "ceil",
        "tanh",
        "square",
        "diff",
        "prod",
    )
    calls = [
        f"    x = np.{draw.choice(verbs)}(x) {draw.choice('+-*/')} np.{draw.choice(verbs)}(x[{draw.randrange(99)}:])"
        for _ in range(lines)
    ]
    return "\n".join([f"def f{number}(x):", *calls, "    return x", ""])


def several(*numbers: int) -> str:
    return "\n\n".join(map(one_function, numbers))


def test_what_the_handout_gives_is_set_aside(tmp_path: Path) -> None:
    """Unchanged stubs are not alike, nor are two files that both contain the given laboratory."""
    given = Assignment("extrapolation").folder
    stub, lab = (given / name for name in ("extrapolation.py", "lab.py"))
    codes = {f"stub {n}": f"# {n}\n{stub.read_text('utf-8')}" for n in range(3)}
    codes |= {f"lab {n}": f"{lab.read_text('utf-8')}\n\n{several(n)}" for n in range(3)}
    assert compare(tmp_path, codes, "extrapolation") == []


def test_what_much_of_the_class_has_is_set_aside(tmp_path: Path) -> None:
    """Half of a class shows the same example; two of them share more than that."""
    codes = {f"student {n}": several(100 + n, 200 + n) + (several(1, 2, 3) if n % 2 else "") for n in range(40)}
    codes["student 39"] = codes["student 38"].replace("x", "y") + several(1, 2, 3)
    assert who(compare(tmp_path, codes)) == {frozenset({"student 38", "student 39"})}


def test_a_pair_of_few_is_not_taken_for_the_class(tmp_path: Path) -> None:
    """In a class of three, two copies are two thirds of it, and still listed."""
    pairs = compare(tmp_path, {"ada": several(1, 2), "bob": several(1, 2).replace("x", "y"), "cy": several(3, 4)})
    assert who(pairs) == {frozenset({"ada", "bob"})}


def test_shares_say_what_is_alike(tmp_path: Path) -> None:
    """Half of one and all of the other, a function renamed."""
    pairs = compare(tmp_path, {"ada": several(1, 2, 3, 4), "bob": several(2, 1).replace("f1", "g")})
    (pair,) = pairs
    assert [one.students for one in pair.files] == [("ada",), ("bob",)]
    assert pair.shares[0] == pytest.approx(0.5, abs=0.1) and pair.shares[1] == 1.0


def test_a_group_is_held_together_by_its_strongest_links(tmp_path: Path) -> None:
    """Four that are all alike make three rows of one group, two others a second group."""
    codes = {name: f"# {name}\n{several(1, 2, 3)}" for name in "abcd"} | {
        "e": several(5, 6),
        "f": several(6, 5),
        "g": several(9),
    }
    pairs = compare(tmp_path, codes)
    assert [pair.group for pair in pairs] == [1, 1, 1, 2]
    assert set.union(*(set(names) for names in who(pairs[:3]))) == set("abcd")


def test_identical_code_is_listed_and_one_file_of_a_group_is_not(tmp_path: Path) -> None:
    """Two files with the same code are alike; two students who handed in one file together are one submission."""
    grade = gradebooks.grade("rope", 0.0, random.Random(0))
    ada, bob = (gradebooks.submission_file(name, "rope", several(1, 2)) for name in ("ada", "bob"))
    eve = Submission("eve", "rope", ada.file, ada.sha256, ada.cells)
    gradebooks.write(tmp_path, [(one, grade) for one in (ada, bob, eve)])
    with Gradebook.reading(tmp_path) as book:
        found, _ = similarity.find(book)
    assert [sorted(one.students for one in pair.files) for pair in found] == [[("ada", "eve"), ("bob",)]]


def test_too_little_code_says_nothing(tmp_path: Path) -> None:
    """Two short files may well be equal."""
    short = "def f(x):\n    return np.arange(x, dtype=float) + 1\n"
    assert compare(tmp_path, {"ada": short, "bob": short}) == []


@pytest.mark.usefixtures("apart")
def test_hostile_code_is_read_like_any_other(tmp_path: Path) -> None:
    """Deep, long, strange or unreadable cells neither stop the comparison nor hide a copy."""
    extras = {"ada": "x = " + " + ".join(["1"] * 2000), "bob": "y = 0x" + "f" * 20000, "cy": "z = 1j, None, ..."}
    pairs = compare(tmp_path, {name: f"{extra}\n{several(1, 2)}" for name, extra in extras.items()})
    assert set.union(*(set(names) for names in who(pairs))) == {"ada", "bob", "cy"}
    assert similarity.units(["def f(", "x = 1"], set()) == {"(outside functions)": ["Assign", "name", "1"]}


def test_the_csv_holds_names_safely(tmp_path: Path) -> None:
    """Names that a spreadsheet would run, or that break lines, come back as text."""
    compare(tmp_path, {"=cmd()": several(1, 2), 'a "b", c\n<i>': several(2, 1)})
    (row,) = similarity.read(tmp_path) or []
    assert (row["student"], row["other_student"]) == ("'=cmd()", 'a "b", c\n<i>')


@pytest.mark.parametrize("change", ["student,why\nada,because\n", "", "{}ada,bob\n", "{}" + "x" * 200_000])
def test_a_changed_csv_is_left_alone(tmp_path: Path, change: str) -> None:
    """Edited until it has another form, it counts as not there."""
    compare(tmp_path, {"ada": several(1, 2), "bob": several(2, 1)})
    header = (tmp_path / similarity.FILE).read_text("utf-8").splitlines()[0]
    (tmp_path / similarity.FILE).write_text(change.format(f"{header}\n"), "utf-8")
    assert similarity.read(tmp_path) is None


@pytest.mark.usefixtures("apart")
def test_the_command(tmp_path: Path) -> None:
    """`autograder similarity OUT` lists the pairs, writes the CSV, and brings the report up to date. It accuses
    nobody."""
    assert CliRunner().invoke(cli.main, ["similarity", str(tmp_path / "nothing")]).exit_code == cli.WRONG_USE
    compare(tmp_path, {"ada": several(1, 2), "bob": several(2, 1)})
    result = CliRunner().invoke(cli.main, ["similarity", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "ada and bob" in result.output and "similarity.csv" in result.output and "read both" in result.output
    assert not re.search(r"plagiar|cheat|copy|suspicio|offen[cd]|guilt|theft", result.output, re.IGNORECASE)
    assert "Worth reading side by side" in (tmp_path / "report.html").read_text("utf-8")


def test_the_same_result_every_time(tmp_path: Path) -> None:
    """Written twice, the CSV is the same byte for byte."""
    compare(tmp_path, {name: several(1, 2, ord(name)) for name in "abcdef"})
    first = (tmp_path / similarity.FILE).read_bytes()
    written(tmp_path)
    assert (tmp_path / similarity.FILE).read_bytes() == first


@pytest.mark.usefixtures("apart")
def test_one_copy_among_hundreds_is_found(tmp_path: Path) -> None:
    """All have much in common with some; one has nearly everything in common with one."""
    codes = {f"student {n}": several(*random.Random(n).sample(range(600), 8)) for n in range(400)}
    codes["copy"] = codes["student 7"].replace("x", "y")
    assert frozenset({"student 7", "copy"}) in who(compare(tmp_path, codes))


# The most blatant is the most visible


@pytest.mark.parametrize("copies", [2, 12, 29])
def test_copies_with_other_names_are_named_to_the_instructor(tmp_path: Path, copies: int) -> None:
    """Though each shares all it has with the others, and though they may be more of a class than what is set aside."""
    codes = {f"copy {n:02}": re.sub(r"\bx\b", f"x{n}", several(1, 2, 3)) for n in range(copies)}
    codes |= {f"own {n}": several(100 + n, 200 + n, 300 + n) for n in range(29 - copies)}
    pairs = compare(tmp_path, codes)
    assert set().union(*who(pairs)) == {name for name in codes if name.startswith("copy")}
    assert all(share == 1.0 for pair in pairs for share in pair.shares)
    (sentence,) = summary._alike(tmp_path)
    assert "copy 00" in sentence and "copy 01" in sentence and "much the same" in sentence


def test_a_copy_of_the_solution_or_of_a_sample_is_named(assignment: Assignment, tmp_path: Path) -> None:
    """With other names as well; whoever is alike with nobody's is not named, nor are solution and samples for each
    other's sake."""
    solution = assignment.solution.read_text("utf-8")
    compare(tmp_path, {"ada": disguised(solution, given_names(assignment)), "eve": several(7, 8)}, assignment.name)
    pairs = written(tmp_path, *similarity.solutions())
    named = set().union(*who(pairs))
    assert is_small(assignment) or {"ada", "reference solution"} <= named
    assert "eve" not in named
    assert all("ada" in names for names in who(pairs))


def test_the_sample_class_is_not_compared_with_itself(tmp_path: Path) -> None:
    samples = {path.stem: path for path in (TESTS / "submissions" / "alibi").glob("*.py")}
    compare(tmp_path, {name: path.read_text("utf-8") for name, path in samples.items()}, "alibi")
    assert written(tmp_path, *similarity.solutions()) == []


def test_an_earlier_term_is_a_folder_as_it_was_graded(tmp_path: Path) -> None:
    """Whoever handed in last term's file is named beside its author, and last term's class is not listed for its own
    sake."""
    last = tmp_path / "2025" / "rope"
    last.mkdir(parents=True)
    for name, text in (("bob", several(1, 2)), ("cy", several(1, 2).replace("x", "y")), ("zed.txt", "")):
        (last / (name if "." in name else f"{name}.py")).write_text(text)
    out = tmp_path / "out"
    compare(out, {"ada": several(2, 1).replace("x", "z"), "eve": several(7, 8)})
    result = CliRunner().invoke(cli.main, ["similarity", str(out), "--against", str(last.parent)])
    assert result.exit_code == 0, result.output
    rows = similarity.read(out) or []
    assert rows and {row[side] for row in rows for side in ("student", "other_student")} <= {
        "ada",
        "bob (2025)",
        "cy (2025)",
    }
    assert all("ada" in (row["student"], row["other_student"]) for row in rows)
