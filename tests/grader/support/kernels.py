"""Kernels that start at once, for tests of what a kernel runs and not of how it starts."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPT = str(Path(__file__).with_name("forked_kernel.py"))


@contextlib.contextmanager
def forking(folder: Path, python: str = sys.executable) -> Iterator[dict[str, str]]:
    """The environment in which Jupyter has its kernels forked from a warm process of that interpreter, which ends with the context."""
    address = str(folder / "socket")
    spec = {"argv": [python, "-SE", SCRIPT, "start", address, "-f", "{connection_file}"], "display_name": "Python 3", "language": "python"}
    (folder / "kernels" / "python3").mkdir(parents=True)
    (folder / "kernels" / "python3" / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    with subprocess.Popen([python, "-P", SCRIPT, "serve", address], cwd=folder, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None and server.stdout.readline() == b"ready\n"
            yield {"JUPYTER_PATH": str(folder)}
        finally:
            server.kill()


@pytest.fixture(scope="session")
def forking_kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of kernels that are forked, once for the session."""
    with forking(tmp_path_factory.mktemp("kernels")) as environment:
        yield environment


@pytest.fixture
def quick_kernels(forking_kernels: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that this test starts begin warm."""
    for name, value in forking_kernels.items():
        monkeypatch.setenv(name, value)
