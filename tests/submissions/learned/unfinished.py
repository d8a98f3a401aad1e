"""I have written the table and the function that reads it. Gradients come next."""

import numpy as np


def init_table(max_len, d_model, seed, std=0.02):
    if max_len < 1 or d_model < 1:
        raise ValueError(f"bad size ({max_len}, {d_model})")
    return np.random.default_rng(seed).normal(0, std, size=(max_len, d_model))


def lookup(table, positions):
    table, positions = np.asarray(table), np.asarray(positions)
    if table.ndim != 2:
        raise ValueError(f"table has shape {table.shape}")
    if np.any(positions < 0):
        raise IndexError(f"negative position: {positions.min()}")
    rows = table[positions]
    return rows if rows.dtype == np.float32 else rows.astype(np.float64)


def embed(token_table, position_table, token_ids):
    token_ids = np.asarray(token_ids)
    T = token_ids.shape[-1]
    if T > len(position_table):
        raise ValueError(f"{T} tokens but {len(position_table)} positions")
    return lookup(token_table, token_ids) + lookup(position_table, np.arange(T))


def lookup_gradient(table_shape, positions, grad_output):
    raise NotImplementedError("lookup_gradient is not written yet")


def sgd_step(table, gradient, learning_rate):
    raise NotImplementedError("sgd_step is not written yet")


def trained_rows(max_len, lengths):
    if max_len < 1:
        raise ValueError(f"max_len = {max_len}")
    if np.min(lengths) < 0:
        raise ValueError(f"length = {np.min(lengths)}")
    if np.max(lengths) > max_len:
        raise ValueError(f"length = {np.max(lengths)}")
    return np.arange(max_len) < np.max(lengths)


def resize_table(table, new_len):
    raise NotImplementedError("resize_table is not written yet")


ANSWERS = {
    "rows_available_at_position_1024": None,
    "parameters_gpt2": 786432,
    "has_built_in_distance": None,
}
