"""Tests of the check for results that a submission keeps between calls; the check decides about a new process."""

from __future__ import annotations

import pytest

from autograder.course import Assignment
from autograder.protocol.call import load
from autograder.sandbox.function_substitutes import Exchange

HEAD = "from __future__ import annotations\nimport functools\nimport numpy as np\nfrom math import sqrt\n"

KEEPING = {
    "global dict": "kept = {}\ndef f(n):\n    return kept.setdefault(n, n)\n",
    "global list in a tuple": "kept = (1, [])\ndef f(n):\n    kept[1].append(n)\n",
    "global array": "kept = np.zeros(8)\ndef f(n):\n    kept[n] = n\n",
    "default value": "def f(n, kept={}):\n    return kept.setdefault(n, n)\n",
    "keyword-only default value": "def f(n, *, kept=[]):\n    kept.append(n)\n",
    "attribute of a function": "def f(n):\n    f.kept = n\nf.kept = 0\n",
    "functools.cache": "@functools.cache\ndef f(n):\n    return n\n",
    "functools.cache of a helper": "def f(n):\n    return g(n)\n@functools.cache\ndef g(n):\n    return n\n",
    "decorator": (
        "def keeping(function):\n    kept = {}\n    return lambda n: kept.setdefault(n, function(n))\n"
        "@keeping\ndef f(n):\n    return n\n"
    ),
    "class": "class Kept:\n    pass\ndef f(n):\n    Kept.n = n\n",
    "object": "class Kept:\n    pass\nkept = Kept()\ndef f(n):\n    kept.n = n\n",
    "generator": "kept = np.random.default_rng(0)\ndef f(n):\n    return kept.random()\n",
    "global made in the first call": "def f(n):\n    global kept\n    kept = {n: n}\n",
    "number that a call replaces": "kept = None\ndef f(n):\n    global kept\n    kept = n, 2.0 * n\n",
    "number made in the first call": "def f(n):\n    globals()['kept'] = 2.0 * n\n",
    "private name": "__kept = {}\ndef f(n):\n    return __kept.setdefault(n, n)\n",
}

KEEPING_NOTHING = {
    "functions": "def f(n, base=1e4, *, shape=(1, 'a', None)):\n    return g(n)\ndef g(n):\n    return n\n",
    "constants": "BASE, NAMES, TYPE = 1e4, ('a', b'b', 1j, True, None), np.float64\ndef f(n):\n    return n\n",
    "another name": "def f(n):\n    return n\nother = f\n",
    "lambda": "f = lambda n: n\n",
    "another module's functions": "from numpy import outer, sin\ndef f(n):\n    return sin(sqrt(n))\n",
    "answers": "ANSWERS = {'key': None}\ndef f(n):\n    return n\n",
}


def exchange_of(source: str, *functions: str) -> Exchange:
    module, raised = load("kept_results", (source,), "kept_results.py")
    assert raised is None
    return Exchange(vars(module), functions)


@pytest.mark.parametrize("source", KEEPING.values(), ids=KEEPING)
def test_a_submission_that_has_a_place_for_results_may_keep_results(source: str) -> None:
    """The check runs after calls, so it also finds a place for results that the first call creates."""
    exchange = exchange_of(HEAD + source, "f")
    exchange.original_value("f", (1,), {})
    assert exchange.may_have_kept_results()


@pytest.mark.parametrize("source", KEEPING_NOTHING.values(), ids=KEEPING_NOTHING)
def test_a_submission_of_functions_and_constants_keeps_no_results(source: str) -> None:
    """The substitutes, which hold correct values, do not count as places where the submission keeps results."""
    exchange = exchange_of(HEAD + source, "f", "not_written")
    exchange.original_value("f", (1,), {})
    assert not exchange.may_have_kept_results()


def test_solutions_keep_no_results(assignment: Assignment) -> None:
    """Submissions in the style of the solutions keep no results, except in two lessons, whose solutions have
    a global list."""
    exchange = exchange_of(assignment.solution.read_text("utf-8"))
    assert exchange.may_have_kept_results() == (assignment.name in ("extrapolation", "model"))
