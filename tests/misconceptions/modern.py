"""Known mistakes with methods of today's models: each is an incorrect version of one function and must lose points.

A hint says what the code did and then states the rule, in the lesson's words, but leaves the fix to the student.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import mistake, without_effect
from solutions import modern

BASE = 10000.0


def aligned(q_len, k_len):
    """Query positions as a column, and key positions as a row."""
    return np.arange(k_len - q_len, k_len)[:, np.newaxis], np.arange(k_len)


def frequencies(head_dim, base=BASE):
    return modern.p_rope_frequencies(head_dim, 1, base)


def rotated(x, positions, base=BASE):
    """Interleaved RoPE, which rotates row t of x by positions[t]·θ_i."""
    angles = np.asarray(positions, dtype=np.float64)[..., np.newaxis] * frequencies(x.shape[-1], base)
    cos, sin = np.cos(angles), np.sin(angles)
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


@mistake("first_token_share", "expected: a causal mask that hides the diagonal")
def shares_without_the_token_itself(length):
    """In your result, token t divides its weight among t tokens. The rule: a token may also attend to itself, so
    there are t + 1 tokens."""
    return 1 / np.maximum(np.arange(float(length)), 1)


@mistake("first_token_share", "expected: 1/t for 1/(t + 1)", hint=shares_without_the_token_itself.hint)
def shares_without_the_token_itself_at_token_0_either(length):
    return 1 / np.arange(float(length))


@mistake("first_token_share", "expected: t counted from 1 and the token itself added once more")
def shares_with_one_token_too_many(length):
    """In your result, token t divides its weight among t + 2 tokens. The rule: there are t + 1 tokens: token t
    and the t tokens before it."""
    return 1 / (1 / modern.first_token_share(length) + 1)


@mistake("first_token_share", "expected: attention without the causal mask, which cannot count")
def shares_without_the_causal_mask(length):
    """In your result, every token gives token 0 the same weight, 1/length. The rule: with a causal mask, token t sees
    only tokens 0 … t."""
    return 0 * modern.first_token_share(length) + 1 / max(length, 1)


@mistake("position_from_share", "expected: a count mistaken for a position, as in fla-org/flash-linear-attention #766")
def positions_counted_from_one(share):
    """You returned 1/share, which is the number of visible tokens. The rule: positions count from 0, so the
    position is one less than the number of visible tokens."""
    return modern.position_from_share(share) + 1


@mistake("rope_layers", "huggingface/transformers #43756; huggingface/smollm #130")
def schedule_the_wrong_way_round(n_layers, interval):
    """Your schedule is inverted. The rule: True means that a layer uses RoPE."""
    return ~modern.rope_layers(n_layers, interval)


@mistake("rope_layers", "airockchip/rknn-llm #501; timtoole02/Camelid #535; google-ai-edge/litert-torch #1087")
def every_layer_is_rotated(n_layers, interval):
    """In your schedule, every layer uses RoPE. The rule: the last layer of every group of `interval` layers has no
    encoding."""
    return modern.rope_layers(n_layers, interval) | True


@mistake("rope_layers", "expected: l mod interval in place of (l + 1) mod interval")
def first_layer_of_each_group_without_rope(n_layers, interval):
    """In your schedule, the first layer of each group has no encoding. The rule: layers count from 0, and the last
    layer of each group has no encoding."""
    return np.arange(n_layers) % interval != 0


@mistake("layer_bases", "expected: the two bases swapped, as with the schedule in huggingface/transformers #43756")
def bases_exchanged(n_layers, interval, local_base=BASE, global_base=1000000.0):
    """Most of your layers have the global base. The rule: only the last layer of each group is global."""
    return modern.layer_bases(n_layers, interval, global_base, local_base)


@mistake("layer_bases", "expected: l mod interval in place of (l + 1) mod interval")
def first_layer_of_each_group_global(n_layers, interval, local_base=BASE, global_base=1000000.0):
    """Your global layer is the first of each group. The rule: layers count from 0, and the last layer of each group is
    global."""
    return np.where(np.arange(n_layers) % interval == 0, float(global_base), float(local_base))


@mistake("layer_bases", "expected: Gemma 4's exception, which Gemma 3 does not have")
def last_layer_always_global(n_layers, interval, local_base=BASE, global_base=1000000.0):
    """Your last layer is always global. The rule: a layer is global if (l + 1) mod interval is 0."""
    bases = modern.layer_bases(n_layers, interval, local_base, global_base)
    bases[-1:] = global_base
    return bases


@mistake("sliding_window_mask", "expected: ≤ instead of <, or a window that counts only the earlier keys")
def window_one_too_wide(q_len, k_len, window):
    """Your queries see one key too many. The rule: the window includes the query's own position, so p − window is
    outside."""
    return modern.sliding_window_mask(q_len, k_len, window + 1)


@mistake("sliding_window_mask", "expected with a cache: vllm-project/vllm #945 (the distance of a decoded token)")
def window_without_the_cache(q_len, k_len, window):
    """In your mask, query i is at position i. The rule: the last query is at the last key, so query i is at i + k_len −
    q_len."""
    query, key = np.arange(q_len)[:, np.newaxis], np.arange(k_len)
    return (query - window < key) & (key <= query)


@mistake("sliding_window_mask", "expected: the band of a bidirectional encoder, |p − j| < window")
def window_looks_ahead(q_len, k_len, window):
    """Your queries see keys that are ahead of them. The rule: a window only looks back from the query's own
    position."""
    query, key = aligned(q_len, k_len)
    return np.abs(query - key) < window


@mistake("chunk_mask", "expected with a cache: the first rows of the mask for the whole text")
def chunks_without_the_cache(q_len, k_len, chunk):
    """In your mask, query i is at position i. The rule: the last query is at the last key, so query i is at i + k_len −
    q_len."""
    query, key = np.arange(q_len)[:, np.newaxis], np.arange(k_len)
    return (query // chunk == key // chunk) & (key <= query)


@mistake("chunk_mask", "expected with a cache: the shift remembered in one of the two conditions")
def blocks_of_the_row_numbers(q_len, k_len, chunk):
    """You used the row index as the position when you computed the query's block. The rule: query i is at i +
    k_len − q_len, both for its block and for the causal mask."""
    query, key = aligned(q_len, k_len)
    return (np.arange(q_len)[:, np.newaxis] // chunk == key // chunk) & (key <= query)


@mistake("chunk_mask", "expected with a cache: the shift remembered in the other of the two conditions")
def causal_by_the_row_numbers(q_len, k_len, chunk):
    """You used the row index as the position in the causal condition. The rule: query i is at i + k_len − q_len,
    both for the causal mask and for its block."""
    query, key = aligned(q_len, k_len)
    return (query // chunk == key // chunk) & (key <= np.arange(q_len)[:, np.newaxis])


@mistake("chunk_mask", "expected with a cache: blocks of the new tokens only")
def chunks_of_the_new_tokens(q_len, k_len, chunk):
    """You counted blocks from the first query. The rule: blocks begin at multiples of `chunk`, counted from the start
    of the text."""
    query, key = aligned(q_len, k_len)
    start = k_len - q_len
    return ((query - start) // chunk == (key - start) // chunk) & (key <= query)


@mistake("chunk_mask", "expected: the two kinds of local attention confused (Gemma 3 slides, Llama 4 has chunks)")
def chunks_that_slide(q_len, k_len, chunk):
    """Your mask is a sliding window, in which the first key moves along with the query. The rule: with chunks, the
    first key stays the same until the block ends."""
    return modern.sliding_window_mask(q_len, k_len, chunk)


@mistake(
    "chunk_mask", "expected: the overlay of Hugging Face transformers without the causal mask that it is combined with"
)
def chunks_that_look_ahead(q_len, k_len, chunk):
    """Your queries see keys in their block that are ahead of them. The rule: the mask is causal inside a block too."""
    query, key = aligned(q_len, k_len)
    return query // chunk == key // chunk


@mistake(
    "p_rope_frequencies",
    'expected: partial RoPE (GPT-J, `partial_rotary_factor`) in place of Gemma 4\'s "proportional" type',
)
def frequencies_of_partial_rope(head_dim, p, base=BASE):
    """Your frequencies are computed for the rotated part, as in partial RoPE. The rule: in p-RoPE, the frequencies are
    computed for the whole head."""
    theta = modern.p_rope_frequencies(head_dim, p, base)
    rotating = int(p * head_dim / 2)
    if rotating:
        theta[:rotating] = frequencies(2 * rotating, base)
    return theta


@mistake("p_rope_frequencies", "expected: the two ends swapped")
def slow_pairs_rotate(head_dim, p, base=BASE):
    """Your slow pairs rotate, and the fast ones do not. The rule: the first pairs, which are the fastest, rotate."""
    stopped = head_dim // 2 - int(p * head_dim / 2)
    return np.where(np.arange(head_dim // 2) < stopped, 0.0, frequencies(head_dim, base))


@mistake("p_rope_frequencies", "expected: round() instead of the floor in Hugging Face transformers")
def number_of_pairs_rounded(head_dim, p, base=BASE):
    """You did not round down the number of rotating pairs. The rule: rotate ⌊p·d/2⌋ pairs, rounded down."""
    return np.where(np.arange(head_dim // 2) < round(p * head_dim / 2), frequencies(head_dim, base), 0.0)


@mistake("temperature", "expected: the floor in Llama 4's formula left out")
def temperature_without_steps(positions, floor_scale=8192.0, attn_scale=0.1):
    """Your factor grows at every position. The rule: the factor grows in steps, because the quotient is
    rounded down before the logarithm."""
    return 1 + attn_scale * np.log1p((np.asarray(positions, dtype=np.float64) + 1) / floor_scale)


@mistake("temperature", "expected: the + 1 in Llama 4's formula left out")
def temperature_one_position_late(positions, floor_scale=8192.0, attn_scale=0.1):
    """Each of your steps is one position late. The rule: position p is the (p + 1)-th token, so divide p + 1 by
    floor_scale."""
    return modern.temperature(np.asarray(positions, dtype=np.float64) - 1, floor_scale, attn_scale)


@mistake("log_n_scale", "vllm-project/vllm #3488, #5093")
def short_texts_scaled_too(positions, trained_len):
    """You scaled short texts as well. The rule: within the trained length, the factor is 1."""
    return np.log1p(np.asarray(positions, dtype=np.float64)) / np.log(trained_len)


LOGARITHM_OF_THE_RATIO = (
    "You took the logarithm of the ratio of the lengths. The rule: divide one logarithm by the other, ln(p + 1) by "
    "ln(trained_len)."
)


@mistake("log_n_scale", "expected: log(a)/log(b) read as log(a/b)", hint=LOGARITHM_OF_THE_RATIO)
def logarithm_of_the_ratio(positions, trained_len):
    return np.maximum(1, np.log1p(np.asarray(positions, dtype=np.float64)) - np.log(trained_len))


@mistake("log_n_scale", "expected: log(a)/log(b) read as log(a/b)", hint=LOGARITHM_OF_THE_RATIO)
def one_and_the_logarithm_of_the_ratio(positions, trained_len):
    return 1 + np.maximum(0, np.log1p(np.asarray(positions, dtype=np.float64)) - np.log(trained_len))


@mistake("log_n_scale", "expected: ln(p) instead of ln(p + 1); position 0 then gives minus infinity")
def log_of_the_position(positions, trained_len):
    """Your factor reaches each value one position late. The rule: at position p there are p + 1 tokens, so take the
    logarithm of p + 1."""
    return np.maximum(1, np.log(np.maximum(np.asarray(positions, dtype=np.float64), 1)) / np.log(trained_len))


@mistake("decoupled_scores", "expected: the content part's scale kept when the rotated part was added")
def scaled_by_the_content_alone(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You divided the sum by the square root of the size of the content part only. The rule: a head has the
    features of both parts, d_c + d_r."""
    scores = modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)
    content, both = np.shape(q_content)[-1], np.shape(q_content)[-1] + np.shape(q_rope)[-1]
    return scores * np.sqrt(both / content)


@mistake("decoupled_scores", "expected: two scaled scores added")
def each_part_scaled_by_itself(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You divided each part by the square root of its own size. The rule: divide the sum once, by √(d_c + d_r)."""
    scores = modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)
    content_size, rope_size = np.shape(q_content)[-1], np.shape(q_rope)[-1]
    content = np.float64(q_content) @ np.swapaxes(np.float64(k_content), -1, -2)
    position = scores * np.sqrt(content_size + rope_size) - content
    return content / np.sqrt(content_size) + position / np.sqrt(rope_size)


@mistake("decoupled_scores", "expected: one side left as it is, although both rotate")
def shared_key_not_rotated(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You did not rotate the shared key. The rule: rotate the queries by their positions, and the shared key by the
    positions of the keys."""
    return modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, np.zeros(len(k_positions)), base)


@mistake("decoupled_scores", "timtoole02/Camelid #535; google-ai-edge/litert-torch #1087")
def content_rotated_too(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You also rotated the content features. The rule: content has no position, so rotate only the features that encode
    the position."""
    scores = modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)
    even = np.shape(q_content)[-1] // 2 * 2
    q, k = (np.array(array, dtype=np.float64) for array in (q_content, k_content))
    plain = q @ np.swapaxes(k, -1, -2)
    for array, where in ((q, q_positions), (k, k_positions)):
        array[..., :even] = rotated(array[..., :even], where, base)
    turned = q @ np.swapaxes(k, -1, -2)
    return scores + (turned - plain) / np.sqrt(np.shape(q)[-1] + np.shape(q_rope)[-1])


@mistake("kept_tokens", "expected: the two ranges joined without checking for a short text")
def tokens_kept_twice(length, n_sinks, window):
    """You listed tokens twice if they are both sinks and in the window. The rule: list each kept token once."""
    return np.concatenate([np.arange(min(n_sinks, length)), np.arange(max(length - window, 0), length)])


@mistake("kept_tokens", "expected: `window` taken as the size of the whole cache")
def sinks_taken_from_the_window(length, n_sinks, window):
    """Your window is too small by the number of sinks. The rule: the window keeps its size, and the sinks are added to
    it."""
    return modern.kept_tokens(length, n_sinks, max(window - n_sinks, 0))


@mistake("kept_tokens", "expected: a plain window, whose quality breaks down when token 0 leaves it")
def window_without_sinks(length, n_sinks, window):
    """You dropped the first tokens. The rule: the sinks stay in the cache, however long the text becomes."""
    return modern.kept_tokens(length, 0, window)


@mistake("kept_tokens", "rajveer43/VeloxQuant-MLX #175, #389")
def kept_tokens_numbered_anew(length, n_sinks, window):
    """You renumbered the kept tokens from 0. The rule: return the positions of the kept tokens in the
    text."""
    return np.arange(len(modern.kept_tokens(length, n_sinks, window)))


@mistake("shift_keys", "expected: the sign of an eviction, which moves keys back, built into the function")
def keys_moved_the_other_way(cache_k, offset, base=BASE):
    """Your keys move in the opposite direction. The rule: a positive offset moves keys to later positions."""
    return modern.shift_keys(cache_k, -offset, base)


@mistake("shift_keys", "expected: rotated keys in the cache mistaken for plain ones")
def stored_keys_rotated_afresh(cache_k, offset, base=BASE):
    """You rotated row t by t + offset. The rule: stored keys are already rotated, so they need only the offset."""
    where = np.arange(np.shape(cache_k)[-2]) + offset
    return rotated(np.asarray(cache_k, dtype=np.float64), where, base)


@mistake("shift_keys", "karpathy/nanochat #264; huggingface/transformers #25199 (the other layout)")
def keys_moved_in_the_half_layout(cache_k, offset, base=BASE):
    """You paired features that are half the width apart. The rule: a pair consists of two neighbours, (2i, 2i+1),
    as in the stored keys."""
    cache_k = np.asarray(cache_k, dtype=np.float64)
    half = cache_k.shape[-1] // 2
    interleaved = np.stack([cache_k[..., :half], cache_k[..., half:]], axis=-1).reshape(cache_k.shape)
    moved = modern.shift_keys(interleaved, offset, base)
    return np.concatenate([moved[..., 0::2], moved[..., 1::2]], axis=-1)


@mistake("shift_keys", "EleutherAI/gpt-neox #1003; NVIDIA/Megatron-LM #535")
def shifted_in_single_precision(cache_k, offset, base=BASE):
    """You computed the angle in float32, which is too imprecise for large offsets. The rule: compute the angle in
    float64 and convert at the end."""
    angle = (np.float32(offset) * frequencies(np.shape(cache_k)[-1], base).astype(np.float32)).astype(np.float64)
    cache_k = np.asarray(cache_k, dtype=np.float64)
    even, odd = cache_k[..., 0::2], cache_k[..., 1::2]
    pairs = [even * np.cos(angle) - odd * np.sin(angle), even * np.sin(angle) + odd * np.cos(angle)]
    return np.stack(pairs, axis=-1).reshape(cache_k.shape)


@mistake("chunk_mask", "expected: blocks lined up like the queries")
def chunks_counted_from_the_end(q_len, k_len, chunk):
    """Your blocks end at the last key. The rule: blocks begin at multiples of `chunk`, counted from the start
    of the text."""
    query, key = aligned(q_len, k_len)
    return ((k_len - 1 - query) // chunk == (k_len - 1 - key) // chunk) & (key <= query)


@mistake("p_rope_frequencies", "expected: a count with a lower limit of 1")
def at_least_one_pair(head_dim, p, base=BASE):
    """You always let at least one pair rotate. The rule: rotate ⌊p·d/2⌋ pairs, which can be 0."""
    return np.where(np.arange(head_dim // 2) < 1, 1.0, modern.p_rope_frequencies(head_dim, p, base))


@mistake("temperature", "expected: np.log10 in place of np.log")
def common_logarithm(positions, floor_scale=8192.0, attn_scale=0.1):
    """You used the logarithm to base 10. The rule: use the natural logarithm."""
    return 1 + (modern.temperature(positions, floor_scale, attn_scale) - 1) / np.log(10)


@mistake("decoupled_scores", "expected: the size of the whole head in the exponent")
def frequencies_of_the_whole_head(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You computed the frequencies for the combined size of both parts, d_c + d_r. The rule: compute the
    frequencies for the rotated part, whose size is d_r."""
    d_c, d_r = np.shape(q_content)[-1], np.shape(q_rope)[-1]
    slower = float(base) ** (d_r / (d_c + d_r))  # this base makes the exponents −2i/(d_c + d_r)
    return modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, slower)


@mistake("kept_tokens", "expected: np.arange(n_sinks) for a text that is shorter")
def sinks_that_are_not_there(length, n_sinks, window):
    """You listed sinks that do not exist yet. The rule: list only tokens in the text, of which there are `length`."""
    return np.concatenate([np.arange(n_sinks), np.arange(max(n_sinks, length - window), length)])


@mistake("shift_keys", "expected: np.deg2rad on an angle that is already in radians")
def angles_in_degrees(cache_k, offset, base=BASE):
    """You treated the angles as degrees. The rule: the angles are in radians, as np.cos and np.sin expect them."""
    return modern.shift_keys(cache_k, np.deg2rad(offset), base)


@mistake("position_from_share", "expected: positions are whole numbers in every other lesson")
def position_rounded(share):
    """You rounded to whole positions. The rule: return 1/share − 1 without rounding."""
    return np.round(modern.position_from_share(share))


@mistake("temperature", "expected: the logarithm of the step itself, with a minimum of 1")
def temperature_without_its_one(positions, floor_scale=8192.0, attn_scale=0.1):
    """You left out the 1 in the logarithm. The rule: the logarithm is ln(1 + ⌊(p + 1)/floor_scale⌋)."""
    steps = np.floor((np.asarray(positions, dtype=np.float64) + 1) / floor_scale)
    return 1 + attn_scale * np.log(np.maximum(1, steps))


@mistake("p_rope_frequencies", "expected: the list shortened")
def pairs_cut_off(head_dim, p, base=BASE):
    """You dropped the pairs that do not rotate. The rule: keep the pairs that do not rotate, with frequency 0, so
    there are head_dim/2 numbers."""
    right = modern.p_rope_frequencies(head_dim, p, base)
    return right[right > 0]


@mistake("temperature", "expected: np.log2, as for lengths that are powers of two")
def binary_logarithm(positions, floor_scale=8192.0, attn_scale=0.1):
    """You used the logarithm to base 2. The rule: use the natural logarithm."""
    return 1 + (modern.temperature(positions, floor_scale, attn_scale) - 1) / np.log(2)


@mistake("decoupled_scores", "expected: k_rope[None], which is right without a batch")
def head_axis_in_front(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You put the head axis in front of all axes of k_rope. The rule: the head axis comes right before the rows, after
    any leading axes."""
    right = modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)
    k_rope, d = np.asarray(k_rope, dtype=np.float64), np.shape(q_content)[-1] + np.shape(q_rope)[-1]
    if k_rope.ndim < 3:
        return right
    content = np.asarray(q_content, dtype=np.float64) @ np.swapaxes(k_content, -1, -2)
    rotated_k = rotated(k_rope, k_positions, base)[np.newaxis]
    position = rotated(np.asarray(q_rope, dtype=np.float64), q_positions, base) @ np.swapaxes(rotated_k, -1, -2)
    return (content + position) / np.sqrt(d)


@mistake("decoupled_scores", "deepseek-ai/DeepSeek-V3 and its ports: the two layouts of RoPE")
def rotated_in_the_half_layout(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You paired features that are half the width apart. The rule: here, a pair consists of two neighbours, (2i,
    2i+1)."""
    order = np.arange(np.shape(q_rope)[-1]).reshape(2, -1).T.ravel()
    q_rope, k_rope = np.asarray(q_rope)[..., order], np.asarray(k_rope)[..., order]
    return modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)


@mistake("kept_tokens", "expected: the last `window` tokens as a slice from the end")
def window_of_zero_keeps_all(length, n_sinks, window):
    """In your result, a window of 0 keeps all tokens, because [-0:] is the whole list. The rule: a window of
    0 keeps no token."""
    return modern.kept_tokens(length, n_sinks, window) if window else np.arange(length)


@mistake("shift_keys", "expected: RoPE's angles, with the offset as a step")
def row_times_offset(cache_k, offset, base=BASE):
    """You rotated row t by t · offset. The rule: rotate every row by the same offset."""
    right = modern.shift_keys(cache_k, offset, base)
    return rotated(np.asarray(cache_k, dtype=np.float64), np.arange(right.shape[-2]) * offset, base)


def moved(cache_k, offset, base, turn):
    """Return the result of shift_keys, using turn(even, odd, cos, sin) to compute each pair's new features."""
    right = modern.shift_keys(cache_k, offset, base)
    angles, x = float(offset) * frequencies(right.shape[-1], base), np.asarray(cache_k, dtype=np.float64)
    even, odd = turn(x[..., 0::2], x[..., 1::2], np.cos(angles), np.sin(angles))
    return np.stack([even, odd], axis=-1).reshape(right.shape).astype(right.dtype)


@mistake("shift_keys", "expected: two lines that change one array, through a slice that is not a copy")
def first_features_overwritten(cache_k, offset, base=BASE):
    """You overwrote the first feature of each pair before you computed the second one from it. The rule:
    compute both features of a pair from the old values."""

    def turn(even, odd, cos, sin):
        even = even * cos - odd * sin
        return even, even * sin + odd * cos

    return moved(cache_k, offset, base, turn)


@mistake("shift_keys", "expected: the two names swapped")
def cos_and_sin_exchanged(cache_k, offset, base=BASE):
    """You swapped cos and sin. The rule: a pair becomes k_2i·cos − k_2i+1·sin, then k_2i·sin + k_2i+1·cos."""
    return moved(cache_k, offset, base, lambda even, odd, cos, sin: (even * sin - odd * cos, even * cos + odd * sin))


@mistake("sink_weights", "expected: plain softmax")
def sink_left_out(scores, sink):
    """You left the sink out of the sum. The rule: divide by the sum of all exponentials plus e^sink, so rows sum
    to less than 1."""
    return modern.sink_weights(scores, np.full(np.shape(sink), -np.inf))


@mistake("sink_weights", "expected: the exponential forgotten")
def sink_without_its_power(scores, sink):
    """You added the sink itself to the sum. The rule: add e^sink, just as for every score."""
    powers = np.exp(np.asarray(scores, dtype=np.float64))
    return powers / (powers.sum(axis=-1, keepdims=True) + np.asarray(sink)[:, np.newaxis, np.newaxis])


@mistake("sink_weights", "expected: “softmax off by one”")
def sink_of_zero(scores, sink):
    """You added 1 to the sum for every head, as if every sink were 0. The rule: add e^sink, where each head has its own
    learned sink."""
    return modern.sink_weights(scores, np.zeros(np.shape(sink)))


@mistake("sink_weights", "expected: the largest score subtracted, but the sink left as it is")
def sink_overflows(scores, sink):
    """You took exp of raw scores or sinks, which overflows. The rule: first subtract the largest score or
    sink."""
    right = np.asarray(modern.sink_weights(scores, sink))
    highest = np.max(np.asarray(scores, dtype=np.float64), axis=-1, keepdims=True, initial=-np.inf)
    spoiled = np.asarray(sink, dtype=np.float64)[:, np.newaxis, np.newaxis] - highest > 700
    return np.where(spoiled, np.nan, right)


@mistake("sink_weights", "expected: the formula as it is written", hint=sink_overflows.hint)
def nothing_subtracted_from_scores_and_sinks(scores, sink):
    powers = np.exp(np.asarray(scores, dtype=np.float64))
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(np.asarray(sink))[:, np.newaxis, np.newaxis])


def with_sink_unshifted(scores, sink, largest_of):
    """Weights for which largest_of(scores, sinks) is subtracted from the scores but not from the sinks."""
    scores, sinks = np.asarray(scores, dtype=np.float64), np.asarray(sink, dtype=np.float64)[:, None, None]
    powers = np.exp(scores - np.maximum(largest_of(scores, sinks), -1e300))
    total = powers.sum(axis=-1, keepdims=True) + np.exp(sinks)
    return powers / np.where(total == 0, 1, total)


@mistake("sink_weights", "expected: the row's largest score subtracted, but the sink left as it is")
def sink_not_shifted(scores, sink):
    """You subtracted the largest score from the scores but not from the sink. The rule: subtract the same number from
    the sink too; otherwise, the sink's share is wrong."""
    return with_sink_unshifted(scores, sink, lambda scores, sinks: scores.max(axis=-1, keepdims=True))


@mistake("sink_weights", "expected: the largest of both subtracted from the scores only")
def sink_not_shifted_by_the_largest_of_both(scores, sink):
    """You subtracted the largest number from the scores but not from the sink. The rule: subtract the same number from
    the sink too; otherwise, the sink's share is wrong."""
    return with_sink_unshifted(
        scores, sink, lambda scores, sinks: np.maximum(scores.max(axis=-1, keepdims=True), sinks)
    )


@mistake("kept_tokens", "expected: a slice that begins one token too late")
def window_one_short(length, n_sinks, window):
    """Your window keeps one token too few. The rule: keep the last `window` tokens, including the newest one."""
    return modern.kept_tokens(length, n_sinks, max(window - 1, 0))


@mistake("sliding_window_mask", "expected: a window that ends before the query's own position")
def window_one_too_narrow(q_len, k_len, window):
    """Your queries see one key too few. The rule: a query sees `window` keys, including the one at its own position."""
    right = modern.sliding_window_mask(q_len, k_len, window)
    query, key = np.arange(k_len - q_len, k_len)[:, np.newaxis], np.arange(k_len)
    return right & (query - window + 1 < key)


@mistake("p_rope_frequencies", "expected: the exponent without its minus")
def frequencies_that_grow(head_dim, p, base=BASE):
    """Your frequencies grow from pair to pair. The rule: for a base above 1, the frequencies fall from pair to pair, so
    check the sign of the exponent."""
    right = modern.p_rope_frequencies(head_dim, p, base)
    return np.divide(1, right, out=np.zeros_like(right), where=right != 0)


@mistake("p_rope_frequencies", "expected: the division forgotten")
def exponent_not_divided(head_dim, p, base=BASE):
    """You did not divide the exponent by d, so the frequencies fall to almost 0 at once. The rule: the frequency is
    base^(−2i/d)."""
    return modern.p_rope_frequencies(head_dim, p, float(base) ** head_dim)


vars().update(
    chain(
        without_effect(modern.layer_bases, "local_base", "global_base"),
        without_effect(modern.p_rope_frequencies, "base"),
        without_effect(modern.temperature, "floor_scale", "attn_scale"),
        without_effect(modern.decoupled_scores, "base"),
        without_effect(modern.shift_keys, "base"),
    )
)


WRONG_ANSWERS = {
    "rope_layers_of_36_with_interval_4": {
        9: "You counted the layers without RoPE; the question is how many have it.",
        36: "You counted all layers; every fourth one has no RoPE.",
        28: "You counted one layer too many; the last one, 35, is also a fourth layer.",
        26: "You left out one layer too many; layer l has no RoPE if l + 1 is a multiple of 4.",
    },
    "share_of_first_token_at_position_9": {
        1 / 9: "You counted the tokens before it; it also attends to itself.",
        1 / 11: "You counted one token too many; positions 0 to 9 are ten tokens.",
        10: "This is how many tokens share the weight; the question asks for the share of one of them.",
    },
}
