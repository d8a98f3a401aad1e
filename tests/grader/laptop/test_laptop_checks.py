"""Tests of `make check`: it says where to begin in an untouched file, and shows each mistake once, with the failing
call, at the function to fix."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import course
from autograder.checks.source import SourceFile
from autograder.course import ROOT, find, term_assignments
from autograder.laptop import checks_command, live_page, terminal_or_tab
from autograder.sandbox.limits import LIMITS

ROPE = find("rope").solution.read_text("utf-8")
FREQUENCY_MISTAKE = ("np.arange(0, head_dim, 2) / head_dim", "np.arange(0, head_dim, 2) / 2 / head_dim")


def write_student_folder(folder: Path, *names: str) -> Path:
    """Write a student's folder that contains the untouched stubs of the named assignments."""
    expected = Path("tests", "public", "expected")
    shutil.copytree(ROOT / expected, folder / expected, dirs_exist_ok=True)
    for assignment in map(find, names):
        (folder / "assignments" / assignment.name).mkdir(parents=True)
        shutil.copy(assignment.stub, folder / "assignments" / assignment.name)
        shutil.copy(assignment.lesson, folder / "assignments" / assignment.name)
        shutil.copy(assignment.public_tests, folder / "tests" / "public")
    return folder


@pytest.fixture
def laptop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Working folder with the untouched stubs of three assignments."""
    monkeypatch.chdir(write_student_folder(tmp_path, "attention", "sinusoidal", "rope"))
    return tmp_path


Check = Callable[..., str]


@pytest.fixture
def check(laptop: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """Return a function that runs `python -m autograder.checks …` and returns the printed text."""

    def printed(*words: str) -> str:
        assert checks_command.main(words) == 0
        out, err = capsys.readouterr()
        assert err == "" and "Traceback" not in out
        return out

    return printed


def write_solution(source: str, name: str = "rope") -> None:
    Path("assignments", name, f"{name}.py").write_text(source, "utf-8")


def rope_solution(*, lines: str = "", function: str = "rope_cos_sin") -> str:
    """Return the solution for rope with extra lines at the beginning of one function."""
    head = next(line for line in ROPE.split("\n") if line.startswith(f"def {function}("))
    return ROPE.replace(head, f"{head}\n    {lines}")


def with_function_body(source: str, function: str, body: str) -> str:
    """Return a solution with a different body for one function."""
    begin = source.index("    # BEGIN SOLUTION", source.index(f"def {function}("))
    return f"{source[:begin]}    {body}\n{source[source.index('    # END SOLUTION', begin) :]}"


def lines_by_function(printed: str) -> dict[str, str]:
    """Return a dict that maps each function to the printed line about it."""
    return {line.split()[1]: line for line in printed.splitlines() if line[:3] in (" ✓ ", " ✗ ", " · ")}


def test_an_untouched_file_says_where_to_begin(check: Check, laptop: Path) -> None:
    """Functions appear in the order of the lesson, although tests of one function may first call another
    function."""
    write_student_folder(laptop, "state")
    lines = check().splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["attention", "sinusoidal", "rope", "state"]
    assert "next: causal_mask  assignments/attention/attention.py:" in lines[1], "with which its page begins"
    functions = sum(
        len(SourceFile(find(name).stub).functions) - 1 for name in ("attention", "sinusoidal", "rope", "state")
    )
    assert f"0 of {functions} functions are right." in lines[-1] and "12 of 20 points are decided by" in lines[-1]
    printed = check("12")
    assert "Checked assignments/state/state.py." in printed and "✗" not in printed
    assert (
        f"Next: {next(iter(lines_by_function(printed)))} at assignments/state/state.py:" in printed
        and "12 of 20" not in printed
    )


def test_a_finished_assignment_says_what_comes_next(check: Check) -> None:
    write_solution(ROPE)
    printed = check("assignments/rope/rope.py")
    assert "13 of 13 functions are right." in printed and "Answers: 8 of 8 filled in." in printed
    assert "All functions are right! Now hand in rope.py." in printed and "12 of 20 points are decided by" in printed
    write_solution(ROPE.replace('"rotates_values": False', '"rotates_values": None'))
    printed = check("rope")
    assert "Answers: 7 of 8 filled in." in printed and "Now the questions at assignments/rope/rope.py:" in printed
    assert "13 of 13  all right" in check()
    write_solution(ROPE.replace('"rotates_values": False', '"rotates_values": false'))
    printed = check("rope")
    assert "your file stops at line" in printed.lower() and re.search(
        r"Now fix what stops the file at assignments/rope/rope.py:\d+, then hand in", printed
    )


@pytest.mark.parametrize(
    ("fault", "function"),
    [
        *(
            (fault, "rotate_half")
            for fault in ("x = (", "  x = 1", "def f(:", "x = 'abc", "raise ValueError('line 0')")
        ),
        *(("missing_name", function) for function in ("rope_frequencies", "rotate_half", "decode_step")),
    ],
)
def test_a_file_that_stops_before_a_function_has_no_next_function_but_the_line_to_fix(
    check: Check, fault: str, function: str
) -> None:
    """If a file stops while it is being loaded, its functions are not judged, so none of them is named as the next to
    work on."""
    line = ROPE[: ROPE.index(f"def {function}(")].count("\n") + 1
    write_solution(ROPE.replace(f"def {function}(", f"{fault}\ndef {function}("))
    place = f"assignments/rope/rope.py:{line}"
    assert f"Next: fix what stops the file at {place}." in check("rope")
    assert f"next: fix what stops the file  {place}" in check()


@pytest.mark.parametrize(
    "ask", ["input()", "input('how many? ')", "sys.stdin.readline()", "sys.stdin.read()", "next(sys.stdin)"]
)
def test_code_that_asks_for_input_reads_what_to_do_instead(check: Check, ask: str) -> None:
    """The message is written for a student and does not mention pytest, whether code asks for input in a function or
    while the file loads."""
    sentence = "EOFError: a check has no keyboard, so nothing can be typed in: write the value into the code"
    write_solution("import sys\n" + rope_solution(lines=ask))
    printed = check("rope")
    assert re.search(rf"rope_cos_sin raised EOFError at line \d+ of your file{sentence[8:]}", printed)
    write_solution(f"{ROPE}\nimport sys\n{ask}\n")
    assert re.search(rf"your file stops at line \d+ with {sentence}", loaded := check("rope"))
    assert "pytest" not in printed + loaded


@pytest.mark.parametrize("size", [1, 990, 999, 1000, 1001, 54321])
def test_output_that_is_cut_says_how_much_there_was(check: Check, size: int) -> None:
    text = "x\n" * ((size - 1) // 2) + "y" * (2 - size % 2)
    write_solution(f"{ROPE}\nprint({text!r})\n")
    printed = check("rope")
    assert len(text) == size and "Your code printed while it was loaded" in printed
    note = f"(the first 1,000 of {size:,} characters):" in printed
    assert note == bool(re.search(r"[xy]\s+…", printed)) == (size > 1000)


def test_a_mistake_is_told_once_where_it_sits_with_its_call(check: Check) -> None:
    write_solution(ROPE.replace(*FREQUENCY_MISTAKE))
    printed = check("rope")
    assert printed.count("Likely cause: ") == 1
    assert "     >>> rope_frequencies(4)\n" in printed
    assert "builds on `rope_frequencies`: fix that first" in printed
    assert "Next: rope_frequencies at assignments/rope/rope.py:" in printed
    assert "More tests of this function fail: check rope.rope_frequencies to see all." in printed
    printed = check("rope.rope_frequencies")
    assert printed.count(">>> rope_frequencies(") > 1 and "rotate_half" not in printed


def test_a_function_waits_for_what_is_not_written_or_crashes_below(check: Check, laptop: Path) -> None:
    # A crash in sinusoidal_encoding also stops add_positions, which calls it, but not shift_matrix.
    source = find("sinusoidal").solution.read_text("utf-8")
    source = with_function_body(source, "offset_similarity", "raise NotImplementedError")
    write_solution(with_function_body(source, "sinusoidal_encoding", "None + 1"), "sinusoidal")
    lines = lines_by_function(check("sinusoidal"))
    assert lines["sinusoidal_encoding"].startswith(" ✗")
    assert "builds on `sinusoidal_encoding`: fix that first" in lines["add_positions"]
    assert lines["shift_matrix"].startswith(" ✓")
    assert lines["offset_similarity"].startswith(" ·") and "not implemented yet" in lines["offset_similarity"]
    # A test of constant_decay passes the function's result to decay_bias.
    write_student_folder(laptop, "state")
    write_solution(
        with_function_body(find("state").solution.read_text("utf-8"), "decay_bias", "raise NotImplementedError"),
        "state",
    )
    lines = lines_by_function(check("state"))
    assert "not implemented yet" in lines["decay_bias"] and "waits for `decay_bias`" in lines["constant_decay"]


BROKEN_FILES = {
    "line 3\n        def f(head_dim)\n": b"import numpy\n\ndef f(head_dim)\n    return 1\n",
    "your file stops at line 1 with SystemExit: 3": b"raise SystemExit(3)\n",
    "is not UTF-8: save it as UTF-8.": "x = 'ä'".encode("latin-1"),
    "Your file did not return within 1 seconds at line 1": b"while True: pass\n",
}


@pytest.fixture
def short_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the time limit of a call to one second instead of five."""
    assert LIMITS.call_seconds == terminal_or_tab.LOCAL_TIMEOUT_SECONDS, "here as in the grader"
    options = terminal_or_tab.TERMINAL.pytest_options
    shorter = tuple(option.replace(f"={terminal_or_tab.LOCAL_TIMEOUT_SECONDS}", "=1") for option in options)
    assert shorter != options
    monkeypatch.setattr(terminal_or_tab, "LOCAL_TIMEOUT_SECONDS", 1)
    monkeypatch.setitem(vars(terminal_or_tab.TERMINAL), "pytest_options", shorter)


@pytest.mark.parametrize(
    ("text", "is_drawn"),
    [
        (ROPE, True),
        (rope_solution(lines="raise ValueError"), True),
        (rope_solution(lines="while True: pass"), False),
        ("while True: pass\n", False),
    ],
    ids=["right", "wrong", "endless function", "endless file"],
)
def test_the_page_draws_from_no_file_that_does_not_return(
    short_timeout: None, check: Check, text: str, is_drawn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(live_page, "_course_files", dict)
    monkeypatch.setattr(live_page.webbrowser, "open", lambda address: True)
    monkeypatch.setattr(live_page.PageServer, "draw_pictures", lambda server, lesson, source: drawn.append(lesson))
    monkeypatch.setattr(checks_command, "_assignments_to_check", lambda files: iter([["rope"]]))
    write_solution(text)
    assert "functions are right" in check("rope", "--page")
    assert drawn == ["rope"] * is_drawn


def test_a_broken_file_is_told_in_a_sentence(short_timeout: None, check: Check) -> None:
    path = Path("assignments", "rope", "rope.py")
    for words, source in BROKEN_FILES.items():
        path.write_bytes(source)
        assert words in check("rope")
    path.unlink()
    assert "does not exist. Rename it back, or copy it from the handout again." in check("rope")


@pytest.mark.parametrize("source", [None, b"\xff", ROPE.encode("utf-16"), f"{ROPE}\nx = {'1 + ' * 2**17}1\n".encode()])
def test_no_function_of_a_file_that_cannot_be_read_runs_or_is_the_next_to_write(
    check: Check, source: bytes | None
) -> None:
    """The file is missing, is not UTF-8, or is too large."""
    path = Path("assignments", "rope", "rope.py")
    if source is None:
        path.unlink()
    else:
        path.write_bytes(source)
    printed = check("rope")
    assert "0 of 13 functions are right." in printed
    assert "Next: fix what stops the file at assignments/rope/rope.py:1." in printed


def test_a_tab_in_a_message_is_shown_as_spaces(check: Check) -> None:
    write_solution(rope_solution(lines="x = (\t1 +"))
    assert "x = (    1 +\n" in check("rope")


def test_a_word_that_names_nothing_is_refused_with_what_there_is(
    laptop: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def error_line(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            checks_command.main(words)
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        return line

    assert "there is no roap: did you mean rope?" in error_line("roap.py")
    assert "there is no zzz: there are attention, sinusoidal, rope" in error_line("zzz")
    assert "there is no rotate_haf: did you mean rotate_half?" in error_line("rope.rotate_haf")
    assert "name one assignment" in error_line("--show", "rotate_half")
    monkeypatch.chdir("tests")
    assert "run this in the folder that contains" in error_line("rope")


# Printed text, the debugger and endless calls


def test_prints_stand_with_the_test_they_came_from(check: Check) -> None:
    write_solution(rope_solution(lines="print('[dim]', head_dim); return positions") + "\nprint('while loading')\n")
    printed = check("rope")
    assert "Your code printed in test_cos_sin:\n         [dim] 6\n" in printed
    assert "Your code printed while it was loaded:\n    while loading\n" in printed


def test_a_call_that_never_returns_is_named_and_the_rest_is_told(short_timeout: None, check: Check) -> None:
    write_solution(rope_solution(lines="while True: pass"))
    printed = check("rope")
    assert ">>> rope_cos_sin(np.arange(5), 6)" in printed
    assert "rope_cos_sin did not return within 1 seconds at line " in printed
    assert "✓ rope_frequencies" in printed and "✓ decay_bound" in printed
    assert "builds on `rope_cos_sin`: fix that first" in printed


def start_checks(*words: str) -> subprocess.Popen[str]:
    """Start the checks in a separate process group that reacts to Ctrl-C, even if the test run ignores
    Ctrl-C."""
    command = [sys.executable, "-P", "-m", "autograder.checks", *words]
    pipe = subprocess.PIPE
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return subprocess.Popen(
            command, env=ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )
    finally:
        signal.signal(signal.SIGINT, before)


ENVIRONMENT = {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}


def test_breakpoint_opens_the_debugger(laptop: Path) -> None:
    write_solution(rope_solution(lines="breakpoint()", function="decay_bound"))
    output, _ = start_checks("rope").communicate("p 6 * head_dim\nc\n" + "c\n" * 20)
    assert "(Pdb) 24\n" in output and "13 of 13 functions are right" in output


def test_watching_shows_the_next_thing_after_each_save_until_ctrl_c(laptop: Path) -> None:
    """Ctrl-C stops the checks even while a function that never returns is running."""
    checks, running = start_checks("rope", "--watch"), laptop / "running"
    assert checks.stdout is not None
    for text, output in (
        ("", "Next: rope_frequencies at "),
        (rope_solution(lines="return 1", function="rotate_half"), "Next: rotate_half"),
    ):
        if text:
            write_solution(text)
        shown = ""
        while "Watching." not in shown:
            shown += checks.stdout.readline()
        assert output in shown
    write_solution(rope_solution(lines=f"open({str(running)!r}, 'w').close()\n    while True: pass"))
    while not running.exists():
        assert checks.poll() is None
        time.sleep(0.05)
    os.killpg(checks.pid, signal.SIGINT)
    _, output = checks.communicate()
    assert checks.returncode == 130 and "Traceback" not in output


# Checks before any code runs


def test_imports_that_grading_has_not_are_named_first_and_stop_nothing_but_what_uses_them(check: Check) -> None:
    """An import that is unavailable in grading does not stop the check or the other functions; each function that is
    missing because of it is reported with that reason."""
    block = "try:\n    import scipy\nexcept ImportError:\n    pass\n"
    guarded = f"{block}if __name__ == '__main__':\n    import torch\ndef _():\n{textwrap.indent(block, '    ')}"
    source = rope_solution().replace("def rotate_half(", "def rotate_halves(")
    write_solution(f"from helpers import rotate_half\nimport pygments.token, os, numpy.linalg\n{guarded}{source}")
    printed = check("rope")
    assert "assignments/rope/rope.py:1 imports helpers, which is not available when your file is graded" in printed
    assert "rope.py:2 imports pygments.token," in printed and printed.count(" imports ") == 2
    assert "rotate_half raised ModuleNotFoundError: No module named 'helpers.rotate_half'" in printed
    assert " ✓ rope_cos_sin" in printed and "Next: rotate_half" in printed


def test_every_stub_has_empty_answers_and_no_import_that_grading_has_not() -> None:
    for assignment in term_assignments():
        source = SourceFile(assignment.stub)
        assert not any(source.answers.values()) and [*source.disallowed_imports()] == []
        assert all(SourceFile(assignment.solution).answers.values())


# Other operating systems and environments


@pytest.fixture
def folder_with_code(laptop: Path) -> Path:
    """Student's folder that also contains the code shipped with the handout."""
    for path in course.shipped_autograder_files():
        (laptop / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, laptop / path.relative_to(ROOT))
    return laptop


def run_python(folder_with_code: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `python …` with the shipped code on the module search path."""
    env = {"PYTHONPATH": str(folder_with_code), "OPENBLAS_NUM_THREADS": "1"} | environment
    return subprocess.run(
        [sys.executable, "-P", *words], env=env, capture_output=True, text=True, errors="replace", check=False
    )


PROGRAM_WITHOUT_UNIX = """
import os, runpy, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for module, names in ((os, ("fork", "forkpty", "register_at_fork")), (signal, ("SIGALRM", "alarm", "setitimer"))):
    for name in names:
        delattr(module, name)
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def test_the_students_path_runs_without_what_only_unix_has(folder_with_code: Path) -> None:
    """A pipe whose encoding lacks some characters still receives all the others."""
    write_solution(rope_solution(lines="print('θ → ✓')"))
    (folder_with_code / "without_unix.py").write_text(PROGRAM_WITHOUT_UNIX, "utf-8")
    done = run_python(folder_with_code, "without_unix.py", "autograder.checks", "rope", PYTHONIOENCODING="cp1252")
    assert done.returncode == 0 and "13 of 13 functions" in done.stdout, done.stdout + done.stderr


def test_outside_of_its_environment_it_says_what_to_do(folder_with_code: Path) -> None:
    (folder_with_code / "rich.py").write_text("raise ModuleNotFoundError('No module named rich', name='rich')")
    done = run_python(folder_with_code, "-m", "autograder.checks", "rope")
    assert done.returncode == 1 and "Traceback" not in done.stderr and "rich is not installed for this" in done.stderr
    older = "import sys; sys.version_info = (3, 10, 4, 'final', 0); import runpy; sys.argv = ['x', 'rope']; "
    done = run_python(folder_with_code, "-c", f"{older}runpy.run_module('autograder.checks', run_name='__main__')")
    assert done.returncode == 1 and done.stderr == "Python 3.11 or newer is needed; this is Python 3.10.\n"
