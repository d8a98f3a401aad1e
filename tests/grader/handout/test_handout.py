"""The handout holds no answer, and everything that a student needs."""

from __future__ import annotations

import ast
import base64
import contextlib
import functools
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

import nbformat
import pytest
import yaml
from otter.check import main as otter_check
from otter.check.notebook import Notebook

from autograder import course
from autograder.course import Assignment
from autograder.grading import quiz
from autograder.grading.suite import Suite
from autograder.handout import HandoutError, build, bundle, leaks, stub
from autograder.handout.stubs import answer_texts
from autograder.hints import catalogue
from autograder.protocol import codec
from tests.grader.support import kernels
from tests.grader.support.folders import put
from tests.grader.support.forked_python import CHILDREN
from tests.grader.support.handed_in import SAMPLES

ROPE = course.find("rope")


@pytest.fixture(scope="module")
def shipped(handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handout as a folder; not to be changed."""
    folder = tmp_path_factory.mktemp("handout") / "handout"
    bundle.unpack(handed_out, folder)
    return folder


@pytest.fixture
def laptop(shipped: Path, tmp_path: Path) -> Path:
    """A student's copy, without the pages."""
    return Path(shutil.copytree(shipped, tmp_path / "course", ignore=shutil.ignore_patterns(bundle.COURSE, "figures")))


OnLaptop = Callable[..., str]


def ran_on_laptop(python: str, laptop: Path, *words: str) -> str:
    """What `python …` prints there, where the checkout is out of sight."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {CHILDREN: python}
    done = subprocess.run([python, *words], cwd=laptop, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def on_laptop(quick_python: Path) -> OnLaptop:
    """The same, quick to start."""
    return functools.partial(ran_on_laptop, str(quick_python))


# Nothing is given away


@pytest.mark.parametrize(
    ("out", "there"),
    [("course.zip", ""), ("handout", ""), ("handout.zip", "course/essay.txt"), ("essay.zip", "essay/page.txt")],
)
def test_a_handout_is_written_over_nothing_else(tmp_path: Path, out: str, there: str) -> None:
    put(tmp_path, {there: "mine"} if there else {})
    with pytest.raises(HandoutError, match=r"choose another --out|ends in \.zip"):
        build(tmp_path / out)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == ([tmp_path / there] if there else [])


def test_a_handout_is_written_over_an_earlier_one(
    handed_out: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "stale", lambda assignment: {})  # this and leaks are other tests' business, and slow
    monkeypatch.setattr(bundle, "leaks", lambda folder: [])
    monkeypatch.setattr(bundle, "contents", lambda only: handed_out)
    put(tmp_path, {f"fall/{bundle.QUESTIONS}": "{}", "fall/old.txt": "", "course/search.js": ""})
    for _ in range(2):
        build(tmp_path / "fall.zip", [ROPE.name])
        assert not (tmp_path / "fall" / "old.txt").exists() and (tmp_path / "course" / "search.js").is_file()


def test_a_checkout_of_the_course_is_no_earlier_handout(tmp_path: Path) -> None:
    """A handout put in its place would take all of it."""
    for folder in ("assignments", "autograder", "solutions", "tests/public"):
        shutil.copytree(course.ROOT / folder, tmp_path / "fall" / folder)
    with pytest.raises(HandoutError, match="fall lies where the handout goes"):
        build(tmp_path / "fall.zip", [ROPE.name])
    assert (tmp_path / "fall" / "solutions" / "rope.py").is_file()


def test_the_handout_gives_nothing_away(shipped: Path) -> None:
    assert leaks(shipped) == []


def test_nothing_of_learning_alone_is_in_it(laptop: Path, handed_out: dict[str, bytes]) -> None:
    assert not [name for name in handed_out if "alone" in name.rpartition("/")[2]]
    environment = {"PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "autograder.checks", "rope"]
    for words in (["--alone"], ["--show", "apply_rope"]):
        done = subprocess.run(
            [*command, *words], cwd=laptop, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2 and "not in a handout" in done.stderr


def test_it_has_nothing_else(shipped: Path) -> None:
    names = {path.relative_to(shipped).as_posix() for path in shipped.rglob("*") if path.is_file()}
    folders = {name.rsplit("/", 1)[0] for name in names if "/" in name}
    assert not any(
        word in name for name in names for word in ("hidden", "misconception", "solution", "submission", "sandbox")
    )
    assert {folder for folder in folders if folder.startswith("autograder/")} == {
        f"autograder/{room}" for room in ("checks", "hints", "laptop", "protocol")
    }
    top = {name for name in names if "/" not in name}
    assert top == {"README.md", "Makefile", "requirements.txt", "pytest.ini", ".gitignore", "LICENSE"}


def solution_body() -> str:
    """A body of rope's solution."""
    found = re.findall(r"# BEGIN SOLUTION\n(.*?)\s*# END SOLUTION", ROPE.solution.read_text("utf-8"), re.DOTALL)
    return str(found[1])


def known_mistake() -> str:
    """A line of the catalogue that is no line of the solution."""
    lines = re.findall(r"^ {4}(return .{40,})$", ROPE.misconceptions.read_text("utf-8"), re.MULTILINE)
    return next(line for line in lines if line not in ROPE.solution.read_text("utf-8"))


def notebook_with(source: str) -> str:
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="one")])
    return nbformat.writes(nb)


def zipped(content: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.txt", content)
    return file.getvalue()


def compiled(folder: Path) -> bytes:
    import py_compile

    target = folder / "x.pyc"
    py_compile.compile(str(ROPE.solution), str(target))
    return target.read_bytes()


HIDDEN = re.findall(r"    (expect\.\w+\(.{40,})\n", ROPE.hidden_tests.read_text("utf-8"))[0]
PLANTED: dict[str, tuple[str, str | bytes, str]] = {
    "a solution": ("rope.py", ROPE.solution.read_bytes(), "marks"),
    "a body": ("rope.py", solution_body(), "rope's solution"),
    "a body, indented otherwise": ("rope.py", solution_body().replace("    ", "\t\t  "), "rope's solution"),
    "a body, broken up": ("rope.py", re.sub(r"([(,])", r"\1\n      ", solution_body()), "rope's solution"),
    "a body on one line of prose": ("README.md", "Write " + " ".join(solution_body().split()), "rope's solution"),
    "a body in a notebook": ("explore.ipynb", notebook_with(solution_body()), "rope's solution"),
    "a body in a string of JSON": ("rope.json", json.dumps({"x": json.dumps(solution_body())}), "rope's solution"),
    "a body for a web page": (
        "README.md",
        solution_body().replace("<", "&lt;").replace('"', "&quot;"),
        "rope's solution",
    ),
    "a body in a page, highlighted": (
        "rope.html",
        re.sub(r"(\w+)", r'<span class="n">\1</span>', solution_body()),
        "rope's solution",
    ),
    "a body in a script": ("dials.js", f"/* {solution_body()} */", "rope's solution"),
    "a body commented out": ("rope.py", solution_body().replace("\n", "\n# "), "a line of"),
    "a line of a hidden test": ("README.md", f"Think of `{HIDDEN}`.", "rope's hidden tests"),
    "the name of a hidden test": ("README.md", "test_far_positions_keep_their_precision", "hidden test of rope"),
    "a known mistake": ("rope.py", f"def f():\n    {known_mistake()}\n", "rope's catalogue"),
    "an answer": ("README.md", answer_texts(ROPE.solution.read_text("utf-8"), "rope")[1], "an answer of rope"),
    "the seed": ("README.md", f"seed: {course.seed()}\n", "the term's seed"),
    "a zip": ("rope.zip", zipped(solution_body()), "no files of this kind"),
    "a zip by another name": ("rope.txt", zipped(solution_body()), "not a text"),
    "compiled code": ("rope.pyc", b"", "no files of this kind"),
    "bytes that are no text": ("rope.py", b"\xff\xfe\x00\x01", "not a text"),
    "a hidden suite": ("test_rope.py", ROPE.hidden_tests.read_bytes(), "rope's hidden tests"),
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the check says of a folder with all of them, each in a folder of its number."""
    root = tmp_path_factory.mktemp("planted")
    for number, (name, (file, content, _)) in enumerate(PLANTED.items()):
        if name == "compiled code":
            content = compiled(root)
        if name == "the name of a hidden test":
            content = re.findall(r"def (test_\w+)", ROPE.hidden_tests.read_text("utf-8"))[3]
        folder = root / "handout" / str(number) / "deep"
        folder.mkdir(parents=True)
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    return leaks(root / "handout")


@pytest.mark.parametrize("name", PLANTED)
def test_the_leak_check_finds(planted: list[str], name: str) -> None:
    file, _, what = PLANTED[name]
    place = f"{list(PLANTED).index(name)}/deep/{file}: "
    assert any(what in one and one.startswith(place) for one in planted), planted


def test_the_leak_check_finds_links_and_outputs(tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to(ROPE.solution)
    cell = nbformat.v4.new_code_cell("x", outputs=[nbformat.v4.new_output("stream", text="0.01")])
    (tmp_path / "explore.ipynb").write_text(nbformat.writes(nbformat.v4.new_notebook(cells=[cell])))
    found = "\n".join(leaks(tmp_path))
    assert "link.py: a handout has no files of this kind" in found and "explore.ipynb: a notebook with outputs" in found


def test_a_leak_fails_the_build(handed_out: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = handed_out | {"assignments/rope/notes.md": solution_body().encode()}
    monkeypatch.setattr(bundle, "contents", lambda only: files)
    monkeypatch.setattr(bundle, "stale", lambda assignment: {})
    with pytest.raises(HandoutError, match=r"notes\.md: a body of rope's solution"):
        build(tmp_path / "handout.zip")
    assert not list(tmp_path.iterdir())


def test_outdated_stubs_fail_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "stale", lambda assignment: {assignment.stub: ""})
    with pytest.raises(HandoutError, match=r"attention\.py no longer agrees with the solution"):
        build(tmp_path / "handout.zip")


def test_the_zip_and_the_folder_are_the_same_and_the_same_each_time(
    handed_out: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made now, and made of what was put together before."""
    monkeypatch.setattr(bundle, "stale", lambda assignment: {})  # this and leaks are other tests' business, and slow
    monkeypatch.setattr(bundle, "leaks", lambda folder: [])
    first = build(tmp_path / "a" / "handout.zip")
    monkeypatch.setattr(bundle, "contents", lambda only: handed_out)
    assert first.read_bytes() == build(tmp_path / "b" / "handout.zip").read_bytes()
    with zipfile.ZipFile(first) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    beside = first.with_suffix("")
    assert inside == {
        path.relative_to(beside.parent).as_posix(): path.read_bytes() for path in beside.rglob("*") if path.is_file()
    }


# Everything is there


def test_every_link_of_every_text_leads_somewhere(shipped: Path) -> None:
    for path in shipped.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text("utf-8")):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{path.relative_to(shipped)}: {target}"


def test_what_ships_runs_on_any_system(shipped: Path) -> None:
    """The room of checks imports nothing that only Linux has, and nothing that requirements.txt does not name."""
    requirements = re.findall(r"^(\w+)>=", (shipped / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    named = {{"pillow": "PIL"}.get(name, name) for name in requirements}
    unix = {"resource", "fcntl", "pwd", "grp", "termios", "pty", "landlock", "seccomp", "syslog"}
    for path in shipped.rglob("*.py"):
        if "tests" in path.parent.parts[len(shipped.parts) :] and "assignments" in path.parts:
            continue  # Otter's, which is optional
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for top in {module.split(".")[0] for module in modules}:
                assert top not in unix, f"{path.name} imports {top}"
                assert top in sys.stdlib_module_names | named | {
                    "autograder",
                    "assignments",
                    "ipywidgets",
                }, f"{path.name} imports {top}"


def test_stubs_hold_every_function_and_run(assignment: Assignment, shipped: Path) -> None:
    text = (shipped / "assignments" / assignment.name / f"{assignment.name}.py").read_text("utf-8")
    assert text == stub(assignment.solution.read_text("utf-8"), assignment.name)
    functions = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    solved = {
        node.name
        for node in ast.parse(assignment.solution.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert functions == {name for name in solved if not name.startswith("_")} | {"_features"}
    exec(compile(text, "stub", "exec"), {})


# A student at work


def write(laptop: Path, source: str | bytes) -> None:
    path = laptop / "assignments" / "rope" / "rope.py"
    path.write_bytes(source if isinstance(source, bytes) else source.encode("utf-8"))


def test_a_student_works_through_an_assignment(on_laptop: OnLaptop, laptop: Path) -> None:
    begin = on_laptop(laptop, "-m", "autograder.checks", "rope")
    assert "rope is all yours" in begin and "begin with rope_frequencies" in begin

    write(laptop, (SAMPLES / "rope" / "hedy.py").read_bytes())
    wrong = on_laptop(laptop, "-m", "autograder.checks", "rope")
    assert "Likely cause: " in wrong and ">>> rope_frequencies(4)" in wrong and "Next: rope_frequencies" in wrong

    write(laptop, (SAMPLES / "rope" / "ada.py").read_bytes())
    fixed = on_laptop(laptop, "-m", "autograder.checks", "rope")
    assert "13 of 13 functions are right; 13 of " in fixed and "12 of 20 points are decided by tests" in fixed
    assert " rope               13 of 13 " in on_laptop(laptop, "-m", "autograder.checks")


def test_plain_pytest_says_the_same(laptop: Path) -> None:
    said = ran_on_laptop(sys.executable, laptop, "-m", "pytest", "-q", "tests/public/test_rope.py")
    assert " skipped in" in said and "failed" not in said
    write(laptop, (SAMPLES / "rope" / "hedy.py").read_bytes())
    said = ran_on_laptop(sys.executable, laptop, "-m", "pytest", "-q", "tests/public/test_rope.py")
    assert "Likely cause: The exponent looks half as large" in said and "Traceback" not in said
    write(laptop, (SAMPLES / "rope" / "ada.py").read_bytes())
    assert " passed in" in ran_on_laptop(sys.executable, laptop, "-m", "pytest", "-q", "tests/public/test_rope.py")


def test_all_public_points_say_what_else_decides(on_laptop: OnLaptop, laptop: Path) -> None:
    write(laptop, ROPE.solution.read_bytes())
    said = on_laptop(laptop, "-m", "autograder.checks", "rope")
    assert "those of assignments/README.md" in said and "## What every function must do" in (
        laptop / "assignments" / "README.md"
    ).read_text("utf-8")
    assert "For practice" not in said and "Still empty" not in said


WRITTEN = {
    '"rotates_values": False,': ('"rotates_values": 1,', "rotates_values: write True or False instead of 1."),
    '"extra_parameters": 0, ': (
        '"extra_parameters": 0.5, ',
        "extra_parameters: write a whole number, without quotes, instead of 0.5.",
    ),
    '"half_layout_is_a_bug": False,': (
        '"half_layout_is_a_bug": np.array([True]),',
        "half_layout_is_a_bug: wanted yes or no, got ndarray.",
    ),
    '"extra_parameters": 0,': (
        '"extra_parameters": "0",',
        "extra_parameters: write a whole number, without quotes, instead of '0'.",
    ),
    '"score_change_when_all_shift_by_5": 0,': (
        '"score_change_when_all_shift": 0,',
        "is no question of this lesson: score_change_when_all_shift_by_5 is missing.",
    ),
    '"score_m1_n3_equals_m3_n5": True,': (
        "",
        "score_m1_n3_equals_m3_n5 is missing: take the line from the handout again.",
    ),
}


@pytest.mark.parametrize("line", WRITTEN)
def test_an_answer_that_cannot_be_right_is_told_by_its_form_alone(on_laptop: OnLaptop, laptop: Path, line: str) -> None:
    right = ROPE.solution.read_text("utf-8")
    written, said = WRITTEN[line]
    assert line in right
    write(laptop, right.replace(line, written).encode())
    told = on_laptop(laptop, "-m", "autograder.checks", "rope")
    assert said in told and told.count(" ✗ ") == 1
    write(laptop, right.replace('"half_layout_is_a_bug": False', '"half_layout_is_a_bug": True').encode())
    assert " ✗ " not in on_laptop(laptop, "-m", "autograder.checks", "rope"), "a graded answer is not told"


@pytest.mark.parametrize("written", ["0.5", "1 / 2", "np.float64(0.5)", "5.0000e-1", ".71", "2.0"])
def test_what_the_grader_may_accept_is_no_fault(on_laptop: OnLaptop, laptop: Path, written: str) -> None:
    assert " ✗ " not in answered(on_laptop, laptop, written)


def answered(on_laptop: OnLaptop, laptop: Path, written: str) -> str:
    """What the checks say of alibi with one answer written so."""
    alibi = course.find("alibi")
    right = '"first_slope_8_heads": 0.5,'
    source = alibi.solution.read_text("utf-8")
    assert right in source
    (laptop / "assignments" / "alibi" / "alibi.py").write_text(
        source.replace(right, f'"first_slope_8_heads": {written},'), "utf-8"
    )
    return on_laptop(laptop, "-m", "autograder.checks", "alibi")


@pytest.mark.parametrize("expression", ["1 / 0", "[0 for _ in iter(int, 1)]"])
def test_an_answer_that_raises_or_never_ends_is_named(on_laptop: OnLaptop, laptop: Path, expression: str) -> None:
    write(
        laptop,
        ROPE.solution.read_text("utf-8").replace('"rotates_values": False', f'"rotates_values": {expression}').encode(),
    )
    told = on_laptop(laptop, "-m", "autograder.checks", "rope")
    assert "(the entry rotates_values of ANSWERS)" in told


def test_an_answer_for_practice_is_too_small_or_has_its_reason(on_laptop: OnLaptop, laptop: Path) -> None:
    write(laptop, ROPE.solution.read_text("utf-8").replace(": 536870912", ": 268435456").encode())
    told = on_laptop(laptop, "-m", "autograder.checks", "rope")
    assert "✗ numbers_in_the_cache_at_8192: your number is too small." in told
    assert "2 · 32 · 8" not in told and "✓ last_pair_with_a_full_rotation_in_8192 is right. " in told


def test_of_questions_their_form_is_told_and_for_practice_the_answer(shipped: Path) -> None:
    told = json.loads((shipped / "tests" / "public" / "questions.json").read_text("utf-8"))
    assert told.keys() == {assignment.name for assignment in course.assignments()}
    for name, asked in told.items():
        assignment = course.find(name)
        assert asked["forms"].keys() == catalogue.solution(assignment).ANSWERS.keys()
        assert set(asked["forms"].values()) <= {"yes or no", "a whole number", "a number", "a word"}
        assert all(test.points == 0 for test in Suite(assignment).tests if quiz.key(test) in asked["practice"])


def test_the_workflow_runs_the_public_checks_on_push(laptop: Path) -> None:
    """Its commands, as GitHub's shell runs them, into the summary of the run."""
    workflow = yaml.safe_load((laptop / ".github" / "workflows" / "checks.yml").read_text("utf-8"))
    assert "push" in workflow[True]  # YAML 1.1 takes the word `on` for a truth
    write(laptop, (SAMPLES / "rope" / "hedy.py").read_bytes())
    for name in ("assignments", "tests/public"):  # two assignments are enough to see
        for path in [*(laptop / name).glob("*")]:
            if path.stem.removeprefix("test_") not in ("attention", "rope", "expected", "questions"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    summary = laptop / "summary.md"
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "GITHUB_STEP_SUMMARY": str(summary)}
    steps = [step for step in workflow["jobs"]["checks"]["steps"] if "autograder.checks" in step.get("run", "")]
    for step in steps:
        subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]], cwd=laptop, env=environment, check=True, capture_output=True
        )
    said = summary.read_text("utf-8")
    assert (
        len(steps) == 2
        and "In each assignment, 12 of 20 points" in said
        and ">>> rope_frequencies(4)" in said
        and "<summary>attention" not in said
    )


def test_the_cell_for_colab_does_nothing_elsewhere(shipped: Path) -> None:
    for path in shipped.glob("assignments/*/explore.ipynb"):
        colab = next(cell for cell in nbformat.read(path, as_version=4).cells if cell.id == "colab")
        before = os.getcwd()
        exec(colab.source, {})
        assert os.getcwd() == before and f"assignments/{path.parent.name}" in colab.source


def test_the_handouts_own_checks_are_used(on_laptop: OnLaptop, laptop: Path) -> None:
    said = on_laptop(laptop, "-c", "import autograder.checks; print(autograder.checks.__file__)")
    assert Path(said.strip()).is_relative_to(laptop)


HINTS = {
    "hedy": "The exponent looks half as large as it should be",
    "radia": "repeat the block of frequencies, not each frequency",
    "tim": "You rotated the values as well",
}


@pytest.mark.parametrize("student", HINTS)
def test_public_tests_name_a_known_mistake(on_laptop: OnLaptop, laptop: Path, student: str) -> None:
    """From its fingerprint: the code that makes it is not on this machine."""
    write(laptop, (SAMPLES / "rope" / f"{student}.py").read_bytes())
    assert HINTS[student] in on_laptop(laptop, "-m", "autograder.checks", "rope")


# Otter on a student's machine


Check = Callable[[str], str]


@pytest.fixture
def grader_in(laptop: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, object]], Check]:
    """`grader.check` of a notebook in rope's folder whose cells have defined something."""
    monkeypatch.chdir(laptop / "assignments" / "rope")
    monkeypatch.setattr(sys, "path", [str(laptop), *sys.path])
    monkeypatch.setattr("autograder.laptop.notebook_checks.ROOT", laptop)

    def of(defined: dict[str, object]) -> Check:
        otters = Notebook()
        environment = {"__name__": "__main__"} | defined
        return lambda question: repr(otters.check(question, environment))

    return of


def cells(source: str) -> dict[str, object]:
    """What code leaves behind when a notebook runs it."""
    environment: dict[str, object] = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), environment)
    return environment


def test_grader_check_runs_the_public_tests_on_the_students_file(laptop: Path, grader_in: Callable[..., Check]) -> None:
    write(laptop, (SAMPLES / "rope" / "hedy.py").read_bytes())
    said = grader_in({})("rope_frequencies")
    assert "wanted 0.01, got 0.1" in said and "Likely cause: The exponent looks half as large" in said
    assert "See README.md, section rope_frequencies." in said
    write(laptop, (SAMPLES / "rope" / "ada.py").read_bytes())
    said = grader_in({})("rope_frequencies")
    assert "rope_frequencies, public tests results: All test cases passed!" in said
    assert "All public tests of rope_frequencies are worth 0.5 points; hidden tests decide another 0.25." in said


def test_a_function_that_a_cell_defines_goes_before_the_file(grader_in: Callable[..., Check]) -> None:
    check = grader_in(cells((SAMPLES / "rope" / "ada.py").read_text("utf-8")))
    assert "All test cases passed!" in check("apply_rope")
    check = grader_in(
        cells("import numpy as np\ndef rotate_half(x):\n    print('x is', x)\n    return np.asarray(x, float)\n")
    )
    said = check("rotate_half")
    assert ">>> rotate_half(np.arange(1, 5.0))" in said and "wanted -4, got 2" in said
    assert "Your code printed:\n        x is [1. 2. 3. 4.]" in said
    assert "apply_rope is not implemented yet" in check("apply_rope")


def test_what_a_notebook_only_imports_is_not_checked(grader_in: Callable[..., Check]) -> None:
    assert "rotate_half is not implemented yet" in grader_in(cells("from operator import neg as rotate_half"))(
        "rotate_half"
    )


def test_every_question_has_its_test_file_and_its_cell(assignment: Assignment, shipped: Path) -> None:
    folder = shipped / "assignments" / assignment.name
    names = {path.stem for path in (folder / "tests").glob("*.py")} - {"still_to_be_decided"}
    nb = nbformat.read(folder / "explore.ipynb", as_version=4)
    nbformat.validate(nb)
    sources = "\n".join(cell.source for cell in nb.cells)
    assert set(re.findall(r'grader\.check\("(\w+)"\)', sources)) == names
    assert names <= set(re.findall(r"^def (\w+)", (folder / f"{assignment.name}.py").read_text("utf-8"), re.MULTILINE))
    # The same text in every build: ids are part of it.
    assert all(not re.fullmatch(r"[0-9a-f]{8}", cell.id) for cell in nb.cells)


def test_the_notebooks_checks_run_in_a_real_kernel(laptop: Path, quick_python: Path) -> None:
    write(laptop, (SAMPLES / "rope" / "hedy.py").read_bytes())
    folder = laptop / "assignments" / "rope"
    notebook = nbformat.read(folder / "explore.ipynb", as_version=4)
    sources = [cell.source for cell in notebook.cells if cell.id in ("check-setup", "check-rope_frequencies")]
    with kernels.running(quick_python) as kernel:
        sent = kernels.run(kernel, folder, sources)
    (html,) = (
        data["text/html"]
        for message in sent[sources[-1]]
        if "text/html" in (data := message["content"].get("data", {}))
    )
    assert "Likely cause: The exponent looks half as large" in html


def test_otter_check_says_what_is_still_to_be_decided(laptop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(laptop / "assignments" / "rope")
    write(laptop, (SAMPLES / "rope" / "ada.py").read_bytes())
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        otter_check("rope.py")
    assert "All tests passed!" not in said.getvalue()
    assert "apply_rope, public tests results: All test cases passed!" in said.getvalue()
    assert (
        "the other 12 points result" in said.getvalue() and "decided by tests that you do not have" in said.getvalue()
    )


def test_recorded_values_are_values(assignment: Assignment) -> None:
    """What is base64 in the handout decodes to plain numbers: a text could be anything."""
    for calls in json.loads(assignment.golden_values.read_text("utf-8"))["calls"].values():
        for call in calls:
            if call["wanted"] is not None:
                value = codec.decode(base64.b64decode(call["wanted"]))
                assert not isinstance(value, str | dict)
