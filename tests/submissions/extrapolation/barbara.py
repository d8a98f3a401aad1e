# Barbara, last assignment!
import numpy as np

METHODS = ("none", "integer", "normalized", "binary", "sinusoidal", "learned", "rope", "shaw", "t5", "alibi")


def _cast(y, *arrays):
    return y.astype(np.float32 if all(a.dtype == np.float32 for a in arrays) else np.float64)


def _clock(T, d, parameters):
    base = parameters.get("base", 10000.0)
    if d % 2 or base <= 0 or not np.isfinite(base):
        raise ValueError(f"cannot make a clock of d = {d}, base = {base}")
    return np.outer(np.arange(T), base ** (-np.arange(0, d, 2) / d))


def encode(method, x, parameters):
    if method not in METHODS:
        raise ValueError(method)
    T, d = x.shape
    t = np.arange(T)[:, None]
    if method == "integer":
        return _cast(x + t, x)
    if method == "normalized":
        return _cast(x + t / max(T - 1, 1), x)
    if method == "binary":
        n = parameters["n_bits"]
        if n < 1 or T > 2**n:
            raise ValueError(f"{T} positions, {n} bits")
        bits = t // 2 ** np.arange(n)[::-1] % 2
        return _cast(x + np.hstack([bits, np.zeros((T, d - n))]), x)
    if method == "sinusoidal":
        a = _clock(T, d, parameters)
        pe = np.zeros((T, d))
        pe[:, ::2], pe[:, 1::2] = np.sin(a), np.cos(a)
        return _cast(x + pe, x)
    if method == "learned":
        table = parameters["table"]
        if table.shape[1] != d:
            raise ValueError(f"table {table.shape}")
        # long texts: go on with the last row, it is the closest we have
        return _cast(x + table[np.minimum(np.arange(T), len(table) - 1)], x, table)
    return _cast(x, x)


def _rotate(x, a):
    y = np.empty(x.shape)
    y[:, ::2] = x[:, ::2] * np.cos(a) - x[:, 1::2] * np.sin(a)
    y[:, 1::2] = x[:, ::2] * np.sin(a) + x[:, 1::2] * np.cos(a)
    return y


def _t5_bucket(relative, num_buckets, max_distance=128):
    # from my solution of `relative`
    num_buckets //= 2
    ret = (relative > 0) * num_buckets
    n = np.abs(relative)
    max_exact = num_buckets // 2
    large = max_exact + (
        np.log(np.maximum(n, 1) / max_exact) / np.log(max_distance / max_exact) * (num_buckets - max_exact) + 1e-9
    ).astype(int)
    return ret + np.where(n < max_exact, n, np.minimum(large, num_buckets - 1))


def logits(method, q, k, parameters):
    if method not in METHODS:
        raise ValueError(method)
    if q.shape != k.shape:
        raise ValueError(f"{q.shape} != {k.shape}")
    T, d = q.shape
    i, j = np.arange(T)[:, None], np.arange(T)
    Q, K = q.astype(float), k.astype(float)
    arrays = [q, k]
    if method == "rope":
        a = _clock(T, d, parameters)
        Q, K = _rotate(Q, a), _rotate(K, a)
    s = Q @ K.T / np.sqrt(d)
    if method == "shaw":
        table = parameters["key_table"]
        if table.shape[1] != d:
            raise ValueError(f"key_table {table.shape}")
        m = len(table) // 2
        s = s + np.einsum("id,ijd->ij", Q, table[np.clip(i - j, -m, m) + m]) / np.sqrt(d)
        arrays.append(table)
    if method == "t5":
        table = parameters["bias_table"]
        if table.shape != (len(table), 1):
            raise ValueError(f"bias_table {table.shape}")
        s = s + table[_t5_bucket(j - i, len(table)), 0]
    if method == "alibi":
        if parameters["slope"] <= 0:
            raise ValueError(f"slope {parameters['slope']}")
        s = s - parameters["slope"] * (i - j)
    return _cast(np.where(j <= i, s, -np.inf), *arrays)


def longest_reliable_length(lengths, accuracies, threshold=0.9):
    lengths, accuracies = np.asarray(lengths), np.asarray(accuracies)
    if lengths.ndim != 1 or lengths.shape != accuracies.shape:
        raise ValueError(f"{lengths.shape} {accuracies.shape}")
    if (lengths < 1).any():
        raise ValueError(f"{lengths}")
    passed = lengths[accuracies >= threshold]
    return int(passed.max()) if passed.size else 0


def extrapolation_gap(lengths, accuracies, trained_length):
    lengths, accuracies = np.asarray(lengths), np.asarray(accuracies)
    if lengths.ndim != 1 or lengths.shape != accuracies.shape:
        raise ValueError(f"{lengths.shape} {accuracies.shape}")
    if (lengths < 1).any():
        raise ValueError(f"{lengths}")
    if trained_length not in lengths:
        raise ValueError(f"{trained_length}")
    return float(accuracies[lengths.argmax()] - accuracies[lengths == trained_length][0])


def shift_gap(method, x, w_q, w_k, parameters, shift):
    if shift < 0:
        raise ValueError(f"{shift}")
    T = len(x)
    rows = np.concatenate([np.zeros((shift, x.shape[1])), x])
    a, b = encode(method, x, parameters), encode(method, rows, parameters)
    before = logits(method, a @ w_q, a @ w_k, parameters)
    after = logits(method, b @ w_q, b @ w_k, parameters)[shift:, shift:]
    return float(np.mean(np.abs(after - before)[np.tri(T) == 1]))


def learned_parameters(method, parameters):
    # everything that is in a table
    return sum(np.size(value) for name, value in parameters.items() if "table" in name)


ANSWERS = {
    "learned_runs_past_its_table": True,
    "alibi_changes_the_embeddings": False,
    "causal_model_without_encoding_sees_order": False,
}
