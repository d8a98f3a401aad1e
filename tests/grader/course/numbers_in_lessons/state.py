import math

import numpy as np

from assignments import experiments
from assignments.extrapolation import lab_results
from assignments.state import lab
from tests.grader.support.numbers_in_lessons_helpers import point, solution

m = solution("state")

# Calculated by hand
keys, values, gates = np.array([[1.0, 0], [0, 1], [1, 0]]), np.array([[4.0], [2], [6]]), np.array([1, 0.5, 1])
queries, log_f = np.tile([1.0, 0], (3, 1)), np.log(gates)
added = mended = np.zeros((2, 1))
steps = []
for t in range(3):
    out, added = m.linear_step(added, queries[t], keys[t], values[t], log_f[t])
    mended = m.delta_step(mended, keys[t], values[t], 1.0, log_f[t])
    steps.append(f"{point(keys[t])} | {values[t, 0]:g} | {point(added[:, 0])} | {out[0]:g} | {point(mended[:, 0])}")
outputs = m.linear_attention(queries, keys, values, log_f)[:, 0]
_, left = m.linear_chunks(queries[:2], keys[:2], values[:2], log_f[:2], 2)
second = queries[2:], keys[2:], values[2:], log_f[2:], 2
last, alone = m.linear_chunks(*second, left)[0].item(), m.linear_chunks(*second)[0].item()
shares = m.forgetting_attention(np.zeros((3, 1)), np.zeros((3, 1)), np.eye(3), log_f)[-1]
_, doubled = m.linear_chunks(queries[:2], keys[[0, 0]], [[4.0], [6.0]], np.zeros(2), 1)
k, v, q = np.array([1.0, 2]), np.array([4.0, 5]), np.array([3.0, 1])
decay = ["(" + ", ".join({0.5: "1/2"}.get(value, f"{value:g}") for value in row) + ")" for row in m.decay_matrix(log_f)]
cache, kept = m.cache_and_state(32768, 16, 64, 128)

# Order of tokens
some_q, some_k, some_v = np.random.default_rng(0).normal(size=(3, 5, 4))
shuffled = [2, 0, 3, 1, 4]


def order_matters(gates: np.ndarray) -> bool:
    ends = [m.linear_attention(some_q[o], some_k[o], some_v[o], gates)[-1] for o in (slice(None), shuffled)]
    return not np.allclose(*ends)


def written_in(order: list[int]) -> np.ndarray:
    """Return the final state of the delta rule after it has written tokens in a certain order."""
    end = np.zeros((4, 4))
    for t in order:
        end = m.delta_step(end, some_k[t] / np.linalg.norm(some_k[t]), some_v[t], 1.0, 0.0)
    return end


factors = (some_q @ some_k.T) * m.decay_matrix(np.full(5, -0.1))

# Measured in experiments at eight times the trained length
rows, memories = [*lab.saved(), *lab.of_lesson_9()], lab.saved_memories()
far, rare = lab.Setting.lengths[-1], lab.LONG


def scores(task: str, method: str) -> np.ndarray:
    if method == "none" and task in lab.BACK:
        return lab_results.by_length(lab_results.saved(), task, "none")[far]
    return lab.accuracies(rows, task, method)[far]


def means(task: str) -> list[float]:
    return [scores(task, method).mean() for method in ("gates", "alibi", "rope", "none")]


def recall(layer: str, writes: int = 1, keys: int = 16) -> float:
    return float(np.mean([r.accuracy for r in memories if (r.layer, r.writes, r.keys) == (layer, writes, keys)]))


def memory(layer: str) -> list[float]:
    return [recall(layer), recall(layer, writes=2), recall(layer, keys=32)]


def own(deltas: bool) -> float:
    """Write 16 keys to the state, and return the mean share of its own value that a key reads back."""
    keys, state = np.random.default_rng(0).normal(size=(16, 32)), np.zeros((32, 16))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    for key, value in zip(keys, np.eye(16), strict=True):
        state = m.delta_step(state, key, value, 1.0, 0.0) if deltas else m.linear_step(state, key, key, value, 0.0)[1]
    return float(np.trace(keys @ state)) / 16


def gate(kind: str) -> float:
    return float(np.mean([row.gate for row in lab.saved_gates() if (row.task, row.kind) == (lab.SENTENCES, kind)]))


behind, rare_behind = (
    experiments.paired(scores(task, "alibi"), scores(task, "gates")) for task in (lab.SENTENCES, rare)
)
alike = [experiments.paired(scores(task, lab.EQUAL), scores(task, "gates")).gained for task in (lab.SENTENCES, rare)]
slope = next(row.setting for row in lab.saved() if (row.task, row.method) == (rare, "alibi"))

# One step of the delta rule, and one step of gradient descent on |kᵀS − v|²/2
some_state, some_key, some_value = (np.random.default_rng(3).normal(size=size) for size in ((3, 2), 3, 2))
stepped = m.delta_step(some_state, some_key, some_value, 0.3, 0.0)
descended = some_state - 0.3 * np.outer(some_key, some_key @ some_state - some_value)

SENTENCES = r"""
| 0 | 1 | «steps[0]» | <== np.allclose(outputs, [4, 2, 8])
| 1 | 1/2 | «steps[1]» |
| 2 | 1 | «steps[2]» |
The rows of $D$ are «decay». The products $q \cdot k_j$ are «keys @ queries[0]»
So the last output is $\tfrac12 \cdot 1 \cdot 4 + 1 \cdot 0 \cdot 2 + 1 \cdot 1 \cdot 6 = «outputs[2]»$
The first chunk leaves the state «point(left[:, 0])». In the second chunk, token 2 gives «alone» and the state
    gives «last - alone»: together «last»
has the weights (1/2, 1, 1)/2.5 = «shares»
the query $q = k$ reads «doubled[0, 0]»
# rows 4 5 and 8 10 q = [3, 1] # the query's score is q · k = «q @ k» <== np.outer(k, v).tolist() == [[4, 5],
    [8, 10]]
= «point(q @ np.outer(k, v))»: the same
with the gates 0, 0, 1, 0, 1 the keys have the positions «m.cope_positions([[0.0, 0, 1, 0, 1]])[0]»
«m.half_life(math.log(0.9)):.2f» tokens for a gate of 0.9
a cache of 32,768 tokens is «cache // kept» times as large as the state <== cache % kept == 0
Here the factors can be negative and need not sum to 1 <== (factors < 0).any() and not
    np.allclose(factors.sum(axis=1), 1)
trained on «lab.Setting.trained_length» tokens <== far == 8 * lab.Setting.trained_length
Accuracy at «far» tokens <== len(lab.SEEDS) == 8
20 % of the tokens are marks; in the last row 7 % <== list(lab.MARK_SHARE.values()) == [0.2, 0.07]
| copy 3 back | «means("copy 3 back"):.2f» |
| copy 1 back | «means("copy 1 back"):.2f» |
| name of the sentence | «means(lab.SENTENCES):.2f» |
| name of the sentence, rare marks | «means(rare):.2f» |
Like ALiBi, the gates of this model cannot copy 3 back <== max(scores("copy 3 back", method).max() for method
    in ("gates", "alibi")) < 0.3
The mean gate is «gate("name"):.2f» there, and «gate("other"):.2f» at ordinary tokens
*Control:* give every token the mean gate. The accuracy falls in all 8 seeds, to «scores(lab.SENTENCES,
    lab.EQUAL).mean():.2f»; with rare marks to «scores(rare, lab.EQUAL).mean():.2f» <== alike == [8, 8]
With short sentences gates gain only «behind.mean:.3f» («behind.gained» of 8 seeds, p = «behind.p:.3f»)
**With long sentences ALiBi is behind** by «rare_behind.mean:.2f», even with its best slope, «slope:/»
    («rare_behind.gained» of 8 seeds, p = «rare_behind.p:.3f»)
with base 10,000 RoPE reaches only «lab_results.by_length(lab_results.saved(), "copy 3 back",
    "rope")[far].mean():.2f» in copying 3 back
| linear attention | «memory("linear attention"):.2f» |
| linear attention, gate 0.9 | «memory("linear attention, gate 0.9"):.2f» |
| delta rule | «memory("delta rule"):.2f» |
| delta rule, gate 0.9 | «memory("delta rule, gate 0.9"):.2f» |
**A sum cannot tell the last value from the first**: «recall("linear attention", writes=2):.2f»
the sum is better**: «recall("linear attention", keys=32):.2f» against «recall("delta rule", keys=32):.2f»
With a gate of 0.9 and 16 keys the sum reads more last values. But with one value per key, it loses the
    early values <== recall("linear attention, gate 0.9") < recall("linear attention") and recall("linear
    attention, gate 0.9", 2) > recall("linear attention", 2) and recall("linear attention, gate 0.9", 2, 32)
    < recall("linear attention", 2, 32)
The delta rule overwrites: «recall("delta rule", writes=2):.2f»
**A gate of 0.9 makes the delta rule worse** <== np.all(np.subtract(memory("delta rule"), memory("delta rule,
    gate 0.9")) > 0.05)
when the delta rule corrects one, it damages the other <== own(True) < 0.9 < own(False)
(The delta rule is a step of gradient descent on $\lvert k^\top S - v^\top \rvert^2/2$.) <==
    np.allclose(stepped, descended)
"""

some = np.random.default_rng(2).normal(size=(3, 4, 3))
with_first = [m.linear_attention(*some, [gate, -0.1, -0.2, -0.3]) for gate in (0.0, -5.0)]
distance = np.subtract.outer(np.arange(6), np.arange(6))
sizes = [m.cache_and_state(length, 1, 128, 128) for length in range(200)]
key = np.array([0.6, 0.8])
read = key @ m.delta_step(m.delta_step(np.zeros((2, 1)), key, [4.0], 1.0, 0.0), key, [6.0], 0.5, 0.0)
ANSWERS = {
    "alibi_is_a_constant_forget_gate": np.allclose(
        m.decay_bias(m.constant_decay(6, 0.3)), np.where(distance < 0, -np.inf, -0.3 * distance)
    ),
    "first_gate_changes_linear_attention": not np.allclose(*with_first),
    "half_life_of_gate_0_99": m.half_life(math.log(0.99)),
    "tokens_until_cache_equals_state_128": next(n for n, (cache, state) in enumerate(sizes) if cache >= state),
    "slope_of_a_gate_of_one_half": -math.log(0.5),
    "read_after_a_write_with_beta_one_half": read.round(12).item(),
}
