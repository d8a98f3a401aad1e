"""What a test says: the mistake itself, in words a student can use, and nothing accepted that is not right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder.checks import call, expect
from autograder.checks.failure import BrokenTest, Kind, Wrong
from autograder.checks.proxy import Submission
from autograder.course import find
from autograder.grading import catalogue

ROPE = find("rope")
X = np.arange(8.0).reshape(2, 4)


def submission(source: str) -> Submission:
    """Student code as a test sees it, compared with the real solution."""
    module, failure = call.load("rope", [source], "rope.py")
    backend = catalogue.Module(module)
    backend.failure = failure  # type: ignore[assignment]
    return Submission("rope", backend, catalogue.Oracle(ROPE))


def grade(source: str, check: Any) -> Wrong:
    with pytest.raises(Wrong) as caught:
        check(submission("import numpy as np\n" + source))
    return caught.value


def matches(rope: Submission) -> None:
    expect.matches(rope.rotate_half, X)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("def rotate_half(x): raise NotImplementedError", Kind.NOT_WRITTEN, "rotate_half is not implemented yet"),
        ("", Kind.NOT_WRITTEN, "rotate_half is not implemented yet"),
        ("1 / 0", Kind.NOT_REACHED, "your file stops at line 2 with ZeroDivisionError: division by zero"),
        ("def rotate_half(x): return other(x)\ndef other(x): raise NotImplementedError", Kind.WAITING, "waits for other"),
        ("def rotate_half(x):\n    return x.missing", Kind.RAISED, "raised AttributeError at line 3 of your file"),
        ("def rotate_half(x): pass", Kind.TYPE, "got None (is a `return` missing?)"),
        ("def rotate_half(x): return [1, 2]", Kind.TYPE, "wanted an array of shape (2, 4), dtype float64, got a list"),
        ("def rotate_half(x): return np.matrix(x)", Kind.TYPE, "numpy.matrix, which is neither a number nor a plain numpy array"),
        ("def rotate_half(x): return x[0]", Kind.SHAPE, "wanted shape (2, 4), got (4,)"),
        ("def rotate_half(x): return x", Kind.VALUE, "first at index (0, 0): wanted -2, got 0 (largest error 12, 8 of 8 values wrong)"),
        ("def rotate_half(x): return x * np.nan", Kind.VALUE, "got nan"),
        ("def rotate_half(x): return x.astype(complex)", Kind.TYPE, "dtype complex128"),
    ],
)
def test_each_kind_of_mistake_is_named(body: str, kind: Kind, words: str) -> None:
    wrong = grade(body, matches)
    assert wrong.kind is kind
    assert words in wrong.message


RIGHT = "def rotate_half(x):\n    h = x.shape[-1] // 2\n    return np.concatenate([-x[..., h:], x[..., :h]], axis=-1){}"


def test_a_wrong_dtype_is_a_mistake_of_its_own() -> None:
    source = "import numpy as np\n" + RIGHT.format(".astype(np.float64)")
    x = X.astype(np.float32)
    expect.matches(submission(source).rotate_half, x)
    with pytest.raises(Wrong, match="returned dtype float64; float32 was wanted"):
        expect.dtype(submission(source).rotate_half, x)


def test_a_change_in_place_is_seen_only_beside_right_values() -> None:
    in_place = "import numpy as np\n" + RIGHT.format("").replace("    h =", "    y = x.copy(); x[:] = 0; x = y\n    h =", 1)
    with pytest.raises(Wrong, match="changed argument 1 in place"):
        expect.unchanged(submission(in_place).rotate_half, X)
    wrong_and_clean = grade("def rotate_half(x): return x", lambda rope: expect.unchanged(rope.rotate_half, X))
    assert wrong_and_clean.kind is Kind.VALUE


LOOPS = {
    "a loop": "    rows = []\n    for row in x: rows.append(half(row))\n    return np.array(rows)",
    "a comprehension": "    return np.array([half(row) for row in x])",
    "apply_along_axis": "    return np.apply_along_axis(half, -1, x)",
    "vectorize": "    return np.vectorize(half, signature='(d)->(d)')(x)",
    "recursion": "    return half(x) if len(x) == 1 else np.concatenate([rotate_half(x[:1]), rotate_half(x[1:])])",
    "a while loop": "    y, i = x.copy(), 0\n    while i < len(x): y[i] = half(x[i]); i += 1\n    return y",
}
HALF = "import numpy as np\ndef half(x):\n    h = x.shape[-1] // 2\n    return np.concatenate([-x[..., h:], x[..., :h]], axis=-1)\n"


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_seen_however_they_are_written(name: str) -> None:
    rope = submission(f"{HALF}def rotate_half(x):\n{LOOPS[name]}\n")
    with pytest.raises(Wrong) as caught:
        expect.vectorised(rope.rotate_half, lambda length: (np.arange(4.0 * length).reshape(length, 4),))
    assert caught.value.kind is Kind.LOOP


def test_a_loop_over_features_is_no_loop_over_the_sequence() -> None:
    body = "def rotate_half(x):\n    y = x.copy()\n    for i in range(x.shape[-1]): y[..., i] = half(x)[..., i]\n    return y\n"
    expect.vectorised(submission(HALF + body).rotate_half, lambda length: (np.arange(4.0 * length).reshape(length, 4),))


def refuses(rope: Submission) -> None:
    expect.raises(ValueError, rope.rope_frequencies, 7, mentions=7)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("raise ValueError('head_dim is 7')", None),
        ("raise ValueError(f'odd: {head_dim!r}')", None),
        ("raise type('Odd', (ValueError,), {})('7 is odd')", None),
        ("raise ValueError('odd')", Kind.WRONG_ERROR),
        ("raise ValueError('17 or 70 or 7.5')", Kind.WRONG_ERROR),
        ("raise ValueError", Kind.WRONG_ERROR),
        ("raise TypeError('7')", Kind.WRONG_ERROR),
        ("raise type('ValueError', (Exception,), {})('7')", Kind.WRONG_ERROR),
        ("return 7", Kind.NO_ERROR),
        ("raise NotImplementedError", Kind.NOT_WRITTEN),
        ("import sys; sys.exit(7)", Kind.WRONG_ERROR),
    ],
)
def test_a_bad_argument_must_be_refused_by_name(body: str, kind: Kind | None) -> None:
    source = f"def rope_frequencies(head_dim, base=10000.0): {body}"
    if kind is None:
        refuses(submission(source))
    else:
        assert grade(source, refuses).kind is kind


@pytest.mark.parametrize(
    ("given", "right"),
    [("0", True), ("0.0", True), ("np.int64(0)", True), ("np.array(0.0)", True), ("1", False), ("False", False), ("'0'", False), ("[0]", False)],
)
def test_an_answer_is_a_number_or_a_truth(given: str, right: bool) -> None:
    rope = submission(f"import numpy as np\nANSWERS = {{'extra_parameters': {given}}}")
    if right:
        expect.answer(rope, "extra_parameters")
    else:
        with pytest.raises(Wrong) as caught:
            expect.answer(rope, "extra_parameters")
        assert caught.value.kind is Kind.ANSWER


def test_a_test_that_asks_the_impossible_blames_itself() -> None:
    rope = submission("def rope_frequencies(head_dim, base=1.0): return 1")
    with pytest.raises(BrokenTest):
        expect.raises(ValueError, rope.rope_frequencies, 8)
    with pytest.raises(BrokenTest):
        expect.matches(rope.rope_frequencies, 7)
