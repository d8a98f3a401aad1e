import numpy as np


def first_token_share(length):
    return 1 / np.arange(1, length + 1)


def position_from_share(share):
    return 1 / np.asarray(share, dtype=np.float64)


def rope_layers(n_layers, interval):
    return (np.arange(n_layers) + 1) % interval == 0


def layer_bases(n_layers, interval, local_base=10000.0, global_base=1000000.0):
    return np.where(rope_layers(n_layers, interval), float(global_base), float(local_base))


def sliding_window_mask(q_len, k_len, window):
    i, j = np.arange(q_len)[:, None], np.arange(k_len)
    return (j <= i) & (j > i - window)


def chunk_mask(q_len, k_len, chunk):
    i, j = np.arange(q_len)[:, None], np.arange(k_len)
    return (j <= i) & (i // chunk == j // chunk)


def p_rope_frequencies(head_dim, p, base=10000.0):
    rotary_dim = 2 * int(p * head_dim / 2)
    theta = base ** (-np.arange(0, rotary_dim, 2) / max(rotary_dim, 1))
    return np.concatenate([theta, np.zeros(head_dim // 2 - len(theta))])


def temperature(positions, floor_scale=8192.0, attn_scale=0.1):
    return 1 + attn_scale * np.log(1 + np.floor(positions / floor_scale))


def log_n_scale(positions, trained_len):
    return np.maximum(1, np.log(np.asarray(positions) + 1) / np.log(trained_len))


def rope(x, positions, base):
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    x[..., 0::2], x[..., 1::2] = x[..., 0::2] * cos - x[..., 1::2] * sin, x[..., 0::2] * sin + x[..., 1::2] * cos
    return x


def decoupled_scores(q_content, k_content, q_rope, k_rope, q_positions, k_positions, base=10000.0):
    q = np.concatenate([q_content, rope(q_rope, q_positions, base)], axis=-1)
    k = rope(k_rope, k_positions, base)[..., None, :, :]
    k = np.concatenate([k_content, np.broadcast_to(k, k_content.shape[:-1] + k.shape[-1:])], axis=-1)
    return q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])


def kept_tokens(length, n_sinks, window):
    return np.concatenate([np.arange(n_sinks), np.arange(length - window, length)])


def shift_keys(cache_k, offset, base=10000.0):
    return rope(cache_k, np.full(cache_k.shape[-2], offset), base)


ANSWERS = {
    "rope_layers_of_36_with_interval_4": 9,
    "causal_attention_without_encoding_counts": False,
    "share_of_first_token_at_position_9": 0.1,
    "p_rope_keeps_the_fastest_pair": True,
}
