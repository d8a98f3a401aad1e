"""The Python half of the page's worker: checks, pictures and the writer, in a browser tab.

`worker.js` imports this module in Pyodide, in a folder like a handout, and sends its jobs to `Tab.job`.
"""

from __future__ import annotations

import gc
import json
import math
import re
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import CodeType
from typing import Any

from autograder.laptop.host import LOCAL_TIMEOUT_SECONDS, TIMEOUT_MESSAGE_PART, Host, timeout_message
from autograder.laptop.local_context import context_class
from autograder.laptop.page_state import page_state
from autograder.laptop.progress import OUTPUT_HEADING, AssignmentProgress, assignments_with_public_tests
from autograder.laptop.student_errors import error_sentence, function_and_line
from autograder.site import integers

STEP_TIMEOUTS = {"draw": ("A picture", 20), "write": ("The writer", 5), "experiment": ("The experiment", 120)}
"""Kind of job → its name in a message, and the maximum time of one of its steps in seconds."""

LINE = re.compile(r"\bline ([1-9]\d*)")
"""A line of the student's file in a message."""

FIRST_LINE = re.compile(rf"(?m)^(?! {{4}})(.*?)({LINE.pattern})")
"""The first line of the file in each line of a message, where a student's own words cannot stand before it."""

OUTPUT = re.compile(rf"(?s)(<p>{OUTPUT_HEADING} .*?</pre>)")
"""The output of the student's code in the text about a function or a file."""

HOST = Host(
    pytest_options=("--capture=sys",),
    location_format="line {line}",
    submit_step="press “Download {file}” and hand that file in",
    show_all_step="they are shown once this one passes",
    lesson_reference="",
)
"""A browser tab: its messages name the buttons of the page."""


class CallTimeout(BaseException):
    """Ends a call that takes too long."""


class Clock:
    """Clock that ends a loop in the student's code when its time is up, and tells the page when a call begins and ends.

    If a call cannot be ended in this way, such as a loop in C, the page replaces the worker.
    """

    def __init__(self, began: Callable[[str, float, str], None], ended: Callable[[], None]) -> None:
        self.began, self.ended = began, ended
        self.seconds, self.deadline = 0.0, math.inf
        self.monitoring = monitoring = vars(sys)["monitoring"]  # Python 3.11 has none
        tool = 4  # which no debugger or profiler uses
        monitoring.use_tool_id(tool, "whereabouts")
        monitoring.register_callback(tool, monitoring.events.JUMP, self._on_jump)
        monitoring.set_events(tool, monitoring.events.JUMP)

    @contextmanager
    def limit(self, function: str, seconds: float = LOCAL_TIMEOUT_SECONDS) -> Iterator[None]:
        """Limit one call of a function."""
        self.began(function, seconds, timeout_message(function, seconds=seconds))
        self.seconds = seconds
        self.deadline = time.perf_counter() + seconds
        try:
            yield
        finally:
            self.deadline = math.inf
            self.ended()

    def _on_jump(self, code: CodeType, offset: int, destination: int) -> Any:
        if "assignments/" not in code.co_filename:
            return self.monitoring.DISABLE
        if time.perf_counter() > self.deadline:
            raise CallTimeout(TIMEOUT_MESSAGE_PART)
        return None


class Tab:
    """A browser tab in which somebody works on the course."""

    def __init__(self, began: Callable[[str, float, str], None], ended: Callable[[], None], self_study: bool) -> None:
        gc.freeze()  # a search for garbage in what is imported takes a quarter of a check
        sys.breakpointhook = _refuse_debugger
        sys.dont_write_bytecode = True  # two versions of a file may have one size and one time
        integers.use_int64()
        self.clock = Clock(began, ended)
        self.context = context_class(self_study)

    def job(self, kind: str, task: str) -> Generator[str, None, str]:
        """Yield the messages of a job but the last, and return the last.

        `kind`: a method below. `task`: its arguments. All is JSON. The last message contains `failed`, a sentence,
        if a function of the student's has ended the job.
        """
        if kind == "check":
            return json.dumps(self.check(**json.loads(task)))
        what, seconds = STEP_TIMEOUTS[kind]
        try:
            messages = getattr(self, kind)(**json.loads(task))
            while True:
                with self.clock.limit(what, seconds):
                    message = next(messages, None)
                if message is None:
                    return "{}"
                yield json.dumps(message)
        except CallTimeout as error:
            function, where = function_and_line(error)
            failed = timeout_message(function or what, where, self.clock.seconds)
        except Exception as error:  # a student's function can raise anything
            failed = error_sentence(error)
        return json.dumps({"failed": failed})

    def check(self, name: str, files: Mapping[str, str], stuck: Mapping[str, str], tries: str | None) -> dict[str, Any]:
        """Return the state of a lesson's page, line and sentence of each error, and the tries of self-study.

        `files`: assignment → text. `stuck`: function → sentence, for functions that are no longer called.
        """
        _save(files)
        tries_file = Path(".tries.json")  # self-study counts wrong answers in it; the page keeps its content
        tries_file.write_text(str(tries or "{}"), "utf-8")
        run = self.context(host=replace(HOST, limit_call=self.clock.limit, timed_out_functions=stuck))
        run.run_tests([name])
        progress = AssignmentProgress(name, run)
        state = page_state([progress], _adapted_to_tab)[name]
        mistakes = [mistake.message for state in progress.function_states for mistake in state.mistakes]
        errors = [
            (int(match[1]), sentence.splitlines()[-1])
            for sentence in [progress.file_problem.strip(), *mistakes]
            if (match := LINE.search(sentence))
        ]
        return {"lesson": state, "errors": errors, "tries": tries_file.read_text("utf-8")}

    def draw(self, lesson: str) -> Iterator[dict[str, Any]]:
        """Yield the pictures of a lesson, drawn from the student's functions: path → SVG."""
        figures = import_module("assignments.figures")  # before the first step, whose time is limited
        return ({"pictures": drawn} for drawn in figures.draw_lesson(Path("assignments"), lesson))

    def write(self, files: Mapping[str, str], prompt: str) -> Iterator[dict[str, str]]:
        """Return the sources of the functions, then the text that they write."""
        model, texts = self._model_and_texts(files)
        sources = "".join(f"{name}: {source}\n" for name, source in model.parts.sources.items())
        return ({"text": text} for text in chain([f"{sources}\n"], texts.written(model, prompt)))

    def experiment(self, files: Mapping[str, str], name: str) -> Iterator[dict[str, str]]:
        """Return the texts of an experiment."""
        model, texts = self._model_and_texts(files)
        return ({"text": text} for text in texts.compared(model, name))

    def _model_and_texts(self, files: Mapping[str, str]) -> Any:
        """Return the writer's model, with the functions in these files, and the module of its texts."""
        from assignments.writer import llama, texts, written_functions  # here, because they are in a separate archive

        _save(files)
        for name in assignments_with_public_tests():
            sys.modules.pop(f"assignments.{name}.{name}", None)
        return llama.Model(written_functions.written_functions(limit=self.clock.limit)), texts


def _refuse_debugger(*_: Any, **__: Any) -> None:
    raise RuntimeError("a browser tab has no debugger: print the values instead")


def _save(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        Path("assignments", name, f"{name}.py").write_text(text, "utf-8")
    integers.distinguish_int32("\n".join(files.values()))


def _adapted_to_tab(html: str) -> str:
    """Return a text with links to lines of the file in the editor, which has a name but no folder."""
    html = html.replace(integers.INDEX_ERROR, integers.INDEX_ERROR + integers.INDEX_ERROR_NOTE)
    html = re.sub(r"assignments/\w+/(?=\w+\.py)", "", html)
    parts = OUTPUT.split(html)  # whose output names no lines of the file
    parts[::2] = (FIRST_LINE.sub(r'\1<a href="#line-\3" data-click="line">\2</a>', part) for part in parts[::2])
    return "".join(parts)
