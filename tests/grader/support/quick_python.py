"""An interpreter whose processes begin with their libraries loaded, and Jupyter kernels of it.

For tests of what a process does, and not of how it starts or is told to end: of all signals to such a process, the one
that kills it alone has its effect.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPT = str(Path(__file__).with_name("forked_python.py"))


@contextlib.contextmanager
def forking(folder: Path, python: str = sys.executable) -> Iterator[Path]:
    """A program to be called as that interpreter is, while the context lasts. Beside it lies what makes Jupyter start
    its kernels so."""
    address, program = str(folder / "socket"), folder / "python"
    program.write_text(f'#!/bin/sh\nexec "{python}" -SE "{SCRIPT}" start "{address}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    words = [str(program), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (folder / "kernels" / "python3").mkdir(parents=True)
    spec = {"argv": words, "display_name": "Python 3", "language": "python"}
    (folder / "kernels" / "python3" / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        [python, SCRIPT, "serve", address], cwd=folder, env=environment, stdout=subprocess.PIPE
    ) as server:
        try:
            assert server.stdout is not None and server.stdout.readline() == b"ready\n"
            yield program
        finally:
            server.kill()


@pytest.fixture(scope="session")
def quick_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """This interpreter, quick to start."""
    with forking(tmp_path_factory.mktemp("quick")) as program:
        yield program


@pytest.fixture
def quick_kernels(quick_python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that this test starts begin warm."""
    monkeypatch.setenv("JUPYTER_PATH", str(quick_python.parent))
