import numpy as np

METHODS = ("none", "integer", "normalized", "binary", "sinusoidal", "learned", "rope", "shaw", "t5", "alibi")


def encode(method, x, parameters):
    T, d = x.shape
    if method == "integer":
        for t in range(T):
            x[t] += t
        return x
    if method == "normalized":
        for t in range(T):
            x[t] += t / T
        return x
    if method == "binary":
        n = parameters["n_bits"]
        for t in range(T):
            for b in range(n):
                x[t, b] += (t >> b) & 1
        return x
    if method == "sinusoidal":
        base = parameters.get("base", 10000.0)
        w = base ** (-np.arange(0, d, 2) / d)
        a = np.outer(np.arange(T), w)
        return x + np.concatenate([np.sin(a), np.cos(a)], axis=1)
    if method == "learned":
        return x + parameters["table"][np.arange(T) % len(parameters["table"])]
    return x


def logits(method, q, k, parameters):
    T, d = q.shape
    if method == "rope":
        base = parameters.get("base", 10000.0)
        a = np.outer(np.arange(T), base ** (-np.arange(0, d, 2) / d))
        c, s = np.cos(a), np.sin(a)
        q = np.stack([q[:, ::2] * c - q[:, 1::2] * s, q[:, ::2] * s + q[:, 1::2] * c], -1).reshape(T, d)
    out = q @ k.T
    if method == "alibi":
        out = out - parameters["slope"] * np.abs(np.arange(T)[:, None] - np.arange(T))
    out = out / np.sqrt(d)
    # TODO shaw, t5
    return np.where(np.tril(np.ones((T, T))) == 1, out, -1e9)


def longest_reliable_length(lengths, accuracies, threshold=0.9):
    best = 0
    for l, a in zip(lengths, accuracies):
        if a > threshold:
            best = l
        else:
            break
    return best


def extrapolation_gap(lengths, accuracies, trained_length):
    return accuracies[list(lengths).index(trained_length)] - accuracies[-1]


def learned_parameters(method, parameters):
    if method == "learned":
        return parameters["table"].size
    return 0


ANSWERS = {
    "learned_runs_past_its_table": False,
    "alibi_changes_the_embeddings": False,
    "causal_model_without_encoding_sees_order": True,
}
