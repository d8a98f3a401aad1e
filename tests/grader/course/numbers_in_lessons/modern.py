import math

import numpy as np

from assignments import experiments
from assignments.modern import lab
from tests.grader.support.numbers_in_lessons_helpers import CLEAR, bfloat16, mean_of, solution

m = solution("modern")


def slowest(tokens: int, base: float = 10000.0) -> float:
    """Return the rotation angle of the slowest pair in a head of 128 features."""
    return tokens * float(m.p_rope_frequencies(128, 1, base)[-1])


def error(moves: int, by: int) -> float:
    """Return the relative error of eight keys with 64 features after several moves in bfloat16."""
    keys = bfloat16(np.random.default_rng(0).normal(size=(8, 64)))
    exact, moved = m.shift_keys(keys.astype(np.float64), moves * by), keys
    for _ in range(moves):
        moved = bfloat16(m.shift_keys(moved, by))
    return float((np.linalg.norm(moved - exact, axis=1) / np.linalg.norm(exact, axis=1)).mean())


w, c, q = np.array([[2.0, 0], [0, 1]]), np.ones(2), np.array([1.0, 3])
left = m.sink_weights(np.zeros((1, 1, 2)), [0.0])[0, 0]
bases, kept = m.layer_bases(6, 6), m.kept_tokens(9, 2, 3)
p_rope, partial = m.p_rope_frequencies(8, 0.5), m.p_rope_frequencies(4, 1)
unit = [[[1.0, 0.0]]]
warm = m.temperature([8190, 8191, 999_999])
scale = float(m.log_n_scale(32767, 2048))
of_llama_3_1 = solution("context_extension").llama3_frequencies(128, 500000.0, 8.0, trained_len=8192)

# Measured in experiments
rows, weights = lab.saved(), lab.weights_of_first_token(lab.saved_looks())
times = lab.times_the_others(weights)
copying, passkey, base_10, three = "copy 3 back", "passkey", "copy 3 back, base 10", "copy 3 back, three layers"
none, first, second, every = lab.SCHEDULES
setting = lab.RUNS[copying].setting
losses = [row for row in lab.saved_losses() if (row.run, row.schedule) == (copying, none)]
late, last = (np.mean([row.loss for row in losses if row.step == setting.steps - before]) for before in (500, 0))


def scores(run: str, schedule: str, length: int) -> np.ndarray:
    return lab.accuracies(rows, run, schedule)[length]


mean = mean_of(scores)


def gain(run: str, before: str, after: str, length: int = 64) -> experiments.Paired:
    return experiments.paired(scores(run, before, length), scores(run, after, length))


def clear(gained: int, change: experiments.Paired) -> bool:
    return change.gained == gained and change.p <= CLEAR


def out(run: str, steps: int = 1000) -> str:
    return lab.taken_out(run, steps)


at_once = experiments.paired(scores(passkey, every, 64), scores(out(passkey, 0), first, 64))
later = gain(out(copying), every, first)
of_three, of_10 = gain(three, every, first), gain(base_10, every, first)

SENTENCES = r"""
«lab.summary(rows)»
«lab.taken_out_table(rows)»
Over 4,096 tokens it rotates by «slowest(4096):.2f» radians. Over 131,072 tokens it rotates by
    «slowest(131072):.1f», more than two circles <== 2 < slowest(131072) / (2 * math.pi) < 3
with 500,000 (Llama 3) «slowest(131072):.1f» becomes «slowest(131072, 5e5):.2f», and Llama 3.1 divides
    this by 8. <== np.isclose(of_llama_3_1[-1] * 8, m.p_rope_frequencies(128, 1, 5e5)[-1])
$Wc = (2, 1)$, and $q \cdot (2, 1) = «q @ (w @ c)»$. <== (w @ c).tolist() == [2, 1]
$W^\top q = (2, 3)$, and $(2, 3) \cdot c = «(w.T @ q) @ c»$ <== (w.T @ q).tolist() == [2, 3]
= «left[0]:/»$; the weights sum to «left.sum():/»
five local layers with base «bases[0]:,.0f» and then one global layer with base «bases[5]:,.0f» <==
    np.flatnonzero(bases == 1e6).tolist() == [5]
In general the output at position $t$ is $v_0/(t+1)$ <== len(set(m.first_token_share(600).tolist())) == 600
the weight 0.25 means position $1/0.25 - 1 = «m.position_from_share(0.25)»$
With a window of 3 it sees the keys 3, 4 and 5. <== m.sliding_window_mask(1, 6, 3).tolist() == [[False] * 3 +
    [True] * 3]
With chunks of 4 the blocks are 0 … 3 and 4 … 7, so it sees 4 and 5. <== m.chunk_mask(1, 6, 4).tolist() ==
    [[False] * 4 + [True] * 2]
| p-RoPE | «p_rope[:2]» | 0 <== p_rope[2:].tolist() == [0, 0]
| partial RoPE | «partial» | left out |
$\cos(3 - 1) = «math.cos(2):.4f»$. The score is $(1 - «-math.cos(2):.4f»)/\sqrt{2 + 2} =
    «m.decoupled_scores(unit, unit, unit, unit[0], [3], [1]).item():.4f»$
In the example by hand «len(kept)» keys are kept. If they move, the next token gets position «len(kept)»; if
    they keep their positions, it gets «kept[-1] + 1»
| old position | «kept» |
| new position | «list(range(len(kept)))» |
The offset of the last three keys is «2 - kept[2]»
np.arange(6) // 4 # «str((np.arange(6) // 4).tolist())»: the block of each position
np.ones((2, 5, 4))[..., None, :, :].shape # «str(np.ones((2, 5, 4))[..., None, :, :].shape)»
reaches 1 at $p = 8191$: there the factor becomes «warm[1]:.2f». At position 999,999 it is «warm[2]:.2f» <==
    warm[0] == 1
Without the factor its weight is «weight(10, 2047):.2f» among 2048 keys, and «weight(10, 32767):.2f» among
    32,768 <== m.log_n_scale(2047, 2048) == 1
$\ln 32768 / \ln 2048 = «scale:/»$, the lead becomes «10 * scale:.1f», and the weight «weight(10 * scale,
    32767):.2f».
«512 + 64» numbers per token and layer. Keys and values of 128 numbers per head would be 2 · 128 · 128 = «2 *
    128 * 128:,»
after 1,000 moves by −1 a key is wrong by about half of its length <== 0.4 < error(1000, -1) < 0.6
After one move by −1,000 it is wrong by «100 * error(1, -1000):.1f» %
trained on «setting.trained_length» tokens and tested on up to «setting.lengths[-1]»
A guess is right «100 / setting.vocabulary:.0f» % of the time. <== len(lab.SEEDS) == 8
At 64 tokens RoPE in the first layer alone is clearly better than in every layer, in both tasks, with 7 of 8 seeds <==
    clear(7, gain(copying, every, first)) and clear(7, gain(passkey, every, first))
as poor as RoPE in every layer («mean(copying, second, 64):.2f» and «mean(copying, every, 64):.2f»). <==
    gain(copying, every, second).p > CLEAR
In the passkey it is worse with each of the 8 seeds («mean(passkey, second, 64):.2f» against «mean(passkey,
    every, 64):.2f») <== clear(8, gain(passkey, second, every))
Every seed copies at least «math.floor(1000 * scores(copying, none, 16).min()) / 10» % right at 16 tokens
the mean is «mean(copying, none, 20):.2f» at 20 tokens and «mean(copying, none, 32):.2f» at 32
with base 10, RoPE in the first layer alone again copies better than in every layer («mean(base_10, first,
    64):.2f» against «mean(base_10, every, 64):.2f» at 64 tokens, «of_10.gained» of 8 seeds; «mean(base_10, first,
    128):.2f» against «mean(base_10, every, 128):.2f» at 128). <== of_10.p <= CLEAR
With three layers the difference is not clear («mean(three, first, 64):.2f» against «mean(three, every,
    64):.2f», p = «of_three.p:.3f»), and RoPE in all but the last layer reaches only «mean(three,
    lab.BUT_LAST, 64):.2f» <== of_three.p > CLEAR
At 128 tokens all others are below 0.5. <== max(
    scores(run, one, 128).mean() for run, one in {row[:2] for row in rows} - {(base_10, first)}) < 0.5
falls from «mean(copying, none, 16):.2f» to «mean(lab.REPLACED, none, 16):.2f». Models that are trained
    without a start token reach «mean(lab.NO_START, none, 16):.2f».
our models cannot copy even at their trained length: «mean(out(copying), none, 16):.2f» after 1,000 steps. In
    the passkey they are no better
    than models that never had RoPE («mean(out(passkey), none, 64):.2f» and «mean(passkey, none, 64):.2f» at
    64 tokens) <== experiments.paired(scores(passkey, none, 64), scores(out(passkey), none, 64)).p > CLEAR
In the passkey this needs no step («mean(out(passkey, 0), first, 64):.2f» instead of «mean(passkey, every,
    64):.2f»; «at_once.gained» of 8 seeds gain, p = «at_once.p:.3f»)
after 1,000 the accuracy is «mean(out(copying), first, 64):.2f», and «mean(out(copying), every, 64):.2f»
    with RoPE in both layers («later.gained» of 8 seeds, p = «later.p:.3f») <== later.p <= CLEAR
The loss of our models was still falling: <== last < late / 2
the first training had «setting.steps:,» <== lab.RUNS[out(copying)].setting.steps == 1000
the first layer gives it the weight «weights[:, 1].mean():.2f» at position 1 and «weights[:, 15].mean():.2f»
    at position 15
That is about $c/(c+t)$ with $c$ = «times.mean():.1f», and $t$ can be read from it <==
    np.allclose(weights.mean(axis=0)[1:], times.mean() / (times.mean() + np.arange(1, 16)), atol=0.02)
"""

window, reached = m.sliding_window_mask(40, 40, 8), [np.eye(40, dtype=bool)]
while not reached[-1][39, 39 - 30]:
    reached.append(window @ reached[-1])
ANSWERS = {
    "rope_layers_of_36_with_interval_4": m.rope_layers(36, 4).sum(),
    "causal_attention_without_encoding_counts": np.allclose(
        m.position_from_share(m.first_token_share(50)), np.arange(50)
    ),
    "share_of_first_token_at_position_9": m.first_token_share(10)[9],
    "p_rope_keeps_the_fastest_pair": m.p_rope_frequencies(64, 0.25)[0] == m.p_rope_frequencies(64, 1)[0],
    "layers_that_reach_30_back_with_a_window_of_8": len(reached) - 1,
    "keys_seen_at_position_9000_in_chunks_of_8192": m.chunk_mask(1, 9001, 8192).sum(),
    "offset_of_the_window_after_100_tokens": 4 - m.kept_tokens(100, 4, 20)[4],
    "weight_left_beside_a_sink": m.sink_weights(np.zeros((1, 1, 1)), [math.log(3)]).sum(),
}
