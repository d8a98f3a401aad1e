"""The experiment. One small class a method; what a method does not do it inherits."""

import numpy as np


class Method:
    """No encoding at all."""

    table = None  # the parameter that counts as features, if any

    def added(self, length, d, p):
        return 0.0

    def prepare(self, rows, p):
        return rows

    def inside(self, q, offsets, p):
        return 0.0

    def outside(self, offsets, p):
        return 0.0


class Integer(Method):
    def added(self, length, d, p):
        return np.arange(length).reshape(-1, 1)


class Normalized(Method):
    def added(self, length, d, p):
        steps = length - 1
        return np.arange(length).reshape(-1, 1) / (steps if steps else 1)


class Binary(Method):
    def added(self, length, d, p):
        n = p["n_bits"]
        if n <= 0 or 2**n < length or n > d:
            raise ValueError(f"{n} bits cannot count to {length - 1} in {d} features")
        weights = 2 ** np.arange(n - 1, -1, -1)
        digits = np.floor_divide.outer(np.arange(length), weights) % 2
        return np.pad(digits, ((0, 0), (0, d - n)))


def angles(length, d, p):
    base = p["base"] if "base" in p else 10000.0
    if d % 2 != 0:
        raise ValueError(f"d = {d} is odd")
    if not np.isfinite(base) or base <= 0:
        raise ValueError(f"base = {base}")
    return np.einsum("t,i->ti", np.arange(length), np.power(float(base), -2 * np.arange(d // 2) / d))


class Sinusoidal(Method):
    def added(self, length, d, p):
        phase = np.repeat(angles(length, d, p), 2, axis=1)
        phase[:, 1::2] += np.pi / 2  # a cosine is a sine a quarter turn ahead
        return np.sin(phase)


class Learned(Method):
    table = "table"

    def added(self, length, d, p):
        rows, columns = p["table"].shape
        if rows < length or columns != d:
            raise ValueError(f"table of shape {(rows, columns)} for embeddings of shape {(length, d)}")
        return p["table"][:length]


class Rope(Method):
    def prepare(self, rows, p):
        length, d = rows.shape
        a = angles(length, d, p)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        return np.einsum("xyti,tiy->tix", turn, rows.reshape(length, d // 2, 2)).reshape(length, d)


class Shaw(Method):
    table = "key_table"

    def inside(self, q, offsets, p):
        table = p["key_table"]
        if table.shape[1] != q.shape[1]:
            raise ValueError(f"key_table {table.shape} for queries {q.shape}")
        k = (len(table) - 1) // 2
        rows = table[np.minimum(np.maximum(offsets, -k), k) + k]
        return np.einsum("id,ijd->ij", q, rows)


class T5(Method):
    table = "bias_table"

    def outside(self, offsets, p):
        table = p["bias_table"]
        if table.ndim != 2 or table.shape[1] != 1:
            raise ValueError(f"bias_table {table.shape}")
        n = np.maximum(-offsets, 0)
        buckets = len(table)
        exact = buckets // 2
        # where each shared bucket begins, as T5 rounds it; then count how many have begun
        begins = exact * (128 / exact) ** (np.arange(1, buckets - exact) / (buckets - exact))
        shared = exact + (n[..., None] >= begins - 1e-6).sum(axis=-1)
        return table[np.where(n < exact, n, shared), 0]


class Alibi(Method):
    def outside(self, offsets, p):
        if not p["slope"] > 0:
            raise ValueError(f"slope {p['slope']}")
        return p["slope"] * offsets


METHODS = {
    "none": Method(),
    "integer": Integer(),
    "normalized": Normalized(),
    "binary": Binary(),
    "sinusoidal": Sinusoidal(),
    "learned": Learned(),
    "rope": Rope(),
    "shaw": Shaw(),
    "t5": T5(),
    "alibi": Alibi(),
}


def find(method):
    try:
        return METHODS[method]
    except KeyError:
        raise ValueError(f"{method} is not one of {list(METHODS)}") from None


def as_handed_in(result, features, method, p, acts):
    arrays = list(features)
    if acts and method.table:
        arrays.append(p[method.table])
    if all(a.dtype == "float32" for a in arrays):
        return result.astype("float32")
    return result.astype("float64")


def encode(method, x, parameters):
    found = find(method)
    x = np.asarray(x)
    result = x.astype(float) + found.added(*x.shape, parameters)
    return as_handed_in(result, [x], found, parameters, method == "learned")


def logits(method, q, k, parameters):
    found, q, k = find(method), np.asarray(q), np.asarray(k)
    if q.shape != k.shape:
        raise ValueError(f"shapes {q.shape} and {k.shape} differ")
    length, d = q.shape
    offsets = np.arange(length) - np.arange(length)[:, np.newaxis]
    q64, k64 = q.astype(float), k.astype(float)
    scores = found.prepare(q64, parameters) @ found.prepare(k64, parameters).T
    scores = (scores + found.inside(q64, offsets, parameters)) / d**0.5 + found.outside(offsets, parameters)
    scores += np.triu(np.full((length, length), -np.inf), 1)
    return as_handed_in(scores, [q, k], found, parameters, method != "learned")


def in_order(lengths, accuracies):
    lengths, accuracies = np.array(lengths), np.array(accuracies, dtype=float)
    if lengths.shape != accuracies.shape or lengths.ndim > 1:
        raise ValueError(f"{lengths.shape} lengths and {accuracies.shape} accuracies")
    if lengths.min() <= 0:
        raise ValueError(f"{lengths.min()} is not a length")
    order = np.argsort(lengths)
    return lengths[order], accuracies[order]


def longest_reliable_length(lengths, accuracies, threshold=0.9):
    lengths, accuracies = in_order(lengths, accuracies)
    good = np.cumprod(accuracies >= threshold)
    return int((lengths * good).max())


def extrapolation_gap(lengths, accuracies, trained_length):
    lengths, accuracies = in_order(lengths, accuracies)
    where = np.flatnonzero(lengths == trained_length)
    if not where.size:
        raise ValueError(f"trained length {trained_length} is not among {lengths}")
    return accuracies[where[0]] - accuracies[-1]


def shift_gap(method, x, w_q, w_k, parameters, shift):
    if not shift >= 0:
        raise ValueError(f"cannot shift by {shift}")
    length, d = x.shape
    rows = np.zeros((shift + length, d))
    rows[shift:] = x

    def scores(rows):
        encoded = encode(method, rows, parameters)
        found = logits(method, np.dot(encoded, w_q), np.dot(encoded, w_k), parameters)
        return np.tril(np.where(np.isfinite(found), found, 0))  # what is hidden is 0 both times

    return np.linalg.norm((scores(rows)[shift:, shift:] - scores(rows[shift:])).ravel(), ord=np.inf)


def learned_parameters(method, parameters):
    table = find(method).table
    return parameters[table].size if table else 0


def random_positions(length, max_length, rng):
    if max_length < length:
        raise ValueError(f"{length} of {max_length}")
    # The positions with the smallest of max_length random numbers.
    drawn = rng.random(max_length)
    return np.flatnonzero(np.argsort(np.argsort(drawn)) < length)


ANSWERS = {
    "learned_runs_past_its_table": False,
    "alibi_changes_the_embeddings": False,
    "causal_model_without_encoding_sees_order": True,
}
