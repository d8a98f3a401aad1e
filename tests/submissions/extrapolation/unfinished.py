import numpy as np

METHODS = ("none", "integer", "normalized", "binary", "sinusoidal", "learned", "rope", "shaw", "t5", "alibi")


def encode(method, x, parameters):
    if method not in METHODS:
        raise ValueError(f"unknown method: {method}")
    T, d = x.shape
    dtype = np.float32 if x.dtype == np.float32 else np.float64
    pos = np.arange(T, dtype=np.float64).reshape(T, 1)

    if method == "integer":
        return (x + pos).astype(dtype)

    if method == "normalized":
        if T > 1:
            pos = pos / (T - 1)
        return (x + pos).astype(dtype)

    if method == "binary":
        n_bits = parameters["n_bits"]
        if n_bits < 1:
            raise ValueError(f"n_bits must be positive: {n_bits}")
        if T > 2**n_bits:
            raise ValueError(f"{T} positions do not fit in {n_bits} bits")
        y = x.astype(np.float64)
        for b in range(n_bits):
            y[:, b] += (np.arange(T) // 2 ** (n_bits - 1 - b)) % 2
        return y.astype(dtype)

    if method == "sinusoidal":
        base = parameters.get("base", 10000.0)
        if d % 2 == 1:
            raise ValueError(f"d is odd: {d}")
        if base <= 0 or not np.isfinite(base):
            raise ValueError(f"bad base: {base}")
        angle = pos * base ** (-np.arange(0, d, 2) / d)
        y = x.astype(np.float64)
        y[:, 0::2] += np.sin(angle)
        y[:, 1::2] += np.cos(angle)
        return y.astype(dtype)

    if method == "learned":
        table = parameters["table"]
        if T > len(table):
            raise ValueError(f"{T} tokens but the table has {len(table)} rows")
        if table.shape[1] != d:
            raise ValueError(f"table is {table.shape}, x is {x.shape}")
        return (x + table[:T]).astype(np.result_type(x, table) if dtype == np.float32 else dtype)

    return x.astype(dtype)


def logits(method, q, k, parameters):
    raise NotImplementedError


def longest_reliable_length(lengths, accuracies, threshold=0.9):
    if np.shape(lengths) != np.shape(accuracies) or np.ndim(lengths) != 1:
        raise ValueError(f"shapes {np.shape(lengths)} and {np.shape(accuracies)}")
    if min(lengths) < 1:
        raise ValueError(f"length {min(lengths)}")
    result = 0
    for i in np.argsort(lengths):
        if not accuracies[i] >= threshold:
            return result
        result = lengths[i]
    return result


def extrapolation_gap(lengths, accuracies, trained_length):
    raise NotImplementedError


def shift_gap(method, x, w_q, w_k, parameters, shift):
    raise NotImplementedError


def learned_parameters(method, parameters):
    raise NotImplementedError


ANSWERS = {
    "learned_runs_past_its_table": False,
    "alibi_changes_the_embeddings": False,
    "causal_model_without_encoding_sees_order": None,
}
