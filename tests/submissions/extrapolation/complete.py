import math

import numpy as np

METHODS = ("none", "integer", "normalized", "binary", "sinusoidal", "learned", "rope", "shaw", "t5", "alibi")


def known(method):
    if method not in METHODS:
        raise ValueError("no such method: " + str(method))


def single(*arrays):
    """the dtype to hand back"""
    return np.float32 if {np.asarray(a).dtype for a in arrays} == {np.dtype("float32")} else np.float64


def hands(T, d, parameters):
    """Return e^(i angle) for each position and pair, since sinusoids and rope rotate by the same angles."""
    base = parameters.get("base", 10000.0)
    if d % 2:
        raise ValueError("%d features do not make pairs" % d)
    if not 0 < base < math.inf:
        raise ValueError("base is %s" % base)
    speed = np.exp(-math.log(base) * np.arange(d // 2) * 2 / d)
    return np.exp(1j * np.arange(T)[:, None] * speed)


def encode(method, x, parameters):
    known(method)
    x = np.asarray(x)
    T, d = x.shape
    y = x.astype(np.float64)  # a copy
    kind = single(x)
    if method == "integer":
        y += np.arange(T)[:, None]
    elif method == "normalized":
        y += np.linspace(0, 1, T)[:, None]
    elif method == "binary":
        n = parameters["n_bits"]
        if n < 1 or n > d:
            raise ValueError("n_bits is %d" % n)
        if (T - 1) >> n:
            raise ValueError("%d needs more than %d bits" % (T - 1, n))
        for place in range(n):
            y[:, place] += (np.arange(T) >> (n - 1 - place)) % 2
    elif method == "sinusoidal":
        z = hands(T, d, parameters)
        y[:, 0::2] += z.imag
        y[:, 1::2] += z.real
    elif method == "learned":
        table = np.asarray(parameters["table"])
        if T > table.shape[0]:
            raise ValueError("%d tokens, %d rows" % (T, table.shape[0]))
        if table.shape[1] != d:
            raise ValueError("rows of %d for %d features" % (table.shape[1], d))
        y += table[:T]
        kind = single(x, table)
    return y.astype(kind)


def bucket(distance, n_buckets):
    half = n_buckets // 2
    # the small number keeps whole numbers from falling just below themselves
    steps = np.log2(np.maximum(distance, half) / half) / math.log2(128 / half) * (n_buckets - half) + 1e-9
    far = np.minimum(half + np.floor(steps).astype(int), n_buckets - 1)
    return np.where(distance < half, distance, far)


def logits(method, q, k, parameters):
    known(method)
    q, k = np.asarray(q), np.asarray(k)
    if q.shape != k.shape:
        raise ValueError("q is %s, k is %s" % (q.shape, k.shape))
    T, d = q.shape
    kind = single(q, k)
    q, k = q.astype(np.float64), k.astype(np.float64)
    behind = np.arange(T)[:, None] - np.arange(T)[None, :]
    if method == "rope":
        turn = hands(T, d, parameters)
        q = (q[:, 0::2] + 1j * q[:, 1::2]) * turn
        k = (k[:, 0::2] + 1j * k[:, 1::2]) * turn
        scores = (q @ k.conj().T).real
    else:
        scores = q @ k.T
    if method == "shaw":
        table = np.asarray(parameters["key_table"])
        if table.shape[1] != d:
            raise ValueError("key_table has %d columns, not %d" % (table.shape[1], d))
        kind = single(np.zeros(0, kind), table)
        reach = table.shape[0] // 2
        by_row = q @ table.T
        column = np.clip(-behind, -reach, reach) + reach
        scores = scores + by_row[np.arange(T)[:, None], column]
    scores = scores / math.sqrt(d)
    if method == "t5":
        table = np.asarray(parameters["bias_table"])
        if table.shape[1] != 1:
            raise ValueError("bias_table of shape %s" % (table.shape,))
        kind = single(np.zeros(0, kind), table)
        scores = scores + table[bucket(abs(behind), len(table)), 0]
    if method == "alibi":
        if parameters["slope"] <= 0:
            raise ValueError("slope is %s" % parameters["slope"])
        scores = scores - parameters["slope"] * behind
    scores[behind < 0] = -math.inf
    return scores.astype(kind)


def measured(lengths, accuracies):
    if np.ndim(lengths) != 1 or np.shape(lengths) != np.shape(accuracies):
        raise ValueError("lengths %s, accuracies %s" % (np.shape(lengths), np.shape(accuracies)))
    for length in lengths:
        if length < 1:
            raise ValueError("a length of %s" % length)
    return sorted(zip(lengths, accuracies))


def longest_reliable_length(lengths, accuracies, threshold=0.9):
    best = 0
    for length, accuracy in measured(lengths, accuracies):
        if not accuracy >= threshold:  # NaN too
            break
        best = length
    return int(best)


def extrapolation_gap(lengths, accuracies, trained_length):
    table = measured(lengths, accuracies)
    if trained_length not in dict(table):
        raise ValueError("%s was not measured" % trained_length)
    return dict(table)[trained_length] - table[-1][1]


def shift_gap(method, x, w_q, w_k, parameters, shift):
    if shift < 0:
        raise ValueError("shift is %d" % shift)
    T = len(x)
    both = []
    for start in (0, shift):
        rows = encode(method, np.pad(np.asarray(x, float), ((start, 0), (0, 0))), parameters)
        scores = logits(method, rows.dot(w_q), rows.dot(w_k), parameters)
        both.append(scores[start:, start:][np.tril_indices(T)])
    return max(abs(both[1] - both[0]))


def learned_parameters(method, parameters):
    known(method)
    name = {"learned": "table", "shaw": "key_table", "t5": "bias_table"}.get(method)
    return 0 if name is None else np.asarray(parameters[name]).size


def random_positions(length, max_length, rng):
    if length > max_length:
        raise ValueError(f"only {max_length} positions")
    return np.sort(rng.permutation(max_length)[:length])


ANSWERS = {
    "learned_runs_past_its_table": False,
    "alibi_changes_the_embeddings": False,
    "causal_model_without_encoding_sees_order": True,
}
