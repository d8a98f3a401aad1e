"""Tables as matrices: reading is a product with one-hot rows, and its gradient is a product with their transpose."""

import numpy as np


def fail_if(condition, complaint, error=ValueError):
    if condition:
        raise error(complaint)


def like(result, *inputs):
    single = all(np.asarray(one).dtype == np.float32 for one in inputs)
    return np.asarray(result, dtype=np.float32 if single else np.float64)


def init_table(max_len, d_model, seed, std=0.02):
    fail_if(max_len <= 0 or d_model <= 0, f"cannot make a table of {max_len} x {d_model}")
    return std * np.random.default_rng(seed).standard_normal((max_len, d_model))


def one_hot(positions, n_rows):
    """Return an array of shape (..., n_rows), with a single 1 in every row."""
    positions = np.asarray(positions)
    for end in (positions.min(initial=0), positions.max(initial=0)):
        fail_if(end < 0 or end >= n_rows, f"position {end} is not in 0..{n_rows - 1}", IndexError)
    return (positions[..., None] == np.arange(n_rows)).astype(float)


def lookup(table, positions):
    table = np.asarray(table)
    fail_if(table.ndim != 2, f"{table.shape} is not the shape of a table")
    return like(one_hot(positions, table.shape[0]) @ table.astype(float), table)


def embed(token_table, position_table, token_ids):
    token_ids = np.asarray(token_ids)
    fail_if(token_ids.ndim == 0, "a single id is not a sequence")
    a, b = np.shape(token_table), np.shape(position_table)
    fail_if(a[-1] != b[-1], f"token rows are {a[-1]} wide, position rows {b[-1]}")
    T = token_ids.shape[-1]
    fail_if(T > b[0], f"the text has {T} tokens, the table only {b[0]} positions")
    tokens = lookup(token_table, token_ids)
    return like(tokens + np.asarray(position_table)[:T], token_table, position_table)


def lookup_gradient(table_shape, positions, grad_output):
    rows, d = table_shape
    hot, grad_output = one_hot(positions, rows), np.asarray(grad_output)
    wanted = hot.shape[:-1] + (d,)
    fail_if(grad_output.shape != wanted, f"grad_output is {grad_output.shape}, should be {wanted}")
    hot, grads = hot.reshape(-1, rows), grad_output.reshape(-1, d).astype(float)
    return like(np.einsum("nr,nd->rd", hot, grads), grad_output)


def sgd_step(table, gradient, learning_rate):
    table, gradient = np.asarray(table), np.asarray(gradient)
    fail_if(table.shape != gradient.shape, f"shapes {table.shape} and {gradient.shape}")
    return like(table - learning_rate * gradient, table, gradient)


def trained_rows(max_len, lengths):
    fail_if(max_len < 1, f"no rows: {max_len}")
    lengths = np.asarray(lengths)
    fail_if((lengths < 0).any() or (lengths > max_len).any(), f"lengths from 0 to {max_len}, and not {lengths}")
    return (np.arange(max_len) < lengths[..., None]).any(axis=0)


def resize_table(table, new_len):
    table = np.asarray(table)
    fail_if(table.ndim != 2, f"{table.shape} is not the shape of a table")
    fail_if(new_len < 1, f"cannot resize to {new_len} rows")
    # every new row is a weighted sum of old rows: a tent around each old position
    where = np.linspace(0, len(table) - 1, new_len)
    tents = np.clip(1 - np.abs(where[:, None] - np.arange(len(table))), 0, None)
    return like(tents @ table, table)


ANSWERS = {
    "rows_available_at_position_1024": 0,
    "parameters_gpt2": 1024 * 768,
    "has_built_in_distance": False,
}
