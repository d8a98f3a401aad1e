"""Tests of loops: a loop over the sequence is found however it is written, and no other loop is."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.checks import expect
from autograder.protocol.failure_kinds import FailedTestError, Kind
from tests.grader.support.rope_functions import submission

LOOPS = {
    "a loop": "    rows = []\n    for row in x: rows.append(half(row))\n    return np.array(rows)",
    "a comprehension": "    return np.array([half(row) for row in x])",
    "apply_along_axis": "    return np.apply_along_axis(half, -1, x)",
    "vectorize": "    return np.vectorize(half, signature='(d)->(d)')(x)",
    "recursion": "    return half(x) if len(x) == 1 else np.concatenate([rotate_half(x[:1]), rotate_half(x[1:])])",
    "a while loop": "    y, i = x.copy(), 0\n    while i < len(x): y[i] = half(x[i]); i += 1\n    return y",
}
HALF = (
    "import numpy as np\ndef half(x):\n    h = x.shape[-1] // 2\n    return np.concatenate([-x[..., h:], x[..., :h]],"
    " axis=-1)\n"
)


def rows(length: int) -> tuple[np.ndarray]:
    return (np.arange(4.0 * length).reshape(length, 4),)


def has_loop(functions: str) -> bool:
    """Return whether a loop is found in `rotate_half`; fail if it has any other mistake."""
    try:
        expect.vectorised(submission(HALF + functions).rotate_half, rows)
    except FailedTestError as error:
        assert error.kind is Kind.LOOP, error.message
        return True
    return False


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_seen_however_they_are_written(name: str) -> None:
    assert has_loop(f"def rotate_half(x):\n{LOOPS[name]}\n")


def test_a_loop_over_features_is_no_loop_over_the_sequence() -> None:
    body = (
        "def rotate_half(x):\n    y = x.copy()\n    for i in range(x.shape[-1]): y[..., i] = half(x)[..., i]\n   "
        " return y\n"
    )
    assert not has_loop(body)


GROWTHS = {
    "nothing": ("0", True),
    "the logarithm": ("len(bin(len(x)))", True),
    "a branch for long sequences": ("1 * (len(x) > 99)", True),
    "the square root": ("int(len(x) ** 0.5)", False),
    "the length": ("len(x)", False),
    "the length up to a bound": ("min(len(x), 124)", False),
    "the middle length alone": ("150 * (len(x) > 99) + 150 * (len(x) == 32)", False),
}


@pytest.mark.parametrize("name", GROWTHS)
def test_a_loop_is_what_grows_faster_than_the_logarithm(name: str) -> None:
    """Lines that run before a loop do not affect whether the loop is accepted."""
    times, is_accepted = GROWTHS[name]
    front = "    for _ in range(500): y = x\n"
    for before in ("", front):
        loop = f"    for _ in range({times}):\n        y = x\n        y = x\n"
        assert has_loop(f"def rotate_half(x):\n{before}{loop}    return half(x)") is not is_accepted


LOOP_BELOW = "def {name}(x):\n    rows = [half(row) for row in x]\n    return np.array(rows)\n"


@pytest.mark.parametrize(
    ("body", "is_accepted"),
    [
        (LOOP_BELOW.format(name="interleaved_to_half") + "def rotate_half(x): return interleaved_to_half(x)", True),
        (LOOP_BELOW.format(name="helper") + "def rotate_half(x): return helper(x)", False),
        ("def interleaved_to_half(x): return half(x)\n"
         "def rotate_half(x): return np.array([interleaved_to_half(row) for row in x])", False),
        ("def interleaved_to_half(x): return half(x)\n"
         "def rotate_half(x): return np.vectorize(interleaved_to_half, signature='(d)->(d)')(x)", False),
        ("def rotate_half(x):\n"
         + "".join(f"    {line}\n" for line in LOOP_BELOW.format(name="interleaved_to_half").splitlines())
         + "    return interleaved_to_half(x)", False),
        ("def interleaved_to_half(x): raise KeyError\n"
         "def rotate_half(x):\n    try: interleaved_to_half(x)\n    except KeyError: pass\n"
         "    return np.array([half(row) for row in x])", False),
    ],
    ids=["in a graded function", "in a helper", "of calls", "of calls by numpy", "in a namesake", "after an exception"],
)  # fmt: skip
def test_a_loop_costs_in_the_graded_function_where_it_is_written(body: str, is_accepted: bool) -> None:
    assert has_loop(body) is not is_accepted


DECORATORS = {
    "with its name": """
import functools
def seen(f):
    @functools.wraps(f)
    def call(x): return f(x)
    return call
""",
    "without its name": """
def seen(f):
    def call(x): return f(x)
    return call
""",
    "two": """
import functools
def seen(f):
    for _ in range(2):
        f = functools.wraps(f)(lambda x, f=f: f(x))
    return f
""",
}


@pytest.mark.parametrize("decorator", DECORATORS)
@pytest.mark.parametrize("name", LOOPS)
def test_a_decorator_of_all_functions_hides_no_loop(name: str, decorator: str) -> None:
    """The functions that a decorator returns share a code object."""
    other = "@seen\ndef interleaved_to_half(x): return half(x)\n"
    assert has_loop(f"{DECORATORS[decorator]}{other}@seen\ndef rotate_half(x):\n{LOOPS[name]}\n")


def test_a_loop_in_a_decorated_graded_function_costs_nothing_above_it() -> None:
    below = LOOP_BELOW.format(name="interleaved_to_half")
    body = f"@seen\n{below}@seen\ndef rotate_half(x): return interleaved_to_half(x)"
    assert not has_loop(DECORATORS["with its name"] + body)
