"""Wrong versions of the functions of learned, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import learned


@mistake("init_table", "varianc|std|deviation|square")
def variance_for_deviation(max_len, d_model, seed, std=0.02):
    return np.random.default_rng(seed).normal(0, std**2, (max_len, d_model))


@mistake("init_table", "default_rng|generator|RandomState|seed")
def old_generator(max_len, d_model, seed, std=0.02):
    return np.random.RandomState(seed).normal(0, std, (max_len, d_model))


@mistake("init_table", "row|one call|column|transpos|order|T")
def drawn_column_by_column(max_len, d_model, seed, std=0.02):
    return np.random.default_rng(seed).normal(0, std, (d_model, max_len)).T


@mistake("lookup", "1|row|before|one")
def rows_counted_from_one(table, positions):
    return np.asarray(table)[np.asarray(positions) - 1]


@mistake("embed", "token|position|id")
def position_row_of_the_token(token_table, position_table, token_ids):
    ids = np.asarray(token_ids)
    return np.asarray(token_table)[ids] + np.asarray(position_table)[ids % len(position_table)]


@mistake("lookup_gradient", "add|sum|last|overw|twice|again|repeat")
def last_one_wins(table_shape, positions, grad_output):
    gradient = np.zeros(table_shape)
    gradient[np.asarray(positions)] = grad_output
    return gradient


@mistake("lookup_gradient", "mean|average|divid|sum|add")
def gradients_averaged(table_shape, positions, grad_output):
    gradient = learned.lookup_gradient(table_shape, positions, grad_output)
    return gradient / np.maximum(np.bincount(np.ravel(positions), minlength=len(gradient)), 1)[:, None]


@mistake("sgd_step", "minus|sign|plus|subtract|down|up|against")
def uphill(table, gradient, learning_rate):
    return np.asarray(table) + learning_rate * np.asarray(gradient)


@mistake("trained_rows", "n − 1|length|one|last|above|≥|too many")
def one_row_too_many(max_len, lengths):
    return np.arange(max_len) <= max(lengths, default=-1)


@mistake("trained_rows", "some|all|shortest|longest|every")
def rows_of_the_shortest(max_len, lengths):
    return np.arange(max_len) < min(lengths, default=0)


@mistake("resize_table", "last|ends|− 1|stretch|rows")
def stretched_past_the_end(table, new_len):
    rows = len(table)
    where = np.minimum(np.arange(new_len) * rows / new_len, rows - 1)
    below = where.astype(int)
    share = (where - below)[:, None]
    return (1 - share) * np.asarray(table)[below] + share * np.asarray(table)[np.minimum(below + 1, rows - 1)]
