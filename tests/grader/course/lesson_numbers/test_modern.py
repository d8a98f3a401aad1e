"""Every number of the lesson `modern`, and what its questions ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assignments import measuring
from assignments.modern import lab as layers
from tests.grader.support.lesson_numbers import CLEAR, Sentences, differing, missing, ratio, short, tex


def test_the_numbers_of_the_lesson() -> None:
    assert missing("modern", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("modern", answers) == []


def numbers(m: Any) -> Sentences:
    frequency = float(m.p_rope_frequencies(128, 1)[-1])
    yield (
        f"the slowest pair of a head of 128 rotates by {4096 * frequency:.2f} radians over 4,096 tokens, but by"
        f" {131072 * frequency:.1f} over 131,072"
    )
    yield f"with Llama 3.1's 500,000 it is {131072 * float(m.p_rope_frequencies(128, 1, 5e5)[-1]):.2f}"
    w, c, q = np.array([[2.0, 0], [0, 1]]), np.ones(2), np.array([1.0, 3])
    assert (w @ c).tolist() == [2, 1] and (w.T @ q).tolist() == [2, 3] and q @ (w @ c) == (w.T @ q) @ c == 5
    yield "$Wc = (2, 1)$, and $q \\cdot (2, 1) = 5$. $W^\\top q = (2, 3)$, and $(2, 3) \\cdot c = 5$"
    left = m.sink_weights(np.zeros((1, 1, 2)), [0.0])
    yield f"= {ratio(left[0, 0, 0])}$ each; the weights sum to {ratio(left.sum())}"
    bases = [f"{base:,.0f}" for base in (m.layer_bases(6, 6)[0], m.layer_bases(6, 6)[5])]
    yield f"five local layers with base {bases[0]} and then one global layer with base {bases[1]}"
    assert np.flatnonzero(m.layer_bases(6, 6) == 1e6).tolist() == [5]
    share = m.first_token_share(600)
    assert len(set(share.tolist())) == 600, "v₀/(t+1) is a different output at each position"

    yield f"from the weight 0.25 follows position $1/0.25 - 1 = {short(m.position_from_share(0.25))}$"
    seen = [
        np.flatnonzero(mask(1, 6, size)[0]).tolist() for mask, size in ((m.sliding_window_mask, 3), (m.chunk_mask, 4))
    ]
    yield f"With a window of 3 it sees the keys {seen[0][0]}, {seen[0][1]} and {seen[0][2]}. With chunks of 4"
    yield f"so it sees {seen[1][0]} and {seen[1][1]}."
    halves = m.p_rope_frequencies(8, 0.5), m.p_rope_frequencies(4, 1)
    assert halves[0][2:].tolist() == [0, 0]
    yield f"| p-RoPE | {short(halves[0][0])} | {short(halves[0][1])} | 0"
    yield f"| partial RoPE | {short(halves[1][0])} | {short(halves[1][1])} | left out |"
    unit = [[[1.0, 0.0]]]
    score = m.decoupled_scores(unit, unit, unit, unit[0], [3], [1]).item()
    yield (
        f"$\\cos(3 - 1) = {tex(math.cos(2), 4)}$. The score is $(1 - {-math.cos(2):.4f})/\\sqrt{{2 + 2}} ="
        f" {tex(score, 4)}$"
    )
    kept = m.kept_tokens(9, 2, 3)
    yield (
        f"In the example by hand {len(kept)} of 9 tokens stay. If the keys move, the next token gets position"
        f" {len(kept)}"
    )
    yield f"| old position | {' | '.join(map(str, kept))} |"
    yield f"| new position | {' | '.join(map(str, range(len(kept))))} |"
    yield f"The offset of the last three is {short(2 - kept[2])}"
    blocks = (np.arange(6) // 4).tolist()
    yield f"np.arange(6) // 4 # {blocks}: the block of each position"
    yield f"np.ones((2, 5, 4))[..., None, :, :].shape # {np.ones((2, 5, 4))[..., None, :, :].shape}"

    factors = m.temperature([8190, 8191, 999_999])
    assert factors[0] == 1
    yield f"reaches 1 at $p = 8191$. The factor is {factors[1]:.2f} there, and {factors[2]:.2f} at position 999,999"
    scale = float(m.log_n_scale(32767, 2048))
    weights = [
        math.exp(10 * by) / (math.exp(10 * by) + keys - 1) for keys, by in ((2048, 1), (32768, 1), (32768, scale))
    ]
    yield f"Without the factor its weight is {weights[0]:.2f} among 2048 keys, and {weights[1]:.2f} among 32,768"
    yield (
        f"$\\ln 32768 / \\ln 2048 = {ratio(scale)}$, the lead becomes {10 * scale:.1f}, and the weight"
        f" {weights[2]:.2f}."
    )
    assert m.log_n_scale(2047, 2048) == 1
    yield (
        f"keeps 512 + 64 = {512 + 64} numbers per token and layer. With ordinary heads it would be 2 · 128 · 128 ="
        f" {2 * 128 * 128:,}"
    )
    often, once = zip(*(_moved_in_bfloat16(m, seed) for seed in range(8)), strict=True)
    assert 0.4 < np.mean(often) < 0.6
    yield "a bfloat16 key that moves 1,000 times by −1 ends up wrong by about half of its length"
    yield f"One move by −1,000 is wrong by {100 * np.mean(once):.1f} %"
    yield from _schedules()


def _moved_in_bfloat16(m: Any, seed: int) -> tuple[float, float]:
    """Relative errors of a key of 64 features that is moved 1,000 times by −1, and once by −1,000."""

    def rounded(x: np.ndarray) -> np.ndarray:
        bits = np.asarray(x, dtype=np.float32).view(np.uint32).astype(np.uint64)
        return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype(np.uint32).view(np.float32)

    key = rounded(np.random.default_rng(seed).normal(size=(1, 64)))
    exact = m.shift_keys(key.astype(np.float64), -1000)
    moved = key
    for _ in range(1000):
        moved = rounded(m.shift_keys(moved, -1))
    often, once = (
        float(np.linalg.norm(key_there - exact) / np.linalg.norm(exact))
        for key_there in (moved, rounded(m.shift_keys(key, -1000)))
    )
    return often, once


def _schedules() -> Sentences:
    """What the run of lesson 11 left. Its tables are compared in `test_modern_lab.py`."""
    rows, weights = layers.saved(), layers.weights_of_first_token(layers.saved_looks())
    copying, passkey, base_10 = "copy 3 back", "passkey", "copy 3 back, base 10"
    none, first, second, every = layers.SCHEDULES
    setting, seeds = layers.RUNS[copying].setting, len(layers.SEEDS)

    def scores(run: str, schedule: str, length: int) -> np.ndarray:
        return layers.accuracies(rows, run, schedule)[length]

    def mean(run: str, schedule: str, length: int) -> str:
        return f"{scores(run, schedule, length).mean():.2f}"

    def gain(run: str, before: str, after: str, length: int) -> measuring.Paired:
        return measuring.paired(scores(run, before, length), scores(run, after, length))

    assert seeds == 8
    yield f"trained on {setting.trained_length} tokens and tested on up to {setting.lengths[-1]}"
    yield f"A guess is right {100 / setting.vocabulary:.0f} % of the time. There are eight seeds"
    yield f"a difference is *clear* if $p \\le {CLEAR}$"
    for run in (copying, passkey):
        change = gain(run, every, first, 64)
        assert change.mean > 0 and change.p <= CLEAR and change.gained == 7
    yield f"clearly better than in every layer, in both tasks, with 7 of {seeds} seeds each"
    assert gain(copying, every, second, 64).p > CLEAR
    yield f"no better than RoPE in every layer ({mean(copying, second, 64)} and {mean(copying, every, 64)}),"
    worse = gain(passkey, second, every, 64)
    assert worse.gained == seeds and worse.p <= CLEAR
    both = f"({mean(passkey, second, 64)} and {mean(passkey, every, 64)})"
    yield f"in the passkey it is worse with all {seeds} seeds {both}"
    assert all(gain(run, every, first, length).p > CLEAR for run in (copying, passkey) for length in (20, 24))
    yield "At 20 and 24 tokens RoPE in the first layer and RoPE in every layer do not differ clearly"
    assert not any(
        (scores(run, schedule, 128) >= measuring.RELIABLE).any()
        for run in (copying, passkey)
        for schedule in layers.SCHEDULES
    )
    yield "At 128 tokens no schedule is reliable"
    yield (
        f"Every seed copies at least {math.floor(1000 * scores(copying, none, 16).min()) / 10:.1f} % right at 16 tokens"
    )
    yield f"At 20 tokens it has {mean(copying, none, 20)}, at 32 it has {mean(copying, none, 32)}"
    losses = [row for row in layers.saved_losses() if (row.run, row.schedule) == (copying, none)]
    late, last = (
        np.mean([row.loss for row in losses if row.step == step]) for step in (setting.steps - 500, setting.steps)
    )
    assert last < late / 2
    yield "Their loss was still falling when training ended"
    yield f"falls from {mean(copying, none, 16)} to {mean(layers.REPLACED, none, 16)}, nearly a guess"
    yield (
        f"Train without a start token: {mean(layers.NO_START, none, 16)} at 16 tokens, and"
        f" {mean(layers.NO_START, none, 128)} at 128"
    )
    yield f"token 0 gets {weights[:, 1].mean():.2f} at position 1 and {weights[:, 15].mean():.2f} at position 15"
    times = layers.times_the_others(weights)
    assert np.allclose(weights.mean(axis=0)[1:], times.mean() / (times.mean() + np.arange(1, 16)), atol=0.02)
    yield f"That is $c/(c+t)$ with $c$ = {times.mean():.1f}: token 0 counts as much as {times.mean():.1f} other tokens"
    three = "copy 3 back, three layers"
    change, order = gain(three, every, first, 64), gain(three, every, layers.BUT_LAST, 64)
    assert change.p > CLEAR and order.p > CLEAR and order.mean < 0
    yield (
        f"the first alone copies with {mean(three, first, 64)} at 64 tokens, every layer with {mean(three, every, 64)}"
        f" ({change.gained} of {seeds} seeds, p = {change.p:.3f}: not clear)"
    )
    yield f"in small, has {mean(three, layers.BUT_LAST, 64)}: in copying, leaving out the last layer gains nothing"
    assert measuring.paired(scores(copying, first, 64), scores(base_10, first, 64)).gained == seeds
    yield (
        f"RoPE in the first layer copies with {mean(base_10, first, 64)} at 64 tokens ({mean(copying, first, 64)} with"
        f" base 10,000; all {seeds} seeds gain). RoPE in every layer has {mean(base_10, every, 64)} there"
    )


def answers(m: Any) -> dict[str, Any]:
    counted = m.position_from_share(m.first_token_share(50))
    window, reached = m.sliding_window_mask(40, 40, 8), [np.eye(40, dtype=bool)]
    while not reached[-1][39, 39 - 30]:
        reached.append(window @ reached[-1])
    kept = m.kept_tokens(100, 4, 20)
    return {
        "rope_layers_of_36_with_interval_4": m.rope_layers(36, 4).sum(),
        "causal_attention_without_encoding_counts": np.allclose(counted, np.arange(50)),
        "share_of_first_token_at_position_9": m.first_token_share(10)[9],
        "p_rope_keeps_the_fastest_pair": m.p_rope_frequencies(64, 0.25)[0] == m.p_rope_frequencies(64, 1)[0],
        "layers_that_reach_30_back_with_a_window_of_8": len(reached) - 1,
        "keys_seen_at_position_9000_in_chunks_of_8192": m.chunk_mask(1, 9001, 8192).sum(),
        "offset_of_the_window_after_100_tokens": 4 - kept[4],
        "weight_left_beside_a_sink": float(m.sink_weights(np.zeros((1, 1, 1)), [math.log(3)]).sum().round(12)),
    }
