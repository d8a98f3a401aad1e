"""Function states: a mistake is shown at the function that has it."""

from __future__ import annotations

import ast
from dataclasses import replace

from autograder.checks.function_state import FunctionState, State, function_states
from autograder.checks.render import state_note
from autograder.checks.results import Phase, Test, TestResult
from autograder.checks.source import CallGraph
from autograder.protocol.call import Call, Raised, Reply
from autograder.protocol.failure import Kind

SOURCE = '''
def _theta(d):
    return d

def rotated(x):
    """Turn each pair by its angle,
    row by row.

        out = R x

    Nothing is scaled.
    """
    return _theta(x)

def scores(q):
    return _theta(q)

def bare(q):
    return q

def attention(q):
    return scores(bare(q))
'''
FORM, VALUES = "float32 stays float32, and an odd size is refused.", "The pair (2i, 2i+1) is rotated."


def missed(question: str, rule: str, kind: Kind = Kind.VALUE, **facts: str) -> TestResult:
    return TestResult(Test(rule, question, 1.0, Phase.PUBLIC, rule), kind, **facts)  # type: ignore[arg-type]


def blocks_of(source: str) -> CallGraph:
    return CallGraph({node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)})


def stands(*results: TestResult) -> dict[str, FunctionState]:
    return {function_state.name: function_state for function_state in function_states(results, blocks_of(SOURCE))}


def test_what_is_known_is_told_though_something_below_is_wrong() -> None:
    below = missed("scores", VALUES)
    assert stands(below, missed("attention", VALUES))["attention"].state is State.INHERITED
    known = missed("attention", VALUES, hint="Your sign is turned round.")
    assert stands(below, known)["attention"].mistakes == (known,)


def test_a_slip_below_explains_its_like_and_no_wrong_value() -> None:
    wrong = missed("attention", VALUES)
    assert stands(missed("scores", FORM, Kind.DTYPE), wrong)["attention"].mistakes == (wrong,)


def test_the_deepest_mistake_is_told_first() -> None:
    kinds = [Kind.ACCEPTED, Kind.CHANGED, Kind.DTYPE, Kind.SHAPE, Kind.VALUE]
    own = stands(*(missed("bare", VALUES, kind) for kind in kinds))["bare"].mistakes
    assert [mistake.kind for mistake in own] == kinds[::-1]


def test_after_follow_through_what_fails_is_a_functions_own() -> None:
    wrong = [missed("scores", VALUES), missed("attention", VALUES)]
    told = function_states(wrong)
    assert [one.state for one in told] == [State.MISTAKEN] * 2


def test_what_calls_a_function_that_changes_its_argument_is_not_blamed() -> None:
    changes = [missed(name, "q is as it was.", Kind.CHANGED) for name in ("bare", "attention")]
    told = stands(*changes)
    assert told["bare"].mistakes == (changes[0],)
    assert (told["attention"].state, told["attention"].cause, told["attention"].mistakes) == (
        State.INHERITED,
        "bare",
        (),
    )


def test_building_blocks_reach_through_helpers() -> None:
    call_graph = blocks_of("def a(): return b()\ndef b(): return c()\ndef c(): return 1\ndef d(): return d()\n")
    assert [*map(call_graph.dependencies, "abcd")] == [{"b", "c"}, {"c"}, frozenset(), frozenset()]


def test_functions_in_a_ring_take_time_and_memory_in_proportion() -> None:
    """Each of thousands of functions uses all the others; only failed functions are followed."""
    ring = "".join(f"def f{number}(): f{(number + 1) % 10_000}()\n" for number in range(10_000))
    assert len(blocks_of(ring).dependencies("f1")) == 9999


PROMISE = "its docstring has a `Raises` line, but your function has no `raise`"
REFUSES = """
def _check(d):
    if d % 2:
        raise ValueError(d)

def theta(d):
    '''The angles.

    Raises: ValueError for an odd d.
    '''
    {body}
"""


def test_a_right_function_that_raises_nothing_is_reminded_of_its_docstring() -> None:
    """No public test checks this, but a hidden test will."""
    passed = TestResult(Test("t", "theta", 1.0, Phase.PUBLIC, "A rule"))
    asked = replace(passed, calls={Call("theta", (3,)): Reply(raised=Raised("ValueError", ("ValueError",), "3"))})
    for body, results, words in [
        ("return d", [passed], PROMISE),
        ("return d", [passed, asked], ""),  # numpy raises
        ("return d", [missed("theta", VALUES)], ""),  # first things first
        ("raise ValueError", [passed], ""),
        ("_check(d)", [passed], ""),
    ]:
        (function_state,) = function_states(results, blocks_of(REFUSES.format(body=body)))
        assert state_note(function_state) == words
    for docstring in ("Raises: ValueError for an odd d.", "Parameters and errors: as scores.", "Nothing."):
        source = f"def theta(d):\n    '''{docstring}'''\n    return d"
        (function_state,) = function_states([passed], blocks_of(source))
        assert function_state.lacks_promised_error is (docstring != "Nothing.")
