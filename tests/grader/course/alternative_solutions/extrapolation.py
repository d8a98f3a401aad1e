"""Extrapolation with a table of score functions, and rotations as complex numbers."""

import numpy as np


def _table(name, parameters):
    return np.asarray(parameters[name], dtype=np.float64)


def _rates(d, parameters):
    return np.logspace(0, -1, d // 2, endpoint=False, base=parameters.get("base", 10000.0))


def _plain(q, k, away, parameters):
    return np.einsum("id,jd->ij", q, k) / np.sqrt(q.shape[1])


def _rope(q, k, away, parameters):
    rates = _rates(q.shape[1], parameters)
    q, k = (np.ascontiguousarray(x).view(complex) for x in (q, k))
    turns = np.exp(1j * away[..., None] * rates)
    return np.einsum("ip,jp,ijp->ij", q, k.conj(), turns).real / np.sqrt(2 * q.shape[1])


def _shaw(q, k, away, parameters):
    table = _table("key_table", parameters)
    reach = len(table) // 2
    rows = table[np.clip(-away, -reach, reach) + reach]
    return _plain(q, k, away, parameters) + np.einsum("id,ijd->ij", q, rows) / np.sqrt(q.shape[1])


def _t5(q, k, away, parameters):
    table = _table("bias_table", parameters).ravel()
    exact = len(table) // 2
    ends = [exact * (128 / exact) ** (n / (len(table) - exact)) for n in range(1, len(table) - exact)]
    far = exact + np.searchsorted(np.array(ends) - 1e-9, away, side="right")
    return _plain(q, k, away, parameters) + table[np.where(away < exact, np.maximum(away, 0), far)]


def _alibi(q, k, away, parameters):
    return _plain(q, k, away, parameters) - parameters["slope"] * away


SCORED = {"rope": _rope, "shaw": _shaw, "t5": _t5, "alibi": _alibi}


def logits(method, q, k, parameters):
    away = np.subtract.outer(np.arange(len(q)), np.arange(len(k)))
    q, k = np.array(q, dtype=np.float64), np.array(k, dtype=np.float64)
    return np.where(away < 0, -np.inf, SCORED.get(method, _plain)(q, k, away, parameters))
