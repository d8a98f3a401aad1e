"""Try a student's half of the course: `python .ci/student.py HANDOUT`, in the Python that has the handout's packages.

It checks the untouched handout and then the handout with the solutions of this checkout in it, as a student's commands
do. Every system runs it, without make, a shell or a sandbox.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOLUTIONS = Path(__file__).resolve().parent.parent / "solutions"
TIMEOUT_SECONDS = 600


def run(folder: Path, *arguments: str) -> str:
    """Run a module of the handout as a student does and return what it prints. Exit where it fails."""
    # A pipe of Windows has the code page of the system, which lacks ✓: the commands must cope with that.
    environment = os.environ | ({"PYTHONIOENCODING": "cp1252"} if os.name != "nt" else {})
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, timeout=TIMEOUT_SECONDS, check=False
    )
    text = (done.stdout + done.stderr).decode("cp1252", errors="replace")
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} ended with {done.returncode}:\n{text}")
    return text


def expect(text: str, *sentences: str) -> None:
    """Exit unless a text has each of these sentences in it."""
    if missing := [sentence for sentence in sentences if sentence not in text]:
        sys.exit(f"missing: {missing}\n\n{text}")


def main(handout: Path) -> None:
    """Check the handout in this folder, empty and filled in."""
    names = sorted(path.stem for path in SOLUTIONS.glob("*.py") if (handout / "assignments" / path.stem).is_dir())
    expect(run(handout, "autograder.checks", names[0]), "Next: ", "not implemented yet")
    for name in names:
        shutil.copy(SOLUTIONS / f"{name}.py", handout / "assignments" / name / f"{name}.py")
    for name in names:
        expect(run(handout, "autograder.checks", name), "All functions are right")
        print(f"{name}: right", flush=True)
    run(handout, "pytest", "-q")
    if "writer" in {path.name for path in (handout / "assignments").iterdir()}:
        expect(run(handout, "assignments.writer", "Two tokens that"), "Two tokens that")
    print(f"{len(names)} lessons: right")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
