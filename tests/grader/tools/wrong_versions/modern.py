"""Wrong versions of the functions of modern, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import modern


@mistake("first_token_share", "t|length|row|own|same|causal")
def share_of_the_whole_text(length):
    return np.full(length, 1 / max(length, 1))


@mistake("position_from_share", "1|one|first|count")
def number_of_tokens_seen(share):
    return 1 / np.asarray(share, dtype=float)


@mistake("rope_layers", "last|first|group|0|\\+ 1|count")
def first_of_each_group(n_layers, interval):
    return np.arange(n_layers) % interval != 0


@mistake("layer_bases", "exchang|global|local|swap|other way")
def bases_exchanged(n_layers, interval, local_base=10000.0, global_base=1000000.0):
    return modern.layer_bases(n_layers, interval, global_base, local_base)


@mistake("sliding_window_mask", "own|one|included|window|<|wide|too many|itself")
def window_and_itself(q_len, k_len, window):
    return modern.sliding_window_mask(q_len, k_len, window + 1)


@mistake("sliding_window_mask", "last|line|k_len|cache|start|first")
def queries_from_the_start(q_len, k_len, window):
    away = np.subtract.outer(np.arange(q_len), np.arange(k_len))
    return (away >= 0) & (away < window)


@mistake("chunk_mask", "last|k_len|text|position|start|quer|cache|p")
def blocks_of_query_numbers(q_len, k_len, chunk):
    blocks = np.arange(q_len) // chunk
    causal = modern.sliding_window_mask(q_len, k_len, k_len + 1)
    return causal & (blocks[:, None] == np.arange(k_len) // chunk)


@mistake("chunk_mask", "ahead|causal|future|later|j ≤|above")
def whole_blocks(q_len, k_len, chunk):
    return (np.arange(k_len - q_len, k_len)[:, None] // chunk) == (np.arange(k_len) // chunk)


@mistake("p_rope_frequencies", "slow|fast|first|last|low")
def fastest_pairs_stopped(head_dim, p, base=10000.0):
    pairs = np.arange(head_dim // 2)
    return np.where(pairs >= len(pairs) - int(p * head_dim / 2), base ** (-2 * pairs / head_dim), 0)


@mistake("temperature", "floor|⌊|step|round|whole")
def grows_without_steps(positions, floor_scale=8192.0, attn_scale=0.1):
    return 1 + attn_scale * np.log1p((np.asarray(positions, float) + 1) / floor_scale)


@mistake("log_n_scale", "inside|short|1|max|below|trained")
def short_texts_softened(positions, trained_len):
    return np.log(np.asarray(positions, float) + 1) / np.log(trained_len)


@mistake("decoupled_scores", "half|neighbour|layout|pair|apart|interleav")
def rotated_in_halves(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=10000.0):
    d = np.shape(q_rope)[-1]
    order = np.arange(d).reshape(2, d // 2).T.ravel()
    q_rope, k_rope = np.asarray(q_rope)[..., order], np.asarray(k_rope)[..., order]
    return modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)


@mistake("decoupled_scores", "√|d_r|d_c|size|scale|divid|width|both")
def root_of_the_content_size(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=10000.0):
    scores = modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)
    return scores * np.sqrt(1 + np.shape(q_rope)[-1] / np.shape(q_content)[-1])


@mistake("kept_tokens", "twice|once|overlap|each|short|both|repeat")
def kept_twice(length, n_sinks, window):
    return np.concatenate([np.arange(min(n_sinks, length)), np.arange(max(length - window, 0), length)])


@mistake("kept_tokens", "window|sink|last|count|n_sinks|too few")
def sinks_taken_from_the_window(length, n_sinks, window):
    return modern.kept_tokens(length, n_sinks, max(window - n_sinks, 0))


@mistake("shift_keys", "same|row|every|offset|own|number")
def each_row_by_its_number_too(cache_k, offset, base=10000.0):
    rows = np.swapaxes(np.asarray(cache_k, float), 0, -2)
    moved = [modern.shift_keys(row[None], offset + t, base)[0] for t, row in enumerate(rows)]
    return np.swapaxes(np.array(moved).reshape(rows.shape), 0, -2)


@mistake("sink_weights", "largest|overflow|subtract|max|first|shift")
def sink_not_shifted(scores, sink):
    scores = np.asarray(scores, dtype=float)
    powers = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))
    total = powers.sum(axis=-1, keepdims=True) + np.exp(np.asarray(sink, float))[:, None, None]
    return powers / np.where(total == 0, 1, total)


@mistake("sink_weights", "left the sink out|sink")
def weights_share_without_the_sink(scores, sink):
    return modern.sink_weights(scores, np.full(np.shape(sink), -np.inf))
