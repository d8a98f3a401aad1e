"""The learned table with one-hot matrices, take and sums of products."""

import numpy as np


def _kind(*arrays):
    return np.float32 if {np.asarray(array).dtype for array in arrays} == {np.dtype("float32")} else np.float64


def _positive(size):
    if size < 1:
        raise ValueError(f"{size} is below 1")


def init_table(max_len, d_model, seed, std=0.02):
    _positive(max_len)
    _positive(d_model)
    return np.random.default_rng(seed).normal(size=(max_len, d_model), scale=std)


def _inside(positions, rows):
    positions = np.asarray(positions)
    bad = positions[(positions < 0) | (positions >= rows)]
    if bad.size:
        raise IndexError(f"no row {bad.flat[0]}")
    return positions


def lookup(table, positions):
    rows = np.take(table, _inside(positions, len(table)), axis=0)
    return rows.astype(_kind(table))


def embed(token_table, position_table, token_ids):
    ids = np.asarray(token_ids)
    if np.shape(token_table)[-1] != np.shape(position_table)[-1]:
        raise ValueError(f"{np.shape(token_table)} and {np.shape(position_table)}")
    if ids.shape[-1] > len(position_table):
        raise ValueError(f"{len(position_table)} rows for {ids.shape[-1]} tokens")
    both = lookup(token_table, ids).astype(np.float64) + np.asarray(position_table)[: ids.shape[-1]]
    return both.astype(_kind(token_table, position_table))


def lookup_gradient(table_shape, positions, grad_output):
    positions, gradient = _inside(positions, table_shape[0]), np.asarray(grad_output)
    if gradient.shape != (*positions.shape, table_shape[1]):
        raise ValueError(f"{gradient.shape} for {positions.shape} and {table_shape}")
    one_hot = np.equal.outer(np.arange(table_shape[0]), positions.ravel())
    return (one_hot @ gradient.reshape(-1, table_shape[1]).astype(np.float64)).astype(_kind(gradient))


def sgd_step(table, gradient, learning_rate):
    if np.shape(table) != np.shape(gradient):
        raise ValueError(f"{np.shape(table)} against {np.shape(gradient)}")
    step = np.multiply(gradient, float(learning_rate), dtype=np.float64)
    return np.subtract(table, step, dtype=np.float64).astype(_kind(table, gradient))


def trained_rows(max_len, lengths):
    _positive(max_len)
    lengths = np.asarray(lengths)
    bad = [int(length) for length in lengths[(lengths < 0) | (lengths > max_len)]]
    if bad:
        raise ValueError(f"lengths {bad}")
    return np.flip(np.bincount(lengths, minlength=max_len + 1)[::-1].cumsum()[:-1] > 0)


def resize_table(table, new_len):
    _positive(new_len)
    table = np.asarray(table)
    where = np.arange(new_len) * (len(table) - 1) / max(new_len - 1, 1)
    tents = 1 - np.abs(np.subtract.outer(where, np.arange(len(table))))
    return np.asfortranarray((tents.clip(0) @ table).astype(_kind(table)))
