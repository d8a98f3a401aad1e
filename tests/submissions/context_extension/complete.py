import numpy as np
from numpy import arange, asarray, float32, float64, log, pi


def _validate(**named):
    """Check every value that is passed, according to the name of its argument."""
    for name, value in named.items():
        if name == "head_dim" and (value % 2 == 1 or value <= 0):
            raise ValueError(f"head_dim={value} does not split into pairs")
        if name == "base" and (not np.isfinite(value) or value <= 0):
            raise ValueError(f"base={value} is no base for frequencies")
        if name == "factor" and value < 1:
            raise ValueError(f"factor={value} shortens the context")
        if name in ("seq_len", "trained_len") and value < 1:
            raise ValueError(f"{name}={value} is not a length")
        if name == "positions" and np.isnan(value).any():
            raise ValueError("nan among the positions")


def _ntk_exponent(head_dim):
    if head_dim < 4:
        raise ValueError(f"NTK scaling needs a head_dim of 4 or more, this one is {head_dim}")
    return head_dim / (head_dim - 2)


def _inv_freq(head_dim, base):
    _validate(head_dim=head_dim, base=base)
    return 1.0 / base ** (arange(0, head_dim, 2, dtype=float64) / head_dim)


def _lerp(start, end, share):
    return start + share * (end - start)


def interpolate_positions(positions, factor):
    """positions, squeezed"""
    positions = asarray(positions, dtype=float64)
    _validate(factor=factor, positions=positions)
    return np.divide(positions, factor)


def ntk_base(base, factor, head_dim):
    _validate(head_dim=head_dim, base=base, factor=factor)
    return base * factor ** _ntk_exponent(head_dim)


def dynamic_ntk_base(base, head_dim, seq_len, trained_len, factor):
    _validate(head_dim=head_dim, base=base, factor=factor, seq_len=seq_len, trained_len=trained_len)
    longer = np.maximum(seq_len, trained_len)
    return base * ((factor * longer / trained_len) - (factor - 1)) ** _ntk_exponent(head_dim)


def rotations_in_context(head_dim, trained_len, base=10000.0):
    _validate(trained_len=trained_len)
    wavelength = 2 * pi / _inv_freq(head_dim, base)
    return trained_len / wavelength


def yarn_frequencies(head_dim, base, factor, trained_len, beta_fast=32.0, beta_slow=1.0):
    _validate(factor=factor, trained_len=trained_len)
    if beta_fast < beta_slow:
        raise ValueError(f"beta_fast={beta_fast} has to be at least beta_slow={beta_slow}")
    extrapolated = _inv_freq(head_dim, base)
    interpolated = extrapolated / factor
    dims = head_dim * log(trained_len / (asarray([beta_fast, beta_slow]) * 2 * pi)) / (2 * log(base))
    low = max(np.floor(dims[0]), 0)
    high = min(np.ceil(dims[1]), head_dim - 1)
    if low == high:
        high += 0.001  # as transformers does
    ramp = ((arange(head_dim // 2) - low) / (high - low)).clip(0, 1)
    return _lerp(extrapolated, interpolated, ramp)


def yarn_scale(factor):
    return 0.1 * log(max(factor, 1)) + 1


def llama3_frequencies(
    head_dim, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, trained_len=8192
):
    _validate(factor=factor)
    if low_freq_factor >= high_freq_factor:
        raise ValueError(f"the range from {low_freq_factor} to {high_freq_factor} turns is empty")
    turns = rotations_in_context(head_dim, trained_len, base)
    keep = np.interp(turns, [low_freq_factor, high_freq_factor], [0, 1])
    theta = _inv_freq(head_dim, base)
    return _lerp(theta / factor, theta, keep)


def longrope_frequencies(head_dim, rescale, base=10000.0):
    theta = _inv_freq(head_dim, base)
    rescale = asarray(rescale)
    if rescale.shape != theta.shape:
        raise ValueError(f"{len(theta)} pairs, but rescale is of shape {rescale.shape}")
    if np.min(rescale) <= 0:
        raise ValueError(f"cannot divide by {np.min(rescale)}")
    return theta / rescale


def longrope_scale(factor, trained_len):
    _validate(trained_len=trained_len)
    return np.sqrt(1 + log(factor) / log(trained_len)) if factor > 1 else 1


def apply_rope_with(x, positions, frequencies, scale=1.0):
    x, positions, frequencies = asarray(x), asarray(positions, dtype=float64), asarray(frequencies, dtype=float64)
    *_, length, head_dim = x.shape
    _validate(head_dim=head_dim, positions=positions)
    if positions.shape != (length,):
        raise ValueError(f"positions {positions.shape} for features {x.shape}")
    if frequencies.shape != (head_dim // 2,):
        raise ValueError(f"frequencies {frequencies.shape} for features {x.shape}")
    angle = np.einsum("t,i->ti", positions, frequencies)
    c, s = np.cos(angle), np.sin(angle)
    # (..., T, d/2, 2) times one 2x2 matrix for each row and pair
    turn = scale * np.array([[c, -s], [s, c]])
    pairs = x.reshape(*x.shape[:-1], head_dim // 2, 2)
    y = np.einsum("abti,...tib->...tia", turn, pairs).reshape(x.shape)
    return y.astype(float32) if x.dtype == float32 else y


def rerope_scores(q, k, q_positions, k_positions, window, factor=np.inf, base=10000.0):
    # Two tables of scores, and a choice between them.
    q, k = np.asarray(q), np.asarray(k)
    m, n = np.asarray(q_positions, dtype=np.float64), np.asarray(k_positions, dtype=np.float64)
    if m.shape != (q.shape[-2],) or n.shape != (k.shape[-2],):
        raise ValueError("positions must be one for each row")
    frequencies = np.power(float(base), -2 * np.arange(q.shape[-1] // 2) / q.shape[-1])

    def table(at, key_at):
        left = apply_rope_with(q.astype(np.float64), at, frequencies)
        right = apply_rope_with(k.astype(np.float64), key_at, frequencies)
        return np.einsum("...id,...jd->...ij", left, right) / q.shape[-1] ** 0.5

    scores = table(m, n)
    if window < np.inf:
        far = table(m / factor + (window - window / factor), n / factor)
        distance = np.subtract.outer(m, n)
        scores = np.where(distance >= window, far, scores)
    return scores.astype(np.float32) if q.dtype == np.float32 and k.dtype == np.float32 else scores


def lowest_similarity(length, head_dim, base=10000.0):
    total = np.zeros(length)
    for i in range(head_dim // 2):
        total += np.cos(np.arange(length) * float(base) ** (-2 * i / head_dim))
    return float(total.min() / (head_dim // 2))


ANSWERS = dict(
    interpolated_position_8191_factor_4=8191 / 4,
    ntk_keeps_fastest_frequency=True,
    dynamic_ntk_changes_short_inputs=False,
    yarn_scale_16=yarn_scale(16),
)
