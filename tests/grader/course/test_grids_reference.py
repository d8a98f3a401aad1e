"""`grids` computes what the models compute: a few constants, taken once from the code that the lesson names.

They come from Hugging Face transformers 5.23.0 and torch 2.13.0, called on the arguments that each test names, and were
written down with the digits that float32 gives. Neither library is needed here. To take them again, install both
somewhere else and make the calls in the docstrings.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.hints import catalogue

FLOAT32 = 1e-6
"""What was computed in float32 has seven digits."""


@pytest.fixture(scope="module")
def grids() -> Any:
    return catalogue.solution(course.find("grids"))


def test_detr(grids: Any) -> None:
    """`DetrSinePositionEmbedding.build_sine_position_embedding`, 2 rows, 3 columns, 4 features per axis, not
    normalized: its cell (0, 1).

    DETR counts from 1, so that cell is our cell (1, 2) of a larger grid.
    """
    theirs = [0.841470985, 0.540302306, 0.009999833, 0.99995, 0.909297427, -0.416146837, 0.019998667, 0.999800007]
    ours = grids.sinusoidal_2d(3, 4, 8).reshape(3, 4, 8)
    np.testing.assert_allclose(ours[1, 2], theirs, atol=1e-8)


def test_torch_interpolate(grids: Any) -> None:
    """`torch.nn.functional.interpolate(mode="bilinear", align_corners=False)` of [[0, 1, 4], [9, 16, 25]], larger and
    narrower."""
    table = np.arange(6.0)[:, np.newaxis] ** 2
    wider = [0, 0.625, 2.125, 4, 4.5, 7, 10.75, 14.5, 9, 13.375, 19.375, 25]
    narrower = [0.25, 3.25, 2.875, 8.125, 8.125, 17.875, 10.75, 22.75]
    np.testing.assert_allclose(grids.resize_grid(table, (2, 3), (3, 4))[:, 0], wider, atol=1e-12)
    np.testing.assert_allclose(grids.resize_grid(table, (2, 3), (4, 2))[:, 0], narrower, atol=1e-12)


def test_qwen2_vl_images(grids: Any) -> None:
    """`Qwen2VLVisionRotaryEmbedding` with 8 features per head, then `apply_rotary_pos_emb_vision`, on 1 … 8 at row 3,
    column 5."""
    theirs = [-1.69559252, 1.81912708, 7.56345654, 3.59516764, -4.80884266, 6.05729103, -0.89113748, 8.18991852]
    there = np.reshape(np.arange(8), (2, 4)).T.ravel()  # the pairs (i, i + d/2), written as neighbours
    ours = grids.apply_rope_nd(np.arange(1.0, 9.0)[np.newaxis, there], [[3, 5]], grids.axial_frequencies(8))
    np.testing.assert_allclose(ours[0], np.array(theirs)[there], rtol=FLOAT32)


def test_pixtral(grids: Any) -> None:
    """`PixtralVisionRotaryEmbedding` with 8 features per head: its `inv_freq` and its angles at row 3, column 5.

    It lists the pairs of y before those of x.
    """
    frequencies = grids.alternating_frequencies(8)[[0, 2, 1, 3]]
    np.testing.assert_allclose(frequencies.sum(axis=1), [1.0, 0.00999999978, 0.100000001, 0.00100000005], rtol=FLOAT32)
    np.testing.assert_allclose(frequencies @ [3, 5], [3.0, 0.03, 0.5, 0.005], rtol=FLOAT32)


QWEN = [
    ((2, 4, 6), False,
     [1.0, 0.464158922, 0.430886924, 0.200000003, 0.0928317681, 0.0430886969,
      0.0299999975, 0.0139247691, 0.00646330277, 0.00300000026, 0.00139247673, 0.000646330242]),
    ((4, 5, 3), True,
     [1.0, 0.928317785, 0.646330357, 0.100000001, 0.0928317681, 0.0646330416,
      0.00999999978, 0.00928318035, 0.00646330277, 0.00100000005, 0.000928317895, 0.000215443419]),
]  # fmt: skip


@pytest.mark.parametrize(("sections", "interleaved", "theirs"), QWEN)
def test_qwen_vl_text(grids: Any, sections: tuple[int, ...], interleaved: bool, theirs: list[float]) -> None:
    """`Qwen2VLRotaryEmbedding`, and interleaved `Qwen3VLTextRotaryEmbedding`, with 24 features per head: the angles at
    (1, 2, 3).

    The fifth pair of h that (4, 5, 3) promises would be pair 13, and there are 12.
    """
    frequencies = grids.mrope_frequencies(24, sections, interleaved=interleaved)
    np.testing.assert_allclose(frequencies @ [1, 2, 3], theirs, rtol=FLOAT32)


def test_qwen2_vl_positions(grids: Any) -> None:
    """`Qwen2VLModel.get_rope_index` of 2 tokens, a video of 3 × 5 × 4 cells and 3 tokens, and the position that it goes
    on at."""
    ours = grids.mrope_positions([2, (3, 5, 4), 3])
    assert ours[[2, 3, 6, 22, 61]].tolist() == [[2, 2, 2], [2, 2, 3], [2, 3, 2], [3, 2, 2], [4, 6, 5]]
    assert ours[62:].tolist() == [[7, 7, 7], [8, 8, 8], [9, 9, 9]]
    assert grids.next_position(ours) == 10


def test_where_transformers_differs_after_a_long_video(grids: Any) -> None:
    """There, text after a video of 5 × 2 × 3 cells that starts at 2 goes on at 2 + max(2, 3) = 5; here at 2 + 5 = 7."""
    assert grids.mrope_positions([2, (5, 2, 3), 3])[-3:].tolist() == [[7, 7, 7], [8, 8, 8], [9, 9, 9]]
