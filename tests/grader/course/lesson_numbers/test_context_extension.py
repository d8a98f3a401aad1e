"""Every number of the lesson `context_extension`, and what its questions ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assignments import measuring
from assignments.context_extension import lab as extension
from tests.grader.support.lesson_numbers import CLEAR, Sentences, d, differing, missing, short


def test_the_numbers_of_the_lesson() -> None:
    assert missing("context_extension", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("context_extension", answers) == []


def numbers(m: Any) -> Sentences:
    turns = m.rotations_in_context(128, 4096)
    yield f"The fastest pair makes {turns[0]:.0f} full rotations"
    yield f"The slowest pair rotates by ${360 * turns[-1]:.1f}°$ in all"
    yield f"would rotate by ${360 * 8 * turns[-1]:.1f}°$"
    done, not_done = int((turns >= 1).sum()), int((turns < 1).sum())
    yield f"Of the {len(turns)} pairs, {done} make at least one full rotation in training, and {not_done} do not"
    yield f"{360 * turns[-1]:.0f} degrees in training and {360 * 8 * turns[-1]:.0f} degrees at eight times the length"
    yield f"the last {not_done} bars are below one"
    yield f"offered with 131,072 tokens; 8 × 8,192 would be {8 * 8192:,}"

    trained = m.longrope_frequencies(8, np.ones(4))
    yield f"The frequencies are ${', '.join(map(short, trained))}$"
    r = m.rotations_in_context(8, 1024)
    yield f"$1024\\cdot1/2\\pi = {r[0]:.2f}$ rotations in the fastest pair, and a tenth in each next one"
    assert np.allclose(r[1:] * 10, r[:-1])

    def pair_of(beta: float) -> float:
        return 8 * math.log(1024 / (2 * math.pi * beta)) / (2 * math.log(10000))

    yield f"$2\\pi\\cdot32 = {64 * math.pi:.2f}$ and $\\ln 10000 = {math.log(10000):.4f}$"
    yield f"$i(32) = 8\\ln(1024/{64 * math.pi:.2f})/(2\\cdot {math.log(10000):.4f}) = {pair_of(32):.3f}$"
    yield f"$i(1) = 8\\ln({r[0]:.2f})/{2 * math.log(10000):.3f} = {pair_of(1):.3f}$"
    yarn = m.yarn_frequencies(8, 10000.0, 4, 1024)
    assert np.allclose((trained - yarn) / (trained - trained / 4), [0, 1 / 3, 2 / 3, 1])
    yield f"$0.1\\cdot\\tfrac23 + 0.025\\cdot\\tfrac13 = {short(yarn[1])}$; pair 2 gets"
    yield f"$0.01\\cdot\\tfrac13 + 0.0025\\cdot\\tfrac23 = {short(yarn[2])}$"
    llama = m.llama3_frequencies(8, 10000.0, 4.0, trained_len=1024)
    smooth = (r[2] - 1) / 3
    yield f"$= ({r[2]:.4f}-1)/3 = {smooth:.4f}$"
    yield f"and gets ${1 - smooth:.4f}\\cdot0.0025 + {smooth:.4f}\\cdot0.01 = {llama[2]:.6f}$"
    base = m.ntk_base(10000.0, 4, 8)
    ntk = m.longrope_frequencies(8, np.ones(4), base=base)
    yield (
        f"$10000\\cdot4^{{8/6}} = {base:.0f}$, and the slowest pair has ${base:.0f}^{{-6/8}} ="
        f" {short(round(ntk[3], 8))}$"
    )
    columns = {
        0: [f"{r[0]:.2f}", *map(short, (trained[0], trained[0] / 4)), "?", *map(short, (yarn[0], llama[0]))],
        1: [
            f"{r[1]:.2f}",
            *map(short, (trained[1], trained[1] / 4)),
            f"{ntk[1]:.5f}",
            *map(short, (yarn[1], llama[1])),
        ],
        2: [
            f"{r[2]:.3f}",
            *map(short, (trained[2], trained[2] / 4)),
            f"{ntk[2]:.6f}",
            short(yarn[2]),
            f"{llama[2]:.6f}",
        ],
        3: [f"{r[3]:.3f}", short(trained[3]), *4 * ["0.00025"]],
    }
    for pair, cells in columns.items():
        yield f"| {pair} | {' | '.join(cells)} |"
    assert np.allclose([trained[3] / 4, ntk[3], yarn[3], llama[3]], 0.00025)
    scale = m.yarn_scale(4)
    yield f"For $s = 4$: $0.1\\ln4+1 = {scale:.4f}$, and a score is multiplied by ${scale:.4f}^2 = {scale**2:.4f}$"
    assert math.isclose(m.longrope_scale(8, 4096) ** 2, math.log(8 * 4096) / math.log(4096))
    brackets = [(m.dynamic_ntk_base(10000.0, 8, length, 2048, 2) / 10000) ** (6 / 8) for length in (4096, 6144)]
    dynamic = m.dynamic_ntk_base(10000.0, 8, 4096, 2048, 2)
    yield (
        f"the bracket $2\\cdot2-1 = {brackets[0]:.0f}$ and the base $10000\\cdot3^{{8/6}} = {dynamic:.0f}$ (for $d"
        " = 8$)"
    )
    yield f"6,144 tokens have the bracket {brackets[1]:.0f}"

    high = math.ceil(64 * math.log(131072 / (2 * math.pi)) / (2 * math.log(10000)))
    low = math.floor(64 * math.log(131072 / (64 * math.pi)) / (2 * math.log(10000)))
    clamped, kept = m.yarn_frequencies(64, 10000.0, 4, 131072), m.longrope_frequencies(64, np.ones(32))
    assert np.allclose((kept - clamped) / (kept * 3 / 4), np.clip((np.arange(32) - low) / (high - low), 0, 1))
    yield f"with $d = 64$, base 10000 and 131,072 trained tokens high is {high}, not {64 // 2 - 1}"
    stretched = m.rotations_in_context(128, 32768, base=m.ntk_base(10000.0, 8, 128))
    leave = int((stretched[turns < 1] > turns[turns < 1] * (1 + 1e-9)).sum())
    yield f"{leave} of the {not_done} slow pairs still get new angles"
    below = {base: _first_below_zero(base) for base in (10000, 500000)}
    yield (
        f"With `head_dim` 128 and base 10,000 this happens at {below[10000]:,} tokens, with base 500,000 at"
        f" {below[500000]:,}"
    )
    for base, length in below.items():
        assert m.lowest_similarity(length, 128, base) >= 0 > m.lowest_similarity(length + 1, 128, base)
    one = [[1.0, 0.0]]
    leaky = m.rerope_scores(one, one, [10], [0], 2, 4).item()
    assert math.isclose(leaky, math.cos(2 + 8 / 4) / math.sqrt(2))
    yield f"the score is $\\cos 4/\\sqrt2 = {leaky:.3f}$"
    yield f"$(\\cos 3 + \\cos 0.03)/2 = {m.lowest_similarity(4, 4):.4f}$"
    yield from _extended(m)


def _first_below_zero(base: float) -> int:
    distances = np.arange(20000)
    frequencies = base ** (-np.arange(0, 128, 2) / 128)
    return int(np.flatnonzero(np.cos(np.outer(distances, frequencies)).mean(axis=1) < 0)[0])


def _extended(m: Any) -> Sentences:
    """The section `What we measured` of context_extension, from what the experiment left."""
    rows, trained = extension.saved(), extension.AS_TRAINED
    copying, passkey, latest = "copy 3 back", "passkey", "latest passkey"
    setting, models = extension.RUNS[copying].setting, len(extension.SEEDS)

    def scores(run: str, method: str, length: int, steps: int = 0) -> np.ndarray:
        return extension.accuracies(rows, run, method, steps)[length]

    def mean(run: str, method: str, length: int, steps: int = 0) -> str:
        return d(scores(run, method, length, steps).mean(), 2)

    def gain(run: str, method: str, length: int, before: str = trained, steps: int = 0) -> measuring.Paired:
        return measuring.paired(scores(run, before, length, steps), scores(run, method, length, steps))

    def all_gain(run: str, method: str, length: int, before: str = trained, steps: int = 0) -> bool:
        change = gain(run, method, length, before, steps)
        return change.gained == models and change.p <= CLEAR

    yield f"RoPE with base {setting.base:.0f}, {setting.steps:,} steps) on {setting.trained_length} tokens"
    yield f"It does this {models} times, from {models} seeds"
    assert extension.accuracies(rows, copying, trained).keys() == {16, 32, 64, 128, 256}
    yield f"Guessing has the accuracy {1 / setting.vocabulary:.2f}"
    turns = m.rotations_in_context(setting.width, setting.trained_length)
    yield f"in 16 tokens even the fastest pair makes only {turns[0]:.2f}"
    assert turns.max() < 4
    yield "So Llama 3 keeps no pair here, and YaRN keeps one"
    yield f"with {models - 1} in the denominator (`np.std(x, ddof=1)`)"
    yield f"For {models} models there are $2^{models} = {2**models}$ choices"
    flips = {"+++": 6, "++-": 0, "+-+": 2, "-++": 4}
    for signs, total in flips.items():
        assert sum(int(sign + number) for sign, number in zip(signs, "123", strict=True)) == total
    means = [short(round(total / 3, 2)) for total in flips.values()]
    yield f"| signs | {' | '.join(f'${signs}$' for signs in flips)} | the opposite four |"
    yield f"| mean | {' | '.join(means)} | −2, 0, −0.67, −1.33 |"
    yield f"Two of the 8 means are as far from 0 as 2, so *p* is $2/8 = {measuring.sign_flip(np.arange(1.0, 4)):g}$"
    yield f"If all {models} gain, $p = 2/{2**models} = {measuring.sign_flip(np.arange(1.0, models + 1)):.3f}$"
    yield f"We call a difference **clear** if $p \\le {CLEAR}$"
    yield "Tested on 64 tokens, four times the trained length"

    # The passkey.
    assert all(scores(passkey, extension.NO_POSITION, length).min() > 0.995 for length in setting.lengths)
    yield "every model finds it, with 1.00 up to 256 tokens"
    yield f"as trained, they fall to {mean(passkey, trained, 256)}"
    assert {
        mean(passkey, method, length) for method in ("interpolation", "YaRN", "Llama 3") for length in setting.lengths
    } == {"1.00"}

    # The table of tasks: good, and poor.
    assert all(scores(passkey, method, 64).mean() > 0.95 for method in extension.METHODS)
    good = {
        latest: ("interpolation", "YaRN", "Llama 3", "limits 1 and 1", "Leaky ReRoPE"),
        "copy 1 back": ("ReRoPE", "Leaky ReRoPE", "YaRN", "limits 1 and 1"),
        copying: ("ReRoPE", "Leaky ReRoPE", "limits 1 and 1"),
    }
    poor = {
        latest: ("ReRoPE", "NTK-aware", "dynamic NTK"),
        "copy 1 back": ("interpolation",),
        copying: ("interpolation", "Llama 3"),
    }
    for run, methods in good.items():
        assert all(scores(run, method, 64).mean() > 0.9 and all_gain(run, method, 64) for method in methods), run
    for run, methods in poor.items():
        assert all(scores(run, method, 64).mean() < 0.66 for method in methods), run

    # Copying.
    stretched = extension.accuracies(rows, copying, "interpolation", what="stretched")[32]
    yield f"the models do name the token 6 back, in {100 * stretched.mean():.0f} % of all cases"
    yarn, pairs = (extension.METHODS[name](m, setting, 64).frequencies for name in ("YaRN", trained))
    assert (yarn == pairs).tolist() == [True] + [False] * (len(pairs) - 1)
    three = (copying, "copy 1 back", latest)
    ours, plain = ([mean(run, method, 256) for run in three] for method in ("Leaky ReRoPE", "ReRoPE"))
    others = [name for name in extension.METHODS if name not in extension.SCORED]
    best = [max(mean(run, method, 256) for method in others) for run in three]
    yield (
        f"at 256 tokens it has {ours[0]}, {ours[1]} and {ours[2]} in copying 3 back, copying 1 back and the latest"
        f" passkey. The best other method has {best[0]}, {best[1]} and {best[2]}"
    )
    yield f"Plain ReRoPE has {plain[0]}, {plain[1]} and {plain[2]}"

    # One setting changed.
    base_10 = extension.RUNS["copy 3 back, base 10"]
    fitting = m.rotations_in_context(setting.width, 16, base_10.setting.base)
    by_100 = "copy 3 back, base 100"
    yarn_100 = gain(by_100, "YaRN", 64)
    yield (
        f"copy 3 back on 64 tokens: as trained {mean(by_100, trained, 64)}, YaRN {mean(by_100, 'YaRN', 64)}"
        f" ({yarn_100.gained} of {models}, p {yarn_100.p:.3f}), cut at one rotation"
        f" {mean(by_100, 'limits 1 and 1', 64)}"
    )
    assert all_gain(by_100, "limits 1 and 1", 64)
    yield (
        f"{int((fitting >= 1).sum())} of {len(turns)} pairs make a rotation in 16 tokens, not"
        f" {int((turns >= 1).sum())}; as trained the models copy 3 back with"
        f" {mean('copy 3 back, base 10', trained, 256)} at 256 tokens"
    )
    for method in set(base_10.methods) - {trained, *extension.SCORED}:
        for length in setting.lengths[1:]:
            change = gain("copy 3 back, base 10", method, length)
            assert change.mean <= 0 or change.p > CLEAR, (method, length)
    longer, at_64 = extension.RUNS["copy 3 back, trained at 64"].setting, "latest passkey, trained at 64"
    yield f"| trained at {longer.trained_length}, base {longer.base:.0f} | copying at {longer.lengths[-1]}"
    repairs = set(extension.RUNS[at_64].methods) - {trained, extension.NO_POSITION, *extension.SCORED}
    far = [scores(at_64, method, 256).mean() for method in repairs]
    assert all(all_gain(at_64, method, 256) for method in repairs)
    yield (
        f"as trained {mean('copy 3 back, trained at 64', trained, 256)}, none of the six clearly better; latest"
        f" passkey: as trained {mean(at_64, trained, 256)}, every method {min(far):.2f} to {max(far):.2f}"
    )
    for length in longer.lengths[1:]:
        for method in repairs:
            change = gain("copy 3 back, trained at 64", method, length)
            assert change.mean <= 0 or change.p > CLEAR, (method, length)
    usual = "copy 3 back, trained at 64, base 1e4"
    yield (
        f"as trained {mean(usual, trained, 256)}; Llama 3 {mean(usual, 'Llama 3', 256)}, YaRN"
        f" {mean(usual, 'YaRN', 256)}, interpolation {mean(usual, 'interpolation', 256)}"
    )
    four = {by_100: 64, "copy 3 back, base 10": 256, "copy 3 back, trained at 64": 256, usual: 256}
    lowest = min(scores(run, method, length).mean() for run, length in four.items() for method in extension.SCORED)
    yield f"ReRoPE and Leaky ReRoPE copy with at least {lowest:.2f} in the first four rows"
    further = "copy 3 back, trained further"
    for method in (trained, "NTK-aware", "YaRN", "limits 1 and 1"):
        assert float(mean(further, method, 64, 50)) >= 0.99
    assert extension.RUNS[further].further_steps[-1] == setting.steps == 1000
    assert scores(further, "interpolation", 64, 200).mean() < 0.1
    assert all_gain("latest passkey, trained further", "YaRN", 64, steps=50)
    saved = "latest passkey, trained further"
    yield (
        f"interpolation needs 1,000 steps for {mean(further, 'interpolation', 64, 1000)}; latest passkey: YaRN"
        f" {mean(saved, 'YaRN', 64, 50)}, unchanged frequencies {mean(saved, trained, 64, 50)}"
    )


def answers(m: Any) -> dict[str, Any]:
    trained = m.longrope_frequencies(64, np.ones(32))
    ntk = m.longrope_frequencies(64, np.ones(32), base=m.ntk_base(10000.0, 8, 64))
    return {
        "interpolated_position_8191_factor_4": m.interpolate_positions(8191, 4),
        "ntk_keeps_fastest_frequency": ntk[0] == trained[0],
        "dynamic_ntk_changes_short_inputs": m.dynamic_ntk_base(10000.0, 64, 100, 4096, 8) != 10000.0,
        "yarn_scale_16": m.yarn_scale(16),
        "pairs_with_a_rotation_in_8192": (m.rotations_in_context(128, 8192) >= 1).sum(),
        "llama_3_1_length_over_trained": 131072 / 8192,
        "leaky_distance_of_a_key_100_back": 16 + (100 - 16) / 4,
    }
