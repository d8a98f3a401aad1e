"""Tests of the handout, which contains everything that a student needs and no answer."""

from __future__ import annotations

import ast
import base64
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import yaml

from autograder import course
from autograder.checks.oracle import Returned
from autograder.files import write_files
from autograder.grading import answer_key
from autograder.handout import HandoutError, build_handout, bundle, leaks, solution_pages, stubs_and_recorded_values
from autograder.hints.golden_values import decoded, fingerprint_record
from autograder.laptop import checks_command, self_study
from autograder.protocol import codec
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.student_folders import put

ROPE = course.find("rope")
SOLUTION = ROPE.solution.read_text("utf-8")
BODY = re.findall(r"# BEGIN SOLUTION\n(.*?)\s*# END SOLUTION", SOLUTION, re.DOTALL)[1]


@pytest.fixture(scope="module")
def shipped(handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the handout but not the pages."""
    folder = tmp_path_factory.mktemp("handout") / "handout"
    pages = (f"{bundle.PAGES_FOLDER}/", "assignments/figures/")
    write_files({folder / name: content for name, content in handed_out.items() if not name.startswith(pages)})
    return folder


@pytest.fixture
def laptop(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Working folder with the handout and the untouched stub for rope."""
    monkeypatch.chdir(shipped)
    write(ROPE.stub.read_text("utf-8"))
    return shipped


def write(source: str) -> None:
    """Write text into the student's file in the working folder."""
    Path("assignments", "rope", "rope.py").write_text(source, "utf-8")


def sample(student: str) -> str:
    return (SAMPLES / "rope" / f"{student}.py").read_text("utf-8")


def ran(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the working folder, without access to the checkout."""
    hidden = (
        "PYTHONPATH",
        "PYTHONSAFEPATH",
    )  # the second, which grading sets, would hide the folder itself
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | variables
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def sources(notebook: bytes) -> dict[str, str]:
    """Return a notebook's cells by name."""
    return {cell["id"]: "".join(cell["source"]) for cell in json.loads(notebook)["cells"]}


# No answers


@pytest.mark.parametrize(
    "out, there", [("essay.zip", "essay/page.txt"), ("fall.zip", "fall/tests/public/test_rope.py")]
)
def test_a_handout_is_written_over_nothing_else(tmp_path: Path, out: str, there: str) -> None:
    """A handout is never written over other files, not even over a checkout of the course, which also has
    public tests."""
    put(tmp_path, {there: "mine"})
    for name, said in ((out, "choose another --out"), ("handout", r"ends in \.zip")):
        with pytest.raises(HandoutError, match=said):
            build_handout(tmp_path / name)
    assert [path.name for path in tmp_path.rglob("*.*")] == [Path(there).name]


def test_zip_and_folder_are_the_same_each_time_replace_earlier_ones_and_are_not_written_with_a_leak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {bundle.QUIZ_QUESTIONS_FILE: b"{}", "LICENSE": b"free"}
    monkeypatch.setattr(bundle, "contents", lambda only: files)
    put(tmp_path, {f"fall/{bundle.QUIZ_QUESTIONS_FILE}": "{}", "fall/old.txt": ""})
    first, second = (build_handout(tmp_path / "fall.zip", ["rope"]).read_bytes() for _ in range(2))
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert {name.removeprefix("handout/"): archive.read(name) for name in archive.namelist()} == files
    there = {path.relative_to(tmp_path / "fall").as_posix() for path in (tmp_path / "fall").rglob("*.*")}
    assert first == second and there == {bundle.QUIZ_QUESTIONS_FILE}
    files["assignments/rope/notes.md"] = BODY.encode()
    with pytest.raises(HandoutError, match=r"notes\.md: a line of \w+'s solution"):
        build_handout(tmp_path / "handout.zip")
    assert not list(tmp_path.glob("handout*"))


def test_the_handout_gives_nothing_away_and_has_nothing_else(handed_out: dict[str, bytes]) -> None:
    """Encoded values in the handout decode to plain numbers; each text among them must also occur in a public test."""
    assert leaks(handed_out) == []
    secret = ("hidden", "misconception", "solution", "submission", "sandbox", "/self_study.py")
    assert not [name for name in handed_out if any(word in name for word in secret)]
    packages = {name.split("/")[1] for name in handed_out if re.match(r"autograder/\w+/", name)}
    assert packages == {"checks", "hints", "laptop", "protocol"}
    top = {name for name in handed_out if "/" not in name}
    assert top == {"README.md", "Makefile", "requirements.txt", "pytest.ini", ".gitignore", "LICENSE"}
    for one in course.term_assignments():
        for calls in json.loads(one.golden_values.read_text("utf-8"))["calls"].values():
            values = [getattr(decoded(call["expected"]), "value", None) for call in calls]
            texts = set().union(*map(texts_in, values))
            assert all(f'"{text}"' in one.public_tests.read_text("utf-8") for text in texts), texts


def texts_in(value: object) -> set[str]:
    """Return every text in a recorded value, including the keys of a dict."""
    if isinstance(value, dict):
        return set(value).union(*map(texts_in, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(texts_in, value))
    return {value} if isinstance(value, str) else set()


HIDDEN = ROPE.hidden_tests.read_text("utf-8")
A_LINE = re.findall(r"    (expect\.\w+\(.{40,})\n", HIDDEN)[0]
PLANTED: dict[str, tuple[str | bytes, str]] = {
    "body.py": (BODY, "s solution: "),
    "commented_out.py": (BODY.replace("\n", "\n# "), "s solution: "),
    "one_line_of_prose.md": ("Write " + " ".join(BODY.split()), "s solution: "),
    "explore.ipynb": (json.dumps({"source": BODY.splitlines(keepends=True)}, indent=1), "s solution: "),
    "highlighted.html": (re.sub(r"(\w+)", r'<span class="n">\1</span>', BODY), "s solution: "),
    "hidden_test.md": (f"Think of `{A_LINE}`.", "rope's hidden tests"),
    "its_name.md": (re.findall(r"def (test_\w+)", HIDDEN)[3], "hidden test for rope"),
    "answer.md": (stubs_and_recorded_values.right_answer_entries(SOLUTION)[1], "an answer of rope"),
    "seed.md": (f"seed: {course.seed()}\n", "the term's seed"),
    "rope.pyc": (b"\xff\xfe\x00\x01", "not text"),
}


def test_the_leak_check_finds_what_is_planted(capsys: pytest.CaptureFixture[str]) -> None:
    """The check for leaked solutions also detects the self-study texts."""
    self_study.print_solution(self_study.SelfStudyContext(), "rope", "apply_rope")
    planted = PLANTED | {"alone.txt": (capsys.readouterr().out, "s solution: ")}
    found = leaks({name: text if isinstance(text, bytes) else text.encode() for name, (text, _) in planted.items()})
    for name, (_, what) in planted.items():
        assert any(what in one and one.startswith(f"{name}: ") for one in found), name


def test_no_stub_is_written_over_somebodys_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`regenerate` must not overwrite a learner's work, because learners in a checkout edit the same files that it
    writes."""
    given = tmp_path / "rope.py"
    right = ROPE.stub.read_text("utf-8")
    monkeypatch.setattr(stubs_and_recorded_values, "first_problem", lambda one: "")
    monkeypatch.setattr(stubs_and_recorded_values, "term_assignments", lambda: [ROPE])
    monkeypatch.setattr(stubs_and_recorded_values, "outdated_files", lambda one: {given: right})
    written = right.replace('raise NotImplementedError("apply_rope is not written yet")', "return 0")
    for work in (written, f"{written}\n(", right.replace('"extra_parameters": None', '"extra_parameters": 0')):
        given.write_text(work)
        with pytest.raises(HandoutError, match=r"contains work, but a stub belongs there"):
            stubs_and_recorded_values.regenerate()
        assert given.read_text() == work != right
    given.write_text("# an older stub\n" + right)
    assert stubs_and_recorded_values.regenerate() == [given] and given.read_text() == right


def test_an_answer_that_does_not_stand_on_its_line_is_named() -> None:
    key = stubs_and_recorded_values.right_answer_entries(SOLUTION)[0].partition(": ")[0]
    with pytest.raises(HandoutError, match=r"rope: .*on one line"):
        stubs_and_recorded_values.stub(SOLUTION.replace(f"{key}: ", f"{key}:\n        "), "rope")


def lines_with(mark: str) -> list[int]:
    return [number for number, line in enumerate(SOLUTION.split("\n"), start=1) if line.strip() == mark]


@pytest.mark.parametrize("place", range(0, len(lines_with(stubs_and_recorded_values.END)), 3))
def test_a_mark_without_its_partner_is_named_with_its_line(place: int) -> None:
    """An unmatched mark is reported with its line number, whether it is in the middle of a solution or at its end."""
    begin, end = lines_with(stubs_and_recorded_values.BEGIN)[place], lines_with(stubs_and_recorded_values.END)[place]
    for missing, alone, line in (
        (begin, stubs_and_recorded_values.END, end - 1),
        (end, stubs_and_recorded_values.BEGIN, begin),
    ):
        lines = SOLUTION.split("\n")
        del lines[missing - 1]
        with pytest.raises(HandoutError, match=f"unmatched {alone} in solutions/rope.py, line {line}$"):
            stubs_and_recorded_values.stub("\n".join(lines), "rope")


def test_recorded_values_are_current_up_to_what_differs_between_processors() -> None:
    def golden(factor: float, hint: str = "Your slope") -> str:
        expected = base64.b64encode(codec.encode(np.array([0.1, 2.0]) * factor)).decode("ascii")
        return json.dumps({"expected": expected, "mark": [2, 2.1 * factor, 4.01 * factor], "hint": hint}, indent=1)

    for off, is_current in ((0, True), (1e-9, True), (1e-7, True), (1e-4, False), (1, False)):
        assert (
            stubs_and_recorded_values.is_up_to_date(golden(1 + off), golden(1))
            is stubs_and_recorded_values.is_up_to_date(golden(1), golden(1 + off))
            is is_current
        )
    for other in (
        golden(1, "My slope"),
        golden(1).replace('"mark"', '"marks"'),
        golden(1).replace(" 2,", " 3,"),
    ):
        assert not stubs_and_recorded_values.is_up_to_date(other, golden(1))


def test_a_mark_that_only_rounding_tells_from_the_right_value_may_be_missing() -> None:
    right = np.array([0.1, 2.0])

    def golden(*outcomes: np.ndarray) -> str:
        marks = {str(number): fingerprint_record(Returned(outcome)) for number, outcome in enumerate(outcomes)}
        known = {"slopes": {"own": {number: f"Mistake {number}" for number in marks}}}
        expected = base64.b64encode(codec.encode(right)).decode("ascii")
        calls = {"test": [{"function": "slopes", "expected": expected, "mistakes": marks}]}
        return json.dumps({"known": known, "calls": calls})

    rounded, wrong = right * (1 + 1e-8), right * 1.01
    assert stubs_and_recorded_values.is_up_to_date(
        golden(), golden(rounded)
    ) and stubs_and_recorded_values.is_up_to_date(golden(rounded), golden())
    assert stubs_and_recorded_values.is_up_to_date(golden(wrong, rounded), golden(wrong))
    assert not stubs_and_recorded_values.is_up_to_date(
        golden(), golden(wrong)
    ) and not stubs_and_recorded_values.is_up_to_date(golden(wrong, wrong), golden(wrong))


# Needs of the instructor


def test_a_handout_of_some_has_nothing_of_the_others() -> None:
    """A lesson that a term leaves out is also missing from the pages and the pictures."""
    names = bundle.contents(["rope"]).keys()
    pages = {name for name in names if re.fullmatch(r"course/\w+\.html", name)}
    assert pages & {f"course/{one.name}.html" for one in course.term_assignments()} == {"course/rope.html"}
    assert "assignments/figures/rotated_pair.svg" in names and "assignments/figures/alibi_heads.svg" not in names
    assert {"LICENSE", "assignments/figures.py", "tests/public/test_rope.py", "assignments/rope/explore.ipynb"} <= names
    for one in course.term_assignments():
        own = [
            name for name in names if name.startswith((f"assignments/{one.name}/", f"tests/public/test_{one.name}."))
        ]
        assert bool(own) is (one == ROPE), own


def test_the_page_of_solutions_has_every_function_and_every_answer_with_its_reason(
    tmp_path: Path,
) -> None:
    (path,) = solution_pages.build_pages([ROPE], tmp_path)
    page = html.unescape(re.sub(r"<[^>]*>", "", path.read_text("utf-8")))
    assert "BEGIN SOLUTION" not in page and all(f"def {name}(" in page for name in ("apply_rope", "decay_bound"))
    assert all(f'"{key}": ' in page and one.reason in page for key, one in answer_key.answers(ROPE).items())


def test_solutions_are_written_for_the_assignment_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If no assignment is named, the command writes nothing and explains how to name one."""
    monkeypatch.chdir(tmp_path)
    for words, sentence in (
        ([], "make solutions ASSIGNMENT=rope, or ALL=1"),
        (["rop"], "there is no assignment 'rop'"),
    ):
        assert solution_pages.main(words) == 2 and sentence in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert solution_pages.main(["rope"]) == 0
    assert [path.name for path in (tmp_path / solution_pages.SOLUTIONS_FOLDER).iterdir()] == ["rope.html"]
    assert solution_pages.main(["--all"]) == 0
    assert {path.stem for path in (tmp_path / solution_pages.SOLUTIONS_FOLDER).iterdir()} == {
        one.name for one in course.term_assignments()
    }


# Completeness


def test_every_link_of_every_text_leads_somewhere(handed_out: dict[str, bytes]) -> None:
    for name, content in handed_out.items():
        for target in re.findall(r"\]\(([^)#\s]+)", content.decode("utf-8")) if name.endswith(".md") else []:
            there = os.path.normpath(os.path.join(os.path.dirname(name), target))
            assert "://" in target or there in handed_out, f"{name}: {target}"


def test_what_ships_runs_on_any_system(handed_out: dict[str, bytes]) -> None:
    """The handout's code imports no Linux-only module and no package missing from requirements.txt."""
    requirements = re.findall(r"^([\w-]+)>=", handed_out["requirements.txt"].decode(), re.MULTILINE)
    named = {{"pillow": "PIL", "markdown-it-py": "markdown_it"}.get(name, name) for name in requirements}
    unix = {"resource", "fcntl", "pwd", "grp", "termios", "pty", "landlock", "seccomp", "syslog"}
    allowed = sys.stdlib_module_names - unix | named | {"autograder", "assignments", "ipywidgets"}
    for name, content in handed_out.items():
        if name.endswith(".py") and not re.match(r"assignments/\w+/tests/", name):  # Otter, which is optional
            for node in ast.walk(ast.parse(content)):
                modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert {module.split(".")[0] for module in modules} <= allowed, f"{name} imports {modules}"


def test_every_function_has_its_test_file_and_its_cell(handed_out: dict[str, bytes]) -> None:
    """Each notebook also has a cell for Colab that does nothing on other hosts."""
    for name in (one.name for one in course.term_assignments()):
        folder, before = f"assignments/{name}", os.getcwd()
        tests = {Path(one).stem for one in handed_out if one.startswith(f"{folder}/tests/")}
        nbformat.validate(json.loads(handed_out[f"{folder}/explore.ipynb"]))
        cells = sources(handed_out[f"{folder}/explore.ipynb"])
        assert set(re.findall(r'grader\.check\("(\w+)"\)', "\n".join(cells.values()))) == tests
        functions = set(re.findall(r"^def ([a-z]\w+)", handed_out[f"{folder}/{name}.py"].decode(), re.MULTILINE))
        assert functions == tests
        exec(cells["colab"], {})
        assert os.getcwd() == before and folder in cells["colab"]


# A student at work


def test_pytest_names_a_known_mistake_with_the_handouts_own_checks_and_learning_alone_is_not_there(
    laptop: Path,
) -> None:
    """The handout identifies a known mistake by a fingerprint, because it does not contain the mistake's code."""
    write(sample("exponent_counts_pairs"))
    where = "import sys, pytest, autograder.checks as own; print(own.__file__); pytest.main(sys.argv[1:])"
    done = ran(laptop, sys.executable, "-c", where, "-q", "tests/public/test_rope.py", "-k", "frequencies or half")
    assert "expected 0.01, got 0.1" in done.stdout and " passed" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert Path(done.stdout.split("\n")[0]).is_relative_to(laptop)
    done = ran(laptop, sys.executable, "-m", "autograder.checks", "rope", "--alone")
    assert done.returncode == 2 and "not in a handout" in done.stderr


WRITTEN = {
    '"rotates_values": False,': ('"rotates_values": 1,', "rotates_values: write True or False instead of 1."),
    '"extra_parameters": 0,': (
        '"another": 1, "extra_parameters": "0",',
        "extra_parameters: write a whole number, without quotes, instead of '0'.",
    ),
    '"score_m1_n3_equals_m3_n5": True,': (
        "",
        "score_m1_n3_equals_m3_n5 is missing: add its line to ANSWERS again.",
    ),
    '"half_layout_is_a_bug": False,': ('"half_layout_is_a_bug": True,', "another is not a question in this lesson."),
}


def test_answers_are_told_by_their_form(laptop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If a graded answer is wrong but well-formed, the student gets no message."""
    written = SOLUTION
    for line, (wrong, _) in WRITTEN.items():
        assert line in written
        written = written.replace(line, wrong)
    write(written)
    checks_command.main(["rope"])
    told = capsys.readouterr().out
    assert all(said in told for _, said in WRITTEN.values()) and told.count(" ✗ ") == len(WRITTEN)


def test_the_workflow_runs_the_public_checks_on_push(shipped: Path, tmp_path: Path) -> None:
    """The workflow's commands, run in a shell like GitHub's, write a summary of the run and fail if a public
    test fails."""
    workflow = yaml.safe_load((shipped / ".github" / "workflows" / "checks.yml").read_text("utf-8"))
    assert "push" in workflow[True]  # YAML 1.1 reads the word `on` as true
    for name in ("autograder", "tests/public/expected", "assignments/rope"):  # one assignment is enough
        shutil.copytree(shipped / name, tmp_path / name)
    put(tmp_path, {"tests/public/test_rope.py": ROPE.public_tests.read_bytes()})
    put(
        tmp_path,
        {
            "assignments/rope/rope.py": sample("exponent_counts_pairs"),
            "pytest.ini": (shipped / "pytest.ini").read_bytes(),
        },
    )
    path, summary = f"{Path(sys.executable).parent}:/usr/bin:/bin", tmp_path / "summary.md"
    install, *steps = [step["run"] for step in workflow["jobs"]["checks"]["steps"] if "run" in step]

    def ended(step: str) -> int:
        shell = ("bash", "-eo", "pipefail", "-c")
        return ran(tmp_path, *shell, step, PATH=path, GITHUB_STEP_SUMMARY=str(summary)).returncode

    assert "install" in install and [ended(step) for step in steps] == [0, 0, 1]
    said = summary.read_text("utf-8")
    put(tmp_path, {"assignments/rope/rope.py": ROPE.stub.read_bytes()})
    assert ended(steps[-1]) == 0  # an unwritten function is not a failure
    assert ">>> rope_frequencies(4)" in said and "The exponent looks half as large" in said


@pytest.fixture
def cells(laptop: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Return a function that runs code followed by cells of rope's notebook, in rope's folder, and returns the checks'
    messages."""
    monkeypatch.setattr(sys, "path", [str(laptop), *sys.path])
    monkeypatch.setattr("autograder.laptop.notebook_checks.ROOT", laptop)
    monkeypatch.chdir(laptop / "assignments" / "rope")
    own = sources(Path("explore.ipynb").read_bytes())

    def run(defined: str, *functions: str) -> list[str]:
        environment: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(f"{defined}\n{own['check-setup']}", "<cell>", "exec"), environment)
        return [repr(eval(own[f"check-{function}"], environment)) for function in functions]

    return run


def test_a_notebook_checks_the_file_and_a_function_of_a_cell_goes_before_it(
    laptop: Path, cells: Callable[..., list[str]]
) -> None:
    """Functions that the notebook only imports do not count as the student's functions."""
    (laptop / "assignments" / "rope" / "rope.py").write_text(sample("exponent_counts_pairs"), "utf-8")
    (said,) = cells("", "rope_frequencies")
    assert "expected 0.01, got 0.1" in said and "Likely cause: The exponent looks half as large" in said
    assert "See README.md, section rope_frequencies." in said
    (laptop / "assignments" / "rope" / "rope.py").write_text(ROPE.stub.read_text("utf-8"), "utf-8")
    (said,) = cells(sample("complete"), "rope_frequencies")
    assert "rope_frequencies, public tests results: All test cases passed!" in said
    assert "All public tests of rope_frequencies are worth 0.5 points; hidden tests decide another 0.25." in said
    defined = "import numpy as np\ndef rotate_half(x):\n    print('x is', x)\n    return np.asarray(x, float)\n"
    imported = "from operator import neg as half_to_interleaved"
    said, above, other = cells(defined + imported, "rotate_half", "apply_rope", "half_to_interleaved")
    assert ">>> rotate_half(np.array([1.0, 2.0, 3.0, 4.0]))" in said and "expected -4, got 2" in said
    assert "Your code printed in test_rotate_half:\n\n            x is [1. 2. 3. 4.]" in said
    assert "apply_rope is not implemented yet" in above
    assert "half_to_interleaved is not implemented yet" in other
