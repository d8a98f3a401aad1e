"""Learned tables with gradients from one-hot matrices and interpolation by tent functions."""

import numpy as np


def lookup_gradient(table_shape, positions, grad_output):
    positions, gradient = np.asarray(positions), np.asarray(grad_output)
    one_hot = np.equal.outer(np.arange(table_shape[0]), positions.ravel())
    return one_hot @ gradient.reshape(-1, table_shape[1]).astype(np.float64)


def resize_table(table, new_len):
    table = np.asarray(table)
    where = np.arange(new_len) * (len(table) - 1) / max(new_len - 1, 1)
    tents = 1 - np.abs(np.subtract.outer(where, np.arange(len(table))))
    return np.asfortranarray(tents.clip(0) @ table)
