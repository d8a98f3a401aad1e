"""Known mistakes with what models of today do: each replaces one function of the solution, and must lose points.

A hint says what the code did and then the rule, in the words of the lesson, and leaves the fix to the student.
"""

from itertools import chain

import numpy as np

from autograder.hints.catalogue import mistake, without_effect
from solutions import modern

BASE = 10000.0


def aligned(q_len, k_len):
    """Positions of queries as a column and of keys as a row."""
    return np.arange(k_len - q_len, k_len)[:, np.newaxis], np.arange(k_len)


def frequencies(head_dim, base=BASE):
    return modern.p_rope_frequencies(head_dim, 1, base)


def rotated(x, positions, base=BASE):
    """Interleaved RoPE: row t of x by positions[t]·θ_i."""
    angles = np.asarray(positions, dtype=np.float64)[..., np.newaxis] * frequencies(x.shape[-1], base)
    cos, sin = np.cos(angles), np.sin(angles)
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


@mistake("first_token_share", "expected: a causal mask that hides the diagonal")
def shares_without_the_token_itself(length):
    """Token t shares its weight among t tokens; a token may attend to itself too, so there are t + 1."""
    return 1 / np.maximum(np.arange(float(length)), 1)


@mistake("first_token_share", "expected: t counted from 1 and the token itself added once more")
def shares_with_one_token_too_many(length):
    """Token t shares its weight among t + 2 tokens in yours; the rule is t + 1: those before it, and itself."""
    return 1 / (1 / modern.first_token_share(length) + 1)


@mistake("first_token_share", "expected: attention without the causal mask, which cannot count")
def shares_without_the_causal_mask(length):
    """Every token gives token 0 the same weight, 1/length; with a causal mask token t sees only the tokens 0 … t."""
    return 0 * modern.first_token_share(length) + 1 / max(length, 1)


@mistake("position_from_share", "expected: a count taken for a position, as in fla-org/flash-linear-attention #766")
def positions_counted_from_one(share):
    """This is 1/share, the number of tokens seen; positions count from 0, so it is one more than the position."""
    return modern.position_from_share(share) + 1


@mistake("rope_layers", "huggingface/transformers #43756; huggingface/smollm #130")
def schedule_the_wrong_way_round(n_layers, interval):
    """Your schedule is the wrong way round: True means that a layer uses RoPE."""
    return ~modern.rope_layers(n_layers, interval)


@mistake("rope_layers", "airockchip/rknn-llm #501; timtoole02/Camelid #535; google-ai-edge/litert-torch #1087")
def every_layer_is_rotated(n_layers, interval):
    """Every layer uses RoPE here; the last layer of every group of `interval` layers has no encoding."""
    return modern.rope_layers(n_layers, interval) | True


@mistake("rope_layers", "expected: l mod interval in place of (l + 1) mod interval")
def first_layer_of_each_group_without_rope(n_layers, interval):
    """The first layer of each group has no encoding here; layers count from 0, and the last of each group has none."""
    return np.arange(n_layers) % interval != 0


@mistake("layer_bases", "expected: the two bases exchanged, as with the schedule in huggingface/transformers #43756")
def bases_exchanged(n_layers, interval, local_base=BASE, global_base=1000000.0):
    """Most layers have the global base here; only the last layer of each group is global."""
    return modern.layer_bases(n_layers, interval, global_base, local_base)


@mistake("layer_bases", "expected: l mod interval in place of (l + 1) mod interval")
def first_layer_of_each_group_global(n_layers, interval, local_base=BASE, global_base=1000000.0):
    """The first layer of each group is global here; layers count from 0, and it is the last layer of each group."""
    return np.where(np.arange(n_layers) % interval == 0, float(global_base), float(local_base))


@mistake("layer_bases", "expected: Gemma 4's exception, which Gemma 3 does not have")
def last_layer_always_global(n_layers, interval, local_base=BASE, global_base=1000000.0):
    """The last layer is always global here; the rule: a layer is global where (l + 1) mod interval is 0."""
    bases = modern.layer_bases(n_layers, interval, local_base, global_base)
    bases[-1:] = global_base
    return bases


@mistake("sliding_window_mask", "expected: ≤ for <, or a window that counts the earlier keys only")
def window_one_too_wide(q_len, k_len, window):
    """A query sees one key too many: the window counts the query's own position, so p − window itself is outside."""
    return modern.sliding_window_mask(q_len, k_len, window + 1)


@mistake("sliding_window_mask", "expected with a cache: vllm-project/vllm #945 (the distance of a decoded token)")
def window_without_the_cache(q_len, k_len, window):
    """Query i stands at position i here; the last query is at the last key, so query i is at i + k_len − q_len."""
    query, key = np.arange(q_len)[:, np.newaxis], np.arange(k_len)
    return (query - window < key) & (key <= query)


@mistake("sliding_window_mask", "expected: the band of a bidirectional encoder, |p − j| < window")
def window_looks_ahead(q_len, k_len, window):
    """Queries see keys that are ahead of them: a window looks back only, up to the query's own position."""
    query, key = aligned(q_len, k_len)
    return np.abs(query - key) < window


@mistake("chunk_mask", "expected with a cache: the mask of a whole text, cut off at the first rows")
def chunks_without_the_cache(q_len, k_len, chunk):
    """Query i stands at position i here; the last query is at the last key, so query i is at i + k_len − q_len."""
    query, key = np.arange(q_len)[:, np.newaxis], np.arange(k_len)
    return (query // chunk == key // chunk) & (key <= query)


@mistake("chunk_mask", "expected with a cache: the shift remembered in one of the two conditions")
def blocks_of_the_row_numbers(q_len, k_len, chunk):
    """You took the number of the row for the position when you looked for the query's block. The rule: query i stands
    at i + k_len − q_len, in its block as in the causal mask."""
    query, key = aligned(q_len, k_len)
    return (np.arange(q_len)[:, np.newaxis] // chunk == key // chunk) & (key <= query)


@mistake("chunk_mask", "expected with a cache: the shift remembered in the other of the two conditions")
def causal_by_the_row_numbers(q_len, k_len, chunk):
    """You took the number of the row for the position in the causal condition. The rule: query i stands at i + k_len −
    q_len, in the causal mask as in its block."""
    query, key = aligned(q_len, k_len)
    return (query // chunk == key // chunk) & (key <= np.arange(q_len)[:, np.newaxis])


@mistake("chunk_mask", "expected with a cache: blocks of the new tokens alone")
def chunks_of_the_new_tokens(q_len, k_len, chunk):
    """Blocks are counted from the first query here; they begin at multiples of `chunk` of the whole text."""
    query, key = aligned(q_len, k_len)
    start = k_len - q_len
    return ((query - start) // chunk == (key - start) // chunk) & (key <= query)


@mistake("chunk_mask", "expected: the two kinds of local attention exchanged (Gemma 3 slides, Llama 4 has chunks)")
def chunks_that_slide(q_len, k_len, chunk):
    """This is a sliding window: the first key moves along with the query. In chunks it stays until the block ends."""
    return modern.sliding_window_mask(q_len, k_len, chunk)


@mistake(
    "chunk_mask", "expected: the overlay of Hugging Face transformers without the causal mask that it is combined with"
)
def chunks_that_look_ahead(q_len, k_len, chunk):
    """Queries see keys of their block that are ahead of them: the mask is causal inside a block too."""
    query, key = aligned(q_len, k_len)
    return query // chunk == key // chunk


@mistake(
    "p_rope_frequencies",
    'expected: partial RoPE (GPT-J, `partial_rotary_factor`) in place of Gemma 4\'s "proportional" type',
)
def frequencies_of_partial_rope(head_dim, p, base=BASE):
    """The frequencies come from the rotated part, as in partial RoPE; in p-RoPE they come from the whole head."""
    theta = modern.p_rope_frequencies(head_dim, p, base)
    rotating = int(p * head_dim / 2)
    if rotating:
        theta[:rotating] = frequencies(2 * rotating, base)
    return theta


@mistake("p_rope_frequencies", "expected: the two ends exchanged")
def slow_pairs_rotate(head_dim, p, base=BASE):
    """The fast pairs stop here and the slow ones rotate; p-RoPE keeps the first pairs, which are the fastest."""
    stopped = head_dim // 2 - int(p * head_dim / 2)
    return np.where(np.arange(head_dim // 2) < stopped, 0.0, frequencies(head_dim, base))


@mistake("p_rope_frequencies", "expected: round() for the floor of Hugging Face transformers")
def number_of_pairs_rounded(head_dim, p, base=BASE):
    """The number of rotating pairs is not rounded down; the rule is ⌊p·d/2⌋, rounded down."""
    return np.where(np.arange(head_dim // 2) < round(p * head_dim / 2), frequencies(head_dim, base), 0.0)


@mistake("temperature", "expected: the floor of Llama 4's formula left out")
def temperature_without_steps(positions, floor_scale=8192.0, attn_scale=0.1):
    """The factor grows at every position; it grows in steps, because the quotient is rounded down before the log."""
    return 1 + attn_scale * np.log1p((np.asarray(positions, dtype=np.float64) + 1) / floor_scale)


@mistake("temperature", "expected: the + 1 in Llama 4's formula left out")
def temperature_one_position_late(positions, floor_scale=8192.0, attn_scale=0.1):
    """Each step comes one position late: position p is the (p + 1)-th token, and p + 1 is what is divided."""
    return modern.temperature(np.asarray(positions, dtype=np.float64) - 1, floor_scale, attn_scale)


@mistake("log_n_scale", "vllm-project/vllm #3488, #5093")
def short_texts_scaled_too(positions, trained_len):
    """Short texts are scaled as well: inside the trained length the factor is 1."""
    return np.log1p(np.asarray(positions, dtype=np.float64)) / np.log(trained_len)


LOGARITHM_OF_THE_RATIO = (
    "You took the logarithm of the ratio of the lengths; the rule divides one logarithm by the other, ln(p + 1) by"
    " ln(trained_len)."
)


@mistake("log_n_scale", "expected: log(a)/log(b) read as log(a/b)", hint=LOGARITHM_OF_THE_RATIO)
def logarithm_of_the_ratio(positions, trained_len):
    return np.maximum(1, np.log1p(np.asarray(positions, dtype=np.float64)) - np.log(trained_len))


@mistake("log_n_scale", "expected: log(a)/log(b) read as log(a/b)", hint=LOGARITHM_OF_THE_RATIO)
def one_and_the_logarithm_of_the_ratio(positions, trained_len):
    return 1 + np.maximum(0, np.log1p(np.asarray(positions, dtype=np.float64)) - np.log(trained_len))


@mistake("log_n_scale", "expected: ln(p) for ln(p + 1); position 0 then gives minus infinity")
def log_of_the_position(positions, trained_len):
    """The factor is one position late: at position p there are p + 1 tokens, and the logarithm is of that number."""
    return np.maximum(1, np.log(np.maximum(np.asarray(positions, dtype=np.float64), 1)) / np.log(trained_len))


@mistake("decoupled_scores", "expected: the scale of the content part kept when the rotated part was added")
def scaled_by_the_content_alone(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """The sum is divided by the root of the content size alone; the features of a head are both parts, d_c + d_r."""
    scores = modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)
    content, both = np.shape(q_content)[-1], np.shape(q_content)[-1] + np.shape(q_rope)[-1]
    return scores * np.sqrt(both / content)


@mistake("decoupled_scores", "expected: two scaled scores added")
def each_part_scaled_by_itself(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """Each part is divided by the root of its own size and then added; the sum is divided once, by √(d_c + d_r)."""
    scores = modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)
    content_size, rope_size = np.shape(q_content)[-1], np.shape(q_rope)[-1]
    content = np.float64(q_content) @ np.swapaxes(np.float64(k_content), -1, -2)
    position = scores * np.sqrt(content_size + rope_size) - content
    return content / np.sqrt(content_size) + position / np.sqrt(rope_size)


@mistake("decoupled_scores", "expected: one side is left as it is where both rotate")
def shared_key_not_rotated(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """The shared key is not rotated here; it is rotated by the positions of the keys, as the queries are by theirs."""
    return modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, np.zeros(len(k_positions)), base)


@mistake("decoupled_scores", "timtoole02/Camelid #535; google-ai-edge/litert-torch #1087")
def content_rotated_too(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """The content features are rotated too; position is in the rotated part alone, and content has none."""
    scores = modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)
    even = np.shape(q_content)[-1] // 2 * 2
    q, k = (np.array(array, dtype=np.float64) for array in (q_content, k_content))
    plain = q @ np.swapaxes(k, -1, -2)
    for array, where in ((q, q_positions), (k, k_positions)):
        array[..., :even] = rotated(array[..., :even], where, base)
    turned = q @ np.swapaxes(k, -1, -2)
    return scores + (turned - plain) / np.sqrt(np.shape(q)[-1] + np.shape(q_rope)[-1])


@mistake("kept_tokens", "expected: the two ranges joined without a look at a short text")
def tokens_kept_twice(length, n_sinks, window):
    """Tokens that are both sinks and in the window are listed twice; each kept token is listed once."""
    return np.concatenate([np.arange(min(n_sinks, length)), np.arange(max(length - window, 0), length)])


@mistake("kept_tokens", "expected: `window` read as the size of the whole cache")
def sinks_taken_from_the_window(length, n_sinks, window):
    """The window is smaller by the number of sinks here; the window keeps its size, and the sinks come on top of it."""
    return modern.kept_tokens(length, n_sinks, max(window - n_sinks, 0))


@mistake("kept_tokens", "expected: a plain window, whose quality breaks down when token 0 leaves it")
def window_without_sinks(length, n_sinks, window):
    """The first tokens are dropped: the sinks stay in the cache however long the text becomes."""
    return modern.kept_tokens(length, 0, window)


@mistake("kept_tokens", "rajveer43/VeloxQuant-MLX #175, #389")
def kept_tokens_numbered_anew(length, n_sinks, window):
    """This numbers the kept tokens anew, from 0; the result says which tokens of the text they are."""
    return np.arange(len(modern.kept_tokens(length, n_sinks, window)))


@mistake("shift_keys", "expected: the sign of an eviction, which moves keys back, built into the function")
def keys_moved_the_other_way(cache_k, offset, base=BASE):
    """The keys move the other way: a positive offset moves them to later positions."""
    return modern.shift_keys(cache_k, -offset, base)


@mistake("shift_keys", "expected: keys that are stored rotated are taken for keys that are stored plain")
def stored_keys_rotated_afresh(cache_k, offset, base=BASE):
    """Row t is rotated as if it stood at t + offset; stored keys are rotated already, and need the offset alone."""
    where = np.arange(np.shape(cache_k)[-2]) + offset
    return rotated(np.asarray(cache_k, dtype=np.float64), where, base)


@mistake("shift_keys", "karpathy/nanochat #264; huggingface/transformers #25199 (the other layout)")
def keys_moved_in_the_half_layout(cache_k, offset, base=BASE):
    """The pairs are features half the width apart; here pairs are neighbours, (2i, 2i+1), as the keys were stored."""
    cache_k = np.asarray(cache_k, dtype=np.float64)
    half = cache_k.shape[-1] // 2
    interleaved = np.stack([cache_k[..., :half], cache_k[..., half:]], axis=-1).reshape(cache_k.shape)
    moved = modern.shift_keys(interleaved, offset, base)
    return np.concatenate([moved[..., 0::2], moved[..., 1::2]], axis=-1)


@mistake("shift_keys", "EleutherAI/gpt-neox #1003; NVIDIA/Megatron-LM #535")
def shifted_in_single_precision(cache_k, offset, base=BASE):
    """The angle is computed in float32, which is coarse far along the sequence: compute it in float64 and convert at
    the end."""
    angle = (np.float32(offset) * frequencies(np.shape(cache_k)[-1], base).astype(np.float32)).astype(np.float64)
    cache_k = np.asarray(cache_k, dtype=np.float64)
    even, odd = cache_k[..., 0::2], cache_k[..., 1::2]
    pairs = [even * np.cos(angle) - odd * np.sin(angle), even * np.sin(angle) + odd * np.cos(angle)]
    return np.stack(pairs, axis=-1).reshape(cache_k.shape)


@mistake("chunk_mask", "expected: blocks lined up like the queries")
def chunks_counted_from_the_end(q_len, k_len, chunk):
    """Your blocks end at the last key; the rule: they begin at the multiples of `chunk`, counted from the start of the
    text."""
    query, key = aligned(q_len, k_len)
    return ((k_len - 1 - query) // chunk == (k_len - 1 - key) // chunk) & (key <= query)


@mistake("p_rope_frequencies", "expected: a lower limit of 1 for a count")
def at_least_one_pair(head_dim, p, base=BASE):
    """You let at least one pair rotate; the rule is ⌊p·d/2⌋ pairs, and that can be none."""
    return np.where(np.arange(head_dim // 2) < 1, 1.0, modern.p_rope_frequencies(head_dim, p, base))


@mistake("temperature", "expected: np.log10 in place of np.log")
def common_logarithm(positions, floor_scale=8192.0, attn_scale=0.1):
    """You used the logarithm to base 10; the rule uses the natural one."""
    return 1 + (modern.temperature(positions, floor_scale, attn_scale) - 1) / np.log(10)


@mistake("decoupled_scores", "expected: the size of the whole head in the exponent")
def frequencies_of_the_whole_head(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You took the frequencies of both parts together, d_c + d_r; the rule: the rotated part has its own size, d_r."""
    d_c, d_r = np.shape(q_content)[-1], np.shape(q_rope)[-1]
    slower = float(base) ** (d_r / (d_c + d_r))  # this base makes the exponents −2i/(d_c + d_r)
    return modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, slower)


@mistake("kept_tokens", "expected: np.arange(n_sinks) in a text that is shorter")
def sinks_that_are_not_there(length, n_sinks, window):
    """You listed sinks that are not there yet; the rule: only tokens of the text are listed, and there are `length` of
    them."""
    return np.concatenate([np.arange(n_sinks), np.arange(max(n_sinks, length - window), length)])


@mistake("shift_keys", "expected: np.deg2rad on an angle that is in radians already")
def angles_in_degrees(cache_k, offset, base=BASE):
    """You took the angles for degrees; the rule is radians, as np.cos and np.sin take them."""
    return modern.shift_keys(cache_k, np.deg2rad(offset), base)


@mistake("position_from_share", "expected: positions are whole numbers in every other lesson")
def position_rounded(share):
    """You rounded to whole positions; the rule is 1/share − 1 as it is."""
    return np.round(modern.position_from_share(share))


@mistake("temperature", "expected: the logarithm of the step itself, with 1 as its least")
def temperature_without_its_one(positions, floor_scale=8192.0, attn_scale=0.1):
    """You left out the 1 in the logarithm; the rule is ln(1 + ⌊(p + 1)/floor_scale⌋)."""
    steps = np.floor((np.asarray(positions, dtype=np.float64) + 1) / floor_scale)
    return 1 + attn_scale * np.log(np.maximum(1, steps))


@mistake("p_rope_frequencies", "expected: the list shortened")
def pairs_cut_off(head_dim, p, base=BASE):
    """You cut off the pairs that do not rotate; the rule keeps them, with the frequency 0: head_dim/2 numbers."""
    right = modern.p_rope_frequencies(head_dim, p, base)
    return right[right > 0]


@mistake("temperature", "expected: np.log2, as for lengths that are powers of two")
def binary_logarithm(positions, floor_scale=8192.0, attn_scale=0.1):
    """You used the logarithm to base 2; the rule uses the natural one."""
    return 1 + (modern.temperature(positions, floor_scale, attn_scale) - 1) / np.log(2)


@mistake("decoupled_scores", "expected: k_rope[None], which is right without a batch")
def head_axis_in_front(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=BASE):
    """You put the axis of the heads in front of all axes of k_rope; the rule: heads stand right before the rows, behind
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
    """You rotated pairs that are half the width apart; the rule here pairs neighbours, (2i, 2i+1)."""
    order = np.arange(np.shape(q_rope)[-1]).reshape(2, -1).T.ravel()
    q_rope, k_rope = np.asarray(q_rope)[..., order], np.asarray(k_rope)[..., order]
    return modern.decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base)


@mistake("kept_tokens", "expected: the last `window` tokens as a slice from the end")
def window_of_zero_keeps_all(length, n_sinks, window):
    """A window of 0 keeps all tokens in yours, because [-0:] is the whole list; the rule: it keeps none."""
    return modern.kept_tokens(length, n_sinks, window) if window else np.arange(length)


@mistake("shift_keys", "expected: the angles of RoPE, with the offset as a step")
def row_times_offset(cache_k, offset, base=BASE):
    """You rotated row t by t · offset; the rule is the same rotation, by the offset, for every row."""
    right = modern.shift_keys(cache_k, offset, base)
    return rotated(np.asarray(cache_k, dtype=np.float64), np.arange(right.shape[-2]) * offset, base)


def moved(cache_k, offset, base, turn):
    """shift_keys where `turn` makes a pair of its two features, cos and sin."""
    right = modern.shift_keys(cache_k, offset, base)
    angles, x = float(offset) * frequencies(right.shape[-1], base), np.asarray(cache_k, dtype=np.float64)
    even, odd = turn(x[..., 0::2], x[..., 1::2], np.cos(angles), np.sin(angles))
    return np.stack([even, odd], axis=-1).reshape(right.shape).astype(right.dtype)


@mistake("shift_keys", "expected: two lines on one array, and a slice that is no copy")
def first_features_overwritten(cache_k, offset, base=BASE):
    """You overwrote the first features of the pairs before you computed the second ones from them; the rule computes
    both from the features as they came."""

    def turn(even, odd, cos, sin):
        even = even * cos - odd * sin
        return even, even * sin + odd * cos

    return moved(cache_k, offset, base, turn)


@mistake("shift_keys", "expected: the two names exchanged")
def cos_and_sin_exchanged(cache_k, offset, base=BASE):
    """You exchanged cos and sin; the rule is k_2i·cos − k_2i+1·sin, then k_2i·sin + k_2i+1·cos."""
    return moved(cache_k, offset, base, lambda even, odd, cos, sin: (even * sin - odd * cos, even * cos + odd * sin))


@mistake("sink_weights", "expected: plain softmax")
def sink_left_out(scores, sink):
    """You left the sink out of the sum. The rule: divide by the sum of all powers and e^sink; rows sum to less than
    1."""
    return modern.sink_weights(scores, np.full(np.shape(sink), -np.inf))


@mistake("sink_weights", "expected: the exponential forgotten")
def sink_without_its_power(scores, sink):
    """You added the sink itself to the sum; the rule adds e^sink, as for every score."""
    powers = np.exp(np.asarray(scores, dtype=np.float64))
    return powers / (powers.sum(axis=-1, keepdims=True) + np.asarray(sink)[:, np.newaxis, np.newaxis])


@mistake("sink_weights", "expected: “softmax off by one”")
def sink_of_zero(scores, sink):
    """You added 1 to the sum for every head (a sink of 0); the rule has a learned number per head, e^sink."""
    return modern.sink_weights(scores, np.zeros(np.shape(sink)))


@mistake("sink_weights", "expected: the largest score subtracted, and the sink left as it is")
def sink_overflows(scores, sink):
    """You took exp of scores or sinks as they are, which overflows; the rule subtracts the largest of both first."""
    right = np.asarray(modern.sink_weights(scores, sink))
    highest = np.max(np.asarray(scores, dtype=np.float64), axis=-1, keepdims=True, initial=-np.inf)
    spoiled = np.asarray(sink, dtype=np.float64)[:, np.newaxis, np.newaxis] - highest > 700
    return np.where(spoiled, np.nan, right)


@mistake("sink_weights", "expected: the largest score subtracted in the row, and the sink left as it is")
def sink_not_shifted(scores, sink):
    """You subtracted the largest score from the scores, and e^sink stayed as it is; the rule: subtract the same number
    from the sink too, or its share is wrong."""
    scores = np.asarray(scores, dtype=np.float64)
    powers = np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300))
    total = powers.sum(axis=-1, keepdims=True) + np.exp(np.asarray(sink, dtype=np.float64))[:, None, None]
    return powers / np.where(total == 0, 1, total)


@mistake("sink_weights", "expected: the largest of both subtracted from the scores alone")
def sink_not_shifted_by_the_largest_of_both(scores, sink):
    """You subtracted the largest number from the scores, and e^sink stayed as it is; the rule: subtract the same number
    from the sink too, or its share is wrong."""
    scores, sinks = np.asarray(scores, dtype=np.float64), np.asarray(sink, dtype=np.float64)[:, None, None]
    largest = np.maximum(np.maximum(scores.max(axis=-1, keepdims=True), sinks), -1e300)
    powers = np.exp(scores - largest)
    total = powers.sum(axis=-1, keepdims=True) + np.exp(sinks)
    return powers / np.where(total == 0, 1, total)


@mistake("kept_tokens", "expected: a slice that begins one token too late")
def window_one_short(length, n_sinks, window):
    """Your window keeps one token too few; the rule: the last `window` tokens are kept, the newest one among them."""
    return modern.kept_tokens(length, n_sinks, max(window - 1, 0))


@mistake("sliding_window_mask", "expected: a window that ends before the query's own position")
def window_one_too_narrow(q_len, k_len, window):
    """A query sees one key too few: `window` keys are seen, and the query's own position is one of them."""
    right = modern.sliding_window_mask(q_len, k_len, window)
    query, key = np.arange(k_len - q_len, k_len)[:, np.newaxis], np.arange(k_len)
    return right & (query - window + 1 < key)


@mistake("p_rope_frequencies", "expected: the exponent without its minus")
def frequencies_that_grow(head_dim, p, base=BASE):
    """Your frequencies grow from pair to pair; the rule: for a base above 1 they fall, so look at the sign of the
    exponent."""
    right = modern.p_rope_frequencies(head_dim, p, base)
    return np.divide(1, right, out=np.zeros_like(right), where=right != 0)


@mistake("p_rope_frequencies", "expected: the division forgotten")
def exponent_not_divided(head_dim, p, base=BASE):
    """You did not divide the exponent by d, so that the frequencies vanish at once; the rule is base^(−2i/d)."""
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
        36: "You counted all layers; every fourth one goes without RoPE.",
        28: "You counted one layer too many; the last one, 35, is a fourth one too.",
        26: "You left out one layer too many; layer l goes without RoPE where l + 1 is a multiple of 4.",
    },
    "share_of_first_token_at_position_9": {
        1 / 9: "You counted the tokens before it; it also attends to itself.",
        1 / 11: "You counted a token too many; positions 0 to 9 are ten tokens.",
        10: "This is how many tokens share the weight; the question is the share of one of them.",
    },
}
