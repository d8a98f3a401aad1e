"""Learning without an instructor, in a checkout or an installed package: hidden tests, reasons and worked solutions.

All code runs in one process, since there are no secrets to protect. No handout includes this module.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from autograder import course
from autograder.checks import quiz_answers
from autograder.checks.results import Phase, TestResult
from autograder.checks.source import CallGraph, SourceFile
from autograder.checks.value_text import value_text
from autograder.course import Assignment
from autograder.grading import answer_key
from autograder.grading.answer_key import RightAnswer
from autograder.hints import catalogue
from autograder.hints.reference_oracle import Reference
from autograder.laptop.in_process_test_run import LocalContext
from autograder.laptop.progress_after_run import SPOILER_WARNING, AssignmentProgress
from autograder.laptop.terminal_or_tab import TERMINAL, CheckPlace

TRIES_FILE = Path(".tries.json")
"""File in the current folder that stores the wrong answers so far, keyed by assignment and question."""

TRIES_BEFORE_REASON = 2
"""Number of wrong answers after which the right one is explained; 1 for a yes-or-no question."""


class SelfStudyContext(LocalContext):
    """A run of public and hidden tests with the solutions as the reference."""

    folders = ("public", "hidden")

    def __init__(self, place: CheckPlace = TERMINAL, root: Path = Path()) -> None:
        super().__init__(root, place)
        self.seed = course.seed()
        self._solutions: dict[str, tuple[SourceFile, CallGraph, list[str]]] = {}
        """Each solution whose functions have been shown, with its call graph and its private helpers."""

    def load_oracle(self, assignment: str) -> Reference:
        """Load an assignment's solution."""
        return Reference(course.find(assignment))

    def answer_forms_and_practice(self, assignment: str) -> dict[str, Any]:
        """Return the forms of all answers but no practice questions, since self-study judges every answer."""
        right = catalogue.solution(course.find(assignment)).ANSWERS
        return {"forms": {key: quiz_answers.form_of_right_answer(value) for key, value in right.items()}}

    def answer_feedback(self, assignment: str) -> Iterator[tuple[bool, str]]:
        """For each answer, yield whether it is right, and a message.

        The message gives the reason once the answer is right or there have been enough wrong answers.
        """
        submitted, right = self.files[assignment].answers, answer_key.answers(course.find(assignment))
        if not isinstance(submitted, dict):
            return
        all_tries = _wrong_answers_so_far()
        tries = all_tries.setdefault(assignment, {})
        for result in self.test_results[assignment]:
            key = answer_key.quiz_question_key(result.test)
            if result.test.phase is Phase.ANSWERS and not result.is_unfinished:  # no answer, or one in another form
                answer, wrong_answers = value_text(submitted[key]), tries.setdefault(key, [])
                if not result.passed and answer not in wrong_answers:
                    wrong_answers.append(answer)
                yield result.passed, _answer_feedback(result, answer, right[key], len(wrong_answers))
        with suppress(PermissionError):  # in a read-only folder, tries are not recorded
            TRIES_FILE.write_text(json.dumps(all_tries, indent=1), "utf-8")

    def worked_solution(self, assignment: str, function: str) -> str | None:
        """Return a function's worked solution, with the private helpers that it needs; None if there is none."""
        if assignment not in self._solutions:
            self._solutions[assignment] = _solution_with_graph_and_helpers(course.find(assignment))
        solution, graph, private_helpers = self._solutions[assignment]
        if function not in solution.functions:
            return None
        helpers = [name for name in private_helpers if name in graph.dependencies(function)]
        texts = [ast.get_source_segment(solution.text, solution.functions[name]) or "" for name in [*helpers, function]]
        return re.sub(r" *# (BEGIN|END) SOLUTION\n", "", "\n\n\n".join(texts))


def _solution_with_graph_and_helpers(assignment: Assignment) -> tuple[SourceFile, CallGraph, list[str]]:
    """Return a parsed solution, its call graph, and its private functions that are not in the stub."""
    solution, stub = SourceFile(assignment.solution), SourceFile(assignment.stub)
    private_helpers = [name for name in solution.functions if name[0] == "_" and name not in stub.functions]
    return solution, CallGraph(solution.functions), private_helpers


def _wrong_answers_so_far() -> dict[str, dict[str, list[str]]]:
    """Return the wrong answers so far, keyed by assignment and question; empty if the file is missing or damaged."""
    with suppress(OSError, ValueError):
        tries = json.loads(TRIES_FILE.read_text("utf-8"))
        lessons = tries.values() if isinstance(tries, dict) else [None]
        if all(isinstance(one, dict) and all(isinstance(wrong, list) for wrong in one.values()) for one in lessons):
            return dict(tries)
    return {}


def _answer_feedback(result: TestResult, answer: str, right: RightAnswer, wrong_answer_count: int) -> str:
    """Return the message about one answer, with the reason if it is right or there were enough wrong ones."""
    key = answer_key.quiz_question_key(result.test)
    tries_before_reason = 1 if right.is_yes_or_no else TRIES_BEFORE_REASON
    if result.passed:
        return f"{key}: {answer} is right: {right.reason}"
    if wrong_answer_count >= tries_before_reason:
        return f"{result.message}. {right.sentence.removesuffix('.')}"
    hint = f" {result.hint.removesuffix('.')}." if result.hint else ""
    when = f"after {tries_before_reason} wrong answers; this is number {wrong_answer_count}"
    return f"{result.message}.{hint} The reason comes {when}"


def print_solution(run: SelfStudyContext, name: str, function: str) -> int:
    """Print a worked solution, preceded by a warning if the function is not right yet; return the exit code."""
    text = run.worked_solution(name, function)
    if text is None:
        print(f"{name} has no function {function}.")
        return 2
    run.run_tests([name])
    if function not in AssignmentProgress(name, run).correct_functions:
        print(f"Your {function} is not right yet. {SPOILER_WARNING}\n")
    print(text)
    return 0
