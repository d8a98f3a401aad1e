"""Tests of the self-test: it detects every disabled lock and then refuses to grade, both as root and as another
user."""

from __future__ import annotations

import ctypes
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from autograder import cli_support, course
from autograder.sandbox import client, confine, self_test
from autograder.sandbox.escape_attempts import ATTEMPTS
from autograder.sandbox.self_test import BrokenPromiseError, PromiseFinding

NOBODY = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="run as root to see both: these tests run as one user now")


@pytest.fixture(autouse=True)
def short_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeout, because an attempt that no lock stops lasts until the timeout."""
    monkeypatch.setattr(self_test, "WORKER_END_TIMEOUT_SECONDS", 0.3)


def broken_promises(findings: list[PromiseFinding]) -> dict[str, str]:
    """Return each promise that does not hold, with the locks that should keep it."""
    return {finding.promise: finding.locks for finding in findings if not finding.held}


def test_every_promise_holds_here() -> None:
    """The table that `autograder doctor` prints lists every promise and every limit."""
    out = io.StringIO()
    assert cli_support.print_self_test_table(Console(file=out, width=200)), out.getvalue()
    text = out.getvalue()
    assert all(one.promise in text for one in ATTEMPTS)
    for amount in ("5 s", "50 s", "1024 MiB", "64 MiB"):
        assert amount in text


LOCKS_BY_PROMISE = {
    name: {*lock.split(", ")} for name, lock, *_ in (*map(astuple, ATTEMPTS), *self_test.OUTSIDE_CHECKS)
}
"""The locks that keep each promise; any one of these locks is enough to keep it."""

DISABLED_LOCK_SETS = [{lock} for lock in confine.ALL_LOCKS] + [{"seccomp", "landlock", "user"}, {"limits", "watch"}]


@pytest.mark.parametrize("disabled", DISABLED_LOCK_SETS, ids=lambda disabled: ", ".join(sorted(disabled)))
def test_what_is_off_lets_its_own_attempts_through_and_no_others(
    disabled: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if disabled == {"user"} and os.geteuid() != 0:
        pytest.skip("an ordinary user has no privilege that this lock could take")
    findings = self_test.examine(disabled)
    expected = {name for name, locks in LOCKS_BY_PROMISE.items() if locks <= disabled}
    if os.geteuid() == 0:
        assert {*broken_promises(findings)} == expected != set()
    else:  # The parent folder's mode still prevents writing.
        assert {*broken_promises(findings)} >= {name for name in expected if LOCKS_BY_PROMISE[name] != {"user"}}
    first = next(finding for finding in findings if not finding.held)
    monkeypatch.setattr(self_test, "examine", lambda: findings)
    with pytest.raises(BrokenPromiseError, match=f"{re.escape(first.promise)}.*{re.escape(first.fix)}"):
        self_test.require()


def test_every_lock_is_proven_alone_and_every_attempt_gets_through() -> None:
    """Every attempt succeeds if the locks against it are disabled, so no attempt fails for an unrelated
    reason. Promises kept by the zygote (the process from which workers are forked) or by access times depend
    on no other lock."""
    assert [{lock} for lock in confine.ALL_LOCKS if {lock} not in LOCKS_BY_PROMISE.values()] == []
    for name, locks in LOCKS_BY_PROMISE.items():
        assert locks <= {"zygote", "times"} or any(locks <= disabled for disabled in DISABLED_LOCK_SETS), name


def test_what_was_read_once_shows_no_further_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Access times that change on reading would let one submission reveal hidden inputs to another."""
    (tmp_path / "folder" / "below").mkdir(parents=True)
    files = [tmp_path / "one.py", tmp_path / "folder" / "two.so", tmp_path / "folder" / "below" / "three"]
    for age, file in enumerate(files):
        file.write_text("x")
        os.utime(file, (time.time() - age * confine.RELATIME_RENEWAL_SECONDS, time.time() - age))
    monkeypatch.setattr(confine, "_readable", lambda packages: [files[0], tmp_path / "folder"])
    confine.settle_access_times([])
    before = [file.stat().st_atime_ns for file in files]
    assert [file.read_text() for file in files] == ["x"] * 3
    assert [file.stat().st_atime_ns for file in files] == before


# Other kernels and machines


@pytest.fixture
def replace_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return a function that replaces the source of a module in the zygote."""

    def put(module: str, text: str) -> None:
        (tmp_path / f"{module}.py").write_text(text)
        (tmp_path / "autograder").symlink_to(self_test.PACKAGE_FOLDER)
        monkeypatch.setattr(client, "PACKAGE_FOLDER", tmp_path / "autograder")

    return put


@pytest.mark.parametrize(("module", "lock"), [("landlockpy", "landlock"), ("pyseccomp", "seccomp")])
def test_a_library_that_is_missing_is_a_finding(
    module: str, lock: str, replace_module: Callable[[str, str], None]
) -> None:
    """A library may be missing if a machine has no libseccomp or has another operating system."""
    replace_module(module, "raise RuntimeError('not on this machine')")
    (finding,) = self_test.examine()
    assert (finding.locks, finding.held) == (lock, False) and "not on this machine" in finding.breach


FAILING_IN_WORKER = """
import sys

folder = sys.path.pop(-2)
del sys.modules["landlockpy"]
import landlockpy

def restrict(ruleset):
    raise RuntimeError("not for a worker")

landlockpy.Ruleset.restrict = restrict
sys.path.insert(-1, folder)
"""
"""Replacement for landlockpy that fails only in a worker, whose process then ends immediately."""


def test_a_lock_that_fails_in_a_worker_is_named(replace_module: Callable[[str, str], None]) -> None:
    replace_module("landlockpy", FAILING_IN_WORKER)
    for _ in range(4):
        (finding,) = self_test.examine()
        assert (finding.locks, finding.held) == ("landlock", False) and "not for a worker" in finding.breach


FIRST_ABI = """
import sys

folder = sys.path.pop(-2)
del sys.modules["landlockpy"]
import landlockpy

landlockpy._syscall.abi_version = lambda: 1
sys.path.insert(-1, folder)
"""
"""Replacement for landlockpy that reports the first version of Landlock, as in Linux 5.13."""


def test_the_wall_holds_with_the_first_landlock(replace_module: Callable[[str, str], None]) -> None:
    """Landlock does not control truncation before ABI 3, TCP before ABI 4, or signals before ABI 6, but other
    locks do."""
    replace_module("landlockpy", FIRST_ABI)
    findings = self_test.examine()
    assert broken_promises(findings) == {}, [finding for finding in findings if not finding.held]
    # With the first version of Landlock, only seccomp prevents the truncation of files.
    assert {"cannot empty a file", "cannot open a file with unusual flags"} <= set(
        broken_promises(self_test.examine(["seccomp"]))
    )


DOCKER_CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
"""Numbers of the capabilities that Docker leaves to root by default, from CAP_CHOWN to CAP_SETFCAP."""

PR_CAPBSET_DROP = 24


def examined_with(capabilities: tuple[int, ...]) -> list[PromiseFinding]:
    """Return the self-test's findings in a process that has only the specified capabilities."""
    read_end, write_end = os.pipe()
    if (child := os.fork()) == 0:
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            for capability in {*range(64)} - {*capabilities}:
                libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
            mask = sum(1 << capability for capability in capabilities)
            header = (ctypes.c_uint32 * 2)(confine.CAPABILITY_VERSION_3, 0)
            assert libc.capset(header, (ctypes.c_uint32 * 6)(mask, mask, 0, 0, 0, 0)) == 0
            os.write(write_end, pickle.dumps(self_test.examine()))
        finally:
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        output = pipe.read()
    os.waitpid(child, 0)
    found: list[PromiseFinding] = pickle.loads(output)
    return found


@as_root
def test_root_needs_few_capabilities_and_is_told_without() -> None:
    """The kernel does not limit root's threads, so without a separate user, only the monitor would limit a worker."""
    assert broken_promises(examined_with(DOCKER_CAPABILITIES)) == {}
    findings = broken_promises(examined_with(()))
    assert set(findings.values()) <= {"limits", "user"} and "has no privileges and cannot gain any" in findings


# Self-test as root and as another user

EXAMINE_PROGRAM = """
import json, sys
from autograder.sandbox import self_test
self_test.WORKER_END_TIMEOUT_SECONDS = 0.3
print(json.dumps([[vars(one) for one in self_test.examine(locks)] for locks in json.loads(sys.argv[1])]))
"""


@pytest.fixture(scope="module")
def public_python() -> Iterator[Path]:
    """Folder with a Python that every user can read, because other users may be unable to enter root's
    folders."""
    folder = Path(tempfile.mkdtemp(prefix="stay-"))
    executable = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    library, packages = Path(os.__file__).resolve().parent, Path(np.__file__).parents[1]
    expected = {folder / "bin" / "python": executable, folder / "lib" / library.name: library}
    expected |= {folder / "lib" / one.name: one for one in library.parent.glob("libpython*.so*")}
    found = [one for name in ("numpy*", "landlockpy", "pyseccomp.py") for one in packages.glob(name)]
    expected |= {folder / "packages" / one.name: one for one in (*found, course.PACKAGE_FOLDER)}
    ignored = shutil.ignore_patterns(*"*-packages test tests idlelib config-* tkinter ensurepip *-pytest-*.pyc".split())
    try:
        for target, source in expected.items():
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


def examined_by(user: int, public_python: Path, *disabled_locks: Collection[str]) -> list[list[PromiseFinding]]:
    """Return the self-test's findings for one user, once for each set of disabled locks."""
    environment = {"LD_LIBRARY_PATH": str(public_python / "lib"), "PYTHONPATH": str(public_python / "packages")}
    command = [public_python / "bin" / "python", "-B", "-c", EXAMINE_PROGRAM, json.dumps(disabled_locks)]
    output = subprocess.check_output(command, cwd="/", env=environment, user=user, group=user, extra_groups=[])
    return [[PromiseFinding(**one) for one in found] for found in json.loads(output)]


@as_root
def test_the_wall_holds_for_whoever_may_read_the_interpreter(public_python: Path) -> None:
    """If root runs the grader, a worker's files belong to a separate user."""
    (by_root,), (by_nobody, without) = (
        examined_by(0, public_python, ()),
        examined_by(NOBODY, public_python, (), confine.ALL_LOCKS),
    )
    for found in (by_root, by_nobody):
        assert len(found) > 20 and broken_promises(found) == {}
    assert {*broken_promises(without).values()} >= {*confine.ALL_LOCKS} - {"user"}
