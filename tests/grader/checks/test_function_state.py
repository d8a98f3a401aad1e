"""How functions stand: a mistake is told where it sits."""

from __future__ import annotations

import ast

from autograder.checks.function_state import FunctionState, State, function_states
from autograder.checks.results import Phase, Test, TestResult
from autograder.checks.source import CallGraph
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
    assert stands(below, missed("attention", VALUES))["attention"].state is State.BUILT_ON
    known = missed("attention", VALUES, hint="Your sign is turned round.")
    assert stands(below, known)["attention"].own == (known,)


def test_a_slip_below_explains_its_like_and_no_wrong_value() -> None:
    wrong = missed("attention", VALUES)
    assert stands(missed("scores", FORM, Kind.DTYPE), wrong)["attention"].own == (wrong,)


def test_the_deepest_mistake_is_told_first() -> None:
    kinds = [Kind.ACCEPTED, Kind.CHANGED, Kind.DTYPE, Kind.SHAPE, Kind.VALUE]
    own = stands(*(missed("bare", VALUES, kind) for kind in kinds))["bare"].own
    assert [mistake.kind for mistake in own] == kinds[::-1]


def test_after_follow_through_what_fails_is_a_functions_own() -> None:
    wrong = [missed("scores", VALUES), missed("attention", VALUES)]
    told = function_states(wrong)
    assert [one.state for one in told] == [State.MISTAKEN] * 2


def test_what_calls_a_function_that_changes_its_argument_is_not_blamed() -> None:
    changes = [missed(name, "q is as it was.", Kind.CHANGED) for name in ("bare", "attention")]
    told = stands(*changes)
    assert told["bare"].own == (changes[0],)
    assert (told["attention"].state, told["attention"].cause, told["attention"].own) == (State.BUILT_ON, "bare", ())


def test_building_blocks_reach_through_helpers() -> None:
    call_graph = blocks_of("def a(): return b()\ndef b(): return c()\ndef c(): return 1\ndef d(): return d()\n")
    assert [*map(call_graph.below, "abcd")] == [{"b", "c"}, {"c"}, frozenset(), frozenset()]


def test_functions_in_a_ring_take_time_and_memory_in_proportion() -> None:
    """Each of thousands builds on all the others; only what fails is followed."""
    ring = "".join(f"def f{number}(): f{(number + 1) % 10_000}()\n" for number in range(10_000))
    assert len(blocks_of(ring).below("f1")) == 9999
