"""The Python half of the page's worker: checks, pictures and the writer, in a browser tab.

`worker.js` imports this module in Pyodide, in a folder laid out like a handout. Arguments are text,
and results are JSON.
"""

from __future__ import annotations

import inspect
import io
import json
import re
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

from autograder.laptop import lesson_pictures
from autograder.laptop.host import LOCAL_TIMEOUT_SECONDS, TIMEOUT_MESSAGE_PART, Host
from autograder.laptop.local_context import LocalContext
from autograder.laptop.page_state import page_state
from autograder.laptop.progress import Progress, local_assignments
from autograder.site import integers

MONITORING: Any = vars(sys).get("monitoring")
"""`sys.monitoring`, which Pyodide's Python has, but Python 3.11 does not."""

MONITORING_TOOL = 4
"""The clock's tool number in `sys.monitoring`."""

EXPERIMENT_TIMEOUT_SECONDS = 120
"""Maximum time for one text of an experiment."""

MAX_FILE_BYTES = 1 << 20
"""Maximum size of a file that is read from an archive."""

TRIES_FILE = Path(".tries.json")
"""The file in which self-study counts wrong answers. The page stores its content."""


class CallTimeout(BaseException):
    """Ends a call that takes too long."""


class Clock:
    """Clock that ends a loop in the student's code when its time is up, and tells the page when a call begins and ends.

    If a call cannot be ended in this way, such as a loop in C, the page replaces the worker.
    """

    def __init__(self, began: Callable[[str, float], None], ended: Callable[[], None]) -> None:
        self.began, self.ended = began, ended
        self.deadline = 0.0
        MONITORING.use_tool_id(MONITORING_TOOL, "whereabouts")
        MONITORING.register_callback(MONITORING_TOOL, MONITORING.events.JUMP, self._on_jump)

    @contextmanager
    def limit(self, function: str, seconds: float = LOCAL_TIMEOUT_SECONDS) -> Iterator[None]:
        """Limit one call to a function."""
        self.began(function, seconds)
        self.deadline = time.perf_counter() + seconds
        MONITORING.set_events(MONITORING_TOOL, MONITORING.events.JUMP)
        try:
            yield
        finally:
            MONITORING.set_events(MONITORING_TOOL, MONITORING.events.NO_EVENTS)
            self.ended()

    def _on_jump(self, code: CodeType, offset: int, destination: int) -> Any:
        if "assignments/" not in code.co_filename:
            return MONITORING.DISABLE
        if time.perf_counter() > self.deadline:
            raise CallTimeout(TIMEOUT_MESSAGE_PART)
        return None

    def steps(self, iterator: Iterator[Any], what: str, seconds: float = LOCAL_TIMEOUT_SECONDS) -> Iterator[Any]:
        """Yield an iterator's items, with a time limit on each."""
        while True:
            with self.limit(what, seconds):
                try:
                    item = next(iterator)
                except StopIteration:
                    return
            yield item


def tab_host(limit_call: Callable[[str], AbstractContextManager[None]]) -> Host:
    """Return the host for checks in a browser tab, whose messages name the page's buttons."""
    return Host(
        pytest_options_format="--capture=sys",
        limit_call=limit_call,
        location_format="line {line}",
        submit_step="press “Download {file}” and hand that file in",
        show_all_step="they are shown once this one passes",
        lesson_reference="",
    )


class Tab:
    """A browser tab in which somebody works on the course."""

    def __init__(self, began: Callable[[str, float], None], ended: Callable[[], None], self_study: bool) -> None:
        sys.dont_write_bytecode = True  # two versions of a file may have the same size and time
        integers.use_int64()
        self.clock = Clock(began, ended)
        self.context = _context_class(self_study)
        self.host = tab_host(self.clock.limit)

    def save(self, files: str) -> None:
        """Write the student's files. `files` is JSON: assignment → text."""
        texts = json.loads(files)
        for name, text in texts.items():
            Path("assignments", name, f"{name}.py").write_text(text, "utf-8")
        integers.distinguish_int32("\n".join(texts.values()))

    def check(self, name: str, timed_out_functions: str, tries: str) -> str:
        """Return the state of a lesson's page, the lines with errors, and the tries of self-study.

        `timed_out_functions` is JSON: function → sentence, for functions that are no longer called.
        """
        TRIES_FILE.write_text(tries or "{}", "utf-8")
        run = self.context(replace(self.host, timed_out_functions=json.loads(timed_out_functions)))
        run.run_tests([name])
        progress = Progress(name, run)
        state = json.dumps(page_state([progress])[name]).replace(
            json.dumps(integers.INDEX_ERROR)[1:-1], json.dumps(integers.INDEX_ERROR_EXPLAINED)[1:-1]
        )
        return json.dumps(
            {"lesson": json.loads(state), "errors": error_lines(progress), "tries": TRIES_FILE.read_text()}
        )

    def draw(self, lesson: str) -> Iterator[str]:
        """Yield a lesson's pictures, drawn from the student's functions: path → SVG."""
        drawing = lesson_pictures.draw(lesson, Path("assignments"))
        for drawn in self.clock.steps(drawing, "A picture", lesson_pictures.DRAWING_TIMEOUT_SECONDS):
            yield json.dumps({"pictures": drawn})

    def write(self, prompt: str, n_characters: int) -> Iterator[str]:
        """Yield the sources of the functions, the characters written, and a comparison with the provided functions."""
        model = self._writer()
        yield json.dumps({"sources": model.parts.sources})
        text = ""
        for character in self.clock.steps(model.write(prompt, n_characters), "The writer"):
            text += character
            yield json.dumps({"text": character})
        right = "".join(self.clock.steps(type(model)().write(prompt, n_characters), "The writer"))
        first = next((at for at, pair in enumerate(zip(text, right, strict=True), 1) if pair[0] != pair[1]), None)
        yield json.dumps({"verdict": f"a different text from character {first} on" if first else "the same text"})

    def experiment(self, name: str) -> Iterator[str]:
        """Yield an experiment's subject, then the title and text of each variant."""
        model = self._writer()
        from assignments.writer.experiments import EXPERIMENTS

        experiment = EXPERIMENTS[name]
        yield json.dumps({"compares": inspect.cleandoc(experiment.__doc__ or "")})
        for variant in self.clock.steps(experiment(model), "The experiment", EXPERIMENT_TIMEOUT_SECONDS):
            yield json.dumps({"title": variant.title, "text": variant.text})

    def _writer(self) -> Any:
        """Return the writer's model, with the student's current functions."""
        for name in local_assignments():
            sys.modules.pop(f"assignments.{name}.{name}", None)
        from assignments.writer.llama import Model  # imported here, because the writer comes in a separate archive
        from assignments.writer.written_functions import written_functions

        return Model(written_functions())


def _context_class(self_study: bool) -> Callable[[Host], LocalContext]:
    if not self_study:
        return partial(LocalContext, Path())
    from autograder.laptop.self_study import SelfStudyContext

    return SelfStudyContext


def error_lines(progress: Progress) -> list[tuple[int, str]]:
    """Return the line and a sentence for each place in the student's file where Python stopped."""
    sentences = [
        progress.problem,
        *(mistake.message for state in progress.function_states for mistake in state.mistakes),
    ]
    matches = ((re.search(r"\bline (\d+)", sentence), sentence) for sentence in sentences)
    return [(int(match[1]), sentence.strip().splitlines()[-1]) for match, sentence in matches if match]


def pack(files: str, memory: str) -> bytes:
    """Return a zip of all of a student's files, laid out as in a handout, and of the pages' stored data."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in json.loads(files).items():
            archive.writestr(f"assignments/{name}/{name}.py", text)
        archive.writestr("memory.json", memory)
    return buffer.getvalue()


def unpack(archive: bytes) -> str:
    """Return the course's files in a zip, and the pages' stored data."""
    files, memory = {}, "{}"
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for entry in opened.infolist():
            stem, _, suffix = Path(entry.filename).name.rpartition(".")
            if entry.file_size > MAX_FILE_BYTES:
                continue
            if suffix == "py" and stem in local_assignments():
                files[stem] = opened.read(entry).decode("utf-8")
            elif entry.filename == "memory.json":
                memory = opened.read(entry).decode("utf-8")
    return json.dumps({"files": files, "memory": memory})
