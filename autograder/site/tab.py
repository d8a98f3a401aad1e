"""The Python half of the page's worker: checks, pictures and the writer in a browser tab.

`worker.js` imports this module in Pyodide, in a folder laid out like a handout, and sends jobs to `Tab.job`.
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
from types import CodeType, ModuleType
from typing import Any

from autograder.laptop.page_results import page_results
from autograder.laptop.picture_and_writer_errors import called_function_and_line, error_sentence
from autograder.laptop.progress_after_run import OUTPUT_HEADING, AssignmentProgress, assignments_with_public_tests
from autograder.laptop.public_or_self_study import context_class
from autograder.laptop.terminal_or_tab import LOCAL_TIMEOUT_SECONDS, TIMEOUT_MESSAGE_PART, CheckPlace, timeout_message
from autograder.site import int64_numpy

Texts = Mapping[str, str]
STEP_TIMEOUTS_BY_JOB = {"draw": ("A picture", 20), "generate": ("The writer", 5), "experiment": ("The experiment", 120)}
"""The name of each kind of job, as used in messages, and the maximum time of each of its steps in seconds."""

LINE_MENTION = re.compile(r"\bline ([1-9]\d*)")
"""Pattern for the words in a message that refer to a line of the student's file."""

FIRST_MENTION_OF_LINE = re.compile(rf"(?m)^(?! {{4}})(.*?)({LINE_MENTION.pattern})")
"""Pattern for a message line up to its first reference to the student's file, which student text cannot precede."""

STUDENT_OUTPUT_HTML = re.compile(rf"(?s)(<p>{OUTPUT_HEADING} .*?</pre>)")
"""Pattern for the output of the student's code in the text about a function or a file."""

TAB = CheckPlace(
    pytest_options=("--capture=sys",),
    location_format="line {line}",
    submit_step="press “Download {file}” and hand that file in",
    show_all_step="they are shown once this one passes",
    lesson_reference="",
)
"""The browser tab as a place where checks run; its messages name the page's buttons."""


class CallTimeout(BaseException):
    """Raised to stop a call that takes too long."""


class CallTimeLimiter:
    """A clock that stops student loops after their time limit, and tells the page when calls begin and end.

    If a call cannot be stopped this way, for example in a C loop, the page replaces the worker.
    """

    def __init__(self, began: Callable[[str, float, str], None], ended: Callable[[], None]) -> None:
        self.began, self.ended = began, ended
        self.seconds, self.deadline = 0.0, math.inf
        self.monitoring = monitoring = vars(sys)["monitoring"]  # Python 3.11 lacks this module
        tool = 4  # an id not used by debuggers or profilers
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
    """A browser tab in which somebody is working on the course."""

    def __init__(self, began: Callable[[str, float, str], None], ended: Callable[[], None], self_study: bool) -> None:
        gc.freeze()  # searching imported objects for garbage takes a quarter of a check's time
        sys.breakpointhook = _refuse_debugger
        sys.dont_write_bytecode = True  # two versions of a file can have the same size and time
        int64_numpy.use_int64()
        self.limiter = CallTimeLimiter(began, ended)
        self.context = context_class(self_study)

    def job(self, kind: str, task: str) -> Generator[str, None, str]:
        """Yield all messages of a job except the last, and return the last.

        `kind` names a method of this class, and `task` gives its arguments. Tasks and messages are JSON. If one of the
        student's functions stopped the job, `failed` in the last message describes the error.
        """
        try:
            if kind == "check":
                return json.dumps(self.check(**json.loads(task)))
            what, seconds = STEP_TIMEOUTS_BY_JOB[kind]
            messages = getattr(self, kind)(**json.loads(task))
            while True:
                with self.limiter.limit(what, seconds):
                    message = next(messages, None)
                if message is None:
                    return "{}"
                yield json.dumps(message)
        except CallTimeout as error:
            function, where = called_function_and_line(error)
            failed = timeout_message(function or what, where, self.limiter.seconds)
        except BaseException as error:  # a student's function can raise anything
            failed = error_sentence(error)
        return json.dumps({"failed": failed})

    def check(self, name: str, files: Texts, timed_out_functions: Texts, tries: str | None) -> dict[str, Any]:
        """Return the state of a lesson's page, the line and message of each error, and the tries for self-study.

        `files` holds the student's code, and `timed_out_functions` holds messages about functions that are not called
        again.
        """
        _write_students_code(files)
        tries_file = Path(".tries.json")  # self-study counts wrong answers in it, and the page keeps its content
        tries_file.write_text(str(tries or "{}"), "utf-8")
        run = self.context(place=replace(TAB, limit_call=self.limiter.limit, timed_out_functions=timed_out_functions))
        run.run_tests([name])
        progress = AssignmentProgress(name, run)
        lesson = page_results([progress], _result_text_for_tab)[name]
        mistakes = [mistake.message for function in progress.function_statuses for mistake in function.mistakes]
        errors = [
            (int(match[1]), sentence.splitlines()[-1])
            for sentence in [progress.file_problem.strip(), *mistakes]
            if (match := LINE_MENTION.search(sentence))
        ]
        return {"lesson": lesson, "errors": errors, "tries": tries_file.read_text("utf-8")}

    def draw(self, lesson: str) -> Iterator[dict[str, Any]]:
        """Yield a lesson's pictures, drawn from the student's functions, as SVG keyed by path."""
        figures = import_module("assignments.figures")  # before the first time-limited step
        return ({"pictures": drawn} for drawn in figures.draw_lesson(Path("assignments"), lesson))

    def generate(self, files: Texts, prompt: str) -> Iterator[dict[str, str]]:
        """Yield texts: first where each function comes from, and then the text that the functions write."""
        model, text_generation = self._model_and_text_generation_module(files)
        sources = "".join(f"{name}: {source}\n" for name, source in model.parts.sources.items())
        return ({"text": text} for text in chain([f"{sources}\n"], text_generation.written(model, prompt)))

    def experiment(self, files: Texts, name: str) -> Iterator[dict[str, str]]:
        """Return the texts of an experiment."""
        model, text_generation = self._model_and_text_generation_module(files)
        return ({"text": text} for text in text_generation.compared(model, name))

    def _model_and_text_generation_module(self, files: Texts) -> tuple[Any, ModuleType]:
        """Return the writer's model, with the functions in these files, and the module that generates its texts."""
        from assignments.writer import llama, text_generation, written_functions  # in a separate archive

        _write_students_code(files)
        for name in assignments_with_public_tests():
            sys.modules.pop(f"assignments.{name}.{name}", None)
        return llama.Model(written_functions.written_functions(limit=self.limiter.limit)), text_generation


def _refuse_debugger(*_: Any, **__: Any) -> None:
    raise RuntimeError("a browser tab has no debugger: print the values instead")


def _write_students_code(files: Texts) -> None:
    for name, text in files.items():
        Path("assignments", name, f"{name}.py").write_text(text, "utf-8")
    int64_numpy.distinguish_int32_if_named("\n".join(files.values()))


def _result_text_for_tab(html: str) -> str:
    """Return the text with the file named without its folder, and with links to the file's lines in the editor."""
    html = html.replace(int64_numpy.WIDE_INDEX_MESSAGE, int64_numpy.WIDE_INDEX_MESSAGE + int64_numpy.WIDE_INDEX_NOTE)
    html = re.sub(r"assignments/\w+/(?=\w+\.py)", "", html)
    parts = STUDENT_OUTPUT_HTML.split(html)  # student output is left unchanged
    link = r'\1<a href="#line-\3" data-click="line">\2</a>'
    parts[::2] = (FIRST_MENTION_OF_LINE.sub(link, part) for part in parts[::2])
    return "".join(parts)
