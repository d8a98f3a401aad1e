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
    yield f"serves 131,072, not {8 * 8192:,}"

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
    yield from _extended(m)


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
    yield "Llama 3 keeps no pair here either: none makes more than 4 rotations in 16 tokens"
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
    yield f"A difference is **clear** if $p \\le {CLEAR}$"
    yield "Asked at 64 tokens, four times the trained length"

    # The passkey.
    assert all(scores(passkey, extension.NO_POSITION, length).min() > 0.995 for length in setting.lengths)
    yield "every model finds it, with 1.00 up to 256 tokens"
    yield f"as trained, they fall to {mean(passkey, trained, 256)}"
    assert {
        mean(passkey, method, length) for method in ("interpolation", "YaRN", "Llama 3") for length in setting.lengths
    } == {"1.00"}

    # The latest passkey.
    yield f"the control without positions has {mean(latest, extension.NO_POSITION, 64)}"
    for method in ("interpolation", "YaRN", "Llama 3", "limits 1 and 1"):
        for length in setting.lengths[1:]:
            assert float(mean(latest, method, length)) >= 0.94 and all_gain(latest, method, length), (method, length)
    yield f"have at least 0.94 at every length, and all {models} models gain"
    yield f"at 256 tokens they have {mean(latest, 'NTK-aware', 256)} and {mean(latest, 'dynamic NTK', 256)}"

    # Copying.
    for method in ("interpolation", "Llama 3"):
        assert mean(copying, method, 64) == "0.06" and all_gain(copying, trained, 64, before=method)
    yield f"Interpolation and Llama 3 fall to 0.06, and all {models} models lose"
    stretched = extension.accuracies(rows, copying, "interpolation", what="stretched")[32]
    yield f"the models do name the token 6 back, in {100 * stretched.mean():.0f} % of all cases"
    assert all_gain(copying, "limits 1 and 1", 64) and all_gain(copying, "limits 1 and 1", 256)
    yield (
        f"With limits 1 and 1, all {models} models gain: {mean(copying, 'limits 1 and 1', 64)} at 64 tokens,"
        f" {mean(copying, 'limits 1 and 1', 256)} at 256 (as trained: {mean(copying, trained, 64)} and"
        f" {mean(copying, trained, 256)})"
    )
    published = gain(copying, "YaRN", 64)
    assert published.p > CLEAR
    yarn, pairs = (extension.METHODS[name](m, setting, 64).frequencies for name in ("YaRN", trained))
    assert (yarn == pairs).tolist() == [True] + [False] * (len(pairs) - 1)
    assert np.allclose((pairs - yarn) / (pairs * 3 / 4), np.clip(np.arange(len(pairs)) / 2, 0, 1)), (
        "low = 0 and high = 2"
    )
    yield "begins at pair 0 and ends at pair 2 ($0, \\tfrac12, 1, 1, \\dots$), and only the fastest pair is kept"
    yield f"In copying at 64 tokens this is no clear gain ({published.gained} of {models})"
    assert all_gain(copying, "limits 1 and 1", 64, before="YaRN")
    yield f"With limits 1 and 1 all {models} models are better than with the published ones"
    assert all_gain(copying, "YaRN", 128, before="YaRN, no scale")
    spread = scores(copying, "YaRN", 128).std(ddof=1)
    assert gain(copying, "YaRN", 128, before="YaRN, no scale").mean < spread
    yield (
        f"In copying at 128 tokens YaRN has {mean(copying, 'YaRN', 128)} with the scale and"
        f" {mean(copying, 'YaRN, no scale', 128)} without it. Among themselves the models differ by more"
        f" (± {spread:.2f}), but each of the {models} gains"
    )

    # One setting changed.
    base_10 = extension.RUNS["copy 3 back, base 10"]
    fitting = m.rotations_in_context(setting.width, 16, base_10.setting.base)
    yield (
        f"now {int((fitting >= 1).sum())} of {len(turns)} pairs make a rotation in 16 tokens, not"
        f" {int((turns >= 1).sum())}"
    )
    yield f"the models, without any method, copy with {mean('copy 3 back, base 10', trained, 256)} at 256 tokens"
    for method in set(base_10.methods) - {trained}:
        for length in setting.lengths[1:]:
            change = gain("copy 3 back, base 10", method, length)
            assert change.mean <= 0 or change.p > CLEAR, (method, length)
    longer = extension.RUNS["copy 3 back, trained at 64"].setting
    rotate = m.rotations_in_context(longer.width, longer.trained_length, longer.base)
    yield f"{longer.trained_length} tokens with base {longer.base:.0f}, asked at {longer.lengths[-1]}"
    yield f"most pairs ({int((rotate >= 1).sum())} of {len(rotate)}) make a rotation in training"
    repairs = set(extension.RUNS["latest passkey, trained at 64"].methods) - {trained, extension.NO_POSITION}
    far = {method: scores("latest passkey, trained at 64", method, 256) for method in repairs}
    assert all(all_gain("latest passkey, trained at 64", method, 256) for method in far)
    means = sorted(values.mean() for values in far.values())
    before = scores("latest passkey, trained at 64", trained, 256).mean()
    yield (
        f"the models as trained have {before:.2f}; every method makes all {models} models better, and has"
        f" {means[0]:.2f} to {means[-1]:.2f}"
    )
    yield f"(No position has {mean('latest passkey, trained at 64', extension.NO_POSITION, 256)}.)"
    yield f"which have {mean('copy 3 back, trained at 64', trained, 256)}"
    for length in longer.lengths[1:]:
        for method in far:
            change = gain("copy 3 back, trained at 64", method, length)
            assert change.mean <= 0 or change.p > CLEAR, (method, length)
    yield f"interpolation still has {mean('copy 3 back, trained at 64', 'interpolation', 256)}"
    further = "copy 3 back, trained further"
    for method in (trained, "NTK-aware", "YaRN", "limits 1 and 1"):
        assert float(mean(further, method, 64, 50)) >= 0.99
    assert extension.RUNS[further].further_steps[-1] == setting.steps == 1000
    assert scores(further, "interpolation", 64, 200).mean() < 0.1
    yield f"Interpolation needs 1,000 steps for {mean(further, 'interpolation', 64, 1000)}"
    saved = "latest passkey, trained further"
    assert all_gain(saved, "YaRN", 64, steps=50)
    yield (
        f"the models have {mean(saved, 'YaRN', 64, 50)} with YaRN, and {mean(saved, trained, 64, 50)} with unchanged"
        " frequencies"
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
    }
