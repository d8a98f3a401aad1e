"""`make check` on a laptop: an invitation at first, then each mistake once, at the function where it sits."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.checks.blocks import building_blocks
from autograder.course import ROOT, assignments

ROPE = ROOT / "solutions" / "rope.py"


@pytest.fixture
def laptop(tmp_path: Path) -> Path:
    """What a student has of the course, with the untouched stubs."""
    shutil.copytree(ROOT / "autograder" / "checks", tmp_path / "autograder" / "checks")
    shutil.copy(ROOT / "autograder" / "__init__.py", tmp_path / "autograder")
    shutil.copytree(ROOT / "tests" / "public", tmp_path / "tests" / "public")
    for assignment in assignments():
        (tmp_path / "assignments" / assignment.name).mkdir(parents=True)
        shutil.copy(assignment.stub, tmp_path / "assignments" / assignment.name)
        shutil.copy(assignment.lesson, tmp_path / "assignments" / assignment.name)
    return tmp_path


def check(laptop: Path, *names: str) -> str:
    """What `make check` prints."""
    command = [sys.executable, "-P", "-m", "autograder.checks", *names]
    done = subprocess.run(command, cwd=laptop, capture_output=True, text=True, env={"PYTHONPATH": str(laptop)}, timeout=60)
    assert done.stderr == ""
    return done.stdout


def write(laptop: Path, source: str) -> None:
    (laptop / "assignments" / "rope" / "rope.py").write_text(source, encoding="utf-8")


def test_an_untouched_handout_reads_as_an_invitation(laptop: Path) -> None:
    printed = check(laptop, "rope")
    assert "rope is all yours: 13 functions to write." in printed
    assert "begin with rope_frequencies at assignments/rope/rope.py:" in printed
    assert "✗" not in printed and "Traceback" not in printed and len(printed.splitlines()) < 8


def test_the_overview_has_a_line_an_assignment_and_the_next_step(laptop: Path) -> None:
    printed = check(laptop)
    lines = printed.splitlines()
    assert [line.split()[0] for line in lines[:9]] == [assignment.name for assignment in assignments()]
    assert "next: softmax  assignments/attention/attention.py:" in printed
    assert "0 of 72 public points" in printed


def test_a_finished_assignment_still_has_points_to_be_decided(laptop: Path) -> None:
    write(laptop, ROPE.read_text(encoding="utf-8"))
    printed = check(laptop, "rope")
    assert "8 of 8 public points. The other 12 of 20 are decided by tests that you do not see" in printed
    assert "passed" not in printed


def test_a_mistake_is_told_once_where_it_sits(laptop: Path) -> None:
    source = ROPE.read_text(encoding="utf-8").replace("np.arange(0, head_dim, 2) / head_dim", "np.arange(0, head_dim, 2) / 2 / head_dim")
    write(laptop, source)
    printed = check(laptop, "rope")
    assert printed.count("Likely cause: The exponent looks half as large") == 1
    assert "builds on rope_frequencies: fix that first" in printed
    assert "Next: rope_frequencies at assignments/rope/rope.py:" in printed


def test_a_function_that_waits_names_the_one_it_waits_for(laptop: Path) -> None:
    source = ROPE.read_text(encoding="utf-8")
    write(laptop, source.replace("    _check_even(head_dim)\n", "    raise NotImplementedError\n", 1))
    printed = check(laptop, "rope")
    assert "waits for rope_frequencies" in printed and "Next: rope_frequencies" in printed


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def rope_frequencies(head_dim, base=1.0)\n    return 1\n", "SyntaxError"),
        ("import scipy_that_is_not_there\n", "scipy_that_is_not_there"),
        ("", "rope is all yours"),
        ("raise SystemExit(3)\n", "SystemExit"),
    ],
)
def test_a_broken_file_is_told_in_a_sentence(laptop: Path, source: str, words: str) -> None:
    write(laptop, source)
    printed = check(laptop, "rope")
    assert words in printed and "Traceback" not in printed


def test_an_unknown_assignment_is_refused_with_the_names_there_are(laptop: Path) -> None:
    command = [sys.executable, "-P", "-m", "autograder.checks", "roap"]
    done = subprocess.run(command, cwd=laptop, capture_output=True, text=True, env={"PYTHONPATH": str(laptop)}, timeout=60)
    assert done.returncode == 2 and "No assignment roap: there are attention, naive" in done.stderr


def test_building_blocks_reach_through_helpers() -> None:
    blocks = building_blocks("def a(): return b()\ndef b(): return c()\ndef c(): return 1\ndef d(): return d()\n")
    assert {name: blocks.below(name) for name in "abcd"} == {"a": {"b", "c"}, "b": {"c"}, "c": frozenset(), "d": frozenset()}
    assert blocks.root_causes(["a", "b", "c"]) == {"a": "c", "b": "c"}
    assert blocks.root_causes(["a", "d"]) == {}


def test_functions_in_a_ring_take_time_and_memory_in_proportion() -> None:
    """Each of thousands builds on all the others; only what fails is followed."""
    ring = "".join(f"def f{number}(): f{(number + 1) % 10_000}()\n" for number in range(10_000))
    blocks = building_blocks(ring)
    assert blocks.root_causes(["f0", "f5000"]) == {"f0": "f5000", "f5000": "f0"}
    assert len(blocks.below("f1")) == 9999
