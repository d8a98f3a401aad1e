"""The self-test: every lock that is off is noticed, and grading is then refused."""

from __future__ import annotations

import ctypes
import io
import os
import pickle
import re
import time
from pathlib import Path

import pytest
from rich.console import Console

from autograder import doctor
from autograder.sandbox import client, confine, self_test
from autograder.sandbox.self_test import BrokenPromise, Finding


def broken(findings: list[Finding]) -> dict[str, str]:
    """The promises that do not hold, each with its lock."""
    return {finding.promise: finding.lock for finding in findings if not finding.held}


def test_every_promise_holds_here_and_the_table_names_it_and_every_limit() -> None:
    out = io.StringIO()
    assert doctor.print_table(Console(file=out, width=200)), out.getvalue()
    text = out.getvalue()
    assert all(one.promise in text for one in self_test.ATTEMPTS)
    for amount in ("5 s", "60 s", "1024 MiB", "64 MiB", "64 KiB"):
        assert amount in text


@pytest.mark.parametrize("lock", confine.NAMES)
def test_a_lock_that_is_off_is_noticed(lock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if lock == "user" and os.geteuid() != 0:
        pytest.skip("an ordinary user has no privilege that this lock could take")
    findings = self_test.examine([lock])
    assert lock in broken(findings).values()
    first = next(finding for finding in findings if not finding.held)
    monkeypatch.setattr(self_test, "examine", lambda: findings)
    with pytest.raises(BrokenPromise, match=f"{re.escape(first.promise)}.*{re.escape(first.fix)}"):
        self_test.require()


def test_each_attempt_gets_through_without_locks() -> None:
    """So none is refused for another reason. A worker has nothing to inherit, whatever its locks; and an ordinary user
    is kept from writing beside its folder by the mode of the one above."""
    held = {one.promise for one in self_test.examine(confine.NAMES) if one.held}
    by_mode = {"writes nothing beside its scratch folder"} if os.geteuid() != 0 else set()
    by_mode.add("leaves no trace in what it reads")  # which no lock keeps: all has been read before
    assert held == {"runs no longer than it may"} | by_mode | {one for one in held if one.startswith("inherits")}


def test_what_was_read_once_shows_no_further_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one submission could tell another what its hidden tests ask, by the files that it reads."""
    (tmp_path / "folder" / "below").mkdir(parents=True)
    files = [tmp_path / "one.py", tmp_path / "folder" / "two.so", tmp_path / "folder" / "below" / "three"]
    for age, file in enumerate(files):
        file.write_text("x")
        os.utime(file, (time.time() - age * confine.DAY, time.time() - age))
    monkeypatch.setattr(confine, "_readable", lambda packages: [files[0], tmp_path / "folder"])
    confine.settle_access_times([])
    before = [file.stat().st_atime_ns for file in files]
    assert [file.read_text() for file in files] == ["x"] * 3
    assert [file.stat().st_atime_ns for file in files] == before


def put_in_the_place(module: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The zygote finds this text where it looks for a module first."""
    (folder / f"{module}.py").write_text(text)
    (folder / "autograder").symlink_to(self_test.PACKAGE)
    monkeypatch.setattr(client, "PACKAGE", folder / "autograder")


@pytest.mark.parametrize(("module", "lock"), [("landlockpy", "landlock"), ("pyseccomp", "seccomp")])
def test_a_library_that_is_missing_is_a_finding(
    module: str, lock: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on a machine without libseccomp, or of another system."""
    put_in_the_place(module, "raise RuntimeError('not on this machine')", tmp_path, monkeypatch)
    (finding,) = self_test.examine()
    assert (finding.lock, finding.held) == (lock, False) and "not on this machine" in finding.detail


FIRST_ABI = """
import sys

sys.path.remove({folder!r})
del sys.modules["landlockpy"]
import landlockpy

landlockpy._syscall.abi_version = lambda: 1
sys.path.append({folder!r})
"""
"""Makes the library take the kernel for Linux 5.13."""


def test_the_wall_holds_with_the_first_landlock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before ABI 3 Landlock covers no truncation, before ABI 4 no TCP, before ABI 6 no signal: the other locks do."""
    put_in_the_place("landlockpy", FIRST_ABI.format(folder=str(tmp_path)), tmp_path, monkeypatch)
    findings = self_test.examine()
    assert broken(findings) == {}, [finding for finding in findings if not finding.held]
    # Seccomp is then what keeps files from being emptied.
    assert {"empties no file", "opens no file in an odd way"} <= set(broken(self_test.examine(["seccomp"])))


DOCKER_CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
"""What Docker leaves root by default, CAP_CHOWN to CAP_SETFCAP, by number."""

PR_CAPBSET_DROP = 24


def examined_with(capabilities: tuple[int, ...]) -> list[Finding]:
    """What is found in a process that has no capability but these."""
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
        said = pipe.read()
    os.waitpid(child, 0)
    found: list[Finding] = pickle.loads(said)
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has no capabilities to lose")
def test_root_needs_few_capabilities_and_is_told_without() -> None:
    """The kernel counts no threads of root: without a user id of its own, a worker would be bounded by the watch
    alone."""
    assert broken(examined_with(DOCKER_CAPABILITIES)) == {}
    findings = broken(examined_with(()))
    assert set(findings.values()) <= {"limits", "user"} and "has no privilege and gains none" in findings
