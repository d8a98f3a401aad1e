"""Wrong versions of the functions of batches, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import batches


@mistake("pad", "left|side|right|before|other")
def text_first_on_both_sides(texts, side="right", pad_id=0):
    return batches.pad(texts, "right", pad_id)


@mistake("position_ids", "1|first|count")
def running_sum(mask):
    return np.cumsum(mask, axis=-1) * np.asarray(mask)


@mistake("position_ids", "place|row|padding|shift|first|argmax|between|real")
def shifted_by_the_padding(mask):
    mask = np.asarray(mask)
    return np.where(mask, np.arange(mask.shape[-1]) - (~mask).sum(-1, keepdims=True), 0).clip(0)


@mistake("padding_mask", "query|row|key|real|padding")
def keys_asked_alone(mask):
    real = np.asarray(mask)[..., None, None, :]
    return real & np.tri(real.shape[-1], dtype=bool)


@mistake("next_positions", "row|padding|length|real")
def width_of_the_array(mask):
    return np.full(np.shape(mask)[:-1], np.shape(mask)[-1])


@mistake("pack", "boundar|end|begin|last|N|length|D \\+ 1")
def begins_without_the_end(texts):
    ids, boundaries = batches.pack(texts)
    return ids, boundaries[:-1]


@mistake("pack", "boundar|length|sum|begin|add")
def lengths_for_boundaries(texts):
    return batches.pack(texts)[0], np.array([0, *map(len, texts)])


@mistake("packed_positions", "restart|0|each|text|count")
def positions_go_on(boundaries):
    return np.arange(boundaries[-1])


@mistake("boundaries_of", "0|jump|one more|begin|cut")
def begins_at_zeros(positions):
    return np.array([*np.flatnonzero(np.asarray(positions) == 0), len(positions)])


@mistake("document_mask", "causal|ahead|later|j ≤ i|future|order|after")
def whole_texts(boundaries):
    mask = batches.document_mask(boundaries)
    return mask | mask.T


@mistake("packed_attention", "NaN|square|one|text by text|reach")
def masked_square(q, k, v, boundaries):
    q, k, v = (np.asarray(x, float) for x in (q, k, v))
    scores = np.where(batches.document_mask(boundaries), q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@mistake("packed_attention", "text|mask|document|other|boundar|mix")
def one_causal_row(q, k, v, boundaries):
    return batches.packed_attention(q, k, v, [0, boundaries[-1]])


@mistake("reset_gates", "0|inf|shut|open")
def gates_opened(log_f, boundaries):
    gates = np.array(log_f, float)
    gates[..., np.asarray(boundaries)[:-1]] = 0
    return gates


@mistake("reset_gates", "last|first|end|one|begin")
def last_gate_shut(log_f, boundaries):
    gates = np.array(log_f, float)
    gates[..., np.asarray(boundaries)[1:] - 1] = -np.inf
    return gates


@mistake("ring_positions", "not written|ahead|round|before|old|still|never|negative")
def round_not_written_yet(length, slots):
    return np.maximum(length - 1, 0) // slots * slots + np.arange(slots)


@mistake("ring_positions", "round|empty|still|before|−1|older")
def slots_of_the_last_round_empty(length, slots):
    at = (length - 1) // slots * slots + np.arange(slots)
    return np.where(at < length, at, -1)


@mistake("tree_positions", "depth|order|row|parent")
def position_after_the_parents_number(parents):
    return np.asarray(parents) + 1


@mistake("tree_mask", "ancestor|parent of|all|so on|grand")
def parent_alone(parents):
    mask = np.eye(len(parents), dtype=bool)
    for token, parent in enumerate(parents):
        if parent >= 0:
            mask[token, parent] = True
    return mask


@mistake("tree_mask", "causal|order|ancestor|before|branch|future")
def all_before(parents):
    return np.tri(len(parents), dtype=bool)
