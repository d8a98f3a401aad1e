"""The wall once more as an ordinary user, where the tests run as root: other locks keep some promises then.

Root's interpreter, packages and checkout may lie in folders that nobody else may enter; so an interpreter of one's own
is put together first, of hard links where the file system allows.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder import course

NOBODY = 65534
PARTS = ("autograder", "assignments", "solutions", "tests", "pyproject.toml")


@dataclass
class Stay:
    """All that another user needs to run the tests."""

    python: Path
    project: Path
    environment: dict[str, str]


@pytest.fixture(scope="module")
def stay() -> Iterator[Stay]:
    """Interpreter, packages and project where everybody may read them."""
    root = Path(tempfile.mkdtemp(prefix="stay-"))
    try:
        root.chmod(0o755)
        python = _interpreter(root)
        packages = root / "packages"
        _linked(Path(sysconfig.get_path("purelib")), packages)
        project = root / "project"
        project.mkdir(mode=0o755)
        for part in PARTS:
            _copied(course.ROOT / part, project / part)
        home = root / "home"
        home.mkdir()
        os.chown(home, NOBODY, NOBODY)
        environment = {
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PATH": os.defpath,
            "LD_LIBRARY_PATH": str(root / "lib"),
            "PYTHONPATH": f"{project}:{packages}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        yield Stay(python, project, environment)
    finally:
        shutil.rmtree(root)


def _interpreter(root: Path) -> Path:
    """The interpreter below `root` as it lies below its own prefix, without what is installed in it."""
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    library = Path(os.__file__).resolve().parent
    python = root / "bin" / executable.name
    python.parent.mkdir(mode=0o755)
    _link(str(executable), str(python))
    _linked(library, root / "lib" / library.name, "site-packages", "dist-packages", "test", "idlelib")
    for shared in library.parent.glob("libpython*.so*"):
        _link(str(shared), str(root / "lib" / shared.name))
    return python


def _linked(source: Path, target: Path, *unwanted: str) -> None:
    ignored = shutil.ignore_patterns(*unwanted)
    shutil.copytree(source, target, symlinks=True, ignore=ignored, copy_function=_link, ignore_dangling_symlinks=True)
    _open(target)


def _link(source: str, target: str) -> None:
    """A hard link where everybody may read the file and the file system allows it, else a copy that everybody may
    read."""
    if os.stat(source).st_mode & 0o004:
        try:
            os.link(source, target)
            return
        except OSError:
            pass
    shutil.copy2(source, target)  # with its times, by which compiled files know their source
    os.chmod(target, os.stat(target).st_mode | 0o444)


def _copied(source: Path, target: Path) -> None:
    if source.is_file():
        shutil.copy(source, target)
    else:
        # What Python has compiled comes along, since nobody may write it there. What pytest has names its old path.
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*-pytest-*.pyc", ".hypothesis"))
    _open(target)


def _open(root: Path) -> None:
    """Let everybody enter the folders, and read what was copied."""
    for path in (root, *root.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="these tests run as an ordinary user already; run them as root to see both"
)


@needs_root
def test_the_wall_holds_for_an_ordinary_user(stay: Stay) -> None:
    """But for attacks that the grader's own code stops: it does so whoever runs it."""
    wall_holds(stay, NOBODY, "test_attacks.py", "test_self_test.py", "test_wall.py", "-m", "not of_the_grader")


@needs_root
def test_the_wall_holds_for_root_where_everybody_may_read_the_interpreter(stay: Stay) -> None:
    """A worker's files are its own user's then, and no longer root's."""
    wall_holds(
        stay, 0, "test_wall.py", "test_self_test.py", "-m", "not of_the_grader", "-k", "not lock and not container"
    )


def wall_holds(stay: Stay, user: int, *tests: str) -> None:
    named = [f"tests/grader/sandbox/{name}" if name.endswith(".py") else name for name in tests]
    command = [str(stay.python), "-m", "pytest", "-q", "-rfEs", "-p", "no:cacheprovider", *named]
    try:
        run = subprocess.run(
            command,
            cwd=stay.project,
            env=stay.environment,
            user=user,
            group=user,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    except OSError as error:
        pytest.fail(f"NOT TESTED as user {user}: a process of it could not be started here ({error})")
    print(run.stdout)
    assert run.returncode == 0, f"the wall's tests fail for user {user}:\n{run.stdout[-8000:]}"
    assert " passed" in run.stdout
