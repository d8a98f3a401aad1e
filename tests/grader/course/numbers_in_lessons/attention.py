import itertools
import math

import numpy as np

from tests.grader.support.numbers_in_lessons_helpers import SOME, solution, weight

m = solution("attention")
rng = np.random.default_rng(0)
products = (rng.normal(size=(20000, 64)) * rng.normal(size=(20000, 64))).sum(axis=1)

x, order, ln2, one = np.array([[1.0], [0], [2]]), [2, 0, 1], np.array([[math.log(2)]]), np.ones((1, 1))
weights, out, bag = (
    m.attention_weights(x * ln2, x),
    m.self_attention(x, ln2, one, one),
    m.bag_of_tokens(x, ln2, one, one),
)
moved = m.permute_tokens(x, order)
pair = np.arange(1.0, 9).reshape(2, 4)
heads = m.split_heads(pair, 2)


def row_by_hand(i: int) -> str:
    """Return a row of the lesson's table, with all shares over a common denominator."""
    powers = [round(2 ** (x[i, 0] * value)) for value in x[:, 0]]
    below = sum(powers)
    assert np.allclose(weights[i], np.divide(powers, below)) and math.isclose(out[i, 0], powers @ x[:, 0] / below)
    shares = ", ".join(f"{power}/{below}" for power in powers)
    terms = " + ".join(f"{power * value:g}" for power, value in zip(powers, x[:, 0], strict=True))
    return f"| $x_{i} = {x[i, 0]:g}$ | {', '.join(map(str, powers))} | {shares} | $({terms})/{below} = "


# Statements in the lesson about permutations, single heads and masks.
rows, (w_q, w_k, w_v) = rng.normal(size=(5, 4)), rng.normal(size=(3, 4, 4))
for shuffled in itertools.permutations(range(5)):
    assert m.equivariance_gap(rows, w_q, w_k, w_v, shuffled) < 1e-12
    assert np.allclose(m.bag_of_tokens(rows[list(shuffled)], w_q, w_k, w_v), m.bag_of_tokens(rows, w_q, w_k, w_v))
merged = m.merge_heads(m.attention(*(m.split_heads(rows @ w, 2) for w in (w_q, w_k, w_v))))
assert np.allclose(merged[:, 2:], m.self_attention(rows, w_q[:, 2:], w_k[:, 2:], w_v[:, 2:]))
forbidden = np.zeros((1, 5), dtype=bool)
assert not m.attention_weights(rows[:1], rows, forbidden).any()
assert np.allclose(m.softmax(np.where(forbidden, rows[:1] @ rows.T, -1e9)), 1 / 5)


assert math.isclose(m.softmax(np.array([3.0, *[0.0] * 9]))[0], weight(3, 9))

SENTENCES = r"""
With $d = 64$ the sums are about ±«products.std():.0f». A score
A score that is higher by 8 has a weight $e^8 \approx «math.exp(8):.0f»$ times as large
$e^{1000}$ overflows <== math.log(np.finfo(float).max) < 1000
$x = «point(x[:, 0])»$
for keys «x[:, 0]»
«row_by_hand(0)»«out[0, 0]:/»$ |
«row_by_hand(1)»«out[1, 0]:/»$ |
«row_by_hand(2)»«out[2, 0]:/»$ |
Now use the order $«point(order)»$: first the old row 2, then row 0, then row 1. So $x' = «point(moved[:,
    0])»$
The first row of the weights becomes «m.attention_weights(moved * ln2, moved)[0]:/»
and the outputs are $(«m.self_attention(moved, ln2, one, one)[:, 0]:/»)$
\tfrac{29}{21} \approx «bag:.3f»$ in both orders <== np.allclose([bag, m.bag_of_tokens(moved, ln2, one, one)],
    29 / 21)
With $a = 3$ this is «weight(3, 9):.2f» for $n = 10$ and «weight(3, 999):.2f» for $n = 1000$
Tokens $«point(pair[0])»$ and $«point(pair[1])»$, two heads
head 0 gets the rows $«point(heads[0, 0])»$ and $«point(heads[0, 1])»$, head 1 gets $«point(heads[1, 0])»$ and
    $«point(heads[1, 1])»$ <== np.array_equal(m.merge_heads(heads), pair)
"""

w_q, w_k, w_v = np.random.default_rng(1).normal(size=(3, 4, 4))
there, back = (m.attention_weights(rows @ w_q, rows @ w_k) for rows in (SOME[:3], SOME[[2, 1, 0]]))
ANSWERS = {
    "causal_mask_keeps_equivariance": m.equivariance_gap(SOME, w_q, w_k, w_v, [1, 0, 2, 3, 5, 4], m.causal_mask(6))
    < 1e-9,
    "same_attention_scores_dog_bites_man": np.allclose(there, back[::-1, ::-1]),
    "weight_with_a_lead_of_7_among_1024": weight(7, 1023),
}
