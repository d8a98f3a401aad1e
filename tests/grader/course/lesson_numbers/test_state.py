"""Every number of the lesson `state`, and what its questions ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assignments import measuring
from assignments.extrapolation import lab
from assignments.state import lab as gates_lab
from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, point, ratio, short


def test_the_numbers_of_the_lesson() -> None:
    assert missing("state", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("state", answers) == []


def numbers(m: Any) -> Sentences:
    # Three ways and the delta rule, as the table by hand has them.
    keys, values, gates = np.array([[1.0, 0], [0, 1], [1, 0]]), np.array([[4.0], [2], [6]]), np.array([1, 0.5, 1])
    queries, log_f = np.tile([1.0, 0], (3, 1)), np.log(gates)
    added = mended = np.zeros((2, 1))
    steps = []
    for t in range(3):
        out, added = m.linear_step(added, queries[t], keys[t], values[t], log_f[t])
        mended = m.delta_step(mended, keys[t], values[t], 1.0, log_f[t])
        steps.append(out)
        key, read, kept = point(keys[t]), short(out[0]), point(mended[:, 0])
        yield f"| {t} | {ratio(gates[t])} | {key} | {short(values[t, 0])} | {point(added[:, 0])} | {read} | {kept} |"
    assert np.allclose(steps, m.linear_attention(queries, keys, values, log_f))
    rows = [f"({', '.join(map(ratio, row))})" for row in m.decay_matrix(log_f)]
    yield (
        f"The rows of $D$ are {', '.join(rows)}. The products $q \\cdot k_j$ are"
        f" {', '.join(map(short, keys @ queries[0]))}"
    )
    yield (
        "So the last output is $\\tfrac12 \\cdot 1 \\cdot 4 + 1 \\cdot 0 \\cdot 2 + 1 \\cdot 1 \\cdot 6 ="
        f" {short(steps[-1][0])}$"
    )
    _, left = m.linear_chunks(queries[:2], keys[:2], values[:2], log_f[:2], 2)
    last, _ = m.linear_chunks(queries[2:], keys[2:], values[2:], log_f[2:], 2, left)
    alone, _ = m.linear_chunks(queries[2:], keys[2:], values[2:], log_f[2:], 2)
    yield (
        f"The first chunk leaves the state {point(left[:, 0])}. In the second, token 2 gives {short(alone.item())}, "
        f"the state {short((last - alone).item())}: together {short(last.item())}"
    )
    shares = m.forgetting_attention(np.zeros((3, 1)), np.zeros((3, 1)), np.eye(3), log_f)[-1]
    yield f"has the weights (1/2, 1, 1)/2.5 = {', '.join(map(short, shares))}"

    # What the text claims in words.
    written = m.delta_step(m.delta_step(np.zeros((2, 1)), keys[0], [4.0], 1, 0), keys[0], [6.0], 0.5, 0)
    assert written[0, 0] == 5, "with β = ½ the key reads 5"
    _, doubled = m.linear_chunks(queries[:2], keys[[0, 0]], [[4.0], [6.0]], np.zeros(2), 1)
    yield f"the query $q = k$ reads {short(doubled[0, 0])}"
    k, v, q = np.array([1.0, 2]), np.array([4.0, 5]), np.array([3.0, 1])
    assert np.outer(k, v).tolist() == [[4, 5], [8, 10]] and q @ k == 5
    yield f"= {point(q @ np.outer(k, v))}: the same"
    counted = m.cope_positions([[0.0, 0, 1, 0, 1]])[0]
    yield f"With the gates 0, 0, 1, 0, 1 the keys have the positions {', '.join(map(short, counted))}"
    yield f"for a gate of 0.9, {d(m.half_life(math.log(0.9)), 2)} tokens"
    cache, kept = m.cache_and_state(32768, 16, 64, 128)
    yield f"a cache of 32,768 tokens is {cache // kept} times as large as the state"
    assert cache % kept == 0
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 5, 4))
    shuffled = [2, 0, 3, 1, 4]
    for log_gates, same in ((np.zeros(5), True), (np.full(5, -0.1), False)):
        first, second = (
            m.linear_attention(q[order], k[order], v[order], log_gates)[-1] for order in (slice(None), shuffled)
        )
        assert np.allclose(first, second) == same, "a state that never forgets does not see order"
    unit = k / np.linalg.norm(k, axis=-1, keepdims=True)
    ends = []
    for order in (range(5), shuffled):
        end = np.zeros((4, 4))
        for t in order:
            end = m.delta_step(end, unit[t], v[t], 1.0, 0.0)
        ends.append(end)
    assert not np.allclose(*ends), "the delta rule sees order"
    factors = (q @ k.T) * m.decay_matrix(np.full(5, -0.1))
    assert (factors < 0).any() and not np.allclose(factors.sum(axis=1), 1)
    yield from _gates_measured()


def _gates_measured() -> Sentences:
    """What the run of lesson 12 left, at eight times the trained length."""
    rows, far = [*gates_lab.saved(), *gates_lab.of_lesson_9()], gates_lab.Setting.lengths[-1]
    trained = gates_lab.Setting.trained_length
    assert far == 8 * trained and len(gates_lab.SEEDS) == 8
    yield f"trained on {trained} tokens"
    yield f"Accuracy at {far} tokens"

    def scores(task: str, method: str) -> np.ndarray:
        if method == "none" and task in gates_lab.BACK:
            return lab.by_length(lab.saved(), task, "none")[far]
        return gates_lab.accuracies(rows, task, method)[far]

    for task in (*gates_lab.BACK, *gates_lab.MARK_SHARE):
        means = [f"{scores(task, method).mean():.2f}" for method in ("gates", "alibi", "rope", "none")]
        yield f"| {task} | {' | '.join(means)} |"
    copying = next(task for task, back in gates_lab.BACK.items() if back == 3)
    assert max(scores(copying, method).max() for method in ("gates", "alibi")) < 0.3
    gates = [row for row in gates_lab.saved_gates() if row.task == gates_lab.SENTENCES]
    by_kind = {kind: np.mean([row.gate for row in gates if row.kind == kind]) for kind in ("name", "other")}
    yield f"{by_kind['name']:.2f} on average at its first token, {by_kind['other']:.2f} at ordinary ones"
    alike = scores(gates_lab.SENTENCES, gates_lab.EQUAL)
    equal = measuring.paired(alike, scores(gates_lab.SENTENCES, "gates"))
    assert equal.gained == 8
    long = gates_lab.LONG
    rare = scores(long, gates_lab.EQUAL)
    assert measuring.paired(rare, scores(long, "gates")).gained == 8
    yield f"the accuracy falls in all {equal.gained} seeds, to {alike.mean():.2f}; with rare marks to {rare.mean():.2f}"
    assert list(gates_lab.MARK_SHARE.values()) == [0.2, 0.07]
    behind = measuring.paired(scores(gates_lab.SENTENCES, "alibi"), scores(gates_lab.SENTENCES, "gates"))
    yield f"{behind.mean:.3f} ({behind.gained} of 8 seeds, p = {behind.p:.3f})"
    slope = next(row.setting for row in gates_lab.saved() if (row.task, row.method) == (long, "alibi"))
    far_behind = measuring.paired(scores(long, "alibi"), scores(long, "gates"))
    yield (
        f"ALiBi with its best slope, {ratio(slope)}, is behind by {far_behind.mean:.2f} ({far_behind.gained} of 8"
        f" seeds, p = {far_behind.p:.3f})"
    )
    usual_rope = lab.by_length(lab.saved(), "copy 3 back", "rope")[far]
    yield f"lesson 9's usual base copies 3 back with {usual_rope.mean():.2f}"
    memories = gates_lab.saved_memories()

    def kept(layer: str, writes: int, keys: int) -> str:
        found = [row.accuracy for row in memories if (row.layer, row.writes, row.keys) == (layer, writes, keys)]
        return f"{np.mean(found):.2f}"

    for layer in gates_lab.MEMORIES:
        cells = [kept(layer, 1, 16), kept(layer, 2, 16), kept(layer, 1, 32)]
        yield f"| {layer} | {' | '.join(cells)} |"
    yield f"**A sum cannot tell the last value from the first**: {kept('linear attention', 2, 16)}"
    yield f"Of 32 keys in 32 features it keeps {kept('delta rule', 1, 32)}, the sum {kept('linear attention', 1, 32)}"


def answers(m: Any) -> dict[str, Any]:
    q, k, v = np.random.default_rng(2).normal(size=(3, 4, 3))
    with_first = [m.linear_attention(q, k, v, [first, -0.1, -0.2, -0.3]) for first in (0.0, -5.0)]
    distance = np.subtract.outer(np.arange(6), np.arange(6))
    alibi_bias = np.where(distance < 0, -np.inf, -0.3 * distance)
    sizes = [m.cache_and_state(length, 1, 128, 128) for length in range(200)]
    key = np.array([0.6, 0.8])
    before = m.delta_step(np.zeros((2, 1)), key, [4.0], 1.0, 0.0)
    return {
        "alibi_is_a_constant_forget_gate": np.allclose(m.decay_bias(m.constant_decay(6, 0.3)), alibi_bias),
        "first_gate_changes_linear_attention": not np.allclose(*with_first),
        "half_life_of_gate_0_99": m.half_life(math.log(0.99)),
        "tokens_until_cache_equals_state_128": next(
            length for length, (cache, state) in enumerate(sizes) if cache >= state
        ),
        "slope_of_a_gate_of_one_half": -math.log(0.5),
        "read_after_a_write_with_beta_one_half": (key @ m.delta_step(before, key, [6.0], 0.5, 0.0)).round(12).item(),
    }
