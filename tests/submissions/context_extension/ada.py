"""Context extension. Everything pair by pair, in logarithms; turning is multiplying complex numbers."""

import math

import numpy as np


def need(ok, what, value):
    if not ok:
        raise ValueError("%s is not allowed here: %s" % (what, value))


def good_size(d, smallest):
    need(d >= smallest and d % 2 == 0, "head_dim", d)


def good_base(b):
    need(b > 0 and math.isfinite(b), "base", b)


def interpolate_positions(positions, factor):
    need(factor >= 1, "factor", factor)
    m = np.asarray(positions, dtype=float)
    need(not np.isnan(m).any(), "position", float("nan"))
    return m * (1.0 / factor)


def log_theta(d, b):
    """ln of the frequency of each pair"""
    return [-2.0 * i / d * math.log(b) for i in range(d // 2)]


def ntk_base(base, factor, head_dim):
    good_base(base)
    need(factor >= 1, "factor", factor)
    good_size(head_dim, 4)
    return math.exp(math.log(base) + head_dim / (head_dim - 2.0) * math.log(factor))


def dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor):
    good_base(base)
    good_size(head_dim, 4)
    need(seq_len > 0, "seq_len", seq_len)
    need(trained_len > 0, "trained_len", trained_len)
    need(factor >= 1, "factor", factor)
    if seq_len <= trained_len:
        return float(base)
    # the bracket is the ntk factor of this length
    return ntk_base(base, 1 + factor * (seq_len / trained_len - 1), head_dim)


def rotations_in_context(head_dim, trained_len, base=10000.0):
    good_size(head_dim, 2)
    good_base(base)
    need(trained_len > 0, "trained_len", trained_len)
    return np.array([math.exp(math.log(trained_len / (2 * math.pi)) + t) for t in log_theta(head_dim, base)])


def yarn_frequencies(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    good_size(head_dim, 2)
    good_base(base)
    need(factor >= 1, "factor", factor)
    need(trained_len > 0, "trained_len", trained_len)
    need(beta_fast >= beta_slow, "beta_fast below beta_slow", (beta_fast, beta_slow))

    def pair_with(turns):
        return head_dim * (math.log(trained_len) - math.log(2 * math.pi * turns)) / 2 / math.log(base)

    low = math.floor(pair_with(beta_fast))
    if low < 0:
        low = 0
    high = math.ceil(pair_with(beta_slow))
    if high > head_dim - 1:
        high = head_dim - 1
    if high == low:
        high = low + 0.001
    out = np.zeros(head_dim // 2)
    for i, t in enumerate(log_theta(head_dim, base)):
        theta = math.exp(t)
        ramp = (i - low) / (high - low)
        if ramp <= 0:
            out[i] = theta
        elif ramp >= 1:
            out[i] = theta / factor
        else:
            out[i] = theta + ramp * (theta / factor - theta)
    return out


def yarn_scale(factor):
    if factor <= 1:
        return 1.0
    return 1 + math.log(factor) / 10


def llama3_frequencies(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    good_size(head_dim, 2)
    good_base(base)
    need(factor >= 1, "factor", factor)
    need(low_freq_factor < high_freq_factor, "low_freq_factor", (low_freq_factor, high_freq_factor))
    need(trained_len > 0, "trained_len", trained_len)
    out = []
    for t in log_theta(head_dim, base):
        theta = math.exp(t)
        wavelength = 2 * math.pi / theta
        if wavelength < trained_len / high_freq_factor:
            out.append(theta)
        elif wavelength > trained_len / low_freq_factor:
            out.append(theta / factor)
        else:
            smooth = (trained_len / wavelength - low_freq_factor) / (high_freq_factor - low_freq_factor)
            out.append((1 - smooth) * theta / factor + smooth * theta)
    return np.array(out)


def longrope_frequencies(head_dim, rescale, base=10000.0):
    good_size(head_dim, 2)
    good_base(base)
    need(np.shape(rescale) == (head_dim // 2,), "rescale of shape", np.shape(rescale))
    for r in rescale:
        need(r > 0, "divisor", r)
    return np.array([math.exp(t - math.log(r)) for t, r in zip(log_theta(head_dim, base), rescale)])


def longrope_scale(factor, trained_len):
    need(trained_len > 0, "trained_len", trained_len)
    if factor <= 1:
        return 1.0
    return (math.log(factor * trained_len) / math.log(trained_len)) ** 0.5


def apply_rope_with(x, positions, frequencies, scale=1.0):
    x = np.asarray(x)
    T, d = x.shape[-2:]
    good_size(d, 2)
    m = np.asarray(positions, dtype=float)
    need(m.shape == (T,), "positions of shape", m.shape)
    need(not np.isnan(m).any(), "position", float("nan"))
    f = np.asarray(frequencies, dtype=float)
    need(f.shape == (d // 2,), "frequencies of shape", f.shape)
    # a pair (a, b) is the number a + bi; scale * e^(i angle) turns and stretches it
    z = np.ascontiguousarray(x, dtype=np.float64).view(np.complex128)
    z = z * (scale * np.exp(1j * m[:, None] * f))
    y = z.view(np.float64)
    if x.dtype == np.float32:
        y = y.astype(np.float32)
    return y


def rerope_scores(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    # Complex pairs, and the distance of every query and key as a table.
    q, k = np.asarray(q), np.asarray(k)
    m, n = np.asarray(q_positions, dtype=float), np.asarray(k_positions, dtype=float)
    if m.shape != q.shape[-2:-1] or n.shape != k.shape[-2:-1]:
        raise ValueError("one position for each row")
    r = m[:, None] - n
    used = np.where(r < window, r, window + (r - window) / factor) if np.isfinite(window) else r
    d = q.shape[-1]
    theta = base ** (-np.arange(0, d, 2) / d)
    a = q[..., 0::2].astype(float) + 1j * q[..., 1::2]
    b = k[..., 0::2].astype(float) - 1j * k[..., 1::2]
    turned = np.einsum("...ip,...jp,ijp->...ij", a, b, np.exp(1j * used[..., None] * theta))
    both = q.dtype == k.dtype == np.float32
    return (turned.real / np.sqrt(d)).astype(np.float32 if both else np.float64)


def lowest_similarity(length, head_dim, base=10000.0):
    theta = base ** (-np.arange(0, head_dim, 2) / head_dim)
    return float(np.min(np.exp(1j * np.outer(np.arange(length), theta)).real.mean(axis=-1)))


ANSWERS = {
    "interpolated_position_8191_factor_4": 2047.75,
    "ntk_keeps_fastest_frequency": True,
    "dynamic_ntk_changes_short_inputs": False,
    "yarn_scale_16": 1.2773,
}
