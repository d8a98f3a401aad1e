import math

import numpy as np

from assignments import experiments
from assignments.extrapolation import lab_results as results
from assignments.extrapolation import lab_train_and_test as training
from tests.grader.support.numbers_in_lessons_helpers import SOME, mean_of, solution, weight

m, sinusoidal = solution("extrapolation"), solution("sinusoidal")

# Calculated by hand
distances = np.arange(128)
similar = np.cos(np.outer(3 - distances, 10000.0 ** (-np.arange(0, 8, 2) / 8))).sum(axis=1)
codes = sinusoidal.sinusoidal_encoding(distances, 8)
of_the_last = (codes @ sinusoidal.shift_matrix(3, 8) @ codes.T)[127, ::-1]
lengths, accuracies = [16, 32, 64, 128], [1.0, 0.9, 0.5, 0.95]
diluted = [weight(5, keys - 1) for keys in lengths]


def with_ln_n(lead: float) -> list[float]:
    """Return the weights of the right key at four lengths, if the lead of its score grows with ln n."""
    return [weight(lead * math.log(keys) / math.log(16), keys - 1) for keys in lengths]


alibi = m.logits("alibi", np.zeros((3, 2)), np.zeros((3, 2)), {"slope": 0.5})
shifted = m.encode("integer", np.ones((3, 1)), {})
one = np.ones((1, 1))

# Measured in experiments: eight seeds, the choice of settings, and further changes
setting = training.Setting()
rows, tries, changes = results.saved(), results.saved_trials("grid.csv"), results.saved_trials("changes.csv")
grid, choice = results.at_best_rate(tries), results.chosen(tries)
three, single = results.TASKS
comparison = {task: results.comparison(rows, task) for task in results.TASKS}
changed = results.changes_table(grid, changes)
before = results.before_training(m)


def seeds(
    method: str, change: str = "usual", length: int = 128, task: str = three, what: str = "accuracy"
) -> np.ndarray:
    """Return a method's accuracies for all eight seeds, with its usual setting or with the setting chosen for it."""
    return results.by_length(rows, task, method, choice[task, method] if change == "chosen" else change, what)[length]


mean = mean_of(seeds)


def reliable(change: str, all_seeds: bool) -> set[str]:
    """Return the methods that reliably solve the “copy 3 back” task, with all seeds or with at least one seed."""
    enough = {method: seeds(method, change) >= experiments.RELIABLE for method in results.METHODS}
    return {method for method, seeds in enough.items() if (seeds.all() if all_seeds else seeds.any())}


def over(trials: list[results.Trial], what: str = "x8") -> float:
    return float(np.mean([getattr(row, what) for row in trials]))


def tried(method: str, what: str = "x8", task: str = three) -> list[float]:
    """Return a method's mean result with each setting, over the seeds used for choosing a setting."""
    settings = ("usual", *results.CHOICES.get(method, ()))
    return [over(results.trials_of(grid, task, method, change), what) for change in settings]


best_sinus = max(*tried("sinusoidal"), *(mean("sinusoidal", change) for change in ("usual", "chosen")))
less_than = [
    experiments.paired(seeds("rope", "chosen", task=single), seeds(one, "chosen", task=single))
    for one in ("alibi", "shaw", "t5")
]
shaw_fast = over([row for row in results.trials_of(tries, three, "shaw", "usual") if row.learning_rate == 0.03])

pairs = results.reported(rows, three)
once = {pair: results.trials_of(grid, three, *pair) for pair in pairs}
thrice = {pair: results.trials_of(changes, three, *pair, results.TRIPLED) for pair in pairs}
moving = {method for method, change in pairs if not results.flat(once[method, change], thrice[method, change])}
cells = {row[1:4]: results.trials_of(changes, three, *row[1:4]) for row in changes if row.method in results.RIVALS}
stable = {
    pair for pair in {key[:2] for key in cells} if min(over(cells[key]) for key in cells if key[:2] == pair) >= 0.99
}

looks = {change: results.saved_looks()["t5", change] for change in ("usual", "own_buckets 16")}
rope_looks = results.saved_looks()["rope", "usual"]
rivals = sorted(np.argsort(rope_looks)[::-1][1:5])
read = training.read(m, "t5", setting).buckets[np.tri(16, dtype=bool)]  # type: ignore[index]
own_bucket_of_distance = training.read(m, "t5", setting).buckets[15, ::-1].tolist()  # type: ignore[index]
own_numbers = results.setting_of("own_buckets 16").arguments({"bias_table": np.arange(16)})["bias_table"]
through, of_128 = (15 * 10000.0 ** (-np.arange(0, d, 2) / d) / (2 * np.pi) for d in (32, 128))
known = setting.arguments(training.draw_parameters("t5", setting, 0) | {"key_table": np.zeros((33, 32))})
x = np.random.default_rng(0).normal(size=(8, 32))
gaps = [m.shift_gap(method, x, np.eye(32), np.eye(32), known, 5) for method in ("rope", "t5", "alibi")]


def far(method: str, change: str = "usual", then: str = "usual", length: int = 128, log_n: int = 0) -> float:
    """Return a method's mean accuracy over eight seeds on longer texts, or after training with different positions."""
    key = (method, change, then, log_n, length)
    return float(np.mean([row.accuracy for row in results.saved_far() if (*row[:4], row.length) == key]))


def far_row(method: str, change: str = "usual", then: str = "usual") -> list[float]:
    if then == "usual":  # Models of the first table, trained a second time
        assert np.isclose(far(method, change), mean(method, change), atol=0.02)
    return [far(method, change, then, *at) for at in ((128, 0), (512, 0), (1024, 0), (512, 1), (1024, 1))]


def best_single(method: str) -> float:
    """Return a method's mean accuracy on the “copy 1 back” task, with the setting chosen for it."""
    return mean(method, "chosen", task=single)


def full_turns(width: int) -> int:
    """Return the number of pairs that make at least one full rotation in a training text."""
    return int((16 * 10000.0 ** (-np.arange(0, width, 2) / width) / (2 * np.pi) >= 1).sum())


at_16 = {
    method: max(*(mean(method, change, 16) for change in ("usual", "chosen")), *tried(method, "x1"))
    for method in ("alibi", "integer", "none", "normalized", "binary")
}
good = ("shaw",), ("t5", "own_buckets 16"), ("rope", "base 4")
start, table = ("sinusoidal", "usual", "start_below 128"), ("learned", "usual", "table_rows 128, start_below 128")

SENTENCES = r"""
With $d = 8$ the maximum is «similar[3]:g», at distance $i-j = 3$. - **The price of sinusoids:** at distance 66 this
    sum is «similar[66]:.2f» <== similar.argmax() == 3 and np.allclose(of_the_last, similar)
and $e^5 = «math.exp(5):.1f»$
that is if the lead was above $\ln 16 = «math.log(16):.2f»$, $n^a$ grows faster than $n$ <== with_ln_n(5)[3]
    > with_ln_n(5)[0] and with_ln_n(0.9 * math.log(16))[3] < with_ln_n(0.9 * math.log(16))[0] and
    np.ptp(with_ln_n(math.log(16))) < 0.02
| weight of the right key | «diluted:.3f» |
The right key has lost four tenths of its weight <== round(1 - diluted[3] / diluted[0], 1) == 0.4
With the threshold 0.9 the longest reliable length is «m.longest_reliable_length(lengths, accuracies)»
The gap is $1.0 - 0.95 = «m.extrapolation_gap(lengths, accuracies, 16):.2f»$
A model that scores 0.1 at every length has a gap of «m.extrapolation_gap(lengths, [0.1] * 4, 16)»
that is $«alibi[2]»$; the first is $0, -\infty, -\infty$ <== np.array_equal(alibi[0], [0, -np.inf, -np.inf])
row 5 gets $«m.encode("binary", np.zeros((6, 4)), {"n_bits": 3})[5]»$ added: 5 is «5:03b»
and the logits 4, 6 and 9 <== m.logits("integer", shifted, shifted, {})[1:, 1:][np.tri(2) > 0].tolist() == [4,
    6, 9]
so the shift gap is «m.shift_gap("integer", np.ones((2, 1)), one, one, {}, 1)»
There are «math.comb(4, 2)» ways to draw 2 of 4
| model | «setting.vocabulary» tokens in the vocabulary, «setting.width» features |
| training | «setting.steps:,» steps of «setting.batch» sequences | <== setting.trained_length == 16 and
    len(training.SEEDS) == 8
| test | «setting.sequences» sequences per length; at 1,024 tokens only «setting.sequences // 4» sequences |
| scored | the last «16 - results.TASKS[three]» positions at every length; in a second task, copy 1 back, the last
    «16 - results.TASKS[single]» |
with its **usual** setting (base «setting.base:,.0f», «setting.buckets» buckets, Shaw clipped at
    «setting.max_distance», slope «setting.slope:/»)
learning rates «results.LEARNING_RATES[:2]» and «results.LEARNING_RATES[2]» <== len(training.CHOOSING_SEEDS) == 4
`scale 0.015625` multiplies the integers by «results.setting_of(choice[three, "integer"]).scale:/»
the buckets of T5 from 15 to 31, that is all distances of 15 or more, share one number <== own_numbers.tolist()
    == [*range(15), *[15] * 17] and own_bucket_of_distance[:16] == [*range(16)]
The learned table has «setting.table_rows» rows
The learned numbers are «before["learned"][0]:,» (learned), «before["shaw"][0]:,» (Shaw), «before["t5"][0]»
    (T5) and 0 (all others) <== sum(learned > 0 for learned, _ in before.values()) == 3
is «before["integer"][1]:.2f» (integer), «before["sinusoidal"][1]:.2f» (sinusoidal),
    «before["normalized"][1]:.2f» (normalized), «before["binary"][1]:.2f» (binary), «before["learned"][1]:.2f»
    (learned) and 0.00 (all others) <== sum(gap > 1e-9 for _, gap in before.values()) == 5
«comparison[three]»
Shaw, T5 and ALiBi (slope 2) «best_single("shaw"):.2f», RoPE (base 4) «experiments.spread(seeds("rope",
    "chosen", task=single))», normalized «best_single("normalized"):.2f», integer
    «best_single("integer"):.2f», sinusoidal «best_single("sinusoidal"):.2f», none «best_single("none"):.2f»,
    binary «best_single("binary"):.2f» <== {round(best_single(one), 2) for one in ("shaw", "t5", "alibi")} ==
    {1} and choice[single, "alibi"] == "slope 2" and choice[single, "rope"] == "base 4"
With chosen settings, Shaw, T5 and RoPE copy 3 back **reliably** at 128 tokens: all eight seeds reach
    «experiments.RELIABLE». With the other methods no seed does. <== reliable("chosen", True) ==
    reliable("chosen", False) == {"shaw", "t5", "rope"}
With the usual settings only Shaw does <== reliable("usual", False) == {"shaw"}
| none | it cannot tell 3 back from 2 back at any length; also dilution | <== seeds("none", what="weight").mean() <
    seeds("none", length=16, what="weight").mean() / 8
one row is untrained, but this does no harm <== setting.max_distance == 16 and round(mean("shaw"), 2) == 1
untrained entries: «32 - len(set(read))» of 32
First, «32 - len(set(read))» entries are untrained
| rope | base 10,000, 32 features | «far_row("rope")[::2]:.2f» |
| rope | base 10,000, 128 features | «far_row("rope", "usual", "width 128")[::2]:.2f» |
| rope | base 4 | «far_row("rope", "base 4")[::2]:.2f» |
| shaw | usual | «far_row("shaw")[::2]:.2f» |
| t5 | usual | «far_row("t5")[::2]:.2f» |
| t5 | own_buckets 16 | «far_row("t5", "own_buckets 16")[::2]:.2f» |
at 1,024 they dilute, RoPE least**, and ln n repairs this <== max(far_row(*one)[2] for one in good) < 0.9 and
    far_row("rope", "base 4")[2] == max(far_row(*one)[2] for one in good) and
    min(far_row(*one)[4] for one in good) > 0.97
| usual | «looks["usual"][16:].sum():.2f» | «looks["usual"][16:].sum() / 16:.2f» | «looks["usual"][3]:.2f» |
    «mean("t5"):.2f» | <== looks["usual"][16:].mean() > np.delete(looks["usual"][:16], 3).mean()
| own_buckets 16 | «looks["own_buckets 16"][16:].sum():.2f» | «looks["own_buckets 16"][16:].sum() / 16:.2f» |
    «looks["own_buckets 16"][3]:.2f» | «mean("t5", "own_buckets 16"):.2f» |
These keys hold «setting.vocabulary» different tokens
the right key has more weight than any *single* far key, and larger scores increase its lead. With ln n the
    usual T5 reaches «far("t5", log_n=1):.2f» at 128 tokens <== looks["usual"][3] > 5 * looks["usual"][16:].max()
| RoPE does not extrapolate | base 10,000, 32 features: «experiments.spread(seeds("rope"))» | base 4:
    «mean("rope", "chosen"):.2f» ($p = «experiments.paired(seeds("rope"), seeds("rope", "chosen")).p:.3f»$);
    128 features: «far_row("rope", "usual", "width 128")[0]:.2f» (LLaMA has heads of 128, and fails) | <==
    choice[three, "rope"] == "base 4" and experiments.paired(seeds("rope"), seeds("rope", "chosen")).gained ==
    8
| T5 does not extrapolate | 32 buckets, 2,000 steps: «mean("t5"):.2f» | one number for all far keys:
    «mean("t5", "own_buckets 16"):.2f»; ln n: «far("t5", log_n=1):.2f»; 6,000 steps: «over(thrice["t5",
    "usual"]):.2f» |
| Shaw extrapolates | learning rate 0.003, 2,000 steps: «mean("shaw"):.2f» | learning rate 0.03:
    «shaw_fast:.2f»; 1,024 tokens without ln n: «far_row("shaw")[2]:.2f» | <== results.best_rates(tries)[three,
    "shaw", "usual"] == 0.003 and choice[three, "shaw"] == "usual"
any base that we tried: at most «best_sinus:.2f» | a random start from 0 to «128 - 16»: «far(*start):.2f» |
a random start from 0 to 112, a row for each position: «far(*table):.2f» |
The other methods fail already at 16 tokens (ALiBi reaches at most «at_16["alibi"]:.2f», "none"
    «at_16["none"]:.2f», integers and normalized «max(at_16["integer"], at_16["normalized"]):.2f», binary
    «at_16["binary"]:.2f») <== max(at_16.values()) < 0.6 and set(results.METHODS) ==
    set(at_16) | {"rope", "t5", "shaw", "sinusoidal", "learned"}
In copying 1 back ALiBi does: «mean("alibi", "chosen", task=single):.2f»
| all 64 pairs rotate | «full_turns(128)» | «far("rope", then="width 128"):.2f» |
| four blocks of 32 features, each rotates as a head of 32 | «4 * full_turns(32)» | «far("rope", then="width
    128, block 32"):.2f» | <== far("rope", then="width 128, block 32") < experiments.RELIABLE
| only the 16 fastest pairs rotate | «full_turns(128)» | «far("rope", then="width 128, rotated 32"):.2f» |
(«full_turns(128)» of 64, not «full_turns(32)» of 16)
$10000^{-2i/128} = 10^{-2i/32}$; and base 10 reaches «far("rope", "base 10"):.2f» <== np.allclose(10000.0 **
    (-np.arange(0, 32, 2) / 128), 10.0 ** (-np.arange(0, 32, 2) / 32))
tried with sinusoids only, do not: «far("sinusoidal", "usual", "drawn_below 128", 16):.2f» at 16 tokens
the slowest of the 16 pairs turns by «math.degrees(15 * 4.0 ** (-30 / 32)):.0f»°
ten of the 16 pairs have seen less than a twelfth of their circle <== (through < 1 / 12).sum() == 10 and
    (through > 1 / 2).sum() < (of_128 > 1 / 2).sum()
peaks at wrong distances: «rivals[:3]» and «rivals[3]» back <== rope_looks.argmax() == 3 and min(rivals) >= 16
RoPE is behind ALiBi, Shaw and T5 ($p = «less_than[0].p:.3f»$) <== all(one.gained == 8 for one in less_than)
with slope 1/8, its best slope, it reaches «mean("alibi", "chosen", 16):.2f» at 16 tokens <== choice[three, "alibi"] ==
    "slope 0.125" and max(tried("alibi")) < 0.3
But look at its loss with slope 1/2: «mean("alibi", length=16, what="cross_entropy"):.2f» at 16 tokens and
    «mean("alibi", what="cross_entropy"):.2f» at 128, with the accuracies «mean("alibi", length=16):.2f» and
    «mean("alibi"):.2f». The model stays as fluent as it was: the second meaning above.
«changed»
At the trained length every cell has at least 0.98 <== min(over(one, "x1") for one in cells.values()) >= 0.98
Only T5 with `own_buckets 16` keeps its accuracy under every change <== stable == {("t5", "own_buckets 16")}
RoPE, T5 and ALiBi have a shift gap of 0; with their usual settings they copy 3 back badly at 128 tokens <==
    max(gaps) < 1e-9 and not {"rope", "t5", "alibi"} & reliable("usual", False)
"""

weights = np.random.default_rng(1).normal(size=(3, 32, 32))
given = {method: setting.arguments(training.draw_parameters(method, setting, 0)) for method in m.METHODS}
without_gap = [method for method in m.METHODS if m.shift_gap(method, *weights, given[method], 16) < 1e-9]
counts = {method: m.learned_parameters(method, given[method]) for method in m.METHODS}
# Number of tokens that the first token sees before and after moving by one position
seen = np.isfinite(m.logits("none", SOME, SOME, {})).sum(axis=1)


def runs_past_its_table() -> bool:
    try:
        m.encode("learned", SOME, {"table": np.zeros((5, 4))})
    except ValueError:
        return False
    return True


ANSWERS = {
    "learned_runs_past_its_table": runs_past_its_table(),
    "alibi_changes_the_embeddings": not np.array_equal(m.encode("alibi", SOME, {"slope": 0.5}), SOME),
    "causal_model_without_encoding_sees_order": seen[0] != seen[1],
    "methods_without_a_shift_gap": len(without_gap),
    "no_shift_gap_is_enough_to_run_longer": all(mean(method) >= experiments.RELIABLE for method in without_gap),
    "ways_to_draw_2_of_5_positions": math.comb(5, 2),
    "fewest_learned_numbers": min((count, method) for method, count in counts.items() if count)[1],
}
