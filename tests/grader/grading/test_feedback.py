"""Tests of feedback: the cause comes first, public tests are shown in full, hidden inputs stay hidden, and
submitted text is never treated as markup.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from markdown_it import MarkdownIt

from autograder import course
from autograder.checks import result_markdown
from autograder.checks.result_markdown import Audience
from autograder.checks.results import Phase, Test, TestResult
from autograder.grading import feedback, needs_review
from autograder.grading.grade import Grade
from autograder.grading.grader import Grader
from autograder.protocol.call import Raised
from autograder.protocol.failure_kinds import Kind, SubmissionStatus
from autograder.submission import Submission
from tests.grader.support.classroom import SAMPLES
from tests.grader.support.fixtures_built_once import Graded
from tests.grader.support.student_view import OUTCOMES, markdown

HOSTILE = (
    "</pre></code><script>alert(1)</script>\n\n# Heading\n[a](javascript:b) ![i](x) `c` **d** http://evil.example"
    " www.evil.example\x1b[31m\u202e\x00"
)


def test_(name: str, phase: Phase, question: str = "apply_rope") -> Test:
    """Return a test worth one point."""
    return Test(name, question, 1.0, phase, f"The rule of {name}")


test_.__test__ = False  # type: ignore[attr-defined]


def grade(*test_results: TestResult, status: str = "graded", **facts: Any) -> Grade:
    """Return a grade with the specified test results."""
    won = float(sum(result.test.points for result in test_results if result.passed))
    return Grade("rope", SubmissionStatus(status), list(test_results), won, float(len(test_results)), **facts)


def public(final: Grade) -> str:
    """Return the feedback that a student reads before hidden results are published."""
    known = [result for result in final.test_results if result.test.phase is not Phase.HIDDEN]
    return feedback.body(replace(final, test_results=known), Audience.BEFORE_RELEASE)


def submitted(source: str = "", **facts: object) -> Submission:
    """Return a submission for the lesson on RoPE."""
    return Submission("ada", "rope", "rope.py", "", (source,), **facts)  # type: ignore[arg-type]


def of_sample(graded: Graded, name: str) -> tuple[str, str]:
    """Return a sample submission's final feedback and its feedback before hidden results are published."""
    submission, grade = graded(SAMPLES / "rope" / name)
    return markdown(submission, grade), grade.public_feedback


def test_the_cause_comes_first_and_what_builds_on_it_is_not_told_again(graded: Graded) -> None:
    final, public = of_sample(graded, "exponent_counts_pairs.py")
    for text in (final, public):
        assert text.count("Likely cause") == 1 and text.count("expected 0.01, got 0.1") == 1
        assert "See the lesson, section `rope_frequencies`." in text
        assert "Right, once `rope_frequencies` is right: `rope_cos_sin`" in text
    assert "On inputs that are not shown, the function fails in the same way." in final
    assert "not shown" not in public and "hidden tests" in public


def test_a_function_is_not_blamed_because_another_is_compared_with_it(graded: Graded) -> None:
    """The sample implements the half layout correctly, but also uses it where pairs must be neighbours."""
    final, _ = of_sample(graded, "half_layout.py")
    assert "## `apply_rope`:" in final and "## `apply_rope_half`" not in final
    assert "Right, once `apply_rope` is right: `apply_rope_half`" in final


UNKNOWN = """

_right_frequencies = rope_frequencies
def rope_frequencies(head_dim, base=10000.0):
    return _right_frequencies(head_dim, base) ** 0.9 * np.linspace(1.0, 1.1, head_dim // 2)
"""


@pytest.mark.parametrize("is_hidden_alone", [False, True])
def test_below_an_unknown_mistake_nothing_is_blamed_but_its_function(grader: Grader, is_hidden_alone: bool) -> None:
    """Even if only hidden tests find the mistake, feedback blames no other function."""
    rope = course.find("rope")
    source = rope.solution.read_text("utf-8") + UNKNOWN
    if is_hidden_alone:
        source = source.replace(
            "    return _right", "    if head_dim <= 8: return _right_frequencies(head_dim, base)\n    return _right"
        )
    text = markdown(submitted(source), grader.grade(rope, (source,)))
    assert text.count("\n## `") - text.count("\n## `ANSWERS`") == 1 and "## `rope_frequencies`" in text
    assert "Right, once `rope_frequencies` is right: `" in text


def test_what_may_not_be_imported_is_said(graded: Graded) -> None:
    _, public = of_sample(graded, "imports_scipy.py")
    assert "No module named 'scipy'" in public and "Only numpy and the standard library can be" in public


def test_a_file_that_never_loads_is_one_cause() -> None:
    """Both before and after hidden results are published, students and staff are told only that the file did not finish
    loading."""
    why = "your file did not finish loading within 5 seconds"
    results = [TestResult(test_("first", Phase.PUBLIC), Kind.CRASHED, why)]
    hidden = [test_(f"test {number}", Phase.HIDDEN, f"f{number}") for number in range(9)]
    results += [TestResult(test, Kind.KILLED, why) for test in hidden]
    never = grade(*results, status="killed")
    for text in (feedback.body(never, audience) for audience in Audience):
        assert text == "**Not graded.** Your file did not finish loading within 5 seconds"
    assert needs_review.main_fault_of_submission(never) == why


def test_before_hidden_results_are_published_nothing_is_called_complete(graded: Graded) -> None:
    final, public = of_sample(graded, "complete.py")
    assert "Complete" in final and "Complete" not in public
    assert public.startswith("8 of 8 public points. The other 12 of 20 points are decided by hidden tests")


def test_of_a_hidden_test_only_rule_kind_and_cause_are_told() -> None:
    secret = TestResult(test_("far", Phase.HIDDEN), Kind.VALUE, "expected 0.25 at position 977", hint="Half the angle.")
    crash = TestResult(
        test_("odd", Phase.HIDDEN), Kind.CRASHED, "ended by signal 9 at position 977", faulty_function=HOSTILE
    )
    slow = TestResult(test_("slow", Phase.HIDDEN), Kind.TIMEOUT, "977 seconds")
    text = markdown(submitted(), grade(secret, crash, slow))
    assert "977" not in text and "0.25" not in text
    assert "The rule of far: it returned wrong values." in text and "Half the angle." in text
    no_result = "it gave no result: it raised an exception, did not return in time or ended its process"
    for name in ("odd", "slow"):
        assert f"The rule of {name}: {no_result}" in text


@pytest.mark.parametrize("kind", [Kind.VALUE, Kind.PRECISION])
@pytest.mark.parametrize("hidden_kind", [Kind.VALUE, Kind.PRECISION])
def test_how_wrong_a_hidden_value_is_stays_hidden(kind: Kind, hidden_kind: Kind) -> None:
    """A value that is correct only to a few digits counts as wrong, in public and hidden tests alike."""
    shown = TestResult(test_("near", Phase.PUBLIC), kind, "expected 0.5, got 0.5001")
    hidden = TestResult(test_("far", Phase.HIDDEN), hidden_kind, "expected 0.25, got 0.2501")
    text = markdown(submitted(), grade(shown, hidden))
    assert "On inputs that are not shown, the function fails in the same way." in text
    alone = markdown(submitted(), grade(TestResult(shown.test), hidden))
    assert "The rule of far: it returned wrong values." in alone


def test_a_hidden_test_tells_one_of_a_few_things_whatever_happened() -> None:
    """Each kind of failure has a hint, a name and a message."""
    hidden, seen = test_("far", Phase.HIDDEN, "f"), test_("near", Phase.PUBLIC, "f")
    # Only public tests and written answers, which are checked before hidden tests, can fail in other ways.
    kinds = set(Kind) - {Kind.ANSWER, Kind.UNANSWERED, Kind.UNREADABLE}
    possible = [TestResult(hidden), *(TestResult(hidden, kind, f"{kind}", faulty_function=f"{kind}") for kind in kinds)]
    for before in (TestResult(seen), TestResult(seen, Kind.NOT_WRITTEN)):
        grades = [grade(before, result) for result in possible]
        assert len({markdown(submitted(), each).partition("\n\n")[2] for each in grades}) <= OUTCOMES
        assert len({public(each) for each in grades}) == 1


def answered(key: str, message: str = "", hint: str | None = None, points: float = 1.0) -> TestResult:
    test = Test(f"test_answer[{key}]", "ANSWERS", points, Phase.ANSWERS, "One right answer.")
    return TestResult(test, Kind.ANSWER if message else None, message, hint=hint)


def test_a_wrong_number_is_named_at_once_and_nothing_is_told_of_a_yes_or_no() -> None:
    answers = grade(
        answered("extra_parameters", "extra_parameters: 32 is not right", "You counted pairs."),
        answered("rotates_values", "rotates_values: True is not right"),
        answered("half_layout_is_a_bug"),
    )
    text = public(answers)
    assert "32 is not right. You counted pairs." in text and "The answer is" not in text
    assert "rotates" not in text and "half_layout" not in text
    assert "ANSWERS" not in public(grade(answered("extra_parameters")))


def test_the_feedback_file_says_nothing_of_what_is_right() -> None:
    """The feedback file does not contain the right answer, because a student may receive the file while
    others are still working."""
    text = markdown(submitted(), grade(answered("rotates_values", "rotates_values: True is not right")))
    assert "## `ANSWERS`: 0 of 1" in text and "rotates_values" not in text


def test_practice_has_no_points_and_says_so() -> None:
    wrong = answered("extra_parameters", "extra_parameters: 32 is not right", points=0)
    assert "(For practice, without points.)" in markdown(submitted(), grade(wrong))


def test_the_call_of_a_public_test_is_told_and_that_of_a_hidden_one_is_not() -> None:
    failed = TestResult(test_("far", Phase.PUBLIC), Kind.VALUE, "wrong", call=">>> apply_rope(977)")
    hidden = replace(failed, test=test_("far", Phase.HIDDEN))
    assert ">>> apply_rope(977)" in markdown(submitted(), grade(failed))
    assert "977" not in markdown(submitted(), grade(hidden))


@pytest.mark.parametrize(
    "graded_file",
    [
        grade(TestResult(test_("a", Phase.PUBLIC), Kind.RAISED, HOSTILE)),
        grade(TestResult(test_("a", Phase.PUBLIC), Kind.WAITING, HOSTILE, faulty_function=HOSTILE)),
        grade(TestResult(test_("a", Phase.HIDDEN), Kind.WAITING, HOSTILE, faulty_function=HOSTILE)),
        grade(TestResult(test_("a", Phase.PUBLIC), Kind.UNREADABLE, HOSTILE), status="unreadable"),
        grade(status="import_error", failure=Raised(HOSTILE, ("Exception",), HOSTILE, 3)),
    ],
    ids=["message", "name", "hidden name", "unreadable", "while loading"],
)
def test_text_of_a_submission_is_text(graded_file: Grade) -> None:
    assert_harmless(markdown(submitted(notes=(HOSTILE,)), graded_file))
    assert_harmless(public(graded_file))


def assert_harmless(markdown: str) -> None:
    """Assert that even a renderer without any restrictions shows no markup in a text."""
    assert all(character.isprintable() or character == "\n" for character in markdown)
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(markdown)
    for tag in ("<script", "<a ", "<img", "<strong>d", "<code>c", "Heading</h1>"):
        assert tag not in html


def test_plain_text_keeps_letters_and_drops_directions() -> None:
    assert result_markdown.printable_lines("θ·π²\n\u202eabc\x1b[0m\u2066") == "θ·π²\n\ufffdabc\ufffd[0m\ufffd"
