"""`batches` computes what the libraries compute: a few tables, taken once from the code that the lesson names.

They come from Hugging Face transformers 5.24.0 with torch 2.14.1, called on the arguments below. Neither library is
needed here. To take them again, install both somewhere else and make the calls in the docstrings.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.hints import catalogue

REAL = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 1]], dtype=bool)
POSITIONS = np.array([0, 1, 2, 0, 0, 1, 2, 3])


@pytest.fixture(scope="module")
def batches() -> Any:
    return catalogue.solution(course.find("batches"))


def test_positions_from_a_mask(batches: Any) -> None:
    """What `generate` makes of an attention mask: its running sum less 1, and 0 for padding."""
    assert batches.position_ids(REAL).tolist() == [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4], [0, 0, 1, 2, 3]]


def test_causal_masks_with_padding(batches: Any) -> None:
    """`masking_utils.create_causal_mask` with eager attention, REAL as attention mask and the positions from it.

    With padding on the left no key is before a row of padding, so there too such a row is empty.
    """
    theirs = [
        [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 1]],
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]],
        [[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 1, 1, 1, 0], [0, 1, 1, 1, 1]],
    ]
    mask = batches.padding_mask(REAL)
    assert mask.shape == (3, 1, 5, 5) and mask[:, 0].astype(int).tolist() == theirs


def test_a_flattened_batch(batches: Any) -> None:
    """`DataCollatorWithFlattening(return_flash_attn_kwargs=True)` on texts of 3, 1 and 2 tokens."""
    ids, boundaries = batches.pack([[7, 8, 9], [5], [1, 2]])
    assert ids.tolist() == [7, 8, 9, 5, 1, 2] and boundaries.tolist() == [0, 3, 4, 6]
    assert batches.packed_positions(boundaries).tolist() == [0, 1, 2, 0, 0, 1]


@pytest.mark.parametrize(
    ("positions", "theirs"),
    [(POSITIONS, [0, 0, 0, 1, 2, 2, 2, 2]), (np.array([5, 6, 7, 0, 1]), [0, 0, 0, 1, 1])],
)
def test_packed_texts_found_from_positions(batches: Any, positions: np.ndarray, theirs: list[int]) -> None:
    """`masking_utils.find_packed_sequence_indices`: the number of its text, for each token."""
    sizes = np.diff(batches.boundaries_of(positions))
    assert np.repeat(np.arange(len(sizes)), sizes).tolist() == theirs


def test_boundaries_for_flash_attention(batches: Any) -> None:
    """`prepare_fa_kwargs_from_position_ids`: the same where every text begins at the smallest position."""
    assert batches.boundaries_of(POSITIONS).tolist() == [0, 3, 4, 8]


def test_packed_causal_masks(batches: Any) -> None:
    """`masking_utils.create_causal_mask` with eager attention and the positions alone."""
    theirs = [
        [1, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0, 0],
        [0, 0, 0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 1, 1, 1, 0],
        [0, 0, 0, 0, 1, 1, 1, 1],
    ]
    assert batches.document_mask(batches.boundaries_of(POSITIONS)).astype(int).tolist() == theirs
