"""A lesson's pictures, drawn from the functions in the student's file."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

DRAWING_TIMEOUT_SECONDS = 20
"""Time for drawing all of a lesson's pictures."""


def draw(lesson: str, source: Path) -> Iterator[dict[str, str]]:
    """Return an iterator of pictures, each as path → SVG: the wide layout and, in `narrow`, the layout for a phone.

    `source` is the folder of the student's file. The call itself imports matplotlib, which takes seconds, so a limit on
    each step does not include that time.
    """
    from assignments import figures

    return _drawn(figures, lesson, source)


def _drawn(figures: Any, lesson: str, source: Path) -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "narrow").mkdir()
        for path in figures.draw_lesson(source, folder, lesson):
            layouts = [layout for layout in (path, folder / "narrow" / path.name) if layout.is_file()]
            yield {layout.relative_to(folder).as_posix(): layout.read_text("utf-8") for layout in layouts}


def draw_in_process(lesson: str, source: Path) -> dict[str, str]:
    """Return all pictures that a separate process draws in time. The student's code can end only that process."""
    spawning = get_context("spawn")
    receiver, sender = spawning.Pipe(duplex=False)
    process = spawning.Process(target=_send_pictures, args=(lesson, source, sender), daemon=True)
    process.start()
    sender.close()
    pictures: dict[str, str] = {}
    deadline = time.monotonic() + DRAWING_TIMEOUT_SECONDS
    with suppress(EOFError):
        while receiver.poll(max(deadline - time.monotonic(), 0)):
            pictures |= receiver.recv()
    process.kill()
    process.join()
    return pictures


def _send_pictures(lesson: str, source: Path, sender: Connection) -> None:
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for drawn in draw(lesson, source):
        sender.send(drawn)
