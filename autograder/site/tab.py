"""The Python half of the page's worker: checks, pictures and the writer, in a browser tab.

`worker.js` imports this module in Pyodide, in a folder like a handout, and sends its jobs to `Tab.job`.
"""

from __future__ import annotations

import base64
import io
import json
import re
import sys
import time
import zipfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

from autograder.laptop import lesson_pictures
from autograder.laptop.host import LOCAL_TIMEOUT_SECONDS, TIMEOUT_MESSAGE_PART, Host, timeout_message
from autograder.laptop.local_context import LocalContext
from autograder.laptop.page_state import page_state
from autograder.laptop.progress import Progress, assignments_with_public_tests
from autograder.site import integers

MONITORING: Any = vars(sys).get("monitoring")
"""`sys.monitoring`, which Pyodide's Python has, but not Python 3.11."""

MONITORING_TOOL = 4
"""The number of the clock in `sys.monitoring`."""

EXPERIMENT_TIMEOUT_SECONDS = 120
"""Maximum time of one text of an experiment."""

MAX_FILE_BYTES = 1 << 20
"""Size up to which a file of an archive is read."""

MEMORY_FILE = "memory.json"
"""The name of the pages' stored data in an archive."""

TRIES_FILE = Path(".tries.json")
"""The file in which self-study counts wrong answers. The page keeps its content."""

Message = dict[str, Any]
"""A message to the page: name → value of JSON."""


class CallTimeout(BaseException):
    """Ends a call that takes too long."""


class Clock:
    """Clock that ends a loop in the student's code when its time is up, and tells the page when a call begins and ends.

    If a call cannot be ended in this way, such as a loop in C, the page replaces the worker.
    """

    def __init__(self, began: Callable[[str, float, str], None], ended: Callable[[], None]) -> None:
        self.began, self.ended = began, ended
        self.deadline = 0.0
        MONITORING.use_tool_id(MONITORING_TOOL, "whereabouts")
        MONITORING.register_callback(MONITORING_TOOL, MONITORING.events.JUMP, self._on_jump)

    @contextmanager
    def limit(self, function: str, seconds: float = LOCAL_TIMEOUT_SECONDS) -> Iterator[None]:
        """Limit one call of a function."""
        self.began(function, seconds, timeout_message(function, seconds=seconds))
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
        """Yield the items of an iterator, each within a limit."""
        while True:
            with self.limit(what, seconds):
                try:
                    item = next(iterator)
                except StopIteration:
                    return
                except CallTimeout as error:
                    raise TimeoutError(timeout_message(what, seconds=seconds)) from error
            yield item


def tab_host(limit_call: Callable[[str], AbstractContextManager[None]]) -> Host:
    """Return the host of checks in a browser tab: its messages name the buttons of the page."""
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

    def __init__(self, began: Callable[[str, float, str], None], ended: Callable[[], None], self_study: bool) -> None:
        sys.dont_write_bytecode = True  # two versions of a file may have one size and one time
        integers.use_int64()
        self.clock = Clock(began, ended)
        self.context = _context_class(self_study)
        self.host = tab_host(self.clock.limit)

    def job(self, kind: str, task: str) -> Generator[str, None, str]:
        """Yield the messages of a job but the last, and return the last.

        `kind`: a method below. `task`: its arguments. All is JSON.
        """
        messages = getattr(self, kind)(**json.loads(task))
        if isinstance(messages, dict):
            return json.dumps(messages)
        for message in messages:
            yield json.dumps(message)
        return "{}"

    def check(self, name: str, files: Mapping[str, str], stuck: Mapping[str, str], tries: str | None) -> Message:
        """Return the state of a lesson's page, the lines of errors, and the tries of self-study.

        `files`: assignment → text. `stuck`: function → sentence, for functions that are no longer called.
        """
        self._save(files)
        TRIES_FILE.write_text(tries or "{}", "utf-8")
        run = self.context(replace(self.host, timed_out_functions=stuck))
        run.run_tests([name])
        progress = Progress(name, run)
        state = page_state([progress])[name]
        state["summary"] = _for_page(state["summary"])
        for parts in state["functions"].values():
            parts[1] = _for_page(parts[1])
        return {"lesson": state, "errors": error_lines(progress), "tries": TRIES_FILE.read_text("utf-8")}

    def draw(self, lesson: str) -> Iterator[Message]:
        """Yield the pictures of a lesson, drawn from the student's functions: path → SVG."""
        drawing = lesson_pictures.draw(lesson, Path("assignments"))
        for drawn in self.clock.steps(drawing, "A picture", lesson_pictures.DRAWING_TIMEOUT_SECONDS):
            yield {"pictures": drawn}

    def write(self, files: Mapping[str, str], prompt: str) -> Iterator[Message]:
        """Yield the sources of the functions, then the text that they write."""
        model = self._writer(files)
        yield {"text": "".join(f"{name}: {source}\n" for name, source in model.parts.sources.items()) + "\n"}
        from assignments.writer.texts import written

        for text in self.clock.steps(written(model, prompt), "The writer"):
            yield {"text": text}

    def experiment(self, files: Mapping[str, str], name: str) -> Iterator[Message]:
        """Yield the texts of an experiment."""
        model = self._writer(files)
        from assignments.writer.texts import compared

        for text in self.clock.steps(compared(model, name), "The experiment", EXPERIMENT_TIMEOUT_SECONDS):
            yield {"text": text}

    def pack(self, files: Mapping[str, str], memory: Any) -> Message:
        """Return a zip of all of a student's files, in the layout of a handout, and of the pages' stored data."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(f"assignments/{name}/{name}.py", text)
            archive.writestr(MEMORY_FILE, json.dumps(memory))
        return {"zip": base64.b64encode(buffer.getvalue()).decode("ascii")}

    def unpack(self, zip: Sequence[int]) -> Message:
        """Return the files of the course in a zip, and the pages' stored data."""
        files, memory = {}, "{}"
        with zipfile.ZipFile(io.BytesIO(bytes(zip))) as opened:
            for entry in opened.infolist():
                stem, _, suffix = Path(entry.filename).name.rpartition(".")
                if entry.file_size > MAX_FILE_BYTES:
                    continue
                if suffix == "py" and stem in assignments_with_public_tests():
                    files[stem] = opened.read(entry).decode("utf-8")
                elif entry.filename == MEMORY_FILE:
                    memory = opened.read(entry).decode("utf-8")
        return {"files": files, "memory": json.loads(memory)}

    def _save(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            Path("assignments", name, f"{name}.py").write_text(text, "utf-8")
        integers.distinguish_int32("\n".join(files.values()))

    def _writer(self, files: Mapping[str, str]) -> Any:
        """Return the writer's model, with the functions in these files."""
        self._save(files)
        for name in assignments_with_public_tests():
            sys.modules.pop(f"assignments.{name}.{name}", None)
        from assignments.writer.llama import Model  # here, because the writer comes in a separate archive
        from assignments.writer.written_functions import written_functions

        return Model(written_functions())


def _for_page(html: str) -> str:
    """Return a text with links to lines of the file in the editor."""
    html = html.replace(integers.INDEX_ERROR, integers.INDEX_ERROR_EXPLAINED)
    return re.sub(r"\bline (\d+)", r'<a href="#line-\1" data-click="line">line \1</a>', html)


def _context_class(self_study: bool) -> Callable[[Host], LocalContext]:
    if not self_study:
        return partial(LocalContext, Path())
    from autograder.laptop.self_study import SelfStudyContext

    return SelfStudyContext


def error_lines(progress: Progress) -> list[tuple[int, str]]:
    """Return line and sentence of each place in the student's file where Python stopped."""
    sentences = [
        progress.file_problem,
        *(mistake.message for state in progress.function_states for mistake in state.mistakes),
    ]
    matches = ((re.search(r"\bline (\d+)", sentence), sentence) for sentence in sentences)
    return [(int(match[1]), sentence.strip().splitlines()[-1]) for match, sentence in matches if match]
