import numpy as np

from assignments import experiments
from assignments.batches import lab
from tests.grader.support.numbers_in_lessons_helpers import solution

m = solution("batches")
words = lab.paragraphs()
shares = [lab.share_of_padding(np.random.default_rng(seed).permutation(words)) for seed in range(20)]
used = (words.astype(float) ** 2).sum() / (words.sum() * 2048)

# Calculated by hand
lengths = np.array([2, 3, 7])
_, mask = m.pad([np.zeros(length) for length in lengths])
real = np.array([0, 0, 1, 1, 1], dtype=bool)
key, log_f, written = np.ones((2, 1)), np.log([1, 0.5]), [[4.0], [6.0]]
linear_attention = solution("state").linear_attention

# Measured in experiments
rows = lab.saved()
first, copying = lab.TASKS
both, masked, restarted, neither = lab.WAYS
alone, counted, places = lab.TESTS


def scores(task: str, method: str, way: lab.Way, test: str = alone) -> np.ndarray:
    return lab.accuracies(rows, task, method, way, test)


def means(way: lab.Way) -> list[float]:
    return [scores(task, method, way).mean() for task in lab.TASKS for method in lab.METHODS]


def same(test: str, method: str) -> bool:
    """Return True if every accuracy in a test is the same with padding as without."""
    return all(
        np.allclose(scores(task, method, way), scores(task, method, way, test), atol=2e-3)
        for task in lab.TASKS
        for way in lab.WAYS
    )


lost = [experiments.paired(scores(first, method, neither), scores(first, method, both)) for method in lab.METHODS]
helped = [scores(first, "rope", way).mean() for way in (masked, restarted)]
late = [[scores(first, method, way, places).mean() for method in lab.METHODS] for way in (both, masked)]

SENTENCES = r"""
if «len(words)» paragraphs of this course are put into batches of 8, in random order, «100 *
    np.mean(shares):.0f» % of the array is padding
only «100 * used:.1f» % of all scores are between words of one paragraph
the array has 3 · 7 = «mask.size» places, and «(~mask).sum()» places are padding
attention computes 3 · 7² = «3 * 7**2» scores; in one packed row 12² = «lengths.sum() ** 2»; text by text 2² +
    3² + 7² = «(lengths**2).sum()»
the positions are («m.position_ids(real)»), and the next token is at «m.next_positions(real)»
The slots hold the positions «m.ring_positions(6, 4)»
The positions are («m.tree_positions([-1, 0, 0, 1])»)
`-1 % 4` is «-1 % 4»
packed rows of «lab.ROW» tokens, with texts of «lab.SHORTEST» to «lab.LONGEST» tokens
The test has *single* texts of «lab.LONGEST» tokens
| restart, own text | «means(both):.2f» |
| continue, own text | «means(masked):.2f» |
| restart, whole row | «means(restarted):.2f» |
| continue, whole row | «means(neither):.2f» |
The first row and the second are equal, seed by seed <== all(np.array_equal(scores(task, "rope", both),
    scores(task, "rope", masked)) for task in lab.TASKS)
all 8 seeds name the first token less often than in the first, with RoPE and also with the table (p =
    «lost[0].p:.3f» each) <== all(one.gained == len(lab.SEEDS) == 8 and one.p == lost[0].p for one in lost)
With RoPE the mask alone («helped[0]:.2f») helps more than the restart alone («helped[1]:.2f»)
we put «lab.PADDING» places of padding, masked, to the left of the same texts. With position ids no accuracy
    changes <== same(counted, "rope") and same(counted, "learned")
With RoPE, again nothing changes <== same(places, "rope")
its accuracy for the first token falls from «scores(first, "learned", both).mean():.2f» to «late[0][1]:.2f»
Trained with *continue, own text*, it still reaches «late[1][1]:.2f»
falls from «scores(first, "learned", both).mean():.2f» to «late[0][1]:.2f»
"""

attention, rope = solution("attention").attention, solution("rope").apply_rope
q, k, v = np.random.default_rng(3).normal(size=(3, 7, 4))
table = np.random.default_rng(4).normal(size=(7, 4))
late_start = np.array([False] * 3 + [True] * 4)
allowed, row, ids = m.padding_mask(late_start)[0], np.arange(7), m.position_ids(late_start)
rotated = [attention(rope(q, at), rope(k, at), v, allowed)[late_start] for at in (row, ids)]
looked_up = [attention(q + table[at], q + table[at], q + table[at], allowed)[late_start] for at in (row, ids)]
_, padding = m.pad([np.zeros(length) for length in (3, 5, 16)])
ANSWERS = {
    "rope_survives_left_padding_without_position_ids": np.allclose(*rotated),
    "learned_survives_left_padding_without_position_ids": np.allclose(*looked_up),
    "share_of_padding_for_lengths_3_5_16": (~padding).mean(),
    "ring_slot_of_position_1000_of_256": np.flatnonzero(m.ring_positions(1001, 256) == 1000).item(),
    "position_after_3_padding_and_5_real_tokens": m.next_positions([False] * 3 + [True] * 5).item(),
    "texts_in_positions_0_1_0_0_1_2": len(m.boundaries_of([0, 1, 0, 0, 1, 2])) - 1,
    "scores_text_by_text_for_lengths_3_5_16": sum(length**2 for length in (3, 5, 16)),
}
