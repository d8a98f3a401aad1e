import numpy as np
from numpy import newaxis as new

# rotate_half, as in the transformers library


def grid_positions(height, width):
    if height < 1:
        raise ValueError(f"height: {height}")
    if width < 1:
        raise ValueError(f"width: {width}")
    y = np.repeat(np.arange(height), width)
    x = np.tile(np.arange(width), height)
    return np.c_[y, x]


def inv_freq(dim, theta):
    if not (theta > 0 and theta != np.inf):
        raise ValueError(f"theta: {theta}")
    return 1.0 / theta ** (np.arange(0, dim, 2, dtype=np.float64) / dim)


def must_be_divisible(dim, by):
    if dim % by or dim <= 0:
        raise ValueError(f"{dim} is not divisible by {by}")


def sinusoidal_2d(height, width, d_model, base=10000.0):
    must_be_divisible(d_model, 4)
    embeddings = []
    for pos in grid_positions(height, width).T:
        freqs = pos[:, new] * inv_freq(d_model // 2, base)
        embeddings.append(np.dstack((np.sin(freqs), np.cos(freqs))).reshape(len(pos), -1))
    return np.hstack(embeddings)


def resize_grid(table, old_shape, new_shape):
    table = np.asarray(table)
    h0, w0 = old_shape
    h1, w1 = new_shape
    if h0 < 1 or w0 < 1 or h1 < 1 or w1 < 1:
        raise ValueError(f"cannot go from {h0} x {w0} to {h1} x {w1}")
    if len(table) != h0 * w0:
        raise ValueError(f"{len(table)} rows for {h0} x {w0} cells")

    def stretch(values, n0, n1):  # along axis 0
        at = np.clip((2 * np.arange(n1) + 1) * n0 / (2 * n1) - 0.5, 0, n0 - 1)
        low = np.minimum(at.astype(int), max(n0 - 2, 0))
        part = (at - low)[:, new, new]
        return values[low] + part * (values[(low + 1) % n0] - values[low])

    tall = stretch(table.reshape(h0, w0, -1).astype(np.float64), h0, h1)
    wide = stretch(tall.swapaxes(0, 1), w0, w1).swapaxes(0, 1)
    return wide.reshape(h1 * w1, -1).astype("float32" if table.dtype == "float32" else "float64")


def axial_frequencies(head_dim, base=10000.0):
    must_be_divisible(head_dim, 4)
    f = inv_freq(head_dim // 2, base)
    return np.vstack([np.c_[f, 0 * f], np.c_[0 * f, f]])


def alternating_frequencies(head_dim, base=10000.0):
    must_be_divisible(head_dim, 4)
    f = inv_freq(head_dim, base)
    odd = np.arange(f.size) & 1
    return np.c_[f * (1 - odd), f * odd]


def mrope_frequencies(head_dim, sections, base=10000.0, interleaved=False):
    must_be_divisible(head_dim, 2)
    if sum(sections) != head_dim // 2 or any(section < 0 for section in sections):
        raise ValueError(f"mrope_section {sections} for {head_dim // 2} frequencies")
    f = inv_freq(head_dim, base)
    thw = np.zeros((3, f.size))
    if interleaved:
        thw[0] = f
        for axis in (1, 2):
            chosen = slice(axis, sections[axis] * 3, 3)
            thw[axis, chosen] = f[chosen]
            thw[0, chosen] = 0
    else:
        ends = np.cumsum(sections)
        for axis, end in enumerate(ends):
            thw[axis, end - sections[axis] : end] = f[end - sections[axis] : end]
    return thw.T


def rotate_half(x):
    middle = x.shape[-1] // 2
    return np.concatenate((-x[..., middle:], x[..., :middle]), axis=-1)


def apply_rope_nd(x, positions, frequencies):
    x, positions, frequencies = (np.asarray(one) for one in (x, positions, frequencies))
    must_be_divisible(x.shape[-1], 2)
    if positions.ndim != 2 or len(positions) != x.shape[-2]:
        raise ValueError(f"position ids {positions.shape}, hidden states {x.shape}")
    if positions.shape[1] != frequencies.shape[1] or len(frequencies) != x.shape[-1] // 2:
        raise ValueError(f"position ids {positions.shape}, frequencies {frequencies.shape}, hidden states {x.shape}")
    if np.isnan(positions.sum()):
        raise ValueError("nan in position ids")
    freqs = (positions[:, new, :] * frequencies.astype(np.float64)).sum(-1)
    emb = np.concatenate((freqs, freqs), axis=-1)
    out = x * np.cos(emb) + rotate_half(x) * np.sin(emb)
    return out.astype(np.float32) if x.dtype == np.float32 else out


def grid_scores(q, k, q_positions, k_positions, frequencies):
    q, k = np.asarray(q), np.asarray(k)
    dtype = np.float32 if q.dtype == np.float32 == k.dtype else np.float64
    q = apply_rope_nd(q.astype(np.float64), q_positions, frequencies)
    k = apply_rope_nd(k.astype(np.float64), k_positions, frequencies)
    return (q @ np.moveaxis(k, -1, -2) * q.shape[-1] ** -0.5).astype(dtype)


def mrope_positions(segments):
    ids, current_pos = [], 0
    for segment in segments:
        if np.ndim(segment):
            bad = [side for side in segment if side < 1]
            if bad:
                raise ValueError(f"grid_thw {segment}: {bad[0]}")
            llm = np.stack(np.meshgrid(*map(np.arange, segment), indexing="ij"), axis=-1).reshape(-1, 3)
        elif segment < 0:
            raise ValueError(f"text_len {segment}")
        else:
            llm = np.arange(segment)[:, new] * np.ones(3, dtype=int)
        ids.append(current_pos + llm)
        current_pos = max(current_pos, next_position(ids[-1]))
    return np.vstack(ids)


def next_position(positions):
    return max(np.ravel(positions).max(initial=-1) + 1, 0)


ANSWERS = {
    "tokens_of_a_16_by_16_image": 256,
    "position_of_text_after_it": 16,
    "text_under_mrope_is_plain_rope": True,
    "axial_rope_sees_diagonals_in_one_pair": False,
}
