"""Every number of the lesson `grids`, and what its questions ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.grader.support.lesson_numbers import Sentences, d, differing, missing, point, short, some_features


def test_the_numbers_of_the_lesson() -> None:
    assert missing("grids", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("grids", answers) == []


def numbers(m: Any) -> Sentences:
    side = 224 // 16
    where = m.grid_positions(side, side)
    yield f"with patches of 16 × 16 pixels is a grid of {side} × {side} = {len(where)} tokens"
    below = np.flatnonzero((where == where[0] + [1, 0]).all(axis=1))[0]
    yield f"On a grid of {side} × {side} the patch directly below is {below} positions later"
    wide = np.flatnonzero((m.grid_positions(3, 20) == [1, 0]).all(axis=1))[0]
    yield f'In an image 20 patches wide it is {wide} positions later. So "{below} positions later" means'
    yield f"are neighbours in the sequence, but {where[side - 1, 1] - where[side, 1]} columns apart on the grid"

    angle = np.array([2, 1]) @ [1, 0.5]
    assert np.allclose(m.apply_rope_nd([[1, 0]], [[2, 1]], [[1, 0.5]]), [[math.cos(angle), math.sin(angle)]])
    yield "In the cell $(2, 1)$ a pair with the frequencies 1 and 0.5 has the angle"
    yield f"$2 \\cdot 1 + 1 \\cdot 0.5 = {short(angle)}$"
    yield f"With $d = 8$ and $b = 10000$ they are {', '.join(map(short, m.mrope_frequencies(8, (4, 0, 0))[:, 0]))}"
    for name, matrix in (("axial", m.axial_frequencies(8)), ("alternating", m.alternating_frequencies(8))):
        rows = r" \cr ".join(" & ".join(map(short, row)) for row in matrix)
        yield f"F_\\text{{{name}}} = \\begin{{pmatrix}} {rows} \\end{{pmatrix}}"
    qwen2 = m.mrope_frequencies(128, (16, 24, 24), 1e6)
    interleaved = m.mrope_frequencies(128, (16, 24, 24), 1e6, interleaved=True)[:, 2]
    yield f"The fastest pair of $t$ rotates by {short(qwen2[:, 0].max())} radian per frame"
    yield f"The fastest pair of $w$ rotates by {qwen2[:, 2].max():.5f} radians per column"
    yield f"Interleaved, the fastest pair of $w$ is pair {interleaved.argmax()}, with {interleaved.max():.2f} radians"

    row, mixed = np.array([[1.0, 0, 1, 0]]), [[1, -1], [1, -1]]
    keys = [(0, 0), (2, 0), (0, 2), (2, 2), (2, -2)]
    yield f"| $(\\Delta y, \\Delta x)$ | {' | '.join(str(key).replace('-', '−') for key in keys)} |"
    scores = {name: m.grid_scores(row, np.repeat(row, 5, axis=0), [(0, 0)], keys, matrix)[0]
              for name, matrix in (("axial", m.axial_frequencies(4)), ("mixed", mixed))}  # fmt: skip
    for name, values in scores.items():
        yield f"| {name} | {' | '.join(d(value, 3) for value in values)} |"
    axial = scores["axial"]
    assert math.isclose(axial[0] + axial[3], axial[1] + axial[2])
    assert np.allclose(axial, [(math.cos(y) + math.cos(x)) / 2 for y, x in keys])
    assert np.allclose(scores["mixed"], [math.cos(y - x) for y, x in keys])
    ends = f"{axial[0]:.3f} − {-axial[3]:.3f} and {axial[1]:.3f} + {axial[2]:.3f}"
    yield f"Axial: {ends} are both {axial[0] + axial[3]:.3f}"
    yield f"are equally far away, but score {d(scores['mixed'][3], 3)} and {d(scores['mixed'][4], 3)}"

    three = np.array([[0.0], [6], [12]])
    yield f"Three cells hold {', '.join(map(short, three[:, 0]))}; stretch them to five"
    centres = ", ".join(d((j + 0.5) * 3 / 5 - 0.5, 1).replace(".0", "") for j in range(5))
    yield f"$u$ is {centres}. The first becomes 0, the last becomes 2"
    stretched = m.resize_grid(three, (1, 3), (1, 5))[:, 0]
    aligned = np.interp(np.linspace(0, 2, 5), [0, 1, 2], three[:, 0])
    yield f"The new cells are {', '.join(short(round(value, 6)) for value in stretched)}. For example"
    yield f"From {', '.join(map(short, three[:, 0]))} it makes {', '.join(map(short, aligned))}."

    sequence = m.mrope_positions([3, (1, 2, 4), 2])
    rows = {"text": sequence[:3], "image, first row": sequence[3:7], "image, second row": sequence[7:11]}
    for name, cells in rows.items():
        yield f"| {name} | {', '.join(map(point, cells))} |"
    yield f"| text | {', '.join(map(point, sequence[11:]))} |"
    yield f"The largest coordinate of the image is {sequence[3:11].max()}, so the text goes on at {sequence[11, 0]}"
    yield f"There are {len(sequence)} tokens, and the next one is at {m.next_position(sequence)}"

    pairs = [np.flatnonzero(column) for column in m.mrope_frequencies(64, (8, 12, 12), interleaved=True).T]
    counts = [len(of_axis) for of_axis in pairs]
    assert sum(counts) == 32
    yield f"$h$ should get 12 pairs: {pairs[1][0]}, {pairs[1][1]}, {pairs[1][2]}, …, {1 + 3 * 11}. But"
    yield f"the last of {sum(counts)} pairs is number {sum(counts) - 1}"
    yield f"so $h$ gets only the {counts[1]} pairs {pairs[1][0]}, {pairs[1][1]}, …, {pairs[1][-1]}"
    yield f"$w$ gets the {counts[2]} pairs {pairs[2][0]}, {pairs[2][1]}, …, {pairs[2][-1]}, not 12"
    yield f"and $t$ gets the other {counts[0]}, not 8"
    alternating = m.alternating_frequencies(64).max(axis=0)
    yield f"the fastest pair of $y$ has frequency {short(alternating[0])}, that of $x$ has {alternating[1]:.3f}"


def answers(m: Any) -> dict[str, Any]:
    x, theta = some_features(), m.mrope_frequencies(4, (1, 1, 0))
    text = m.mrope_positions([6])
    plain = m.apply_rope_nd(x, text[:, :1], theta.sum(axis=1, keepdims=True))
    corners = m.grid_scores(
        x[:1], np.repeat(x[1:2], 4, axis=0), [(0, 0)], [(0, 0), (4, 4), (4, 0), (0, 4)], m.axial_frequencies(4)
    )[0]
    assert math.isclose(corners[:2].sum(), corners[2:].sum())
    return {
        "tokens_of_a_16_by_16_image": len(m.grid_positions(16, 16)),
        "position_of_text_after_it": m.mrope_positions([(1, 16, 16), 1])[-1, 0],
        "text_under_mrope_is_plain_rope": np.allclose(m.apply_rope_nd(x, text, theta), plain),
        "axial_rope_sees_diagonals_in_one_pair": bool((np.count_nonzero(m.axial_frequencies(64), axis=1) > 1).any()),
        "fourth_corner_of_the_cross": 3 + 1 - 2.5,
        "old_position_of_new_cell_3": m.resize_grid(np.arange(4.0)[:, None], (1, 4), (1, 8))[3, 0],
        "next_position_after_two_images": m.next_position(m.mrope_positions([2, (1, 3, 5), (1, 2, 2), 1])),
    }
