"""Every number of the lesson `batches`, and what its questions ask."""

from __future__ import annotations

from typing import Any

import numpy as np

from assignments import measuring
from assignments.batches import lab
from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, short, solution


def test_the_numbers_of_the_lesson() -> None:
    assert missing("batches", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("batches", answers) == []


def numbers(m: Any) -> Sentences:
    # Padding and packing of real texts.
    words = lab.paragraphs()
    shares = [lab.share_of_padding(np.random.default_rng(seed).permutation(words)) for seed in range(20)]
    yield f"the words of all {len(words)} paragraphs of lessons 1 to 12"
    yield f"in random order, {round(100 * np.mean(shares))} % of the array is padding"
    used = 100 * (words.astype(float) ** 2).sum() / (words.sum() * 2048)
    yield f"inside the texts are {d(used, 1)} % of the square"

    # By hand.
    lengths = [3, 5, 16]
    _, mask = m.pad([np.zeros(length) for length in lengths])
    yield f"The array has 3 · 16 = {mask.size} places, {(~mask).sum()} are padding: one half"
    together = sum(lengths) ** 2
    yield f"attention computes 3 · 16² = {3 * 16**2} scores. In one packed row there are 24² = {together}"
    yield f"Text by text there are 3² + 5² + 16² = {sum(length**2 for length in lengths)}"
    real = np.array([0, 0, 1, 1, 1], dtype=bool)
    listed = ", ".join(map(str, m.position_ids(real)))
    yield f"so the positions are ({listed}), and the next token is at {m.next_positions(real)}"
    solution_12 = solution("state")
    key, log_f = np.ones((2, 1)), np.log([1, 0.5])
    leaking = solution_12.linear_attention(key, key, [[4.0], [6.0]], log_f)[1, 0]
    yield f"It reads $\\tfrac12 \\cdot 4 + 6 = {short(leaking)}$"
    alone = solution_12.linear_attention(key, key, [[4.0], [6.0]], m.reset_gates(log_f, [0, 1, 2]))[1, 0]
    yield f"With a shut gate it reads {short(alone)}"
    yield f"The slots hold the positions {', '.join(map(str, m.ring_positions(6, 4)))}"
    yield f"The positions are ({', '.join(map(str, m.tree_positions([-1, 0, 0, 1])))})"
    yield "`-1 % 4` is " + str(-1 % 4)
    yield from _measured()


def _measured() -> Sentences:
    rows = lab.saved()
    alone, counted, places = lab.TESTS

    def scores(task: str, method: str, way: lab.Way, test: str = alone) -> np.ndarray:
        return lab.accuracies(rows, task, method, way, test)

    def mean(*asked: Any) -> str:
        return f"{scores(*asked).mean():.2f}"

    first, copying = lab.TASKS
    both, masked, restarted, neither = lab.WAYS
    assert len(lab.SEEDS) == 8
    yield f"packed rows of {lab.ROW} tokens, with texts of {lab.SHORTEST} to {lab.LONGEST} tokens"
    yield f"on *single* texts of {lab.LONGEST} tokens"
    for way in lab.WAYS:
        yield f"| {way} | {' | '.join(mean(task, method, way) for task in lab.TASKS for method in lab.METHODS)} |"
    assert all(np.array_equal(scores(t, "rope", both), scores(t, "rope", masked)) for t in lab.TASKS)
    lost = {
        method: measuring.paired(scores(first, method, both), scores(first, method, neither)) for method in lab.METHODS
    }
    yield (
        f"{d(lost['rope'].mean, 2)} with RoPE and {d(lost['learned'].mean, 2)} with the table, in all 8 seeds (p ="
        f" {lost['rope'].p:.3f})"
    )
    assert all(one.gained == 0 and one.p == lost["rope"].p for one in lost.values())
    for method in lab.METHODS:
        assert scores(first, method, neither).mean() < scores(first, method, restarted).mean()
        assert scores(first, method, restarted).mean() <= scores(first, method, masked).mean()
    lowest, *others = np.sort(scores(copying, "rope", neither))
    most = np.floor(100 * min(others)) / 100
    yield f"With RoPE one seed of eight fell to {lowest:.2f}, the others have at least {most:.2f}"

    # Padding on the left.
    yield f"with {lab.PADDING} places of padding on the left"
    for task in lab.TASKS:
        for method in lab.METHODS:
            for way in lab.WAYS:
                assert np.allclose(scores(task, method, way), scores(task, method, way, counted), atol=2e-3)
                if method == "rope":
                    assert np.allclose(scores(task, method, way), scores(task, method, way, places), atol=2e-3)
    for way in (both, masked):
        yield f"| {way} | {mean(first, 'rope', way, places)} | {mean(first, 'learned', way, places)} |"
    yield f"falls from {mean(first, 'learned', both)} to {mean(first, 'learned', both, places)}"
    yield f"with {mean(first, 'rope', neither)} instead of {mean(first, 'rope', both)}"


def answers(m: Any) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    attention, rope, learned = solution("attention"), solution("rope"), solution("learned")
    q, k, v = rng.normal(size=(3, 7, 4))
    real = np.array([False] * 3 + [True] * 4)
    mask, places, counted = m.padding_mask(real)[0], np.arange(7), m.position_ids(real)

    def with_rope(positions: np.ndarray) -> np.ndarray:
        out = attention.attention(rope.apply_rope(q, positions), rope.apply_rope(k, positions), v, mask)
        return np.asarray(out)[real]

    def with_table(positions: np.ndarray) -> np.ndarray:
        h = q + learned.lookup(table, positions)
        return np.asarray(attention.attention(h, h, h, mask))[real]

    table = rng.normal(size=(7, 4))
    _, padding = m.pad([np.zeros(length) for length in (3, 5, 16)])
    return {
        "rope_survives_left_padding_without_position_ids": np.allclose(with_rope(places), with_rope(counted)),
        "learned_survives_left_padding_without_position_ids": np.allclose(with_table(places), with_table(counted)),
        "share_of_padding_for_lengths_3_5_16": (~padding).mean(),
        "ring_slot_of_position_1000_of_256": np.flatnonzero(m.ring_positions(1001, 256) == 1000).item(),
        "position_after_3_padding_and_5_real_tokens": m.next_positions([False] * 3 + [True] * 5).item(),
        "texts_in_positions_0_1_0_0_1_2": len(m.boundaries_of([0, 1, 0, 0, 1, 2])) - 1,
        "scores_text_by_text_for_lengths_3_5_16": sum(length**2 for length in (3, 5, 16)),
    }
