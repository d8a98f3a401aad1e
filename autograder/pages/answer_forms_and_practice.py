"""Facts that the handout states about questions: the form of each answer, and the answers to practice questions."""

from __future__ import annotations

from typing import Any

from autograder.checks import quiz_answers
from autograder.course import Assignment
from autograder.grading import answer_key
from autograder.grading.suite import all_tests
from autograder.hints import catalogue
from autograder.protocol.call import ANSWERS


def answer_forms_and_practice(assignment: Assignment) -> dict[str, dict[str, Any]]:
    """Return `forms`, with each answer's form, and `practice`, with each practice question's answer and reason."""
    values, written = catalogue.solution(assignment).ANSWERS, answer_key.answers(assignment)
    practice = [
        answer_key.quiz_question_key(test)
        for test in all_tests(assignment)
        if test.question == ANSWERS and not test.points
    ]
    return {
        "forms": {key: quiz_answers.form_of_right_answer(value) for key, value in values.items()},
        "practice": {key: {"value": values[key], "reason": written[key].reason} for key in practice},
    }
