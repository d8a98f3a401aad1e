"""Batches: where each text begins.

A computer processes many texts at once, in one shared array. Batching must not change any result: a text gives exactly
the same result in a batch as on its own. Three rules keep the results equal. The positions of a text count only the
tokens of this text. A mask hides the padding and the tokens of other texts. A layer with a state begins each text with
an empty state.

Conventions: positions start at 0; `...` stands for any number of leading axes. A `mask` is boolean: True for a real
token, False for padding. `boundaries` says where packed texts begin and end: D + 1 ascending integers for D texts, from
0 to the number of tokens. FlashAttention calls the boundaries cu_seqlens. Positions and boundaries are returned as
int64, and masks as bool. packed_attention returns float32 if q, k and v are all float32, else float64; gates are always
float64. No function changes an argument in place.
Only functions with a `Raises` line must refuse bad arguments.
"""

from itertools import pairwise

import numpy as np


def _features(*arrays):
    """Return the arrays as float64, and the result's dtype: float32 if every array is float32, else float64.

    This function is already provided in every lesson's file; lesson 1 explains how to use it.
    """
    arrays = [np.asarray(array) for array in arrays]
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    return *(array.astype(np.float64) for array in arrays), dtype


# BEGIN SOLUTION
# Argument checks that several functions share.


def _texts(texts):
    """Return the texts as arrays, and their lengths."""
    texts = [np.asarray(text, dtype=np.int64) for text in texts]
    lengths = [len(text) for text in texts]
    if not texts or min(lengths) == 0:
        raise ValueError(f"there must be a text, and none may be empty; got lengths {lengths}")
    return texts, lengths


def _real(mask):
    mask = np.asarray(mask, dtype=bool)
    if not mask.any(axis=-1).all():
        raise ValueError(f"each row of the mask must have a real token; got {mask}")
    return mask


def _boundaries(boundaries, length=None):
    """Return valid boundaries as an array. The last boundary must equal `length`, unless `length` is None."""
    boundaries = np.asarray(boundaries)
    if not (boundaries.ndim == 1 and boundaries.size > 1 and boundaries[0] == 0 and (np.diff(boundaries) > 0).all()):
        raise ValueError(f"boundaries must rise from 0 to the number of tokens; got {boundaries}")
    if length is not None and boundaries[-1] != length:
        raise ValueError(f"boundaries must end at the number of tokens, {length}; got {boundaries}")
    return boundaries


def _parents(parents):
    parents = np.asarray(parents, dtype=np.int64)
    if ((parents < -1) | (parents >= np.arange(len(parents)))).any():
        raise ValueError(f"a parent must be -1 or a token before its own; got {parents}")
    return parents


# END SOLUTION


def pad(texts, side="right", pad_id=0):
    """Return texts of different lengths as the rows of one array, padded to the same length.

    T is the length of the longest text. With side "right", the padding comes after the text; with side "left", it comes
    before the text.

    Parameters: `texts`, a list of B texts, each a list or a 1-D array of token ids; `side`, "left" or "right";
    `pad_id`, the token id of padding. A real token can also have the id `pad_id`.
    Returns: ids, int64, and mask, bool, both of shape (B, T). The mask is True for the real tokens.
    Example: pad([[7, 8, 9], [5]], "left") has the ids [[7, 8, 9], [0, 0, 5]] and the mask [[True, True, True], [False,
    False, True]].
    Source: Hugging Face transformers' tokenizers (`padding_side`, `attention_mask`).
    """
    # BEGIN SOLUTION
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right'; got {side!r}")
    texts, lengths = _texts(texts)
    longest = max(lengths)
    ids = np.full((len(texts), longest), pad_id, dtype=np.int64)
    mask = np.zeros(ids.shape, dtype=bool)
    for row, (text, length) in enumerate(zip(texts, lengths, strict=True)):
        start = 0 if side == "right" else longest - length
        ids[row, start : start + length] = text
        mask[row, start : start + length] = True
    return ids, mask
    # END SOLUTION


def position_ids(mask):
    """Return the position of each token in its own text; padding can be anywhere.

        position[t] = number of real tokens before t   for a real token
        position[t] = 0                                for padding

    A row can have 65,536 tokens, so avoid an array of T × T numbers.

    Parameters: `mask`, bool, shape (..., T), True for a real token. Padding can be on the left, on the right, or in
    between.
    Returns: int64, with the same shape as the mask.
    Raises: ValueError for a row without a real token.
    Example: position_ids([[False, False, True, True, True]]) is [[0, 0, 0, 1, 2]].
    Source: `position_ids` in Hugging Face transformers, which `generate` computes from the attention mask.
    """
    # BEGIN SOLUTION
    mask = _real(mask)
    return np.where(mask, np.cumsum(mask, axis=-1) - 1, 0)
    # END SOLUTION


def padding_mask(mask):
    """Return the mask of allowed keys for each query in a batch with padding.

        allowed[i, j] = (j ≤ i)  and  token i is real  and  token j is real

    The result can be passed to attention (lesson 1) as `mask`. A padding row cannot use any key; attention (lesson 1)
    gives such a row zeros.

    Parameters: `mask`, bool, shape (..., T), True for a real token.
    Returns: bool, shape (..., 1, T, T). The axis of size 1 is for the heads.
    Raises: ValueError for a row without a real token.
    Example: padding_mask([False, True, True]) is [[[False, False, False], [False, True, False], [False, True, True]]].
    Source: Hugging Face transformers' causal masks, in which padding rows can use keys, because their results are never
    read.
    """
    # BEGIN SOLUTION
    real = _real(mask)[..., np.newaxis, :]
    causal = np.tri(real.shape[-1], dtype=bool)
    return causal & real[..., np.newaxis, :] & real[..., np.newaxis]
    # END SOLUTION


def next_positions(mask):
    """Return the position of the token that each row generates next: the number of real tokens in the row.

    A row can have 65,536 tokens, so avoid an array of T × T numbers.

    Parameters: `mask`, bool, shape (..., T), True for a real token.
    Returns: int64, shape (...,): one position per row.
    Raises: ValueError for a row without a real token.
    Example: next_positions([[False, True, True], [True, True, True]]) is [2, 3].
    Source: `generate` in Hugging Face transformers.
    """
    # BEGIN SOLUTION
    return _real(mask).sum(axis=-1)
    # END SOLUTION


def pack(texts):
    """Return the texts joined into one row without padding, and the boundaries where they begin and end.

    Text i is ids[boundaries[i] : boundaries[i + 1]].

    Parameters: `texts`, a list of D texts, each a list or a 1-D array of token ids.
    Returns: ids, int64, shape (N,), where N is the total number of tokens; boundaries, int64, shape (D + 1,).
    Example: pack([[7, 8, 9], [5]]) is [7, 8, 9, 5] and [0, 3, 4].
    Source: Krell et al. 2021; `cu_seqlens` in FlashAttention (Dao 2023).
    """
    # BEGIN SOLUTION
    texts, lengths = _texts(texts)
    return np.concatenate(texts), np.cumsum([0, *lengths])
    # END SOLUTION


def packed_positions(boundaries):
    """Return the position of each token in its own text: counting starts again from 0 in every text.

    Parameters: `boundaries`, D + 1 ascending integers from 0 to N.
    Returns: int64, shape (N,).
    Example: packed_positions([0, 3, 5]) is [0, 1, 2, 0, 1].
    Source: Hugging Face transformers' padding-free batches (`DataCollatorWithFlattening`).
    """
    # BEGIN SOLUTION
    boundaries = _boundaries(boundaries)
    begins = np.repeat(boundaries[:-1], np.diff(boundaries))
    return np.arange(boundaries[-1]) - begins
    # END SOLUTION


def boundaries_of(positions):
    """Find the boundaries of packed texts from their positions: the inverse of packed_positions.

    The first text begins at the first token. Another text begins at each token whose position is not one more than the
    previous token's position. A text need not begin at position 0: the second part of a split text begins at a later
    position.

    Parameters: `positions`, integers, shape (N,), with N at least 1.
    Returns: int64, shape (D + 1,).
    Example: boundaries_of([0, 1, 2, 0, 1]) is [0, 3, 5].
    Source: `find_packed_sequence_indices` in Hugging Face transformers.
    """
    # BEGIN SOLUTION
    positions = np.asarray(positions)
    if positions.size == 0:
        raise ValueError(f"there must be a position; got shape {positions.shape}")
    begins = np.flatnonzero(np.diff(positions) != 1) + 1
    return np.concatenate([[0], begins, [len(positions)]]).astype(np.int64)
    # END SOLUTION


def document_mask(boundaries):
    """Return the mask of allowed keys for each query in a packed row: the keys of the same text, up to the query.

        allowed[i, j] = (j ≤ i)  and  i and j are in the same text

    Parameters: `boundaries`, D + 1 ascending integers from 0 to N.
    Returns: bool, shape (N, N).
    Example: document_mask([0, 2, 3]) is [[True, False, False], [True, True, False], [False, False, True]].
    Source: Hugging Face transformers' packed causal masks; Krell et al. 2021 §3.2.
    """
    # BEGIN SOLUTION
    boundaries = _boundaries(boundaries)
    text = np.repeat(np.arange(len(boundaries) - 1), np.diff(boundaries))
    return np.tri(len(text), dtype=bool) & (text[:, np.newaxis] == text)
    # END SOLUTION


def packed_attention(q, k, v, boundaries):
    """Causal attention in a packed row, text by text: the same result as attention (lesson 1) with document_mask.

        rows of one text = softmax(q kᵀ/√d + causal mask) v   from the rows of this text only

    Loop over the texts, not over tokens. The scores of each text form one small square. An (N, N) array of scores is
    needed only if one text contains all the tokens. Even a NaN or an infinity in one text does not affect another text.
    The result is finite for scores of any finite size.

    Parameters: `q` and `k`, shape (..., N, d); `v`, shape (..., N, dv); the leading axes of q, k and v
    broadcast; `boundaries`, D + 1 ascending integers from 0 to N.
    Returns: shape (..., N, dv); float32 if q, k and v are all float32, else float64.
    Raises: ValueError for boundaries that do not end at N.
    Example: q = k = [[0], [0], [0]], v = [[2], [4], [9]] and boundaries [0, 2, 3]: [[2], [3], [9]].
    Source: `flash_attn_varlen_func` in FlashAttention (Dao 2023).
    """
    # BEGIN SOLUTION
    q, k, v, dtype = _features(q, k, v)
    if not q.shape[-2] == k.shape[-2] == v.shape[-2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q, k and v must fit; got shapes {q.shape}, {k.shape} and {v.shape}")
    boundaries = _boundaries(boundaries, q.shape[-2])
    outs = []
    for begin, end in pairwise(boundaries):
        rows = np.s_[..., begin:end, :]
        scores = q[rows] @ np.swapaxes(k[rows], -1, -2) / np.sqrt(q.shape[-1])
        scores = np.where(np.tri(end - begin, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        outs.append(weights / weights.sum(axis=-1, keepdims=True) @ v[rows])
    return np.concatenate(outs, axis=-2).astype(dtype)
    # END SOLUTION


def reset_gates(log_f, boundaries):
    """Return a packed row's gates, with the gate of each text's first token closed.

    A gate acts on everything before its token. A closed gate, −inf, removes everything before its token, but not the
    token itself. With these gates closed, a layer with a state (lesson 12) begins each text with an empty state. All
    other gates stay unchanged.

    Parameters: `log_f`, shape (..., N), each 0 or negative, possibly −inf; `boundaries`, D + 1 ascending integers from
    0 to N.
    Returns: float64, the shape of log_f.
    Example: reset_gates([−1, −2, −3, −4], [0, 3, 4]) is [−inf, −2, −3, −inf].
    Source: `seq_idx` in Mamba-2 (Dao and Gu 2024) and `cu_seqlens` in flash-linear-attention.
    """
    # BEGIN SOLUTION
    log_f = np.array(log_f, dtype=np.float64)
    if not (log_f <= 0).all():
        raise ValueError(f"log_f must be 0 or negative; got {log_f[~(log_f <= 0)]}")
    boundaries = _boundaries(boundaries, log_f.shape[-1])
    log_f[..., boundaries[:-1]] = -np.inf
    return log_f
    # END SOLUTION


def ring_positions(length, slots):
    """Return the position of the token in each slot of a fixed-size cache.

    Token p is written to slot p mod slots, where it replaces an older token.

    Parameters: `length`, the number of tokens written so far, not negative; `slots`, the size of the cache, at least 1.
    Returns: int64, shape (slots,): the position of the token in each slot, −1 for an empty slot.
    Example: ring_positions(6, 4) is [4, 5, 2, 3], and ring_positions(2, 4) is [0, 1, −1, −1].
    Source: the rolling buffer in Jiang et al. 2023 (Mistral 7B) §2.
    """
    # BEGIN SOLUTION
    if slots < 1 or length < 0:
        raise ValueError(f"slots must be at least 1 and length at least 0; got {slots} and {length}")
    newest = length - 1
    steps_back = (newest - np.arange(slots)) % slots  # from the newest token back to the last one written to this slot
    return np.maximum(newest - steps_back, -1)
    # END SOLUTION


def tree_positions(parents):
    """Return the positions of draft tokens that form a tree: the depth of each token.

        position[i] = 0                           for a root (parents[i] = −1)
        position[i] = position[parents[i]] + 1    otherwise

    Two tokens with the same parent are alternatives, so they have the same position.

    Parameters: `parents`, integers, shape (T,); parents[i] is below i, or −1 for a root.
    Returns: int64, shape (T,).
    Raises: ValueError if parents[i] is not below i.
    Example: tree_positions([−1, 0, 0, 1]) is [0, 1, 1, 2].
    Source: Cai et al. 2024 (Medusa) §2.1.2; Miao et al. 2024 (SpecInfer).
    """
    # BEGIN SOLUTION
    parents = _parents(parents)
    positions = np.zeros(len(parents), dtype=np.int64)
    for token, parent in enumerate(parents):
        if parent >= 0:
            positions[token] = positions[parent] + 1
    return positions
    # END SOLUTION


def tree_mask(parents):
    """Return the mask of the tokens that each draft token can use: itself, its parent, the parent's parent, and so on.

    Parameters: `parents`, integers, shape (T,); parents[i] is below i, or −1 for a root.
    Returns: bool, shape (T, T).
    Example: tree_mask([−1, 0, 0]) is [[True, False, False], [True, True, False], [True, False, True]].
    Source: Cai et al. 2024 (Medusa) §2.1.2; Miao et al. 2024 (SpecInfer).
    """
    # BEGIN SOLUTION
    parents = _parents(parents)
    mask = np.eye(len(parents), dtype=bool)
    for token, parent in enumerate(parents):
        if parent >= 0:
            mask[token] |= mask[parent]
    return mask
    # END SOLUTION


# Answer with a number, True or False.
ANSWERS = {
    # A model with RoPE gets masked padding on the left, and positions 0, 1, 2, … along the whole row. Are the outputs
    # of the real tokens correct?
    "rope_survives_left_padding_without_position_ids": True,  # all positions of a text shift equally: differences stay
    # And are they correct with a learned table of positions that is added to the embeddings?
    "learned_survives_left_padding_without_position_ids": False,  # the first real token gets a different row
    # Texts of 3, 5 and 16 tokens are padded to form one array. What share of the array is padding?
    "share_of_padding_for_lengths_3_5_16": 0.5,  # 24 of 48 positions
    # In a ring of 256 slots, which slot has the token at position 1000?
    "ring_slot_of_position_1000_of_256": 232,  # 1000 − 3 · 256
    # For practice, no points. A row has 3 padding tokens on the left, followed by 5 real tokens. What position does the
    # next generated token have?
    "position_after_3_padding_and_5_real_tokens": 5,  # padding does not count
    # For practice, no points. How many texts are packed in a row with the positions 0, 1, 0, 0, 1, 2?
    "texts_in_positions_0_1_0_0_1_2": 3,  # they begin at tokens 0, 2 and 3
    # For practice, no points. The texts of 3, 5 and 16 tokens are packed. Attention computes a square of scores for
    # each text. How many scores is that in total?
    "scores_text_by_text_for_lengths_3_5_16": 3**2 + 5**2 + 16**2,  # one square for all texts would have 24² = 576
}
