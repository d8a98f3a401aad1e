import math

import numpy as np

from assignments import experiments
from assignments.context_extension import lab
from tests.grader.support.numbers_in_lessons_helpers import CLEAR, mean_of, solution

m = solution("context_extension")
rotations = m.rotations_in_context(128, 4096)
done = int((rotations >= 1).sum())

# Calculated by hand for d = 8, L₀ = 1024, s = 4
trained, r = m.longrope_frequencies(8, np.ones(4)), m.rotations_in_context(8, 1024)
yarn, llama = m.yarn_frequencies(8, 10000.0, 4, 1024), m.llama3_frequencies(8, 10000.0, 4.0, trained_len=1024)
base = m.ntk_base(10000.0, 4, 8)
ntk = m.longrope_frequencies(8, np.ones(4), base=base)
smooth = (r[2] - 1) / 3
dynamic = [m.dynamic_ntk_base(10000.0, 8, length, 2048, 2) for length in (4096, 6144)]


def pair_of(rotations: float, d: int = 8, length: int = 1024) -> float:
    return d * math.log(length / (2 * math.pi * rotations)) / (2 * math.log(10000))


high, low = math.ceil(pair_of(1, 64, 131072)), math.floor(pair_of(32, 64, 131072))
ramp = np.clip((np.arange(32) - low) / (high - low), 0, 1)
kept, mixed = m.longrope_frequencies(64, np.ones(32)), m.yarn_frequencies(64, 10000.0, 4, 131072)
slow = rotations < 1
stretched = m.rotations_in_context(128, 32768, base=m.ntk_base(10000.0, 8, 128))


def first_below_zero(base: float) -> int:
    similar = np.cos(np.outer(np.arange(20000), base ** (-np.arange(0, 128, 2) / 128))).mean(axis=1)
    length = int(np.argmax(similar < 0))
    assert m.lowest_similarity(length, 128, base) >= 0 > m.lowest_similarity(length + 1, 128, base)
    return length


# Measured in experiments
rows, as_trained = lab.saved(), lab.AS_TRAINED
back_3, back_1, passkey, latest = "copy 3 back", "copy 1 back", "passkey", "latest passkey"
by_100, by_10, at_64 = "copy 3 back, base 100", "copy 3 back, base 10", "copy 3 back, trained at 64"
at_64_usual, latest_at_64 = "copy 3 back, trained at 64, base 1e4", "latest passkey, trained at 64"
further, latest_further = "copy 3 back, trained further", "latest passkey, trained further"
setting, of_10 = lab.RUNS[back_3].setting, lab.RUNS[by_10].setting
made = m.rotations_in_context(setting.width, 16)


def scores(run: str, method: str = as_trained, length: int = 64, steps: int = 0) -> np.ndarray:
    return lab.accuracies(rows, run, method, steps)[length]


mean = mean_of(scores)


def gain(run: str, method: str, length: int = 64, steps: int = 0) -> experiments.Paired:
    return experiments.paired(scores(run, as_trained, length, steps), scores(run, method, length, steps))


def repairs(run: str) -> list[str]:
    """Return the methods in a run that change frequencies."""
    return [one for one in lab.RUNS[run].methods if one not in (as_trained, lab.NO_POSITION, *lab.SCORED)]


def none_clear(run: str) -> bool:
    changes = [gain(run, method, at) for method in repairs(run) for at in lab.RUNS[run].setting.lengths[1:]]
    return all(change.mean <= 0 or change.p > CLEAR for change in changes)


def in_three(method: str) -> list[float]:
    return [mean(run, method, 256) for run in (back_3, back_1, latest)]


best = np.max([in_three(one) for one in lab.METHODS if one not in lab.SCORED], axis=0)
limits = [name for name in ("YaRN", "Llama 3") if (lab.METHODS[name](m, setting, 64).frequencies[0] == 1)]
named = lab.accuracies(rows, back_3, "interpolation", what="stretched")[32].mean()
keep_fast = [gain(at_64_usual, one, 256) for one in repairs(at_64_usual) if one != "interpolation"]
poor_10 = [gain(by_10, one, 256) for one in repairs(by_10) if gain(by_10, one, 256).mean < 0]
three_changes = np.array([1.0, 2, 3])
sign_means = sorted(
    {
        abs(round(float(signs @ three_changes) / 3, 2))
        for signs in np.array([[a, b, c] for a in (1, -1) for b in (1, -1) for c in (1, -1)])
    },
    reverse=True,
)


def row(run: str, length: int) -> list[float]:
    """Return a row of the lesson's table: the model as trained, and each method that changes frequencies."""
    return [mean(run, method, length) for method in (as_trained, *repairs(run))]


def after(steps: int, *methods: str) -> list[float]:
    """Return each method's accuracy on the “copy 3 back” task at 64 tokens, after further training."""
    return [mean(further, method, 64, steps) for method in methods]


of_deepseek = m.yarn_scale(40)

SENTENCES = r"""
«lab.summary(rows)»
The fastest pair makes «rotations[0]:.0f» full rotations
The slowest pair rotates by $«360 * rotations[-1]:.1f»°$ in all
would rotate by $«360 * 8 * rotations[-1]:.1f»°$
Of the 64 pairs, «done» make at least one full rotation in training, and «64 - done» do not
«360 * rotations[-1]:.0f» degrees in training and «360 * 8 * rotations[-1]:.0f» degrees at eight times the
    length
the last «64 - done» are below one
offered with 131,072 tokens; 8 × 8,192 would be «8 * 8192:,»
the next pair, $i = 62$, is slowed by only $8^{62/63} = «8 ** (62 / 63):.2f»$
«(stretched[slow] > rotations[slow] * (1 + 1e-9)).sum()» of the «slow.sum()» slow pairs still get new angles
With `head_dim` 128 this first happens at distance «first_below_zero(1e4):,» for base 10,000, and at distance
    «first_below_zero(5e5):,» for base 500,000
The frequencies are $«trained»$
The fastest pair makes $1024\cdot1/2\pi = «r[0]:.2f»$ rotations, and each following pair makes a tenth as many
    <== np.allclose(r[1:] * 10, r[:-1])
$10000\cdot4^{8/6} = «base:.0f»$, and the slowest pair has the frequency $«base:.0f»^{-6/8} = «ntk[3]»$
| 0 | «r[0]:.2f» | «trained[0]» | «trained[0] / 4» | ? | «yarn[0]» | «llama[0]» |
| 1 | «r[1]:.2f» | «trained[1]» | «trained[1] / 4» | «ntk[1]:.5f» | «yarn[1]» | «llama[1]» |
| 2 | «r[2]:.3f» | «trained[2]» | «trained[2] / 4» | «ntk[2]:.6f» | «yarn[2]» | «llama[2]:.6f» |
| 3 | «r[3]:.3f» | «trained[3]» | «trained[3] / 4» | «ntk[3]» | «yarn[3]» | «llama[3]» |
$sL/L_0 - (s-1) = 2\cdot2-1 = «(dynamic[0] / 1e4) ** (6 / 8):.0f»$, and the base is $10000\cdot3^{8/6} =
    «dynamic[0]:.0f»$ (for $d = 8$). For 6,144 tokens the bracket is «(dynamic[1] / 1e4) ** (6 / 8):.0f»
    instead of 3
For $s = 4$: $0.1\ln4+1 = «m.yarn_scale(4):.4f»$, and a score is multiplied by $1.1386^2 = «m.yarn_scale(4) **
    2:.4f»$
multiplies the whole score by $«of_deepseek:.4f»^2 = «of_deepseek ** 2:.4f»$ instead. So it also enlarges
    the products of the features that do not rotate, 128 of «128 + 64»
made the scores of the rotated features «m.yarn_scale(16) ** 2:.2f» times too large
so a score is multiplied by the square, $\ln(sL_0)/\ln L_0$ <== math.isclose(m.longrope_scale(8, 4096) ** 2,
    math.log(8 * 4096) / math.log(4096))
$(«r[2]:.4f»-1)/3 = «smooth:.4f»$. Its frequency is $«1 - smooth:.4f»\cdot0.0025 + «smooth:.4f»\cdot0.01 =
    «llama[2]:.6f»$
With $d = 64$, base 10000 and 131,072 trained tokens, high is «high», not 31: the ramp ends after the last
    pair <== ramp[-1] < 1 and np.allclose((kept - mixed) / (kept * 3 / 4), ramp)
$2\pi\cdot32 = «64 * math.pi:.2f»$ and $\ln 10000 = «math.log(10000):.4f»$
$i(32) = 8\ln(1024/«64 * math.pi:.2f»)/(2\cdot «math.log(10000):.4f») = «pair_of(32):.3f»$
$i(1) = 8\ln(«r[0]:.2f»)/«2 * math.log(10000):.3f» = «pair_of(1):.3f»$
So the ramp is $0, \tfrac13, \tfrac23, 1$ <== np.allclose((trained - yarn) / trained, [0, 1 / 4, 1 / 2, 3 /
    4])
$0.1\cdot\tfrac23 + 0.025\cdot\tfrac13 = «yarn[1]»$; pair 2 gets $0.01\cdot\tfrac13 + 0.0025\cdot\tfrac23 =
    «yarn[2]»$
the score is $\cos 4/\sqrt2 = «m.rerope_scores([[1.0, 0]], [[1.0, 0]], [10], [0], 2, 4).item():.3f»$
$(\cos 3 + \cos 0.03)/2 = «m.lowest_similarity(4, 4):.4f»$
RoPE with base «setting.base:.0f», «setting.steps:,» steps) on texts of «setting.trained_length» tokens,
    with «len(lab.SEEDS)» seeds
extends each of the 8 models to 32, 64, 128 and 256 tokens <== setting.lengths == (16, 32, 64, 128, 256)
Guessing has the accuracy «1 / setting.vocabulary:.2f»
The means are «sign_means[0]:g», 0, 0.67, 1.33, and the same with a minus <== sign_means == [2, 1.33, 0.67,
    0]
Two of these 8 means are as far from 0 as 2. Their share is called *p*: here $2/8 =
    «experiments.sign_flip(three_changes)»$
For 8 models there are $2^8 = «2**8»$ choices. If all 8 models gain, or all lose, $p = 2/256 =
    «experiments.sign_flip(np.ones(8)):.3f»$
We call a difference **clear** if $p \le «CLEAR»$
Without positions every model finds it, with accuracy 1.00 up to 256 tokens <== min(scores(passkey,
    lab.NO_POSITION, length).min() for length in setting.lengths) > 0.995
With positions as trained, the mean at 256 tokens is «mean(passkey, length=256):.2f».
**Latest passkey:** the order of far tokens must stay. ReRoPE gains little («mean(latest, "ReRoPE"):.2f»),
    because it gives all far keys the same distance. <== 0 < gain(latest, "ReRoPE").mean < 0.06 and
    mean(latest, "Leaky ReRoPE") > 0.9
the models do name the token 6 back, in «100 * named:.0f» % of all cases
In 16 tokens even the fastest pair makes only «made[0]:.2f»
YaRN keeps only pair 0, where its ramp begins <== limits == ["YaRN"] and made.max() < 4 and pair_of(32, 32,
    16) < 0
At 256 tokens only Leaky ReRoPE is good at all three tasks**, without training: «in_three("Leaky
    ReRoPE")[:2]:.2f» and «in_three("Leaky ReRoPE")[2]:.2f». ReRoPE has «in_three("ReRoPE")[:2]:.2f» and
    «in_three("ReRoPE")[2]:.2f»; the best accuracies of all other methods are «best[:2]:.2f» and «best[2]:.2f»
    <== [one for one in lab.METHODS if min(in_three(one)) > 0.9] == ["Leaky ReRoPE"]
for 64 tokens the factor is «lab.SCORED["Leaky ReRoPE"](setting, 64)[1]:.0f», because $4 + (64-4)/5 = 16$
    <== lab.SCORED["Leaky ReRoPE"](setting, 64)[0] == 4 and lab.SCORED["ReRoPE"](setting, 64)[0] == 8
| 64 tokens, base 10,000 | copy 3 back, 256 | «row(at_64_usual, 256):.2f» |
| 64 tokens, base 30 | copy 3 back, 256 | «row(at_64, 256):.2f» |
| 64 tokens, base 30 | latest passkey, 256 | «row(latest_at_64, 256):.2f» |
| 16 tokens, base 100 | copy 3 back, 64 | «row(by_100, 64):.2f» |
| 16 tokens, base 10 | copy 3 back, 256 | «row(by_10, 256):.2f» |
«keep_fast[0].gained» of 8 models gain with each method that keeps the fast pairs (p at most «max(one.p for
    one in keep_fast):.3f») <== {one.gained for one in keep_fast} == {7} and max(one.p for one in keep_fast)
    <= CLEAR
With base 30 all five methods help to find the latest passkey, but none is clearly better in copying <==
    all(gain(latest_at_64, method, 256).gained == 8 for method in repairs(latest_at_64)) and none_clear(at_64)
With base 10, more pairs make a rotation in 16 tokens («(m.rotations_in_context(setting.width, 16,
    of_10.base) >= 1).sum()» of 16, not «(made >= 1).sum()» of 16): hardly any repair is needed, and four
    methods do harm <== len(poor_10) == 4 and all(one.p <= CLEAR for one in poor_10) and none_clear(by_10)
After 50 steps the accuracy in copying 3 back is «after(50, as_trained)[0]:.2f» without any method,
    «after(50, "NTK-aware")[0]:.2f» with NTK-aware and with the cut, and «after(50, "YaRN")[0]:.2f» with
    YaRN. Interpolation needs 1,000 steps for «after(1000, "interpolation")[0]:.2f»; Llama 3 has «after(50,
    "Llama 3")[0]:.2f» after 50 steps, «after(200, "Llama 3")[0]:.2f» after 200 and «after(1000, "Llama
    3")[0]:.2f» after 1,000 <== {round(one, 2) for one in after(50, as_trained, "NTK-aware", "cut at one
    rotation")} == {1} and after(200, "interpolation")[0] < 0.1
ReRoPE keeps small distances, and YaRN changes them little <== np.allclose(m.yarn_frequencies(32, 10000.0, 4.0, 256)[:2]
    / m.longrope_frequencies(32, np.ones(16))[:2], [1, 25 / 28])
With base 100 YaRN helps at 64 tokens, but not at 128 («mean(by_100, "YaRN", 128):.2f» instead of
    «mean(by_100, length=128):.2f») <== gain(by_100, "YaRN").p <= CLEAR and gain(by_100, "YaRN").mean > 0 >
    gain(by_100, "YaRN", 128).mean
"""

of_64 = m.longrope_frequencies(64, np.ones(32))
ANSWERS = {
    "interpolated_position_8191_factor_4": m.interpolate_positions(8191, 4),
    "ntk_keeps_fastest_frequency": m.longrope_frequencies(64, np.ones(32), base=m.ntk_base(10000.0, 8, 64))[0]
    == of_64[0],
    "dynamic_ntk_changes_short_inputs": m.dynamic_ntk_base(10000.0, 64, 100, 4096, 8) != 10000.0,
    "yarn_scale_16": m.yarn_scale(16),
    "pairs_with_a_rotation_in_8192": (m.rotations_in_context(128, 8192) >= 1).sum(),
    "llama_3_1_length_over_trained": 131072 / 8192,
    "leaky_distance_of_a_key_100_back": 16 + (100 - 16) / 4,
}
