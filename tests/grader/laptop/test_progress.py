"""`make check` on a laptop: an invitation at first, then each mistake once, at the function where it sits, with its
call."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from autograder import course
from autograder.checks.source import Blocks, Source
from autograder.course import ROOT, assignments, find
from autograder.laptop import in_process
from autograder.sandbox.limits import LIMITS
from tests.grader.support.forked_python import CHILDREN

ROPE = ROOT / "solutions" / "rope.py"
SINUSOIDAL = ROOT / "solutions" / "sinusoidal.py"


@pytest.fixture
def laptop(tmp_path: Path) -> Path:
    """What a student has of a course of three, with the untouched stubs."""
    return lay_out(tmp_path, "attention", "sinusoidal", "rope")


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The same of the whole course."""
    return lay_out(tmp_path, *(assignment.name for assignment in assignments()))


def lay_out(folder: Path, *names: str) -> Path:
    for path in course.shipped_code():
        (folder / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / path.relative_to(ROOT))
    shutil.copytree(ROOT / "tests" / "public" / "expected", folder / "tests" / "public" / "expected")
    for assignment in map(find, names):
        (folder / "assignments" / assignment.name).mkdir(parents=True)
        shutil.copy(assignment.stub, folder / "assignments" / assignment.name)
        shutil.copy(assignment.lesson, folder / "assignments" / assignment.name)
        shutil.copy(assignment.public_tests, folder / "tests" / "public")
    return folder


Run = Callable[..., subprocess.CompletedProcess[str]]
Check = Callable[..., str]


def ran(python: Path | str, laptop: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python -m autograder.checks …`."""
    command = [python, "-P", "-m", "autograder.checks", *words]
    env = {"PYTHONPATH": str(laptop)} | environment
    return subprocess.run(
        command, cwd=laptop, capture_output=True, text=True, encoding="utf-8", errors="replace", env=env, check=False
    )


@pytest.fixture(scope="module")
def run(quick_python: Path) -> Run:
    """The same, quick to start."""
    return functools.partial(ran, quick_python, **{CHILDREN: str(quick_python)})


@pytest.fixture(scope="module")
def check(run: Run) -> Check:
    """What `make check` prints."""

    def printed(laptop: Path, *names: str) -> str:
        done = run(laptop, *names)
        assert done.stderr == "" and done.returncode == 0
        return done.stdout

    return printed


def write(laptop: Path, source: str, name: str = "rope") -> None:
    (laptop / "assignments" / name / f"{name}.py").write_text(source, encoding="utf-8")


def solution(*, inside: str = "", at: str = "rope_cos_sin") -> str:
    """Rope's solution with lines put at the beginning of a function."""
    source = ROPE.read_text(encoding="utf-8")
    head = next(line for line in source.split("\n") if line.startswith(f"def {at}("))
    return source.replace(head, f"{head}\n    {inside}") if inside else source


def test_an_untouched_handout_reads_as_an_invitation(check: Check, laptop: Path) -> None:
    printed = check(laptop, "rope")
    assert "rope is all yours: 13 functions to write." in printed
    assert "begin with rope_frequencies at assignments/rope/rope.py:" in printed
    assert "✗" not in printed and "Traceback" not in printed and len(printed.splitlines()) < 8
    assert "begin with causal_mask" in check(laptop, "attention"), "the easy one, with which its page begins"


def test_every_untouched_stub_is_all_yours(check: Check, whole: Path) -> None:
    """Also where a test of one function calls another first."""
    for assignment in assignments():
        assert f"{assignment.name} is all yours" in check(whole, assignment.name)


def test_the_overview_has_a_line_an_assignment_and_the_next_step(check: Check, whole: Path) -> None:
    printed = check(whole)
    lines = printed.splitlines()
    assert [line.split()[0] for line in lines[1 : len(assignments()) + 1]] == [
        assignment.name for assignment in assignments()
    ]
    assert "next: causal_mask  assignments/attention/attention.py:" in printed
    functions = sum(len([name for name in Source(one.stub).functions if name[0] != "_"]) for one in assignments())
    assert f"0 of {functions} functions are right." in printed and "12 of 20 points are decided by tests" in printed


def test_a_finished_assignment_still_has_points_to_be_decided(check: Check, laptop: Path) -> None:
    write(laptop, ROPE.read_text(encoding="utf-8"))
    printed = check(laptop, "rope")
    assert "13 of 13 functions are right; 13 of 3" in printed
    assert "All right! Now hand in rope.py." in printed and "12 of 20 points are decided by tests" in printed


def test_all_public_points_do_not_hide_an_empty_answer(check: Check, laptop: Path) -> None:
    write(laptop, ROPE.read_text(encoding="utf-8").replace('"rotates_values": False', '"rotates_values": None'))
    assert "Now 1 question at assignments/rope/rope.py:" in check(laptop, "rope")
    assert "all right, 1 of ANSWERS still empty" in check(laptop)


def test_a_mistake_is_told_once_where_it_sits_with_its_call(check: Check, laptop: Path) -> None:
    source = ROPE.read_text(encoding="utf-8").replace(
        "np.arange(0, head_dim, 2) / head_dim", "np.arange(0, head_dim, 2) / 2 / head_dim"
    )
    write(laptop, source)
    printed = check(laptop, "rope")
    assert printed.count("Likely cause: ") == 1
    assert "     >>> rope_frequencies(4)\n" in printed
    assert "builds on rope_frequencies: fix that first" in printed
    assert "Next: rope_frequencies at assignments/rope/rope.py:" in printed
    assert "Checked assignments/rope/rope.py. This is the file to hand in." in printed


def test_a_function_that_waits_names_the_one_it_waits_for(check: Check, laptop: Path) -> None:
    source = ROPE.read_text(encoding="utf-8")
    write(laptop, source.replace("    _check_even(head_dim)\n", "    raise NotImplementedError\n", 1))
    printed = check(laptop, "rope")
    assert "waits for rope_frequencies" in printed and "Next: rope_frequencies" in printed


def test_a_function_whose_tests_call_one_that_is_not_written_is_itself_not_told_so(
    check: Check, tmp_path: Path
) -> None:
    """It is written, and its own tests pass."""
    laptop, source = lay_out(tmp_path, "state"), find("state").solution.read_text("utf-8")
    begin = source.index("    # BEGIN SOLUTION", source.index("def decay_bias"))
    write(
        laptop,
        source[:begin] + "    raise NotImplementedError\n" + source[source.index("    # END SOLUTION", begin) :],
        "state",
    )
    lines = {line.split()[1]: line for line in check(laptop, "state").splitlines() if line[:3] in (" ✓ ", " ✗ ", " · ")}
    assert "not implemented yet" in lines["decay_bias"]
    assert "waits for decay_bias" in lines["constant_decay"]


def test_a_crash_is_told_where_it_is(check: Check, laptop: Path) -> None:
    """The tests of shift_matrix and offset_similarity call sinusoidal_encoding: neither is at fault where that one
    crashes."""
    source = SINUSOIDAL.read_text(encoding="utf-8")
    similarity = source.index("def offset_similarity")
    body = source.index("    # BEGIN SOLUTION", similarity)
    source = source[:body] + "    raise NotImplementedError\n" + source[source.index("    # END SOLUTION", body) :]
    encoding = source.index("    # BEGIN SOLUTION", source.index("def sinusoidal_encoding"))
    write(laptop, source[:encoding] + "    None + 1\n" + source[encoding:], "sinusoidal")
    lines = {
        line.split()[1]: line for line in check(laptop, "sinusoidal").splitlines() if line[:3] in (" ✓ ", " ✗ ", " · ")
    }
    assert lines["sinusoidal_encoding"].startswith(" ✗")
    assert lines["shift_matrix"].startswith(" ·") and "waits for sinusoidal_encoding" in lines["shift_matrix"]
    assert lines["offset_similarity"].startswith(" ·") and "not implemented yet" in lines["offset_similarity"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "import numpy\n\ndef rope_frequencies(head_dim)\n    return 1\n",
            "line 3\n    def rope_frequencies(head_dim)\n   ",
        ),
        ("import scipy_that_is_not_there\n", "scipy_that_is_not_there"),
        ("", "rope is all yours"),
        ("raise SystemExit(3)\n", "SystemExit"),
        ("x = 'ä'".encode("latin-1"), "is not UTF-8: save it as UTF-8."),
        (None, "is not there. Take it from the handout again."),
    ],
)
def test_a_broken_file_is_told_in_a_sentence(
    check: Check, tmp_path: Path, source: str | bytes | None, words: str
) -> None:
    laptop = lay_out(tmp_path, "rope")
    path = laptop / "assignments" / "rope" / "rope.py"
    path.unlink()
    if source is not None:
        path.write_bytes(source if isinstance(source, bytes) else source.encode("utf-8"))
    printed = check(laptop, "rope")
    assert (
        words in printed
        and "Traceback" not in printed
        and "line was checked" not in printed.partition("SyntaxError")[2]
    )
    assert "Traceback" not in check(laptop)


def test_an_unknown_assignment_is_refused_with_the_names_there_are(run: Run, laptop: Path) -> None:
    done = run(laptop, "roap")
    assert done.returncode == 2 and "No assignment roap: did you mean rope?" in done.stderr
    done = run(laptop, "zzz")
    assert done.returncode == 2 and "No assignment zzz: there are attention, sinusoidal, rope." in done.stderr
    assert "rope is all yours" in run(laptop, "5").stdout, "the number of its lesson"


def test_outside_of_its_environment_and_folder_it_says_what_to_do(laptop: Path) -> None:
    (laptop / "rich.py").write_text("raise ModuleNotFoundError('No module named rich', name='rich')")
    done = ran(sys.executable, laptop, "rope")
    assert done.returncode == 1 and "Traceback" not in done.stderr and "rich is not installed for this" in done.stderr
    (laptop / "rich.py").unlink()
    env = {"PYTHONPATH": str(laptop)}
    command = [sys.executable, "-m", "autograder.checks", "rope"]
    said = subprocess.run(command, cwd=laptop / "tests", env=env, capture_output=True, text=True, check=False)
    assert said.returncode == 2 and "run this in the folder that holds" in said.stderr


def test_all_mistakes_of_one_function_are_shown_where_it_is_named(check: Check, laptop: Path) -> None:
    write(laptop, solution(inside="return 7", at="apply_rope"))
    assert "python -m autograder.checks rope.apply_rope shows all." in check(laptop, "rope")
    printed = check(laptop, "rope.apply_rope")
    assert printed.count(">>> apply_rope(") > 1 and "rope_frequencies" not in printed


def test_for_automatic_checks_there_is_an_exit_code(run: Run, laptop: Path) -> None:
    assert run(laptop, "rope", "--strict").returncode == 1
    write(laptop, ROPE.read_text(encoding="utf-8"))
    assert run(laptop, "rope", "--strict").returncode == 0


def test_one_function_has_an_exit_code_of_its_own(run: Run, laptop: Path) -> None:
    """So that an automatic check gives points function by function."""
    write(laptop, ROPE.read_text(encoding="utf-8") + "\n\ndef rotate_half(x):\n    raise NotImplementedError\n")
    assert run(laptop, "rope.rotate_half", "--strict").returncode == 1
    assert run(laptop, "rope.apply_rope", "--strict").returncode == 0
    assert run(laptop, "rope.apply_rope", "rope.rotate_half", "--strict").returncode == 1
    unknown = run(laptop, "rope.frequences", "--strict")
    assert unknown.returncode == 2 and "rope.frequences" in unknown.stderr


# Prints, the debugger, and what never returns


def test_prints_stand_with_the_test_they_came_from(check: Check, laptop: Path) -> None:
    write(
        laptop,
        solution(inside="print('[dim]', head_dim); return positions", at="rope_cos_sin") + "\nprint('while loading')\n",
    )
    printed = check(laptop, "rope")
    assert "Your code printed in test_cos_sin:\n     │ [dim] 6\n" in printed
    assert "Your code printed while it was loaded:\n     │ while loading\n" in printed


def test_a_call_that_never_returns_is_named_and_the_rest_is_told(check: Check, laptop: Path) -> None:
    write(laptop, solution(inside="while True: pass"))
    printed = check(laptop, "rope")
    assert ">>> rope_cos_sin(np.arange(5), 6)" in printed
    assert "rope_cos_sin did not return within 5 seconds; it was at line " in printed
    assert (
        "✓ rope_frequencies" in printed
        and "✓ decay_bound" in printed
        and "builds on rope_cos_sin: fix that first" in printed
    )


def test_a_file_that_never_ends_is_told(check: Check, laptop: Path) -> None:
    write(laptop, "while True:\n    pass\n")
    assert (
        "stops at line" in (printed := check(laptop, "rope")) and "did not come to its end within 5 seconds" in printed
    )


def test_the_limit_is_that_of_grading() -> None:
    assert LIMITS.call_seconds == in_process.SECONDS


def started(laptop: Path, *words: str) -> subprocess.Popen[str]:
    """The checks with a keyboard, and in a process group of their own for Ctrl-C; that counts, though who runs the
    tests may ignore it."""
    command = [sys.executable, "-P", "-m", "autograder.checks", *words]
    pipe = subprocess.PIPE
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return subprocess.Popen(
            command,
            cwd=laptop,
            env={"PYTHONPATH": str(laptop)},
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_names_what_was_running(laptop: Path) -> None:
    running = laptop / "running"
    write(laptop, solution(inside=f"open({str(running)!r}, 'w').close()\n    while True: pass"))
    checks = started(laptop, "rope")
    while not running.exists():
        assert checks.poll() is None
        time.sleep(0.05)
    os.killpg(checks.pid, signal.SIGINT)
    _, said = checks.communicate()
    assert checks.returncode == 130 and "Traceback" not in said
    assert "Stopped while rope_cos_sin(np.arange(5), 6) was running, at line " in said


def test_breakpoint_opens_the_debugger(laptop: Path) -> None:
    write(laptop, solution(inside="breakpoint()", at="decay_bound"))
    checks = started(laptop, "rope")
    said, _ = checks.communicate("p 6 * head_dim\nc\n" + "c\n" * 20)
    assert "(Pdb) 24\n" in said and "13 of 13 functions are right" in said


def test_watching_shows_the_next_thing_after_each_save(laptop: Path) -> None:
    checks = started(laptop, "rope", "--watch")
    assert checks.stdout is not None
    shown = ""
    while "Watching." not in shown:
        shown += checks.stdout.readline()
    assert "begin with rope_frequencies at assignments/rope/rope.py:" in shown
    write(laptop, solution(inside="return 1", at="rotate_half").replace("return np.mean", "return np.sum"))
    shown = ""
    while "Watching." not in shown:
        shown += checks.stdout.readline()
    os.killpg(checks.pid, signal.SIGINT)
    checks.communicate()
    assert "Next: rotate_half at assignments/rope/rope.py:" in shown
    assert shown.count(">>> ") == 1, "only the next function's mistake is shown in full"


# Before anything runs


def test_imports_that_grading_has_not_are_named_first(check: Check, laptop: Path) -> None:
    guarded = (
        "try:\n    import scipy\nexcept ImportError:\n    scipy = None\nif __name__ == '__main__':\n    import"
        " matplotlib\n"
    )
    write(
        laptop, f"import matplotlib.pyplot as plt\nfrom . import lab\nimport os, numpy.linalg\n{guarded}" + solution()
    )
    printed = check(laptop, "rope")
    assert "assignments/rope/rope.py:1 imports matplotlib.pyplot." in printed.splitlines()[2]
    assert "rope.py:2 imports ." in printed and "imports scipy" not in printed and printed.count(" imports ") == 2


def test_an_import_that_is_not_there_stops_nothing_but_what_uses_it(check: Check, laptop: Path) -> None:
    """The file does not end at that line: what it defines below is checked, and what it does not define is named with
    the reason."""
    write(laptop, "from helpers import rotate_half\n" + solution().replace("def rotate_half(", "def rotate_halves("))
    printed = check(laptop, "rope")
    assert "rope.py:1 imports helpers." in printed and "was checked" not in printed
    assert "rotate_half raised ModuleNotFoundError: No module named 'helpers.rotate_half'" in printed
    assert " ✓ rope_cos_sin" in printed and "Next: rotate_half" in printed
    assert "next: rotate_half" in check(laptop)
    write(laptop, "from helpers import rotate_half, rope_frequencies\n")
    assert "all yours" not in check(laptop, "rope")


def test_functions_in_a_notebook_beside_an_untouched_stub_are_said(check: Check, laptop: Path) -> None:
    cell = nbformat.v4.new_code_cell("%matplotlib inline\ndef rotate_half(x):\n    return x\n")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), laptop / "assignments" / "rope" / "mine.ipynb")
    assert "mine.ipynb defines rotate_half; in rope.py the same is not written yet." in check(laptop, "rope")
    write(laptop, solution())
    assert "mine.ipynb" not in check(laptop, "rope")


def test_every_stub_has_only_unwritten_functions_and_empty_answers() -> None:
    for assignment in assignments():
        source = Source(assignment.stub)
        assert (
            set(source.unwritten()) == set(source.functions) - {"_features"}
            and not any(source.answers.values())
            and source.imports() == []
        )
        assert Source(assignment.solution).unwritten() == [] and all(Source(assignment.solution).answers.values())


# Other systems

WITHOUT_UNIX = """
import os, runpy, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for module, names in ((os, ("fork", "forkpty", "register_at_fork")), (signal, ("SIGALRM", "alarm", "setitimer"))):
    for name in names:
        delattr(module, name)
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["autograder.checks", "rope"],
        [
            "pytest",
            "-q",
            "-p",
            "autograder.checks.fixtures",
            "-p",
            "autograder.laptop.local_context",
            "--import-mode=importlib",
            "tests/public/test_rope.py",
        ],
    ],
)
def test_the_students_path_runs_without_what_only_unix_has(laptop: Path, words: list[str]) -> None:
    write(laptop, solution())
    (laptop / "without_unix.py").write_text(WITHOUT_UNIX, encoding="utf-8")
    command = [sys.executable, "-P", "without_unix.py", *words]
    done = subprocess.run(
        command, cwd=laptop, env={"PYTHONPATH": str(laptop)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and ("13 of 13 functions" in done.stdout or " passed" in done.stdout), (
        done.stdout + done.stderr
    )


def test_a_pipe_that_lacks_a_letter_gets_the_others(laptop: Path) -> None:
    write(laptop, solution(inside="print('θ → ✓'); return positions"))
    assert " rope_cos_sin" in ran(sys.executable, laptop, "rope", PYTHONIOENCODING="cp1252").stdout


def test_an_older_python_is_refused_once_with_the_version_that_is_needed(laptop: Path) -> None:
    older = "import sys; sys.version_info = (3, 10, 4, 'final', 0); import runpy; sys.argv = ['x', 'rope']; "
    for run_it in ("runpy.run_module('autograder.checks', run_name='__main__')", "import autograder.checks.fixtures"):
        command = [sys.executable, "-P", "-c", older + run_it]
        done = subprocess.run(
            command, cwd=laptop, env={"PYTHONPATH": str(laptop)}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1 and done.stderr == "Python 3.11 or newer is needed; this is Python 3.10.\n"


def test_building_blocks_reach_through_helpers() -> None:
    blocks = Blocks("def a(): return b()\ndef b(): return c()\ndef c(): return 1\ndef d(): return d()\n")
    assert {name: blocks.below(name) for name in "abcd"} == {
        "a": {"b", "c"},
        "b": {"c"},
        "c": frozenset(),
        "d": frozenset(),
    }


def test_functions_in_a_ring_take_time_and_memory_in_proportion() -> None:
    """Each of thousands builds on all the others; only what fails is followed."""
    ring = "".join(f"def f{number}(): f{(number + 1) % 10_000}()\n" for number in range(10_000))
    blocks = Blocks(ring)
    assert len(blocks.below("f1")) == 9999
