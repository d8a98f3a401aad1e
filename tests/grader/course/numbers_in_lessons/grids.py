import math

import numpy as np

from tests.grader.support.numbers_in_lessons_helpers import SOME, point, solution

m = solution("grids")
where = m.grid_positions(14, 14)


def below(width: int) -> int:
    """Return the number of positions from a patch to the patch directly below it."""
    return int(np.flatnonzero((m.grid_positions(3, width) == [1, 0]).all(axis=1))[0])


def matrix(frequencies: np.ndarray) -> str:
    return r" \cr ".join(" & ".join(f"{value:g}" for value in row) for row in frequencies)


angle = np.array([2, 1]) @ [1, 0.5]
turned = m.apply_rope_nd([[1, 0]], [[2, 1]], [[1, 0.5]])
sections = m.mrope_frequencies(128, (16, 24, 24), 1e6)[:, 2]
interleaved = m.mrope_frequencies(128, (16, 24, 24), 1e6, interleaved=True)[:, 2]

# Scores of axial frequencies form a cross.
keys = np.array([(0, 0), (2, 0), (0, 2), (2, 2), (2, -2)])
row = np.array([[1.0, 0, 1, 0]])
axial, mixed = (
    m.grid_scores(row, np.repeat(row, 5, axis=0), [(0, 0)], keys, of)[0]
    for of in (m.axial_frequencies(4), [[1, -1], [1, -1]])
)
assert np.allclose(axial, np.cos(keys).mean(axis=1)) and np.allclose(mixed, np.cos(keys[:, 0] - keys[:, 1]))

three = np.array([0.0, 6, 12])
centres = ((np.arange(5) + 0.5) * 3 / 5 - 0.5).round(9)
stretched = m.resize_grid(three[:, None], (1, 3), (1, 5))[:, 0].round(6)
aligned = np.interp(np.linspace(0, 2, 5), [0, 1, 2], three)

sequence = m.mrope_positions([3, (1, 2, 4), 2])
cells = [point(one) for one in sequence]
t, h, w = (np.flatnonzero(axis) for axis in m.mrope_frequencies(64, (8, 12, 12), interleaved=True).T)
of_12 = np.array(list("thw"))[m.mrope_frequencies(24, (8, 2, 2), interleaved=True).argmax(axis=1)]
alternating = m.alternating_frequencies(64).max(axis=0)

SENTENCES = r"""
with patches of 16 × 16 pixels is a grid of 14 × 14 = «len(where)» tokens <== 14 == 224 // 16
On a grid of 14 × 14 the patch directly below is «below(14)» positions later; in an image 20 patches wide it
    is «below(20)» positions later
In the cell $(2, 1)$ a pair with the frequencies 1 and 0.5 has the angle $2 \cdot 1 + 1 \cdot 0.5 = «angle»$
    <== np.allclose(turned, [[math.cos(angle), math.sin(angle)]])
With $d = 8$ and $b = 10000$ they are «m.mrope_frequencies(8, (4, 0, 0))[:, 0]»
F_\text{axial} = \begin{pmatrix} «matrix(m.axial_frequencies(8))» \end{pmatrix}
F_\text{alternating} = \begin{pmatrix} «matrix(m.alternating_frequencies(8))» \end{pmatrix}
With 12 pairs and the sections 8, 2 and 2: «' '.join(of_12)».
the fastest pair of $w$ rotates by «sections.max():.5f» radians per column
Interleaved, the fastest pair of $w$ is pair «interleaved.argmax()», with «interleaved.max():.2f» radians
| $(\Delta y, \Delta x)$ | «[point(key) for key in keys]» |
| axial | «axial:.3f» |
| mixed | «mixed:.3f» |
Axial: «axial[0]:.3f» − «-axial[3]:.3f» and «axial[1]:.3f» + «axial[2]:.3f» are both «axial[0] + axial[3]:.3f»
    <== math.isclose(axial[0] + axial[3], axial[1] + axial[2])
are equally far away, but score «mixed[3]:.3f» and «mixed[4]:.3f»
Three cells hold «three»; stretch them to five. $u$ is «centres», limited to 0 … 2
The new cells are «stretched». For example
«three» becomes «aligned».
| text | «', '.join(cells[:3])» |
| image, first row | «', '.join(cells[3:7])» |
| image, second row | «', '.join(cells[7:11])» |
| text | «', '.join(cells[11:])» |
The largest coordinate of the image is «sequence[3:11].max()», so the text continues at «sequence[11, 0]»
There are «len(sequence)» tokens, and the next token is at «m.next_position(sequence)»
$h$ should get 12 pairs: «h[:3]», …, «1 + 3 * 11». But the last of «len(t) + len(h) + len(w)» pairs is number
    31
so $h$ gets only the «len(h)» pairs «h[:2]», …, «h[-1]»
$w$ gets the «len(w)» pairs «w[:2]», …, «w[-1]»
and $t$ gets the other «len(t)»
the fastest pair of $y$ has the frequency «alternating[0]», the fastest pair of $x$ has «alternating[1]:.3f»
"""

theta, text = m.mrope_frequencies(4, (1, 1, 0)), m.mrope_positions([6])
plain = m.apply_rope_nd(SOME, text[:, :1], theta.sum(axis=1, keepdims=True))
corner_keys = [(0, 0), (4, 4), (4, 0), (0, 4)]
corners = m.grid_scores(SOME[:1], np.repeat(SOME[1:2], 4, axis=0), [(0, 0)], corner_keys, m.axial_frequencies(4))[0]
assert math.isclose(corners[:2].sum(), corners[2:].sum())
ANSWERS = {
    "tokens_of_a_16_by_16_image": len(m.grid_positions(16, 16)),
    "position_of_text_after_it": m.mrope_positions([(1, 16, 16), 1])[-1, 0],
    "text_under_mrope_is_plain_rope": np.allclose(m.apply_rope_nd(SOME, text, theta), plain),
    "axial_rope_sees_diagonals_in_one_pair": (np.count_nonzero(m.axial_frequencies(64), axis=1) > 1).any(),
    "fourth_corner_of_the_cross": 3 + 1 - 2.5,
    "old_position_of_new_cell_3": m.resize_grid(np.arange(4.0)[:, None], (1, 4), (1, 8))[3, 0],
    "next_position_after_two_images": m.next_position(m.mrope_positions([2, (1, 3, 5), (1, 2, 2), 1])),
}
