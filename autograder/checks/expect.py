"""The expectations of tests, and the messages that students see when a result does not meet one.

    expect.matches(rope.apply_rope, x, positions)             the same values as in the definition
    expect.dtype(rope.apply_rope, x32, positions)             also the same dtype
    expect.unchanged(rope.apply_rope, x, positions)           the same values, and no argument changed
    expect.vectorised(rope.apply_rope, arguments)             the same values, and no Python loop over the sequence
    expect.answers(rope.rope_frequencies, 8)                  a result of the correct shape, whatever its values
    expect.raises(ValueError, rope.rope_frequencies, 3)
    expect.close(actual, expected, "position 0 changes nothing")   a property, or a value worked out by hand
    expect.close(M @ M.T, np.eye(2), "a rotation", expect.precision(M))   the same for a result that can be float32
    expect.answer(rope, "rotates_values")

Values and dtypes are checked separately, so that a mistake costs points only once. A submission's results are plain
values (`codec`), so comparing them runs none of the submission's code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.checks.difference import TOLERANCE_BY_DTYPE, difference, type_in_words
from autograder.checks.oracle import Refused, Returned
from autograder.checks.proxy import Function, StudentModule, leaves
from autograder.checks.quiz_answers import (
    ANSWER_TOLERANCE,
    TOO_FEW_DIGITS,
    answer_matches,
    form_error,
    form_of_right_answer,
    lacks_digits,
)
from autograder.checks.value_text import value_text
from autograder.protocol.call import ANSWERS, Call, Reply
from autograder.protocol.failure_kinds import UNFINISHED, BrokenTestError, FailedTestError, Kind

__all__ = "answer answers close difference dtype holds matches precision raises unchanged vectorised".split()
"""The functions that tests call."""

SEQUENCE_GROWTH_FACTOR = 4
"""Ratio of the lengths of successive sequences in `vectorised`."""

MAX_ADDED_LINES_WITHOUT_LOOP = 4
"""Number of additional lines that can run for longer sequences, as in a branch, without being counted as a loop."""


def matches(function: Function, *args: Any, tolerance: float | None = None, **kwargs: Any) -> Any:
    """Check that the function returns the correct result, within the tolerance, and return the actual result."""
    reply, _ = _matching_reply_and_expected(function, Call(function.name, args, kwargs), tolerance)
    return function.note_returned(reply.value)


def dtype(function: Function, *args: Any, **kwargs: Any) -> None:
    """Check as `matches` does, and also that each returned array has the expected dtype."""
    reply, expected = _matching_reply_and_expected(function, Call(function.name, args, kwargs))
    dtypes = [
        (np.asarray(result).dtype, np.asarray(expected_result).dtype)
        for result, expected_result in zip(leaves(reply.value), leaves(expected), strict=True)
    ]
    wrong = [place for place, (actual, expected_dtype) in enumerate(dtypes) if actual != expected_dtype]
    if wrong:
        actual, expected_dtype = dtypes[wrong[0]]
        where = "" if len(wrong) == len(dtypes) else f" in result {wrong[0] + 1} of {len(dtypes)}"
        what = f"{function.name} returned dtype {actual}{where}; expected {expected_dtype}"
        raise FailedTestError(Kind.DTYPE, what)


def unchanged(function: Function, *args: Any, **kwargs: Any) -> None:
    """Check as `matches` does, and also that the function does not change its arguments."""
    reply, _ = _matching_reply_and_expected(function, Call(function.name, args, kwargs, measured=True))
    if reply.changed:
        changed = f"{function.name} changed {', '.join(reply.changed)} in place"
        why = "only write into arrays and lists that you created: np.asarray, slices and reshape make no copy"
        raise FailedTestError(Kind.CHANGED, f"{changed}; {why}")


def vectorised(function: Function, arguments: Callable[[int], tuple[Any, ...]], length: int = 8) -> None:
    """Check as `matches` does at three lengths, and also that no Python loop runs over the sequence.

    `arguments(length)` returns the arguments of a call. Each length is SEQUENCE_GROWTH_FACTOR times the previous
    length. If the number of executed lines grows logarithmically with the length (as in a scan by doubling), both steps
    add the same number of lines. If it grows with the square root of the length, the second step adds twice as many
    lines as the first; if it grows linearly, four times as many. Lines of another graded function are counted only in
    that function's tests.
    """
    sizes = [length * SEQUENCE_GROWTH_FACTOR**step for step in range(3)]
    calls = (
        Call(function.name, arguments(size), {}, measured=True, uncounted=function.submission.tested_functions)
        for size in sizes
    )
    short, middle, long = (_matching_reply_and_expected(function, call)[0].executed_lines for call in calls)
    grows = long - middle > 1.5 * (middle - short) + MAX_ADDED_LINES_WITHOUT_LOOP
    if grows or long - short >= sizes[2] - sizes[0]:  # one line per position or more: a loop
        lines = f"{function.name} executes {short} lines of Python for length {sizes[0]}, {long} for {sizes[2]}"
        raise FailedTestError(
            Kind.LOOP, f"{lines}: let numpy work on the whole sequence at once instead of looping over it"
        )


def answers(function: Function, *args: Any, **kwargs: Any) -> None:
    """Check that the function returns a result of the correct shape for valid arguments.

    Each test of a bad argument also makes this check. A function that refuses every call therefore earns no points, and
    one that refuses only bad arguments earns the points even if its values are wrong.
    """
    reply, expected = _reply_and_expected(function, Call(function.name, args, kwargs))
    actual = leaves(reply.value) if type(expected) in (tuple, list, dict) else (reply.value,)
    results = (actual, leaves(expected))
    actual_shapes, expected_shapes = (" and ".join(map(_shape_text, result)) for result in results)
    if actual_shapes != expected_shapes:
        raise FailedTestError(Kind.SHAPE, f"{function.name}: expected shape {expected_shapes}, got {actual_shapes}")


def _shape_text(part: Any) -> str:
    """Return the shape of a number, an array or a list, or the type of any other value, which has no shape."""
    has_shape = isinstance(part, bool | int | float | list | np.generic | np.ndarray)
    return str(np.shape(part)) if has_shape else type_in_words(part)


def raises(error: type[Exception], function: Function, *args: Any, **kwargs: Any) -> None:
    """Check that the function refuses a bad argument by raising `error`, with any message."""
    call = Call(function.name, args, kwargs)
    if not isinstance(_expected(function, call), Refused):
        raise _bad_call_error(function, "the reference accepts this call")
    reply = function.attempt(call)
    if reply.raised is None:
        raise FailedTestError(Kind.ACCEPTED, f"{function.name} did not raise {error.__name__} for a bad argument")
    why = function.why_it_raised(reply.raised)
    if why.kind in UNFINISHED:
        raise why
    if error.__name__ not in reply.raised.bases:
        raise FailedTestError(
            Kind.ACCEPTED, f"{function.name} raised {reply.raised.kind} for a bad argument; expected {error.__name__}"
        )


def close(actual: Any, expected: Any, rule: str, tolerance: float | None = None) -> None:
    """Check that two results agree. `rule` states the rule in the lesson's words."""
    if differs := difference(actual, expected, tolerance):
        raise FailedTestError(differs.kind, f"{rule}: {differs.words}{differs.relation_line()}", value=actual)


def precision(*results: Any) -> float:
    """Return the tolerance for checking a property of these results: that of the least precise dtype.

    A function that returns float32 instead of float64 therefore loses points only in the dtype test.
    """
    return max(
        TOLERANCE_BY_DTYPE.get(np.asarray(result).dtype, TOLERANCE_BY_DTYPE[np.dtype(np.float64)]) for result in results
    )


def holds(condition: object, rule: str) -> None:
    """Check a condition on results. `rule` states the rule in the lesson's words."""
    if not condition:
        raise FailedTestError(Kind.VALUE, f"{rule}: this does not hold here")


def answer(submission: StudentModule, key: str, tolerance: float = ANSWER_TOLERANCE) -> None:
    """Check an entry of ANSWERS: True, False, a word, or a number. An entry of another type counts as unanswered.

    A whole number must be exact; any other number must be within the relative `tolerance`.
    """
    function = Function(ANSWERS, submission)
    answers = function.value(function.attempt(Call(ANSWERS)))
    failure = submission.backend.failure
    if answers is None and failure is not None:
        raise function.not_reached_error(failure)
    if type(answers) is not dict:
        what = "ANSWERS is not a dict of answers: keep it as in the stub, and fill in the values"
        raise FailedTestError(Kind.UNANSWERED, what)
    actual = answers.get(key)
    if actual is None:
        raise FailedTestError(Kind.UNANSWERED, f"{key} is not answered yet")
    expected, wrong_answers = submission.oracle.right_answer_and_hints(key)
    if not answer_matches(actual, expected, tolerance):
        hint = next((hint for value, hint in wrong_answers.items() if answer_matches(actual, value)), None)
        if hint is None and (error := form_error(actual, form_of_right_answer(expected))):
            raise FailedTestError(Kind.UNANSWERED, f"{key}: {error}")
        hint = f"It is {TOO_FEW_DIGITS}." if hint is None and lacks_digits(actual, expected) else hint
        raise FailedTestError(Kind.ANSWER, f"{key}: {value_text(actual)} is not right", hint=hint)


def _matching_reply_and_expected(function: Function, call: Call, tolerance: float | None = None) -> tuple[Reply, Any]:
    """Return the reply to a call with valid arguments, and the correct value; check that the two agree."""
    reply, expected = _reply_and_expected(function, call)
    close(reply.value, expected, function.name, tolerance)
    return reply, expected


def _reply_and_expected(function: Function, call: Call) -> tuple[Reply, Any]:
    """Return the reply to a call with valid arguments, and the correct value; the reply must be a plain value."""
    expected = _expected(function, call)
    if isinstance(expected, Refused):
        raise _bad_call_error(function, "the reference refuses this call")
    reply = function.attempt(call)
    function.value(reply)
    return reply, expected.value


def _expected(function: Function, call: Call) -> Returned | Refused:
    try:
        return function.submission.oracle.expected(call)
    except BrokenTestError:
        raise
    except Exception as error:
        raise _bad_call_error(function, f"the reference raises {type(error).__name__} at this call") from error


def _bad_call_error(function: Function, what: str) -> Exception:
    """Return the error for a bad call, which is the test's fault unless it used a result from the submission."""
    if not function.submission.returned:
        return BrokenTestError(f"{what} of {function.name}: the test is wrong")
    form = "and that result does not have the required form"
    return FailedTestError(Kind.VALUE, f"{function.name} was called with a result of your functions, {form}")
