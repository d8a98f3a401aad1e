"""Tests of the course as a whole: each assignment is complete, in order, and has the right points and tests."""

from __future__ import annotations

import ast
import doctest
import inspect
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from autograder import course, handout
from autograder.course import Assignment
from autograder.grading.suite import Suite
from autograder.handout import stubs_and_recorded_values
from autograder.hints import catalogue
from tests.grader.tools import mutants


@pytest.fixture(autouse=True)
def one_collection(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Share one suite among all checks of an assignment, because collecting a suite takes as long as running
    it."""
    if "suite" in request.fixturenames:
        suite = request.getfixturevalue("suite")
        for module in ("validate", "stubs_and_recorded_values"):
            monkeypatch.setattr(f"autograder.handout.{module}.Suite", lambda _: suite)


def functions(assignment: Assignment) -> list[str]:
    return [
        name
        for name, value in vars(catalogue.solution(assignment)).items()
        if inspect.isfunction(value) and name[0] != "_"
    ]


def test_the_lessons_are_numbered_without_gaps() -> None:
    titles = [
        assignment.lesson.read_text(encoding="utf-8").partition("\n")[0] for assignment in course.term_assignments()
    ]
    assert [re.match(r"# (\d+)\. ", title)[1] for title in titles] == [str(place + 1) for place in range(len(titles))]  # type: ignore[index]


@pytest.mark.filterwarnings("error")
def test_an_assignment_is_complete_and_its_solution_passes_everything_and_warns_of_nothing(
    assignment: Assignment, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The solution raises no warning, even for a query with no keys or the logarithm of zero, because a warning would
    make students look for a mistake. The solution also passes every test with another term's seed."""
    assert handout.first_problem(assignment) == ""
    monkeypatch.setattr(suite, "seed", 77)
    test_results = suite.run(catalogue.ModuleBackend(catalogue.solution(assignment)))
    assert [one for one in test_results if not one.passed] == []


def test_points_are_for_understanding(assignment: Assignment, suite: Suite) -> None:
    """Tests that only check an error, a dtype or unchanged arguments carry at most 8 % of the points.

    The limit of 8 % applies to the public tests and to the hidden tests separately."""
    paperwork = {
        name
        for path in (assignment.public_tests, assignment.hidden_tests)
        for name, body in re.findall(r"(?ms)^def (test_\w+)(.*?)(?=^@|\Z)", path.read_text("utf-8"))
        if re.search(r"expect\.(raises|dtype|unchanged|precision)\(", body)
        and not re.search(r"expect\.(matches|close|holds)\(", body)
    }
    for hidden in (False, True):
        part = [test for test in suite.tests if test.hidden is hidden]
        points = sum(test.points for test in part if test.name.split("[")[0] in paperwork)
        assert points <= 0.08 * sum(test.points for test in part), sorted(paperwork)


@pytest.mark.usefixtures("suite")
def test_stubs_and_recorded_values_are_current(assignment: Assignment) -> None:
    """The handout is up to date: `make handout` has run since the last change to the solution, the public
    tests or the catalogue."""
    assert not stubs_and_recorded_values.outdated_files(assignment), "run `make handout`"


def test_tests_have_names_of_their_own(suite: Suite) -> None:
    repeated = [name for name, count in Counter(test.name for test in suite.tests).items() if count > 1]
    assert not repeated


def test_a_stub_earns_nothing_and_reads_as_unwritten(assignment: Assignment, suite: Suite) -> None:
    source = assignment.stub.read_text(encoding="utf-8")
    stub = catalogue.solution(assignment)
    vars(stub).clear()
    stub.__file__ = "stub.py"
    exec(source, vars(stub))
    assert all(one.is_unfinished for one in suite.run(catalogue.ModuleBackend(stub)))


def test_a_solution_imports_numpy_and_the_standard_library_only(assignment: Assignment) -> None:
    tree = ast.parse(assignment.solution.read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    }
    assert imported <= {"numpy", "math", "typing", "itertools", "functools", "__future__"}


def test_every_function_is_explained_in_its_docstring(assignment: Assignment) -> None:
    module = catalogue.solution(assignment)
    for name in functions(assignment):
        docstring = inspect.getdoc(vars(module)[name]) or ""
        assert "Returns" in docstring or "returns" in docstring, f"{name} does not say what it returns"
        assert "Example:" in docstring or "Parameters, returns" in docstring, f"{name} shows no example"


def test_exactly_the_functions_with_a_line_raises_have_a_test_of_a_refusal(
    assignment: Assignment, suite: Suite
) -> None:
    """Every documented error is tested, and no correct answer is rejected for an undocumented error."""
    explained = vars(catalogue.solution(assignment))
    assert "Only functions with a `Raises` line must refuse bad arguments." in explained["__doc__"]
    calls = [
        call for result in suite.run(catalogue.ModuleBackend(suite.reference.solution)) for call in result.calls.items()
    ]
    refused = {call.function for call, reply in calls if reply.raised is not None}
    docstrings = {name: inspect.getdoc(explained[name]) or "" for name in functions(assignment)}
    assert {name for name, text in docstrings.items() if "Raises:" in text or "and errors:" in text} == refused


def test_the_page_and_the_stub_have_the_functions_in_one_order(assignment: Assignment) -> None:
    lesson = assignment.lesson.read_text(encoding="utf-8")
    sections = re.findall(r"`(\w+)", "".join(re.findall(r"(?m)^### .*$", lesson)))
    assert sections == functions(assignment)
    for heading in HEADINGS.get(
        assignment.name, ("Why the last one was not enough", "The idea", "By hand", "What to write", "Questions")
    ):
        assert re.search(rf"^## {heading}", lesson, re.MULTILINE), heading


def test_a_function_waits_for_no_later_one(assignment: Assignment, suite: Suite) -> None:
    """A student who writes functions in the lesson's order can check each function immediately."""
    module = catalogue.solution(assignment)
    written = {name: vars(module)[name] for name in functions(assignment)}
    vars(module).update(dict.fromkeys(written, unwritten))
    for name, function in written.items():
        vars(module)[name] = function
        own = [test for test in suite.tests if test.question == name and not test.hidden]
        assert all(suite.run_test(catalogue.ModuleBackend(module), test).passed for test in own), name


def unwritten(*_: object, **__: object) -> None:
    raise NotImplementedError


HEADINGS = {
    "attention": ("What came before attention", "The idea", "By hand", "What to write", "Questions"),
    "extrapolation": ("The task", "What can go wrong", "The formula", "What to write", "Questions", "What we measured"),
}
"""Lessons without prerequisites: the first lesson and the experiment."""


def test_the_glossary_is_in_order_and_knows_every_lesson() -> None:
    text = (course.ROOT / "assignments" / "glossary.md").read_text("utf-8")
    rows = re.findall(r"^\| (?!term )(.+?) \| (.+) \| ([\d, ]+) \|$", text, re.MULTILINE)
    words = re.findall(r"^\| (.+?) \|", text.split("## Words")[1].split("## Symbols")[0], re.MULTILINE)[1:]
    assert words == sorted(words, key=str.casefold)
    terms = [term for term, _, _ in rows]
    assert len(terms) == len(set(terms)) == len(re.findall(r"^\| (?!term )", text, re.MULTILINE))
    lessons = {number for _, _, numbers in rows for number in numbers.split(", ")}
    titles = [assignment.lesson.read_text("utf-8").split("\n")[0] for assignment in course.term_assignments()]
    assert {re.match(r"# (\d+)\.", title)[1] for title in titles} <= lessons  # type: ignore[index]


def test_numpy_answers_as_the_page_of_numpy_says() -> None:
    page = course.ROOT / "assignments" / "numpy.md"
    examples = re.sub(r"^```.*$", "", page.read_text("utf-8"), flags=re.MULTILINE)
    found = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(examples, {}, page.name, None, 0))
    assert found.attempted > 0 and found.failed == 0


def test_the_front_page_lists_the_lessons_in_their_order() -> None:
    rows = re.findall(
        r"^\| (\d+) \| \[(\w+)\]\(assignments/(\w+)/README\.md\) \|",
        (course.ROOT / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    expected = [(str(number), one.name, one.name) for number, one in enumerate(course.term_assignments(), start=1)]
    assert rows == expected


def test_every_explained_survivor_is_a_mutant_of_today(assignment: Assignment) -> None:
    made = {(mutant.function, mutant.line, mutant.change) for mutant in mutants.mutants(assignment)}
    assert mutants.explained(assignment) <= made


CALLS = """
import hashlib, sys
if "odd" in sys.argv:
    import odd_constants
from autograder import course
from autograder.protocol import codec
from autograder.hints import catalogue
from autograder.grading.suite import Suite

rope = course.find("rope")
seen = hashlib.sha256()
for one in Suite(rope).run(catalogue.ModuleBackend(catalogue.solution(rope))):
    for call in one.calls:
        seen.update(codec.encode((call.function, list(call.args), call.kwargs)))
print(seen.hexdigest())
"""


@pytest.mark.long
def test_random_examples_depend_on_nothing_that_a_process_has_loaded(tmp_path: Path) -> None:
    """By default, Hypothesis mixes constants from loaded modules into its examples and stores examples in a folder.
    `checks.pytest_plugin` disables both behaviours through a private name of Hypothesis; if that name changes, this
    test fails."""
    (tmp_path / "odd_constants.py").write_text("".join(f"c{place} = {10**5 + 37 * place}\n" for place in range(2000)))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(course.ROOT)])}
    command = [sys.executable, "-c", CALLS]
    said = [
        subprocess.run(
            [*command, *words], cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        ).stdout
        for words in ([], ["odd"])
    ]
    assert said[0] == said[1]
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == ["odd_constants.py"]
