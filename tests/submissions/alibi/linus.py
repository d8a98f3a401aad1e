import numpy as np

# one slope per head
def alibi_slopes(n_heads):
    return 2.0 ** (-8 * np.arange(n_heads) / n_heads)

# (heads, q, k)
def alibi_bias(n_heads, q_len, k_len):
    m = alibi_slopes(n_heads)
    bias = np.zeros((n_heads, q_len, k_len))
    for h in range(n_heads):
        for i in range(q_len):
            for j in range(k_len):
                bias[h, i, j] = -m[h] * abs(i + k_len - q_len - j)
    return bias

def alibi_attention(q, k, v, causal=True):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    s = s + alibi_bias(q.shape[-3], q.shape[-2], k.shape[-2])
    if causal:
        mask = np.tril(np.ones(s.shape[-2:]), k.shape[-2] - q.shape[-2])
        s[..., mask == 0] = -np.inf
    w = np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)
    return w @ v

def bloom_bias(n_heads, k_len):
    return alibi_slopes(n_heads)[:, None] * np.arange(k_len)

def effective_window(slope, tolerance):
    return int(np.ceil(-np.log(tolerance) / slope))

ANSWERS = {
    "first_slope_8_heads": 1,
    "last_slope_8_heads": 2 ** -7,
    "added_to_embeddings": False,
    "parameters": 0,
}
