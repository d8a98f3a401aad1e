"""Every number of the lesson `extrapolation`, and what its questions ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from assignments import measuring
from assignments.extrapolation import lab
from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, ratio, short, solution, some_features

WORDS = dict(enumerate("no one two three four five six seven eight nine ten eleven twelve".split()))


def test_the_numbers_of_the_lesson() -> None:
    assert missing("extrapolation", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("extrapolation", answers) == []


def numbers(m: Any) -> Sentences:
    frequencies = 10000.0 ** (-np.arange(0, 8, 2) / 8)

    def similar(distance: int) -> float:
        """Σ cos(θ(j − i + 3)) for d = 8 and a key this far back."""
        return float(np.cos(frequencies * (3 - distance)).sum())

    assert max(range(128), key=similar) == 3
    sinusoidal = solution("sinusoidal")
    codes = sinusoidal.sinusoidal_encoding(np.arange(128), 8)
    assert np.allclose(
        (codes @ sinusoidal.shift_matrix(3, 8) @ codes.T)[127], [similar(127 - key) for key in range(128)]
    )
    largest, rival = similar(3), similar(66)
    yield f"With $d = 8$ this is {largest:g} at distance $i-j = 3$, its maximum, and {rival:.2f} at distance 66"

    accuracies = [1.0, 0.9, 0.5, 0.95]
    lengths = [16, 32, 64, 128]
    yield f"With the threshold 0.9 the longest reliable length is {m.longest_reliable_length(lengths, accuracies)}"
    yield f"The gap is $1.0 - 0.95 = {m.extrapolation_gap(lengths, accuracies, 16):.2f}$"
    assert m.extrapolation_gap(lengths, [0.1] * 4, 16) == 0
    yield "A model that scores 0.1 at every length has a gap of 0"
    yield f"and $e^5 = {math.exp(5):.1f}$"
    weights = [math.exp(5) / (math.exp(5) + keys - 1) for keys in lengths]
    yield f"| weight of the right key | {' | '.join(d(weight, 3) for weight in weights)} |"
    assert round(1 - weights[3] / weights[0], 1) == 0.4
    yield "The right key has lost four tenths of its weight"
    nothing = np.zeros((3, 2))
    rows = m.logits("alibi", nothing, nothing, {"slope": 0.5})
    yield f"$-0.5\\cdot2, -0.5\\cdot1, 0$, that is ${', '.join(f'{value:g}' for value in rows[2] + 0.0)}$"
    assert np.array_equal(rows[0], [0, -np.inf, -np.inf])
    yield "the first is $0, -\\infty, -\\infty$"
    added = m.encode("binary", np.zeros((6, 4)), {"n_bits": 3})[5]
    yield f"row 5 gets ${', '.join(map(short, added))}$ added: 5 is {5:03b}"
    weight = np.ones((1, 1))
    rows = [
        m.logits("integer", m.encode("integer", shifted, {}), m.encode("integer", shifted, {}), {})
        for shifted in np.ones((2, 3, 1))
    ]
    assert rows[0][1:, 1:][np.tri(2) > 0].tolist() == [4, 6, 9]
    yield (
        "The differences are 3, 4 and 5, so the shift gap is"
        f" {m.shift_gap('integer', np.ones((2, 1)), weight, weight, {}, 1):g}"
    )
    yield from _measured(m)


class _Measured:
    """What the experiment left, asked by the claims of the lesson."""

    def __init__(self) -> None:
        self.rows, self.grid = lab.saved(), lab.at_best_rate(lab.kept_tries("grid.csv"))
        self.choice = lab.chosen(lab.kept_tries("grid.csv"))

    def seeds(
        self, method: str, length: int, change: str = "usual", task: str = "copy 3 back", what: str = "accuracy"
    ) -> np.ndarray:
        return lab.by_length(
            self.rows, task, method, self.choice[task, method] if change == "chosen" else change, what
        )[length]

    def mean(self, *asked: Any, **named: Any) -> str:
        return d(self.seeds(*asked, **named).mean(), 2)

    def spread(self, *asked: Any, **named: Any) -> str:
        return measuring.spread(self.seeds(*asked, **named))

    def reliable(self, change: str, task: str, length: int = 128) -> set[str]:
        """The methods that are reliable at this length with every seed."""
        return {
            method for method in lab.METHODS if (self.seeds(method, length, change, task) >= measuring.RELIABLE).all()
        }

    def tried(self, method: str, what: str, task: str = "copy 3 back") -> dict[str, float]:
        """Setting → the mean over the choosing seeds."""
        settings = ("usual", *lab.CHOICES.get(method, ()))
        return {
            change: float(np.mean([getattr(row, what) for row in lab.tried(self.grid, task, method, change)]))
            for change in settings
        }


def _changed(kept: _Measured, task: str) -> Sentences:
    """Three times the steps, and the changes that a reader may make."""
    tries, changes = lab.at_best_rate(lab.kept_tries("grid.csv")), lab.kept_tries("changes.csv")
    pairs = lab.reported(kept.rows, task)
    once, thrice = (
        {pair: lab.tried(rows, task, *pair, then) for pair in pairs}
        for rows, then in ((tries, lab.USUAL), (changes, lab.TRIPLED))
    )
    moving = {pair for pair in pairs if not lab.flat(once[pair], thrice[pair])}
    yield (
        "seven rows do: sinusoidal and RoPE, with both settings; scaled integer; Shaw and T5, with the usual setting"
    )
    yield f"{lab.setting_of(lab.TRIPLED).steps:,} steps in place of {lab.Setting().steps:,}"
    both = {(method, change) for method in ("sinusoidal", "rope") for change in ("usual", kept.choice[task, method])}
    scaled = ("integer", kept.choice[task, "integer"])
    assert moving == {*both, scaled, ("shaw", "usual"), ("t5", "usual")}

    def mean(rows: list[lab.Tried], what: str = "x8") -> float:
        return float(np.mean([getattr(row, what) for row in rows]))

    assert [pair for pair in pairs if abs(mean(once[pair], "x1") - mean(thrice[pair], "x1")) > 0.02] == [scaled]
    yield "At 16 tokens no mean but that of scaled *integer* changes by more than 0.02"
    t5, shaw = ([d(mean(rows[method, "usual"]), 2) for rows in (once, thrice)] for method in ("t5", "shaw"))
    yield f"At 128 tokens T5 goes from {t5[0]} to {t5[1]}, and Shaw from {shaw[0]} to {shaw[1]}"

    cells = {row[1:4]: lab.tried(changes, task, *row[1:4]) for row in changes if row.method in lab.RIVALS}
    lowest = {
        pair: min(mean(rows) for (*of, _), rows in cells.items() if tuple(of) == pair)
        for pair in {key[:2] for key in cells}
    }
    assert [pair for pair, accuracy in lowest.items() if accuracy >= 0.99] == [("t5", "own_buckets 16")]
    yield "Only T5 with `own_buckets 16` keeps its accuracy under every change"
    assert min(mean(rows, "x1") for rows in cells.values()) >= 0.98
    yield "At the trained length every cell has at least 0.98"
    of_32 = cells["rope", "base 4", "trained_length 32"]
    assert sum(row.loss > 0.01 for row in of_32) == 1
    yield f"In the cell {d(mean(of_32), 2)} (base 4, trained on 32) one of the four seeds had not converged"
    again = [row for row in lab.saved_far() if row.then == "trained_length 32"]
    assert len({row.seed for row in again if row.loss > 0.01}) == 1
    at_256 = np.mean([row.accuracy for row in again if row.length == 256])
    yield f"On the eight reported seeds the mean is {d(at_256, 2)} at 256 tokens"


def _measured(m: Any) -> Sentences:
    """Every claim of the lesson about a measurement: each sentence stands in the lesson only as long as its assertion
    holds."""
    kept, setting = _Measured(), lab.Setting()
    three, single = lab.TASKS
    tables = lab.tables(m).split("\n\n")
    for title in (
        "The table of the articles, measured",
        "One more change: accuracy on the choosing seeds at 8 times the trained length",
    ):
        yield tables[tables.index(title) + 1]

    # How it was measured.
    assert (
        setting.trained_length == setting.batch == setting.vocabulary == 16
        and len(lab.SEEDS) == 8
        and len(lab.CHOOSING_SEEDS) == 4
    )
    yield f"| model | {setting.vocabulary} tokens in the vocabulary, {setting.width} features |"
    yield f"| training | {setting.steps:,} steps of {setting.batch} sequences |"
    asked = [setting.trained_length - back for back in lab.TASKS.values()]
    assert lab.FEWER_BEYOND == 128
    yield (
        f"| test | {setting.sequences} sequences per length, {setting.sequences // 4} from 512 tokens on. We score the"
        f" last {asked[0]} positions"
    )
    yield f"(in a second task, copy 1 back, the last {asked[1]})"
    usual = (
        f"base {setting.base:,.0f}, {setting.buckets} buckets, Shaw clipped at {setting.max_distance}, slope"
        f" {ratio(setting.slope)}"
    )
    assert lab.setting_of(lab.USUAL) == setting
    yield f"with the **usual** setting ({usual})"
    yield f"learning rates {', '.join(map(short, lab.LEARNING_RATES[:-1]))} and {lab.LEARNING_RATES[-1]:g}"
    at_16 = [value for task in lab.TASKS for value in kept.tried("rope", "x1", task).values()]
    yield (
        "Accuracy at 16 tokens could not choose: every base of RoPE has at least"
        f" {d(math.floor(1000 * min(at_16)) / 1000, 3)} there."
    )
    yield f"if all 8 seeds gain, $p = 2/{2**8} = {measuring.sign_flip(np.ones(8)):.3f}$"
    yield f"The learned table has {setting.table_rows} rows"
    scale = lab.setting_of(kept.choice[three, "integer"]).scale
    yield f"({scale:g} is {ratio(scale)})"

    # What is left of the ranking.
    assert kept.reliable("chosen", three) == {"shaw", "t5", "rope"} and kept.reliable("usual", three) == {"shaw"}
    others = [
        kept.seeds(method, 128, "chosen") for method in lab.METHODS if method not in ("shaw", "t5", "rope", "learned")
    ]
    assert (
        not any((seeds >= measuring.RELIABLE).any() for seeds in others) and np.isnan(kept.seeds("learned", 128)).all()
    )
    yield (
        "Shaw, T5 and RoPE are reliable at 128 tokens with all eight seeds. No other method is reliable there with any"
        " seed"
    )
    yield "With the usual settings only Shaw is left"
    assert kept.choice[three, "rope"] == "base 4" and kept.choice[three, "t5"] == "own_buckets 16"
    gain = measuring.paired(kept.seeds("rope", 128), kept.seeds("rope", 128, "chosen"))
    assert gain.gained == 8 and d(gain.p, 3) == "0.008"
    yield (
        f"Base 10,000 with a head of 32 features: {kept.spread('rope', 128)} at 128 tokens. Base 4, the same seeds:"
        f" {kept.spread('rope', 128, 'chosen')}, and all eight gain ($p = 0.008$)"
    )
    yield from _far(kept)
    slowest = 4.0 ** (-(setting.width - 2) / setting.width)
    yield f"the slowest of the 16 pairs rotates by {d(slowest, 2)} radians per position"
    steps = setting.trained_length - 1
    yield (
        f"so in the {steps} steps between the first and the last of 16 tokens it goes through"
        f" {math.degrees(steps * slowest):.0f}°"
    )
    through = steps * 10000.0 ** (-np.arange(0, setting.width, 2) / setting.width) / (2 * np.pi)
    yield f"With base 10,000 {WORDS[int((through < 1 / 12).sum())]} of 16 pairs have seen less than a twelfth"
    best = []
    for what, length in (("x2", 32), ("x8", 128)):
        reported = [kept.seeds("sinusoidal", length, change).mean() for change in ("usual", "chosen")]
        best.append(max(*kept.tried("sinusoidal", what).values(), *reported))
    yield f"no base that we tried has more than {d(best[0], 2)} at 32 tokens or {d(best[1], 2)} at 128"

    yield from _changed(kept, three)

    # Method by method.
    read = lab.read(m, "t5", setting).buckets
    assert read is not None
    untrained = 32 - len(np.unique(read[np.tri(16, dtype=bool)]))
    yield f"yes, {untrained} of 32 entries"
    far = lab.saved_looks()["t5", lab.USUAL]
    assert far[16:].mean() > np.delete(far[:16], 3).mean()
    tied, right = lab.saved_looks()["t5", "own_buckets 16"], setting.back
    yield f"{128 - 16} far keys together took {d(far[16:].sum(), 2)} of the attention"
    yield (
        f"far keys still take {d(tied[16:].sum(), 2)}; but the right key has {d(tied[right], 2)}, not"
        f" {d(far[right], 2)}"
    )
    clipped = np.minimum(np.arange(128), setting.max_distance)
    untrained = set(clipped) - set(clipped[: setting.trained_length])
    assert untrained == {setting.max_distance}
    assert kept.mean("shaw", 128) == "1.00"
    yield "one row, and it does no harm"
    fast = lab.tried(lab.kept_tries("grid.csv"), three, "shaw", lab.USUAL)
    rates = {rate: float(np.mean([row.x8 for row in fast if row.learning_rate == rate])) for rate in lab.LEARNING_RATES}
    assert lab.best_rates(fast)[three, "shaw", lab.USUAL] == 0.003 and kept.choice[three, "shaw"] == lab.USUAL
    yield f"learning rate 0.03 ({d(rates[0.03], 2)}); 512 tokens without ln n"
    assert max(kept.tried("alibi", "x8").values()) < 0.3
    yield f"ALiBi, which cannot copy 3 back ({kept.mean('alibi', 128, 'chosen')} at best)"
    losses = [kept.seeds("alibi", length, what="cross_entropy").mean() for length in (16, 128)]
    assert losses[1] <= losses[0] + 0.02
    yield f"has a loss of {d(losses[0], 2)} at 16 tokens and of {d(losses[1], 2)} at 128"
    assert kept.choice[single, "alibi"] == "slope 2" and kept.choice[single, "rope"] == "base 4"
    yield f"ALiBi has {kept.mean('alibi', 128, 'chosen', single)} with slope 2"
    yield (
        f"RoPE with base 4 has {kept.spread('rope', 128, 'chosen', single)}, less than ALiBi, Shaw and T5 with chosen"
        " settings ($p = 0.008$)"
    )
    for method in ("alibi", "shaw", "t5"):
        behind = measuring.paired(kept.seeds("rope", 128, "chosen", single), kept.seeds(method, 128, "chosen", single))
        assert behind.gained == 8 and d(behind.p, 3) == "0.008" and behind.mean > 0
    looks = lab.saved_looks()["rope", lab.USUAL]
    assert looks.argmax() == 3
    rivals = sorted(int(distance) for distance in np.argsort(looks)[::-1][1:5])
    assert min(rivals) >= 16
    yield "RoPE, T5 and ALiBi have a shift gap of 0, and with their usual settings they fail at copying 3 back"
    failing = [kept.seeds(method, 128) for method in ("rope", "t5", "alibi")]
    assert not any((seeds >= measuring.RELIABLE).any() for seeds in failing)
    known = setting.known(lab.draw_parameters("t5", setting, 0) | {"key_table": np.zeros((33, setting.width))})
    x = np.random.default_rng(0).normal(size=(8, setting.width))
    assert all(
        m.shift_gap(method, x, np.eye(setting.width), np.eye(setting.width), known, 5) < 1e-9
        for method in ("rope", "t5", "alibi")
    )
    yield (
        f"RoPE with base 10,000 has peaks at wrong distances: {', '.join(map(str, rivals[:3]))} and {rivals[3]} back"
    )


def _far(kept: _Measured) -> Sentences:
    """The texts of 512 and 1,024 tokens, and positions that are random in training."""
    rows = lab.saved_far()

    def seeds(method: str, change: str, then: str, length: int, log_n: int = 0) -> np.ndarray:
        key = (method, change, then, log_n, length)
        return np.array([row.accuracy for row in rows if (*row[:4], row.length) == key])

    def mean(*what: Any) -> str:
        return d(seeds(*what).mean(), 2)

    table = {
        ("rope", "usual", "usual"): "base 10,000, 32 features",
        ("rope", "usual", "width 128"): "base 10,000, 128 features",
        ("rope", "base 4", "usual"): "base 4",
        ("shaw", "usual", "usual"): "usual",
        ("t5", "usual", "usual"): "usual",
        ("t5", "own_buckets 16", "usual"): "own_buckets 16",
    }
    for what, name in table.items():
        cells = [mean(*what, length) for length in (128, 512, 1024)] + [
            mean(*what, length, 1) for length in (512, 1024)
        ]
        yield f"| {what[0]} | {name} | {' | '.join(cells)} |"
        for length in (16, 32, 64, 128):  # the models of the first table, trained once more
            if what[2] == "usual":
                assert np.allclose(seeds(*what, length), kept.seeds(what[0], length, what[1]), atol=0.05)
    shaw, t5, rope = ("shaw", "usual", "usual"), ("t5", "own_buckets 16", "usual"), ("rope", "base 4", "usual")
    yield (
        f"At 1,024 tokens Shaw and T5 have {mean(*shaw, 1024)} and {mean(*t5, 1024)}, RoPE with base 4"
        f" {mean(*rope, 1024)}. With ln n they reach {mean(*shaw, 1024, 1)}, {mean(*t5, 1024, 1)} and"
        f" {mean(*rope, 1024, 1)}"
    )
    usual = ("t5", "usual", "usual")
    yield f"Even T5 with usual buckets reaches {mean(*usual, 128, 1)} at 128 tokens in place of {mean(*usual, 128)}"
    wide = ("rope", "usual", "width 128")
    yield f"as in real models: {mean(*wide, 128)}, and still {mean(*wide, 1024)} at 1,024 tokens"
    start, own = ("sinusoidal", "usual", "start_below 128"), ("learned", "usual", "table_rows 128, start_below 128")
    yield (
        f"they have {mean(*start, 32)} and {mean(*start, 128)}; the learned table {mean(*own, 32)} and"
        f" {mean(*own, 128)}"
    )
    yield f"do not help here: {mean('sinusoidal', 'usual', 'drawn_below 128', 16)} at 16 tokens already"


def answers(m: Any) -> dict[str, Any]:
    x = some_features()
    with pytest.raises(ValueError, match="5"):
        m.encode("learned", x, {"table": np.zeros((5, 4))})
    # How many tokens the first one sees, and how many it sees when it has moved one place on.
    seen = np.isfinite(m.logits("none", x, x, {})).sum(axis=1)
    known = {method: lab.Setting().known(lab.draw_parameters(method, lab.Setting(), 0)) for method in m.METHODS}
    weights = np.random.default_rng(1).normal(size=(3, 32, 32))
    without_gap = [method for method in m.METHODS if m.shift_gap(method, *weights, known[method], 16) < 1e-9]
    counts = {method: m.learned_parameters(method, known[method]) for method in m.METHODS}
    rows = lab.saved()
    runs_longer = {
        method: lab.by_length(rows, "copy 3 back", method)[128].mean() >= lab.RELIABLE for method in m.METHODS
    }
    return {
        "learned_runs_past_its_table": False,
        "alibi_changes_the_embeddings": not np.array_equal(m.encode("alibi", x, {"slope": 0.5}), x),
        "causal_model_without_encoding_sees_order": seen[0] != seen[1],
        "methods_without_a_shift_gap": len(without_gap),
        "no_shift_gap_is_enough_to_run_longer": all(runs_longer[method] for method in without_gap),
        "ways_to_draw_2_of_5_positions": math.comb(5, 2),
        "fewest_learned_numbers": min((count, method) for method, count in counts.items() if count)[1],
    }
