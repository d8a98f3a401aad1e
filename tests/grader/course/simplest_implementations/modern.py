"""Plain implementation of modern models: masks are computed for as many queries as keys and only their last
rows are kept, and a cache is a list of tokens.
"""

import numpy as np


def sliding_window_mask(q_len, k_len, window):
    p, j = np.arange(k_len)[:, np.newaxis], np.arange(k_len)
    return ((p - window < j) & (j <= p))[k_len - q_len :]


def chunk_mask(q_len, k_len, chunk):
    p, j = np.arange(k_len)[:, np.newaxis], np.arange(k_len)
    return ((j <= p) & (j // chunk == p // chunk))[k_len - q_len :]


def kept_tokens(length, n_sinks, window):
    return np.array([t for t in range(length) if t < n_sinks or t >= length - window], dtype=np.int64)


def first_token_share(length):
    weights = np.tri(length) / np.tri(length).sum(axis=1, keepdims=True) if length else np.zeros((0, 1))
    return weights[:, 0]
