"""Feature by feature where numpy has a function for one column: bincount, interp."""

import numpy as np


def _float_type(*arrays):
    for array in arrays:
        if array.dtype != np.float32:
            return np.float64
    return np.float32


def _table(table):
    table = np.array(table)
    if len(table.shape) != 2:
        raise ValueError("a table has two axes, this has shape " + str(table.shape))
    return table.astype(_float_type(table))


def _rows(positions, size):
    positions = np.array(positions)
    wrong = positions[np.logical_or(positions < 0, positions > size - 1)]
    if wrong.size > 0:
        raise IndexError("position %d is outside of the table (%d rows)" % (wrong.flat[0], size))
    return positions


def init_table(max_len, d_model, seed, std=0.02):
    if max_len < 1:
        raise ValueError("max_len is %d" % max_len)
    if d_model < 1:
        raise ValueError("d_model is %d" % d_model)
    rng = np.random.default_rng(seed)
    return rng.normal(scale=std, size=(max_len, d_model))


def lookup(table, positions):
    table = _table(table)
    return np.take(table, _rows(positions, table.shape[0]), axis=0)


def embed(token_table, position_table, token_ids):
    token_table, position_table = _table(token_table), _table(position_table)
    if token_table.shape[1] != position_table.shape[1]:
        raise ValueError("tables %s and %s do not go together" % (token_table.shape, position_table.shape))
    shape = np.shape(token_ids)
    if shape == ():
        raise ValueError("token_ids needs at least one axis")
    if shape[-1] > position_table.shape[0]:
        raise ValueError("%d tokens, but only %d positions" % (shape[-1], position_table.shape[0]))
    return lookup(token_table, token_ids) + position_table[: shape[-1]]


def lookup_gradient(table_shape, positions, grad_output):
    if len(table_shape) != 2:
        raise ValueError("not the shape of a table: %s" % (table_shape,))
    n_rows, width = table_shape
    positions, grad_output = _rows(positions, n_rows), np.array(grad_output)
    if grad_output.shape != positions.shape + (width,):
        raise ValueError("got gradients of shape %s for positions %s" % (grad_output.shape, positions.shape))
    flat, grads = positions.ravel(), grad_output.reshape(-1, width)
    columns = [np.bincount(flat, weights=grads[:, f], minlength=n_rows) for f in range(width)]
    return np.stack(columns, axis=1).astype(_float_type(grad_output))


def sgd_step(table, gradient, learning_rate):
    table, gradient = np.array(table), np.array(gradient)
    if table.shape != gradient.shape:
        raise ValueError("table %s, gradient %s" % (table.shape, gradient.shape))
    dtype = _float_type(table, gradient)
    new = table.astype(dtype)
    new -= dtype(learning_rate) * gradient.astype(dtype)
    return new


def trained_rows(max_len, lengths):
    if max_len < 1:
        raise ValueError("max_len must be positive, not %d" % max_len)
    if min(lengths, default=0) < 0:
        raise ValueError("there is no length %d" % min(lengths))
    if max(lengths, default=0) > max_len:
        raise ValueError("no room for %d in %d rows" % (max(lengths), max_len))
    rows = np.zeros(max_len, dtype=bool)
    rows[: max(lengths, default=0)] = True
    return rows


def resize_table(table, new_len):
    table = _table(table)
    if new_len < 1:
        raise ValueError("new_len must be at least one, not %d" % new_len)
    old = table.shape[0]
    step = (old - 1) / (new_len - 1) if new_len > 1 else 0.0
    where = step * np.arange(new_len)
    columns = [np.interp(where, np.arange(old), column) for column in table.T]
    return np.array(columns).T.astype(table.dtype)


ANSWERS = {
    "rows_available_at_position_1024": 0,
    "parameters_gpt2": 786432.0,
    "has_built_in_distance": False,
}
