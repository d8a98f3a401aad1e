import numpy as np

from tests.grader.support.numbers_in_lessons_helpers import solution

m = solution("alibi")
in_the_last = solution("relative").t5_bucket(-np.arange(10_000), bidirectional=False) == 31
starts = np.argmax(in_the_last)
two, three, four, bloom = (m.alibi_slopes(n) for n in (2, 3, 4, 112))
bias = m.alibi_bias(4, 4, 4)[:, 3]
factors = np.exp(bias)
weights = factors / factors.sum(axis=1, keepdims=True)
bloom_row = m.bloom_bias(4, 4)[0, 0]
windows = [m.effective_window(slope, 0.01) for slope in four]
of_6 = 2.0 ** (-8 * np.arange(1, 7) / 6)

SENTENCES = r"""
"«starts» to 511 tokens back" (with 32 causal buckets)
means "«starts» to 9,999 tokens back".
For the last token «100 * in_the_last.mean():.0f» % of all keys are in this bucket
With four heads the slopes are «four[:3]:/» and «four[3]:/»: each head looks four times as far
For $m = 1/4$ this number is «math.exp(-four[0]):.3f» at distance 1, «math.exp(-four[0] * 2):.3f» at distance
    2, and «math.exp(-four[0] * 20):.3f» at distance 20
Four heads. The first slope is $2^{-8/4} = «four[0]:/»$
| bias | «bias[0]» |
| $e^{\text{bias}}$ | «factors[0, :3]:.4f» | «factors[0, 3]» |
divided by the sum «factors[0].sum():.4f» | «weights[0, 0]:.3f» | «weights[0, 1]:.3f» | «weights[0, 2]:.3f» |
In the last head, with slope «four[3]:/», the weights are nearly equal: «weights[3]:.4f»
The biases of the first head are «bloom_row»
Each is larger by «-bias[0, 0]» than the bias in the table <== np.allclose(bloom_row - bias[0], -bias[0, 0])
So all four exponentials are $e^{«-bias[0, 0]»}$ times larger
means $r = \ln 100 / m = «math.log(100):.3f» / m$. For slope «four[0]:/» this is «math.log(100) * 4:.1f», so
    the first distance is «windows[0]»
For «four[1]:/», «four[2]:/» and «four[3]:/» it is «windows[1]», «windows[2]» and «windows[3]»
Two heads get the slopes for two heads: «two[0]:/» and «two[1]:/»
from the list for four heads: «four:/»
So the slopes are «three:/», in this order
112 heads, so 64 slopes and then «len(bloom) - 64» from the list for 128 heads <== np.array_equal(bloom[:64],
    m.alibi_slopes(64)) and set(bloom[64:]) <= set(m.alibi_slopes(128))
for 6 heads it gives «of_6[:2]:.3f», «of_6[2]», … <== not np.allclose(np.sort(of_6),
    np.sort(m.alibi_slopes(6)))
"""

alike = m.alibi_attention(np.zeros((8, 3, 1)), np.zeros((8, 3, 1)), np.broadcast_to(np.eye(3), (8, 3, 3)))[0, -1]
ANSWERS = {
    "first_slope_8_heads": m.alibi_slopes(8)[0],
    "last_slope_8_heads": m.alibi_slopes(8)[-1],
    "added_to_embeddings": False,
    "parameters": 0,
    "weight_ratio_of_neighbours_slope_one_half": alike[0] / alike[1],
    "steepest_slope_of_12_heads": m.alibi_slopes(12).max(),
}
