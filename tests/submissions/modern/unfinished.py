import numpy as np


def first_token_share(length):
    if length < 0:
        raise ValueError(f"length is {length}")
    return 1.0 / (np.arange(length) + 1)


def position_from_share(share):
    share = np.asarray(share, dtype=float)
    if not ((share > 0) & (share <= 1)).all():
        raise ValueError(f"not a share: {share}")
    return 1 / share - 1


def rope_layers(n_layers, interval):
    if n_layers < 1 or interval < 1:
        raise ValueError(f"n_layers {n_layers}, interval {interval}")
    return (np.arange(n_layers) + 1) % interval != 0


def layer_bases(n_layers, interval, local_base=10000.0, global_base=1000000.0):
    for base in local_base, global_base:
        if not 0 < base < float("inf"):
            raise ValueError(f"base {base}")
    return np.where(rope_layers(n_layers, interval), float(local_base), float(global_base))


def sliding_window_mask(q_len, k_len, window):
    if window < 1 or q_len < 0 or k_len < q_len:
        raise ValueError(f"{q_len} {k_len} {window}")
    p = np.arange(q_len)[:, None] + k_len - q_len
    j = np.arange(k_len)[None, :]
    return (p - window < j) & (j <= p)


def chunk_mask(q_len, k_len, chunk):
    raise NotImplementedError("chunk_mask is not written yet")


ANSWERS = {
    "rope_layers_of_36_with_interval_4": 27,
    "causal_attention_without_encoding_counts": True,
    "share_of_first_token_at_position_9": None,
    "p_rope_keeps_the_fastest_pair": None,
}
