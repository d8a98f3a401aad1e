import numpy as np

from tests.grader.support.numbers_in_lessons_helpers import solution

m = solution("relative")
rows = np.array([[0.0, 2, 0, 0], [1, 0, 0, 0], [-1, 0, 0, 0]])
q, k = np.tile([2.0, 2, 0, 0], (3, 1)), np.tile([1.0, 1, 0, 0], (3, 1))
products, scores = q[0] @ rows.T, m.shaw_scores(q, k, rows, 1)


def bucket(distance: int, buckets: int = 8, most: int = 64) -> int:
    """Return T5's causal bucket for a key at a certain distance before the query."""
    return int(m.t5_bucket(np.array(-distance), False, buckets, most))


opens = [next(n for n in range(2000) if bucket(n) == number) for number in range(8)]
widths = np.diff(opens)
alone = next(n for n in range(128) if bucket(n + 1, 32, 128) == bucket(n, 32, 128))

# Transformer-XL and DeBERTa
xl = np.ones((2, 1)), np.array([[2.0], [3]]), np.array([[5.0], [0], [7]])
four = m.four_term_scores(*xl, [1], [10], 1)
deberta = np.sqrt(3) * m.disentangled_scores(*xl, np.array([[1.0], [0], [10]]), 1)

per_row, expected = np.array([[10, 11, 12], [20, 21, 22]]), np.array([[1, 2], [0, 1]])
logs = np.log(np.maximum([0, 3, 8], 4) / 4)

SENTENCES = r"""
$q \cdot k = «q[0] @ k[0]»$ everywhere
$q \cdot a_{-1} = «products[0]»$, $q \cdot a_0 = «products[1]»$, $q \cdot a_{+1} = «products[2]»$
| 0 | $(4 + 2)/2 = «scores[0, 0]»$ | $(4 - 2)/2 = «scores[0, 1]»$ | distance 2, clipped to 1: $(4 - 2)/2 =
    «scores[0, 2]»$ |
| 1 | $(4 + 4)/2 = «scores[1, 0]»$ | $(4 + 2)/2 = «scores[1, 1]»$ | $(4 - 2)/2 = «scores[1, 2]»$ |
the distances 0, 1, 2, 3 have buckets «[bucket(n) for n in range(4)]»
| 4 | «math.log2(4 / 4)» | «bucket(4)» |
| 7 | «math.log2(7 / 4):.2f» | «bucket(7)» |
| 8 | «math.log2(8 / 4)» | «bucket(8)» |
| 16 | «math.log2(16 / 4)» | «bucket(16)» |
| 32 | «math.log2(32 / 4)» | «bucket(32)» |
| 1000 | «math.log2(1000 / 4):.2f» | $\min(7, «4 + int(math.log2(1000 / 4))») = «bucket(1000)»$ |
Buckets 5 and 6 are each twice as wide as the bucket before <== widths[5] == 2 * widths[4] == widths[6] / 2
The last bucket starts at «opens[7]» and never ends <== opens[7] == 64 / 2
In T5's causal buckets it sends the whole past to bucket 0 <== not m.t5_bucket(np.arange(1000), False).any()
T5's defaults, causal, are $N = B = 32$, $E = «alone»$ and $D = 128$ <== m.t5_bucket.__defaults__ == (True,
    32, 128)
distance 8 gives «repr(math.log(8 / 4) / math.log(128 / 4) * 5)» instead of 1
Query 0 and key 1 score $(1 + 1) \cdot 3 + (1 + 10) \cdot 7 = «four[0, 1]»$
Query 1 and key 0 score $(1 + 1) \cdot 2 + (1 + 10) \cdot 5 = «four[1, 0]»$
so they score $(3 + 7 + 3 \cdot 1)/\sqrt 3 = «deberta[0, 1]»/\sqrt 3$
$(2 + 5 + 2 \cdot 10)/\sqrt 3 = «deberta[1, 0]»/\sqrt 3$
np.arange(2)[:, None] - np.arange(3) # «str((np.arange(2)[:, None] - np.arange(3)).tolist())»: shape (2, 3)
np.take_along_axis(per_row, rows, axis=-1) # «str(np.take_along_axis(per_row, expected, axis=-1).tolist())»
np.log(np.maximum(n, 4) / 4) # [0, 0, «logs[2]:.3f»] <== not logs[:2].any()
np.moveaxis(np.zeros((5, 6, 2)), -1, 0).shape # «str(np.moveaxis(np.zeros((5, 6, 2)), -1, 0).shape)»
"""

behind, ahead = m.t5_bucket(np.array([-10_000, -5000, -129])), m.t5_bucket(np.array([129, 5000, 10_000]))
ANSWERS = {
    "shaw_rows_for_k_16": 1 + m.clip_positions(np.array(99), 16) - m.clip_positions(np.array(-99), 16),
    "t5_bucket_of_minus_1_bidirectional": m.t5_bucket(np.array(-1)),
    "t5_bucket_of_plus_1_bidirectional": m.t5_bucket(np.array(1)),
    "t5_distances_beyond_128_differ": len(set(behind)) > 1 or len(set(ahead)) > 1,
    "shaw_numbers_for_k_16_d_64": 2 * 33 * 64,
    "last_bucket_starts_at": next(n for n in range(64) if bucket(n, 16, 64) == 15),
    "q_start_with_7_cached_tokens": next(n for n in range(9) if m.relative_positions(1, 8, n)[0, -1] == 0),
}
