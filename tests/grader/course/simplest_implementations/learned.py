"""Plain implementation of a learned table: the gradient of a lookup is a product with one-hot rows."""

import numpy as np


def lookup_gradient(table_shape, positions, grad_output):
    hot = np.eye(table_shape[0])[np.ravel(positions).astype(int)]
    return hot.T @ np.reshape(np.asarray(grad_output, dtype=float), (-1, table_shape[1]))


def trained_rows(max_len, lengths):
    return (np.arange(max_len) < np.asarray(lengths)[:, np.newaxis]).any(axis=0)


def resize_table(table, new_len):
    table = np.asarray(table, dtype=float)
    at = np.linspace(0, len(table) - 1, new_len) if new_len > 1 else np.zeros(1)
    return np.stack([np.interp(at, np.arange(len(table)), column) for column in table.T], axis=-1)
