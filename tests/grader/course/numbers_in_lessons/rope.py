import itertools
import math

import numpy as np

from tests.grader.support.numbers_in_lessons_helpers import SOME, point, solution

m = solution("rope")
theta = m.rope_frequencies(128)


def rotated(row: np.ndarray, position: float) -> np.ndarray:
    return np.asarray(m.apply_rope([row], [position])[0])


def mixed(x: np.ndarray, position: float) -> np.ndarray:
    """Rotate halves with the frequencies of neighbouring pairs, a mixture that matches neither layout."""
    angles = np.repeat(position * m.rope_frequencies(4), 2)
    return np.asarray(x * np.cos(angles) + m.rotate_half(x) * np.sin(angles))


# One pair, both layouts, and a mixture of both layouts
q, k = np.array([2.0, 1]), np.array([1.0, 3])
q2, k3, q7, k8 = rotated(q, 2), rotated(k, 3), rotated(q, 7), rotated(k, 8)
by_hand, one = (q2 * k3).round(4), np.array([1.0, 0, 0, 0])
neighbours = ((0, 1), (1, 2), (10, 11))
right = [rotated(one, p) @ rotated(one, n) for p, n in neighbours]
mixture = [mixed(one, p) @ mixed(one, n) for p, n in neighbours]
against = [rotated(q, place) @ rotated(k, place - 7) for place in (3, 5, 20)]
six = np.random.default_rng(0).normal(size=(2, 6))
orders = [
    order
    for order in map(list, itertools.permutations(range(6)))
    if np.allclose(m.apply_rope_half(six[:, order], [3, 10]), m.apply_rope(six, [3, 10])[:, order])
]
halves_differ = [
    not np.array_equal(m.interleaved_to_half(np.arange(d)), m.half_to_interleaved(np.arange(d))) for d in (4, 6)
]

# Two tokens and two heads, processed together and token by token
x, eye = np.array([[1.0, 0, 2, 0], [0, 1, 0, 1]]), np.eye(4)
out = m.rope_attention(x, eye, eye, eye, 2)
score_0, score_1 = (m.rope_scores(x[1:, h : h + 2], x[:, h : h + 2], [1], [0, 1])[0] for h in (0, 2))
weight_0, weight_1 = (np.exp(scores) / np.exp(scores).sum() for scores in (score_0, score_1))
first, before_k, before_v = m.decode_step(x[:1], eye, eye, eye, 2, np.zeros((2, 0, 2)), np.zeros((2, 0, 2)), 0)
second, after_k, after_v = m.decode_step(x[1:], eye, eye, eye, 2, before_k, before_v, 1)
assert np.allclose([first[0], second[0]], out) and before_k.tolist() == [[[1, 0]], [[2, 0]]]
key_1 = point(after_k[0, 1].round(4), "[]")


def layouts_agree(query: float, key: float) -> bool:
    """Return True if both layouts give a query and a key the same score at these positions."""
    (a,), (b,) = ([[1.0, 2, 3, 4]], [[4.0, 3, 2, 1]])
    found = [rotate([a], [query])[0] @ rotate([b], [key])[0] for rotate in (m.apply_rope, m.apply_rope_half)]
    return bool(np.isclose(*found))


def with_rotated_values(shift: int, back: bool) -> np.ndarray:
    """Return attention output with rotated values and shifted positions, optionally rotated back."""
    positions = np.arange(len(SOME)) + shift
    scores = m.rope_scores(SOME, SOME[::-1], positions, positions)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    outputs = weights @ m.apply_rope(SOME, positions)
    return np.asarray(m.apply_rope(outputs, -positions) if back else outputs)


moved, kept_still = (
    np.abs(with_rotated_values(5, back) - with_rotated_values(0, back)).max() for back in (False, True)
)

turned, half_turned = (rotate([one], [1])[0] for rotate in (m.apply_rope, m.apply_rope_half))

# The bound decreases with distance, but scores may increase.
bound = m.decay_bound(np.arange(8193), 128)
row = np.random.default_rng(0).normal(size=(1, 128))
scores_of_50 = m.rope_scores(row, np.repeat(m.apply_rope(row, [50]), 400, axis=0), [0], -np.arange(400))[0]


def is_bounded(offset: int) -> bool:
    """Return True if |(R_m q)·(R_n k)| ≤ max |h_{l+1} − h_l| · Σ |S_j|, a bound that follows from summation by
    parts."""
    q, k = np.random.default_rng(offset).normal(size=(2, 16))
    h = np.append((q[0::2] + 1j * q[1::2]) * (k[0::2] - 1j * k[1::2]), 0)
    sums = np.cumsum(np.exp(1j * offset * m.rope_frequencies(16)))
    product = m.rope_scores([q], [k], [offset], [0])[0, 0] * 4
    assert math.isclose(product, -(np.diff(h) * sums).sum().real)
    assert math.isclose(m.decay_bound(offset, 16), np.abs(sums).mean())
    return bool(abs(product) <= np.abs(np.diff(h)).max() * np.abs(sums).sum())


SENTENCES = r"""
For every base above 1, pair 0 is the fastest <== all(m.rope_frequencies(64, base).argmax() == 0 for base in
    (1.5, 100.0, 5e5))
- \sin 2, 2 \sin 2 + \cos 2)$ $= («q2:.4f»)$
- 3 \sin 3, \sin 3 + 3 \cos 3)$ $= («k3:.4f»)$
dot product: $«by_hand[0]» - «-by_hand[1]» = «q2 @ k3:.4f»$ <== math.isclose(by_hand.sum(), (q2 @
    k3).round(4))
score, divided by $\sqrt 2$: $«m.rope_scores([q], [k], [2], [3])[0, 0]:.4f»$
$R_7 q = («q7:.4f»)$ and $R_8 k = («k8:.4f»)$. Both arrows are new, but the dot product is again $«q7 @
    k8:.4f»$
$q_0 k_0 + q_1 k_1 = «q @ k»$ and $q_1 k_0 - q_0 k_1 = «q[1] * k[0] - q[0] * k[1]»$
Query at 3, key at 2: now $\varphi = -1$, and we get $5 \cos 1 + 5 \sin 1 = «rotated(q, 3) @ rotated(k,
    2):.4f»$
With $i/d$ the slowest pair of a head of 128 would rotate «10000 ** (-63 / 128) / theta[63]:.0f» times too
    fast
stores the positions 0 … 4095 as only «len(set(bfloat16(np.arange(4096.0))))» different numbers
$\theta_1 = 10000^{-2/64} = «m.rope_frequencies(64)[1]:.3f»$, not $10000^{-2/256} =
    «m.rope_frequencies(256)[1]:.3f»$
The layouts differ by a fixed order: even features first, then odd features <== orders == [[0, 2, 4, 1, 3,
    5]]
For $d = 4$ both functions do the same, for $d = 6$ they differ <== halves_differ == [False, True]
Test: applied twice, it gives $-x$ <== np.array_equal(m.rotate_half(m.rotate_half(six)), -six)
With $\theta = («m.rope_frequencies(4)»)$ the vector $(1, 0, 0, 0)$ at position 11 gets the length
    «np.linalg.norm(mixed(one, 11)):.2f» instead of 1 <== np.allclose(mixed(one, 11), [math.cos(11), 0,
    math.sin(0.11), 0])
have the dot product «right[0]:.4f» at the positions 0 and 1, but «mixture[1]:.4f» at 1 and 2 <==
    math.isclose(mixture[0], right[0])
from $(0, 1)$ to $(-\sin 1, \cos 1) = («rotated(x[1, :2], 1):.4f»)$
| head 0 | $-0.8415/\sqrt 2 = «score_0[0]:.4f»$ | $1/\sqrt 2 = «score_0[1]:.4f»$ | «weight_0[0]:.4f»,
    «weight_0[1]:.4f» | $(«out[1, 0]:.4f», «out[1, 1]:.4f»)$ |
| head 1 | $-1.6829/\sqrt 2 = «score_1[0]:.4f»$ | $1/\sqrt 2 = «score_1[1]:.4f»$ | «weight_1[0]:.4f»,
    «weight_1[1]:.4f» | $(«out[1, 2]:.4f», «out[1, 3]:.4f»)$ |
row 1 of the result is $(«out[1]:.4f»)$
so it is $«point(out[0])»$
For $T = 1000$ tokens the program computes 1,000 keys instead of «1000 * 1001 // 2:,»
cache_k before: [[[1, 0]], [[2, 0]]]
cache_k after: [[[1, 0], «key_1»], [[2, 0], «key_1»]] <== np.allclose(after_k[:, 1], after_k[0, 1])
cache_v after: [[[1, 0], [0, 1]], [[2, 0], [0, 1]]] <== after_v.tolist() == [[[1, 0], [0, 1]], [[2, 0], [0,
    1]]]
out: [[«second[0]:.4f»]]
A dot product is never larger than a constant times this mean <== all(map(is_bounded, (0, 1, 19, 300)))
np.cumsum([1, 1j, -1]) # [1, 1+1j, 1j] <== np.cumsum([1, 1j, -1]).tolist() == [1, 1 + 1j, 1j]
it is «bound[0]:.1f» at offset 0, «bound[100]:.1f» at 100 and «bound[1000]:.1f» at 1000, but
    «m.decay_bound(113028, 128):.1f» at 113028 <== (np.diff(bound) > 0).any()
the key $k = R_{50} q$ has its highest score exactly 50 positions back <== scores_of_50.argmax() == 50
In a training text of 4096 tokens the angles of pair 63 (head of 128) reach «4095 * theta[63]:.2f» radians
(in opposite directions the score would depend on $m + n$) <== np.allclose(against, against[0])
| $(1, 0, 0, 0)$ at position 1 | $(«turned[0]:.2f», «turned[1]:.2f», 0, 0)$, not $(«half_turned[0]:.2f», 0,
    «half_turned[2]:.2f», 0)$ | <== np.allclose(half_turned[[1, 3]], 0)
| query and key at the same position | the same score as the model's | <== layouts_agree(5, 5)
| the key one position later | another score | <== not layouts_agree(5, 6)
and only $j - i$ remains <== kept_still < 1e-12 and moved > 0.1
"""

places = np.arange(6)
scores, shifted = (m.rope_scores(SOME, SOME, where, where) for where in (places, places + 5))
weights = np.random.default_rng(1).normal(size=(3, 4, 4))
alone = m.rope_attention(SOME[:1], *weights, n_heads=1, positions=[7])
score_1_3, score_3_5 = (m.rope_scores(SOME[:1], SOME[1:2], [at], [at + 2])[0, 0] for at in (1, 3))
in_halves = m.apply_rope_half(m.interleaved_to_half(SOME), places)
cache = m.decode_step(np.ones((1, 2)), *np.zeros((3, 2, 1024)), 8, np.zeros((8, 0, 128)), np.zeros((8, 0, 128)), 0)[1:]
ANSWERS = {
    "score_change_when_all_shift_by_5": np.abs(shifted - scores).max().round(9),
    "rotates_values": not np.allclose(alone, SOME[:1] @ weights[2]),
    "extra_parameters": 0,
    "score_m1_n3_equals_m3_n5": math.isclose(score_1_3, score_3_5),
    "half_layout_is_a_bug": not np.allclose(m.interleaved_to_half(m.apply_rope(SOME, places)), in_halves),
    # A single pair has θ = 1, so multiplying positions by π/4 gives an angle of π/4 per position.
    "score_at_half_a_rotation": m.rope_scores([[1, 0]], [[1, 0]], [10 * math.pi / 4], [14 * math.pi / 4])[0, 0],
    "last_pair_with_a_full_rotation_in_8192": np.flatnonzero(8192 * theta >= 2 * math.pi)[-1],
    "numbers_in_the_cache_at_8192": 32 * 8192 * sum(one.size for one in cache),
}
