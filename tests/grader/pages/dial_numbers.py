"""Numbers that each dial should show, computed from the reference solutions by a function named after the dial."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from autograder.pages import dials
from tests.grader.support import numbers_in_lessons_helpers

Settings = dict[str, Any]
Numbers = dict[str, Any]
cached_curves = functools.cache(dials.best_median_worst_curves)
solution: Any = functools.cache(numbers_in_lessons_helpers.solution)


def expected(dial: str, settings: Settings, page: str) -> Numbers:
    """Return the numbers that a dial on a page should show for the specified settings."""
    if dial == "guess":
        return guess(settings, page)
    numbers: Numbers = globals()["encoding" if dial in ("slice", "clock") else dial](settings)
    return numbers


def shuffle(s: Settings) -> Numbers:
    attention = solution("attention")
    x, order = np.array([[1, 0.2], [-0.5, 1], [0.4, 1.5]]), [int(digit) for digit in s["order"]]
    mask = attention.causal_mask(3) if s["mask"] else None
    identity, moved = np.eye(2), attention.permute_tokens(x, order)
    first, second = (attention.self_attention(rows, identity, identity, identity, mask) for rows in (x, moved))
    before, after = (attention.attention_weights(rows, rows, mask) for rows in (x, moved))
    return {"before": before, "after": after, "left": first, "right": second}


def bits(s: Settings) -> Numbers:
    naive = solution("naive")
    count = int(s["bits"])
    codes = (naive.gray_positions if s["gray"] else naive.binary_positions)(2**count, count)
    position = min(s["position"], 2**count - 1)
    return {"digits": codes[position], "flips": naive.hamming_steps(codes)[position - 1] if position else 0}


def encoding(s: Settings) -> Numbers:
    return {"encoding": solution("sinusoidal").sinusoidal_encoding(s["position"], int(s["d"]))}


def fan(s: Settings) -> Numbers:
    wavelengths = solution("sinusoidal").wavelengths(int(s["d"]))
    return {"wavelengths": wavelengths, "turning": int((wavelengths <= 10 ** s["zoom"]).sum())}


def scale(s: Settings) -> Numbers:
    length = int(s["tokens"])
    words = {"dog": np.array([0.8, -0.6, 0.3, -0.9]), "man": np.array([-0.7, 0.5, 0.9, -0.2])}
    position = min(s["position"], length - 1)
    share = solution("naive").normalized_positions(length)[position]
    dog, man = (row + {"integer": position, "normalized": share}.get(s["kind"], 0) for row in words.values())
    cosine = np.clip(dog @ man / np.linalg.norm(dog) / np.linalg.norm(man), -1, 1)
    return words | {"dogThere": dog, "manThere": man, "there": np.degrees(np.arccos(cosine))}


def rows(s: Settings) -> Numbers:
    learned = solution("learned")
    d, count, seen = 16, s["count"], min(s["trained"], s["count"])
    p, f = np.arange(count)[:, None], np.arange(d)
    table, expected = 0.1 * np.sin(7.3 * (p + 1) * (f + 1)), 0.1 * np.sin(p / 2 + f)
    used = np.arange(seen)
    for _ in range(s["steps"]):
        error = learned.lookup(table, used) - expected[:seen]
        table = learned.sgd_step(table, learned.lookup_gradient(table.shape, used, error), 0.2)
    asked = s["asked"]
    error = np.linalg.norm(learned.lookup(table, asked) - expected[asked]) if asked < count else -1
    return {"table": table.ravel(), "error": error}


def whole(s: Settings) -> Numbers:
    words = "the dog saw the man and the man fed the dog".split()
    x = np.sin([1.7 * (list(dict.fromkeys(words)).index(word) + 1) * np.arange(1, 17) for word in words])

    def row(shift: int) -> Any:
        where = np.arange(len(words)) + shift
        relative = where - where[:, None]
        coded = {
            "number": x + where[:, None] / 10,
            "sinusoidal": x + solution("sinusoidal").sinusoidal_encoding(where, 16),
            "learned": x + np.sin(7.3 * np.arange(1, 62)[:, None] * np.arange(1, 17))[where],
        }.get(s["method"], x)
        bias = {"buckets": 4 * np.cos(solution("relative").t5_bucket(relative, False, 32, 128)), "alibi": relative}
        is_rope, query = s["method"] == "rope", int(s["query"])
        scores = 4 * solution("rope").rope_scores(x, x, where, where) if is_rope else coded @ coded.T
        return solution("attention").softmax((scores + bias.get(s["method"], 0))[query, : query + 1] / 4)

    return {"before": row(0), "after": row(s["shift"])}


def guess(s: Settings, page: str) -> Numbers:
    mine = np.array([s[f"at{place}"] for place in range(len(cached_curves(page)["lengths"]))]) / 100
    is_revealed = s["shown"] and not np.all(mine == 0.5)
    return {
        "mine": mine,
        "mean": np.mean(cached_curves(page)["curves"][s["group"]], axis=0) if is_revealed else np.zeros(0),
    }


def shift(s: Settings) -> Numbers:
    rope = solution("rope")
    theta = float(s["theta"])
    q, k = np.array([[s["q0"], s["q1"]]], float), np.array([[s["k0"], s["k1"]]], float)

    def score(m: float, n: float) -> float:
        return float(rope.rope_scores(q, k, [m * theta], [n * theta])[0, 0])

    return {
        "plain": score(0, 0),
        "rotated": score(s["m"], s["n"]),
        "home": score(0, s["n"] - s["m"]),
        "turnedQ": rope.apply_rope(q, [s["m"] * theta])[0],
        "turnedK": rope.apply_rope(k, [s["n"] * theta])[0],
    }


def decay(s: Settings) -> Numbers:
    d, base = int(s["d"]), 10.0 ** s["power"]
    return {
        "limit": solution("rope").decay_bound(s["offset"], d, base),
        "similarity": solution("sinusoidal").offset_similarity(s["offset"], d, base),
    }


def buckets(s: Settings) -> Numbers:
    relative = solution("relative")
    return {
        "clipped": relative.clip_positions(np.array(s["relative"]), s["k"]),
        "name": relative.t5_bucket(np.array(s["relative"]), s["both"], int(s["count"]), int(s["far"])),
    }


def slopes(s: Settings) -> Numbers:
    alibi = solution("alibi")
    found = alibi.alibi_slopes(s["heads"])
    return {"slopes": found, "windows": [alibi.effective_window(slope, float(s["tolerance"])) for slope in found]}


def stretch(s: Settings) -> Numbers:
    extension, rope = solution("context_extension"), solution("rope")
    d, base, factor, trained = int(s["d"]), float(s["base"]), s["factor"], int(s["trained"])
    return {
        "interpolation": rope.rope_frequencies(d, base) / factor,
        "ntk": rope.rope_frequencies(d, extension.ntk_base(base, factor, d)),
        "yarn": extension.yarn_frequencies(d, base, factor, trained),
        "llama3": extension.llama3_frequencies(d, base, factor, trained_len=trained),
    }


def patch(s: Settings) -> Numbers:
    grids = solution("grids")
    d, side = int(s["d"]), 15
    pairs = np.arange(d // 2)
    both = (100.0 ** (-2 * pairs / d))[:, None] * np.stack([np.cos(2.4 * pairs), np.sin(2.4 * pairs)], axis=-1)
    tables = {"axial": grids.axial_frequencies, "alternating": grids.alternating_frequencies, "mixed": lambda *_: both}
    table = tables[s["kind"]](d, 100.0)
    row = np.tile([1.0, 0.0], d // 2)[None]
    # The offset rotates every pair of this query into the direction of the same pair of a key equal to `row` that is
    # moved by that offset.
    query = grids.apply_rope_nd(row, np.array([[s["down"], s["right"]]]), table)
    keys = np.repeat(row, side * side, axis=0)
    scores = grids.grid_scores(query, keys, np.full((1, 2), side // 2), grids.grid_positions(side, side), table)
    return {"scores": scores[0], "table": table}


def sinks(s: Settings) -> Numbers:
    modern = solution("modern")
    tokens = modern.kept_tokens(s["total"], s["sinks"], s["window"])
    stored = np.stack([np.cos(tokens), np.sin(tokens)], axis=-1)
    moved = [
        modern.shift_keys(key[None], place - token)[0]
        for place, (token, key) in enumerate(zip(tokens, stored, strict=True))
    ]
    return {"tokens": tokens, "moved": moved}


def gate(s: Settings) -> Numbers:
    state = solution("state")
    gates = np.full(8, float(s["others"]))
    gates[s["at"]] = s["gate"]
    with np.errstate(divide="ignore"):
        log_f = np.log(gates)
    keys, values = np.tile(np.eye(2), (4, 1)), np.array([[4.0], [2], [6], [1], [3], [5], [2], [4]])
    held, after = np.zeros((2, 1)), []
    for key, value, log_gate in zip(keys, values, log_f, strict=True):
        _, held = state.linear_step(held, key, key, value, log_gate)
        after.append(held[:, 0])
    return {"matrix": state.decay_matrix(log_f).ravel(), "states": np.concatenate(after)}


def beta(s: Settings) -> Numbers:
    state = solution("state")
    angle = math.radians(s["angle"])
    keys = np.array([[1.0, 0.0], [math.cos(angle), math.sin(angle)]])
    _, first = state.linear_step(np.zeros((2, 1)), keys[0], keys[0], [4.0], 0.0)
    _, added = state.linear_step(first, keys[1], keys[1], [6.0], 0.0)
    corrected = state.delta_step(first, keys[1], [6.0], s["beta"], 0.0)
    return {"sum": added[:, 0], "delta": corrected[:, 0], "added": keys @ added[:, 0], "mended": keys @ corrected[:, 0]}


def packed(s: Settings) -> Numbers:
    batches = solution("batches")
    boundaries = np.unique([0, s["first"], s["second"], 12])
    own, restart = s["seen"] == "own", s["counting"] == "restart"
    mask = batches.document_mask(boundaries if own else np.array([0, 12]))
    positions = batches.packed_positions(boundaries) if restart else np.arange(12)
    return {"boundaries": boundaries, "positions": positions, "mask": mask.ravel()}


def ring(s: Settings) -> Numbers:
    return {"held": solution("batches").ring_positions(s["tokens"], s["slots"])}
