"""Every number of the lesson `relative`, and what its questions ask."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from tests.grader.support.lesson_numbers import Sentences, differing, missing, short, tex


def test_the_numbers_of_the_lesson() -> None:
    assert missing("relative", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("relative", answers) == []


def numbers(m: Any) -> Sentences:
    rows = np.array([[0.0, 2, 0, 0], [1, 0, 0, 0], [-1, 0, 0, 0]])
    q, k = np.tile([2.0, 2, 0, 0], (3, 1)), np.tile([1.0, 1, 0, 0], (3, 1))
    yield f"$q \\cdot k = {short(q[0] @ k[0])}$ everywhere"
    with_rows = q[0] @ rows.T
    yield (
        f"$q \\cdot a_{{-1}} = {tex(with_rows[0], 0)}$, $q \\cdot a_0 = {tex(with_rows[1], 0)}$, $q \\cdot a_{{+1}} ="
        f" {tex(with_rows[2], 0)}$"
    )
    scores = m.shaw_scores(q, k, rows, 1)
    first, second = [[short(score) for score in row] for row in scores[:2]]
    clipped = f"distance 2, clipped to 1: $(4 - 2)/2 = {first[2]}$"
    yield f"| 0 | $(4 + 2)/2 = {first[0]}$ | $(4 - 2)/2 = {first[1]}$ | {clipped} |"
    yield f"| 1 | $(4 + 4)/2 = {second[0]}$ | $(4 + 2)/2 = {second[1]}$ | $(4 - 2)/2 = {second[2]}$ |"

    def bucket(distance: int, **sizes: Any) -> int:
        return int(
            m.t5_bucket(np.array(-distance), **({"bidirectional": False, "num_buckets": 8, "max_distance": 64} | sizes))
        )

    yield f"the distances 0, 1, 2, 3 have buckets {', '.join(str(bucket(n)) for n in range(4))}"
    for n in (4, 7, 8, 16, 32):
        yield f"| {n} | {short(round(math.log2(n / 4), 2))} | {bucket(n)} |"
    yield (
        f"| 1000 | {short(round(math.log2(1000 / 4), 2))} | $\\min(7, {4 + int(math.log2(1000 / 4))}) ="
        f" {bucket(1000)}$ |"
    )
    opens = [next(n for n in range(2000) if bucket(n) == number) for number in range(8)]
    widths = np.diff(opens)
    assert widths[5] == 2 * widths[4] and widths[6] == 2 * widths[5]
    yield "Buckets 5 and 6 are twice as wide as the bucket before them"
    yield f"The last one starts at {opens[7]}, half of `max_distance`"
    assert opens[7] == 64 // 2

    assert np.array_equal(m.t5_bucket(np.arange(1000), bidirectional=False), np.zeros(1000))
    yield "the wrong sign sends the whole past to bucket 0"

    defaults = inspect.signature(m.t5_bucket).parameters
    buckets, most = defaults["num_buckets"].default, defaults["max_distance"].default
    alone = next(
        n
        for n in range(most)
        if bucket(n + 1, num_buckets=buckets, max_distance=most) == bucket(n, num_buckets=buckets, max_distance=most)
    )
    yield f"T5's defaults, causal, are $N = B = {buckets}$, $E = {alone}$ and $D = {most}$"
    on_the_boundary = math.log(8 / 4) / math.log(128 / 4) * 5
    yield f"with 9 causal buckets and `max_distance` 128, distance 8 gives {on_the_boundary!r} instead of 1"

    # Transformer-XL and DeBERTa.
    q, k, table, other = (
        np.ones((2, 1)),
        np.array([[2.0], [3]]),
        np.array([[5.0], [0], [7]]),
        np.array([[1.0], [0], [10]]),
    )
    four = m.four_term_scores(q, k, table, [1], [10], 1)
    yield f"Query 0 and key 1 score $(1 + 1) \\cdot 3 + (1 + 10) \\cdot 7 = {short(four[0, 1])}$"
    yield f"Query 1 and key 0 score $(1 + 1) \\cdot 2 + (1 + 10) \\cdot 5 = {short(four[1, 0])}$"
    three = np.sqrt(3) * m.disentangled_scores(q, k, table, other, 1)
    yield f"so they score $(3 + 7 + 3 \\cdot 1)/\\sqrt 3 = {short(three[0, 1])}/\\sqrt 3$"
    yield f"$(2 + 5 + 2 \\cdot 10)/\\sqrt 3 = {short(three[1, 0])}/\\sqrt 3$"

    # The example in PyTorch, and what the boxes show of numpy.
    bias = m.t5_bias(np.arange(4.0)[:, None], 1, 5, False, 7, q_start=4)
    yield f"relative = torch.arange(5)[None, :] - 4 # {m.relative_positions(1, 5, q_start=4).tolist()}"
    yield (
        "bucket = torch.from_numpy(t5_bucket(relative.numpy(), False, 4, 7)) #"
        f" {m.t5_bucket(np.arange(-4, 1)[None], False, 4, 7).tolist()}"
    )
    yield f"# shape {bias.shape}: {bias.astype(int).tolist()}"
    yield f"np.arange(2)[:, None] - np.arange(3) # {(np.arange(2)[:, None] - np.arange(3)).tolist()}: shape (2, 3)"
    per_row, wanted = np.array([[10, 11, 12], [20, 21, 22]]), np.array([[1, 2], [0, 1]])
    yield f"np.take_along_axis(per_row, rows, axis=-1) # {np.take_along_axis(per_row, wanted, axis=-1).tolist()}"
    assert np.broadcast_to(wanted, (5, 2, 2)).shape == (5, 2, 2)
    logs = np.log(np.maximum([0, 3, 8], 4) / 4)
    yield f"np.log(np.maximum(n, 4) / 4) # [0, 0, {logs[2]:.3f}]"
    assert not logs[:2].any()
    yield f"np.moveaxis(np.zeros((5, 6, 2)), -1, 0).shape # {np.moveaxis(np.zeros((5, 6, 2)), -1, 0).shape}"


def answers(m: Any) -> dict[str, Any]:
    behind, ahead = m.t5_bucket(np.array([-10_000, -5000, -129])), m.t5_bucket(np.array([129, 5000, 10_000]))
    return {
        "shaw_rows_for_k_16": 1 + m.clip_positions(np.array(99), 16) - m.clip_positions(np.array(-99), 16),
        "t5_bucket_of_minus_1_bidirectional": m.t5_bucket(np.array(-1)),
        "t5_bucket_of_plus_1_bidirectional": m.t5_bucket(np.array(1)),
        "t5_distances_beyond_128_differ": len(set(behind)) > 1 or len(set(ahead)) > 1,
        "shaw_numbers_for_k_16_d_64": 2 * 33 * 64,
        "last_bucket_starts_at": next(n for n in range(64) if m.t5_bucket(np.array(-n), False, 16, 64) == 15),
        "q_start_with_7_cached_tokens": next(n for n in range(9) if m.relative_positions(1, 8, n)[0, -1] == 0),
    }
