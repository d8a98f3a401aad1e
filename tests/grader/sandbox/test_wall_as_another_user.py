"""The self-test once more as another user, where the tests run as root: other locks keep some promises then.

Root's interpreter, packages and checkout may lie in folders that nobody else may enter; so what the self-test takes is
copied to where everybody may read it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from autograder import course
from autograder.sandbox import confine

NOBODY = 65534

EXAMINES = """
import json, sys
from autograder.sandbox import self_test
found = self_test.examine(json.loads(sys.argv[1]))
print(json.dumps([(one.promise, one.held, one.lock, one.detail) for one in found]))
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="run as root to see both: these tests run as one user now")


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """A folder with `bin`, `lib` and `packages`."""
    folder = Path(tempfile.mkdtemp(prefix="stay-"))
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    library, packages = Path(os.__file__).resolve().parent, Path(np.__file__).parents[1]
    wanted = {folder / "bin" / "python": executable, folder / "lib" / library.name: library}
    wanted |= {folder / "lib" / one.name: one for one in library.parent.glob("libpython*.so*")}
    found = [one for name in ("numpy*", "landlockpy", "pyseccomp.py") for one in packages.glob(name)]
    wanted |= {folder / "packages" / one.name: one for one in (*found, course.PACKAGE)}
    ignored = shutil.ignore_patterns("site-packages", "dist-packages", "test", "tests", "idlelib", "*-pytest-*.pyc")
    try:
        for target, source in wanted.items():
            target.parent.mkdir(exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, ignore=ignored)
            else:
                shutil.copy2(source, target)
        for path in (folder, *folder.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
        yield folder
    finally:
        shutil.rmtree(folder)


def examined(root: Path, user: int, disabled_locks: tuple[str, ...] = ()) -> dict[str, tuple[bool, str, str]]:
    """Promise → whether it holds for that user, its lock, and what got through."""
    environment = {
        "LD_LIBRARY_PATH": str(root / "lib"),
        "PYTHONPATH": str(root / "packages"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [root / "bin" / "python", "-c", EXAMINES, json.dumps(disabled_locks)]
    run = subprocess.run(
        command, cwd="/", env=environment, user=user, group=user, extra_groups=[], capture_output=True, check=False
    )
    assert run.returncode == 0, run.stderr.decode()
    return {promise: tuple(rest) for promise, *rest in json.loads(run.stdout)}


@pytest.mark.parametrize("user", [NOBODY, 0])
def test_the_wall_holds_for_whoever_may_read_the_interpreter(root: Path, user: int) -> None:
    """A worker's files are then its own user's, where root grades."""
    found = examined(root, user)
    assert len(found) > 20 and {promise: rest for promise, rest in found.items() if not rest[0]} == {}


def test_an_ordinary_user_notices_locks_that_are_off(root: Path) -> None:
    locks = {lock for held, lock, _ in examined(root, NOBODY, confine.NAMES).values() if not held}
    assert locks >= {*confine.NAMES} - {"user"}
