"""Learned position embeddings, the way RoBERTa does it: the first two rows are for padding."""

import numpy as np

OFFSET = 2


def _out(result, *arrays):
    return result.astype(np.float32 if all(a.dtype == np.float32 for a in arrays) else np.float64)


def init_table(max_len, d_model, seed, std=0.02):
    if max_len < 1:
        raise ValueError(f"max_len must be positive, got {max_len}")
    if d_model < 1:
        raise ValueError(f"d_model must be positive, got {d_model}")
    return np.random.default_rng(seed).normal(0.0, std, (max_len, d_model))


def lookup(table, positions):
    if table.ndim != 2:
        raise ValueError(f"table must be 2-D, got {table.shape}")
    positions = np.asarray(positions)
    bad = positions[(positions < 0) | (positions >= len(table))]
    if bad.size:
        raise IndexError(f"no row {bad[0]} in a table of {len(table)} rows")
    return _out(table[positions], table)


def embed(token_table, position_table, token_ids):
    if token_table.shape[1] != position_table.shape[1]:
        raise ValueError(f"{token_table.shape} does not fit {position_table.shape}")
    if token_ids.ndim < 1:
        raise ValueError("token_ids must be a sequence")
    T = token_ids.shape[-1]
    if T + OFFSET > len(position_table):
        raise ValueError(f"sequence of {T} tokens needs {T + OFFSET} rows, there are {len(position_table)}")
    return lookup(token_table, token_ids) + lookup(position_table, np.arange(T) + OFFSET)


def lookup_gradient(table_shape, positions, grad_output):
    rows, d = table_shape
    positions = np.asarray(positions)
    bad = positions[(positions < 0) | (positions >= rows)]
    if bad.size:
        raise IndexError(f"no row {bad[0]} in a table of {rows} rows")
    if grad_output.shape != positions.shape + (d,):
        raise ValueError(f"grad_output has shape {grad_output.shape}")
    gradient = np.zeros((rows, d))
    np.add.at(gradient, positions, grad_output)
    return _out(gradient, grad_output)


def sgd_step(table, gradient, learning_rate):
    if table.shape != gradient.shape:
        raise ValueError(f"{table.shape} and {gradient.shape}")
    return table - learning_rate * gradient


def trained_rows(max_len, lengths):
    if max_len < 1:
        raise ValueError(f"max_len must be positive, got {max_len}")
    if np.min(lengths) < 0:
        raise ValueError(f"lengths must not be negative: {np.min(lengths)}")
    return np.arange(max_len) < np.max(lengths)


def resize_table(table, new_len):
    if table.ndim != 2:
        raise ValueError(f"table must be 2-D, got {table.shape}")
    if new_len < 1:
        raise ValueError(f"new_len must be positive, got {new_len}")
    # like image resizing: centres of the cells
    where = (np.arange(new_len) + 0.5) * len(table) / new_len - 0.5
    where = np.clip(where, 0, len(table) - 1)
    low = np.floor(where).astype(int)
    high = np.minimum(low + 1, len(table) - 1)
    share = (where - low)[:, None]
    return _out((1 - share) * table[low] + share * table[high], table)


ANSWERS = {
    "rows_available_at_position_1024": 0,
    "parameters_gpt2": 1026 * 768,
    "has_built_in_distance": True,
}
