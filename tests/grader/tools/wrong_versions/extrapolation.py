"""Wrong versions of the functions of extrapolation, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import extrapolation


@mistake("encode", "T − 1|length|last|T")
def normalized_by_the_length(method, x, parameters):
    x = np.asarray(x, dtype=float)
    return (
        x + np.arange(len(x))[:, None] / len(x)
        if method == "normalized"
        else extrapolation.encode(method, x, parameters)
    )


@mistake("encode", "bit|order|significant|first")
def low_bits_first(method, x, parameters):
    if method != "binary":
        return extrapolation.encode(method, x, parameters)
    x, n = np.array(x, dtype=float), parameters["n_bits"]
    x[:, :n] += np.arange(len(x))[:, None] >> np.arange(n) & 1
    return x


@mistake("logits", "sign|minus|alibi|slope|distance|ahead|plus|grow|penal")
def slope_added(method, q, k, parameters):
    return extrapolation.logits(
        method, q, k, {**parameters, "slope": -parameters["slope"]} if method == "alibi" else parameters
    )


@mistake("logits", "above|inf|mask|causal|future|later|diagonal")
def nothing_hidden(method, q, k, parameters):
    scores = extrapolation.logits(method, q, k, parameters)
    return np.where(np.isneginf(scores), 0.0, scores)


@mistake("logits", "j − i|i − j|mirror|row|table|sign|direction|distance|shaw|way")
def shaw_table_backwards(method, q, k, parameters):
    if method == "shaw":
        parameters = {**parameters, "key_table": np.asarray(parameters["key_table"])[::-1]}
    return extrapolation.logits(method, q, k, parameters)


@mistake("logits", "log|128|bucket|far|distance")
def t5_far_distances_linear(method, q, k, parameters):
    scores = extrapolation.logits(method, q, k, parameters)
    if method != "t5":
        return scores
    table = np.ravel(parameters["bias_table"])
    away = np.maximum(np.subtract.outer(np.arange(len(scores)), np.arange(len(scores))), 0)
    return extrapolation.logits("none", q, k, parameters) + table[np.minimum(away, len(table) - 1)]


@mistake("longest_reliable_length", "longest|fail|again|before|never|chance|up to|first")
def longest_that_passes(lengths, accuracies, threshold=0.9):
    return int(max((n for n, right in zip(lengths, accuracies, strict=True) if right >= threshold), default=0))


@mistake("longest_reliable_length", "order|sort")
def in_the_order_given(lengths, accuracies, threshold=0.9):
    reached = 0
    for length, right in zip(lengths, accuracies, strict=True):
        if right < threshold:
            break
        reached = max(reached, int(length))
    return reached


@mistake("extrapolation_gap", "longest|last|order")
def last_in_the_list(lengths, accuracies, trained_length):
    at = list(lengths).index(trained_length)
    return float(accuracies[at] - accuracies[-1])


@mistake("shift_gap", "encod")
def rows_not_encoded(method, x, w_q, w_k, parameters, shift):
    x = np.asarray(x, dtype=float)
    padded = np.concatenate([np.zeros((shift, x.shape[1])), x])
    later = extrapolation.logits(method, padded @ w_q, padded @ w_k, parameters)[shift:, shift:]
    now = extrapolation.logits(method, x @ w_q, x @ w_k, parameters)
    return float(np.abs(later - now)[np.tri(len(x), dtype=bool)].max())


@mistake("shift_gap", "mean|max|average|largest")
def mean_change(method, x, w_q, w_k, parameters, shift):
    x = np.asarray(x, dtype=float)
    rows = extrapolation.encode(method, np.concatenate([np.zeros((shift, x.shape[1])), x]), parameters)
    later = extrapolation.logits(method, rows @ w_q, rows @ w_k, parameters)[shift:, shift:]
    rows = extrapolation.encode(method, x, parameters)
    now = extrapolation.logits(method, rows @ w_q, rows @ w_k, parameters)
    return float(np.abs(later - now)[np.tri(len(x), dtype=bool)].mean())


@mistake("learned_parameters", "row|size|number|d|column")
def rows_counted(method, parameters):
    table = {"learned": "table", "shaw": "key_table", "t5": "bias_table"}.get(method)
    return len(parameters[table]) if table else 0


@mistake("random_positions", "twice|different|replace|repeat|same")
def drawn_with_replacement(length, max_length, rng):
    return np.sort(rng.integers(0, max_length, length))


@mistake("random_positions", "order|sort|ris")
def in_the_order_drawn(length, max_length, rng):
    return rng.permutation(max_length)[:length]


@mistake("random_positions", "start|consecutive|neighbour|set|likely|row|each")
def a_random_start(length, max_length, rng):
    return rng.integers(0, max_length - length + 1) + np.arange(length)
