"""The handout holds no answer, and everything that a student needs."""

from __future__ import annotations

import ast
import base64
import contextlib
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
import numpy as np
import pytest
import yaml
from otter.check import main as otter_check
from otter.check.notebook import Notebook

from autograder import course
from autograder.checks import answers
from autograder.course import Assignment
from autograder.handout import HandoutError, build, bundle, leaks, stub, stubs
from autograder.handout.stubs import answer_texts
from autograder.laptop import alone, launch
from autograder.protocol import codec
from tests.grader.support import kernels
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.folders import put

ROPE = course.find("rope")


@pytest.fixture(scope="module")
def shipped(handed_out: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handout as a folder; not to be changed."""
    folder = tmp_path_factory.mktemp("handout") / "handout"
    bundle.unpack(handed_out, folder)
    return folder


@pytest.fixture(scope="module")
def copy(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student's copy, without the pages."""
    pages = shutil.ignore_patterns(bundle.COURSE, "figures")
    return Path(shutil.copytree(shipped, tmp_path_factory.mktemp("copy") / "handout", ignore=pages))


@pytest.fixture
def laptop(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, in which one stands, with the untouched stub of rope."""
    monkeypatch.chdir(copy)
    write(ROPE.stub.read_bytes())
    return copy


def write(source: str | bytes, name: str = "rope") -> None:
    """Into the student's file, in the folder in which one stands."""
    written = source if isinstance(source, bytes) else source.encode("utf-8")
    Path("assignments", name, f"{name}.py").write_bytes(written)


Check = Callable[[str], str]


@pytest.fixture
def check(laptop: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """What `python -m autograder.checks` prints of an assignment."""

    def printed(name: str) -> str:
        launch.main([name])
        return capsys.readouterr().out

    return printed


def ran(laptop: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`python …` there, where the checkout is out of sight."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, *words], cwd=laptop, env=environment, capture_output=True, text=True, check=False
    )


# Nothing is given away


@pytest.mark.parametrize(
    ("out", "there"), [("handout", ""), ("essay.zip", "essay/page.txt"), ("fall.zip", "fall/solutions/rope.py")]
)
def test_a_handout_is_written_over_nothing_else(tmp_path: Path, out: str, there: str) -> None:
    """Nor over a checkout of the course, which has public tests too."""
    put(tmp_path, {there: "mine", "fall/tests/public/test_rope.py": "mine"} if there else {})
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(HandoutError, match=r"choose another --out|ends in \.zip"):
        build(tmp_path / out)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.fixture
def ready(handed_out: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What is handed out, as if it had just been put together; to be changed."""
    files = dict(handed_out)
    monkeypatch.setattr(bundle, "contents", lambda only: files)
    monkeypatch.setattr(bundle, "stale", lambda assignment: {})
    return files


def test_the_zip_and_the_folder_are_the_same_each_time_and_replace_earlier_ones(
    ready: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "leaks", lambda files: [])  # which is asked below
    put(tmp_path, {f"fall/{bundle.QUESTIONS}": "{}", "fall/old.txt": ""})
    first, second = (build(tmp_path / "fall.zip", [ROPE.name]).read_bytes() for _ in range(2))
    assert first == second and not (tmp_path / "fall" / "old.txt").exists()
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        zipped = {name.removeprefix("handout/"): archive.read(name) for name in archive.namelist()}
    folder = tmp_path / "fall"
    written = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert zipped == ready == {name: path.read_bytes() for name, path in written.items()}


def test_the_handout_gives_nothing_away(handed_out: dict[str, bytes]) -> None:
    assert leaks(handed_out) == []


def test_nothing_of_learning_alone_is_in_it(laptop: Path, handed_out: dict[str, bytes]) -> None:
    assert not [name for name in handed_out if "alone" in name.rpartition("/")[2]]
    for words in (["--alone"], ["--show", "apply_rope"]):
        done = ran(laptop, "-m", "autograder.checks", "rope", *words)
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


def hidden_names() -> list[str]:
    return re.findall(r"def (test_\w+)", ROPE.hidden_tests.read_text("utf-8"))


def notebook_with(source: str) -> str:
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="one")])
    return nbformat.writes(nb)


HIDDEN = re.findall(r"    (expect\.\w+\(.{40,})\n", ROPE.hidden_tests.read_text("utf-8"))[0]
PLANTED: dict[str, tuple[str, str | bytes, str]] = {
    "a body": ("rope.py", solution_body(), "rope's solution"),
    "a body on one line of prose": ("README.md", "Write " + " ".join(solution_body().split()), "rope's solution"),
    "a body in a notebook": ("explore.ipynb", notebook_with(solution_body()), "rope's solution"),
    "a body in a page, highlighted": (
        "rope.html",
        re.sub(r"(\w+)", r'<span class="n">\1</span>', solution_body()),
        "rope's solution",
    ),
    "a body commented out": ("rope.py", solution_body().replace("\n", "\n# "), "a line of"),
    "a line of a hidden test": ("README.md", f"Think of `{HIDDEN}`.", "rope's hidden tests"),
    "the name of a hidden test": ("README.md", hidden_names()[3], "hidden test of rope"),
    "an answer": ("README.md", answer_texts(ROPE.solution.read_text("utf-8"), "rope")[1], "an answer of rope"),
    "the seed": ("README.md", f"seed: {course.seed()}\n", "the term's seed"),
    "bytes that are no text": ("rope.pyc", b"\xff\xfe\x00\x01", "no text"),
}


def test_the_leak_check_finds_what_is_planted(capsys: pytest.CaptureFixture[str]) -> None:
    """Each in a folder of its number; what learning alone shows is found like anything else."""
    alone.show("rope", "apply_rope")
    planted = PLANTED | {"learning alone": ("alone.txt", capsys.readouterr().out, "rope's solution")}
    files = {
        f"{number}/{file}": content if isinstance(content, bytes) else content.encode()
        for number, (file, content, _) in enumerate(planted.values())
    }
    found = leaks(files)
    for number, (name, (file, _, what)) in enumerate(planted.items()):
        assert any(what in one and one.startswith(f"{number}/{file}: ") for one in found), name


def test_a_leak_and_outdated_stubs_fail_the_build(
    ready: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready.clear()
    ready["assignments/rope/notes.md"] = solution_body().encode()
    with pytest.raises(HandoutError, match=r"notes\.md: a body of rope's solution"):
        build(tmp_path / "handout.zip")
    monkeypatch.setattr(bundle, "stale", lambda assignment: {assignment.stub: ""})
    with pytest.raises(HandoutError, match=r"attention\.py no longer agrees with the solution"):
        build(tmp_path / "handout.zip")
    assert not list(tmp_path.iterdir())


def test_no_stub_is_written_over_somebodys_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner in a checkout writes where the stubs stand."""
    source = course.find("alibi").solution.read_text("utf-8")
    for name, value in {"ROOT": tmp_path, "complaint": lambda one: "", "golden_values": lambda one: "{}"}.items():
        monkeypatch.setattr(stubs, name, value)
    monkeypatch.setattr(course, "ROOT", tmp_path)
    put(tmp_path, {"solutions/alibi.py": source, "assignments/alibi/README.md": "# 7. ALiBi"})
    assert stubs.regenerate() == ["assignments/alibi/alibi.py", "tests/public/expected/alibi.json"]
    stub_path = tmp_path / "assignments" / "alibi" / "alibi.py"
    untouched = stub_path.read_text("utf-8")
    function, answer = 'raise NotImplementedError("alibi_bias is not written yet")', ": None,"
    for work in (untouched.replace(function, "return 0"), untouched.replace(answer, ": True,", 1)):
        assert work != untouched
        stub_path.write_text(work, "utf-8")
        with pytest.raises(HandoutError, match="written in it, and a stub goes there"):
            stubs.regenerate()
        assert stub_path.read_text("utf-8") == work
    stub_path.write_text(untouched + "# an older stub\n", "utf-8")
    assert stubs.regenerate() == ["assignments/alibi/alibi.py"]


# Everything is there


def test_every_link_of_every_text_leads_somewhere(shipped: Path) -> None:
    for path in shipped.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text("utf-8")):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{path.relative_to(shipped)}: {target}"


def test_what_ships_runs_on_any_system(shipped: Path) -> None:
    """The room of checks imports nothing that only Linux has, and nothing that requirements.txt does not name."""
    requirements = re.findall(r"^([\w-]+)>=", (shipped / "requirements.txt").read_text("utf-8"), re.MULTILINE)
    named = {{"pillow": "PIL", "markdown-it-py": "markdown_it"}.get(name, name) for name in requirements}
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

HINTS = {
    "hedy": "The exponent looks half as large as it should be",
    "tim": "You rotated the values as well",
}


@pytest.mark.parametrize("student", HINTS)
def test_public_tests_name_a_known_mistake(check: Check, student: str) -> None:
    """From its fingerprint: the code that makes it is not on this machine."""
    write((SAMPLES / "rope" / f"{student}.py").read_bytes())
    assert HINTS[student] in check("rope")


def test_plain_pytest_says_the_same_with_the_handouts_own_checks(laptop: Path) -> None:
    write((SAMPLES / "rope" / "hedy.py").read_bytes())
    where = "import sys, pytest, autograder.checks as own; print(own.__file__); pytest.main(sys.argv[1:])"
    done = ran(laptop, "-c", where, "-q", "tests/public/test_rope.py", "-k", "frequencies or half")
    assert "wanted 0.01, got 0.1" in done.stdout and " passed" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert Path(done.stdout.split("\n")[0]).is_relative_to(laptop)


WRITTEN = {
    '"rotates_values": False,': ('"rotates_values": 1,', "rotates_values: write yes or no instead of 1."),
    '"extra_parameters": 0,': (
        '"another": 1, "extra_parameters": "0",',
        "extra_parameters: write a whole number instead of '0'.",
    ),
    '"half_layout_is_a_bug": False,': (
        '"half_layout_is_a_bug": np.array([True]),',
        "half_layout_is_a_bug: write yes or no instead of array([ True]).",
    ),
    '"score_m1_n3_equals_m3_n5": True,': (
        "",
        "score_m1_n3_equals_m3_n5 is missing: take the line from the handout again.",
    ),
}


def test_an_answer_that_cannot_be_right_is_told_by_its_form_alone(check: Check) -> None:
    written = right = ROPE.solution.read_text("utf-8")
    for line, (wrong, _) in WRITTEN.items():
        assert line in written
        written = written.replace(line, wrong)
    write(written)
    told = check("rope")
    assert all(said in told for _, said in WRITTEN.values()) and "another is no question of this lesson." in told
    assert told.count(" ✗ ") == len(WRITTEN) + 1
    write(right.replace('"half_layout_is_a_bug": False', '"half_layout_is_a_bug": True'))
    assert " ✗ " not in check("rope"), "a graded answer is not told"


@pytest.mark.parametrize("written", [0.5, np.float64(0.5), 5.0000e-1, 0.71, 2.0])
def test_what_the_grader_may_accept_is_no_fault(written: float) -> None:
    assert not [*answers.faults({"first_slope": written}, {"first_slope": "a number"})]


def test_an_answer_for_practice_is_too_small_or_has_its_reason(check: Check) -> None:
    write(ROPE.solution.read_text("utf-8").replace(": 536870912", ": 268435456"))
    told = check("rope")
    assert "✗ numbers_in_the_cache_at_8192: your number is too small." in told
    assert "2 · 32 · 8" not in told and "✓ last_pair_with_a_full_rotation_in_8192 is right. " in told
    assert "those of assignments/README.md" in told and "For practice" not in told
    assert "## What every function must do" in Path("assignments", "README.md").read_text("utf-8")


def test_the_workflow_runs_the_public_checks_on_push(copy: Path, tmp_path: Path) -> None:
    """Its commands, as GitHub's shell runs them, into the summary of the run."""
    workflow = yaml.safe_load((copy / ".github" / "workflows" / "checks.yml").read_text("utf-8"))
    assert "push" in workflow[True]  # YAML 1.1 takes the word `on` for a truth
    for name in ("autograder", "tests/public/expected", "assignments/alibi", "assignments/rope"):
        shutil.copytree(copy / name, tmp_path / name)  # two assignments are enough to see
    for name in ("alibi", "rope"):
        shutil.copy(copy / "tests" / "public" / f"test_{name}.py", tmp_path / "tests" / "public")
    shutil.copy(SAMPLES / "rope" / "hedy.py", tmp_path / "assignments" / "rope" / "rope.py")
    summary = tmp_path / "summary.md"
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "GITHUB_STEP_SUMMARY": str(summary)}
    steps = [step["run"] for step in workflow["jobs"]["checks"]["steps"] if "autograder.checks" in step.get("run", "")]
    for step in steps:
        command = ["bash", "-eo", "pipefail", "-c", step]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    said = summary.read_text("utf-8")
    assert len(steps) == 2 and "In each assignment, 12 of 20 points" in said
    assert ">>> rope_frequencies(4)" in said and "<summary>attention" not in said


# Otter on a student's machine


@pytest.fixture
def grader_in(laptop: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, object]], Check]:
    """`grader.check` of a notebook in rope's folder whose cells have defined something."""
    monkeypatch.setattr(sys, "path", [str(laptop), *sys.path])
    monkeypatch.setattr("autograder.laptop.notebook_checks.ROOT", laptop)

    def of(defined: dict[str, object]) -> Check:
        otters = Notebook(tests_dir=str(laptop / "assignments" / "rope" / "tests"))
        environment = {"__name__": "__main__"} | defined

        def checked(question: str) -> str:
            with contextlib.chdir(laptop / "assignments" / "rope"):
                return repr(otters.check(question, environment))

        return checked

    return of


def cells(source: str) -> dict[str, object]:
    """What code leaves behind when a notebook runs it."""
    environment: dict[str, object] = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), environment)
    return environment


def test_grader_check_runs_the_public_tests_on_the_students_file(grader_in: Callable[..., Check]) -> None:
    write((SAMPLES / "rope" / "hedy.py").read_bytes())
    said = grader_in({})("rope_frequencies")
    assert "wanted 0.01, got 0.1" in said and "Likely cause: The exponent looks half as large" in said
    assert "See README.md, section rope_frequencies." in said
    write((SAMPLES / "rope" / "ada.py").read_bytes())
    said = grader_in({})("rope_frequencies")
    assert "rope_frequencies, public tests results: All test cases passed!" in said
    assert "All public tests of rope_frequencies are worth 0.5 points; hidden tests decide another 0.25." in said


def test_a_function_that_a_cell_defines_goes_before_the_file(grader_in: Callable[..., Check]) -> None:
    """What the notebook merely imports is not the student's."""
    check = grader_in(cells((SAMPLES / "rope" / "ada.py").read_text("utf-8")))
    assert "All test cases passed!" in check("apply_rope")
    defined = "import numpy as np\ndef rotate_half(x):\n    print('x is', x)\n    return np.asarray(x, float)\n"
    check = grader_in(cells(f"{defined}from operator import neg as half_to_interleaved\n"))
    said = check("rotate_half")
    assert ">>> rotate_half(np.array([1.0, 2.0, 3.0, 4.0]))" in said and "wanted -4, got 2" in said
    assert "Your code printed in test_rotate_half:\n\n            x is [1. 2. 3. 4.]" in said
    assert "apply_rope is not implemented yet" in check("apply_rope")
    assert "half_to_interleaved is not implemented yet" in check("half_to_interleaved")


def test_every_question_has_its_test_file_and_its_cell(assignment: Assignment, shipped: Path) -> None:
    """And a cell for Colab, which does nothing elsewhere."""
    folder = shipped / "assignments" / assignment.name
    names = {path.stem for path in (folder / "tests").glob("*.py")} - {"still_to_be_decided"}
    nb = nbformat.read(folder / "explore.ipynb", as_version=4)
    nbformat.validate(nb)
    sources = "\n".join(cell.source for cell in nb.cells)
    assert set(re.findall(r'grader\.check\("(\w+)"\)', sources)) == names
    assert names <= set(re.findall(r"^def (\w+)", (folder / f"{assignment.name}.py").read_text("utf-8"), re.MULTILINE))
    colab, before = next(cell for cell in nb.cells if cell.id == "colab"), os.getcwd()
    exec(colab.source, {})
    assert os.getcwd() == before and f"assignments/{assignment.name}" in colab.source


def test_the_notebooks_checks_run_in_a_real_kernel(laptop: Path) -> None:
    write((SAMPLES / "rope" / "hedy.py").read_bytes())
    folder = laptop / "assignments" / "rope"
    notebook = nbformat.read(folder / "explore.ipynb", as_version=4)
    sources = [cell.source for cell in notebook.cells if cell.id in ("check-setup", "check-rope_frequencies")]
    with kernels.running() as kernel:
        sent = kernels.run(kernel, folder, sources)
    (html,) = (
        data["text/html"]
        for message in sent[sources[-1]]
        if "text/html" in (data := message["content"].get("data", {}))
    )
    assert "Likely cause: The exponent looks half as large" in html


def test_otter_check_says_what_is_still_to_be_decided(
    laptop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write((SAMPLES / "rope" / "ada.py").read_bytes())
    for name in ("apply_rope", "still_to_be_decided"):
        shutil.copy(laptop / "assignments" / "rope" / "tests" / f"{name}.py", tmp_path)
    with contextlib.chdir(laptop / "assignments" / "rope"):
        otter_check("rope.py", tests_path=str(tmp_path))
    said = capsys.readouterr().out
    assert "All tests passed!" not in said and "apply_rope, public tests results: All test cases passed!" in said
    assert "the other 12 points result" in said and "decided by tests that you do not have" in said


def test_recorded_values_are_values(assignment: Assignment) -> None:
    """What is base64 in the handout decodes to plain numbers: a text could be anything."""
    for calls in json.loads(assignment.golden_values.read_text("utf-8"))["calls"].values():
        for call in calls:
            if call["wanted"] is not None:
                value = codec.decode(base64.b64decode(call["wanted"]))
                assert not isinstance(value, str | dict)
