import numpy as np


def alibi_slopes(n_heads):
    if n_heads < 1:
        raise ValueError(f"need at least one head, got {n_heads}")

    def slopes(n):
        return 2 ** (-8 * np.arange(1, n + 1) / n)

    power = 2 ** int(np.floor(np.log2(n_heads)))
    return np.concatenate([slopes(power), slopes(2 * power)[0::2][: n_heads - power]])


def alibi_bias(n_heads, q_len, k_len):
    if q_len < 0 or k_len < 0:
        raise ValueError(f"lengths must not be negative: {q_len}, {k_len}")
    if q_len > k_len:
        raise ValueError(f"more queries ({q_len}) than keys ({k_len})")
    i = np.arange(q_len)[:, None] + (k_len - q_len)
    j = np.arange(k_len)[None, :]
    return -alibi_slopes(n_heads)[:, None, None] * np.abs(i - j)


def alibi_attention(q, k, v, causal=True):
    # TODO
    raise NotImplementedError("alibi_attention")


def bloom_bias(n_heads, k_len):
    # TODO
    raise NotImplementedError("bloom_bias")


def effective_window(slope, tolerance):
    # TODO
    raise NotImplementedError("effective_window")


ANSWERS = {
    "first_slope_8_heads": 0.5,
    "last_slope_8_heads": 2**-8,
    "added_to_embeddings": False,
    "parameters": None,
}
