"""Wrong versions of the functions of sinusoidal, apart from the catalogue: see `causes`."""

import numpy as np

from autograder.hints.catalogue import mistake
from solutions import sinusoidal


@mistake("frequencies", "last|end|exactly|d − 2|exponent")
def last_one_is_one_over_base(d_model, base=10000.0):
    return np.geomspace(1, 1 / base, d_model // 2) if d_model > 2 else np.ones(1)


@mistake("frequencies", "grow|sign|wavelength|negative|fall")
def rising_frequencies(d_model, base=10000.0):
    return float(base) ** (np.arange(0, d_model, 2) / d_model)


@mistake("sinusoidal_encoding", "half|halves|concat|alternat|side|interleav|layout")
def in_two_halves(positions, d_model, base=10000.0):
    angles = np.multiply.outer(positions, sinusoidal.frequencies(d_model, base))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


@mistake("sinusoidal_encoding", "shape|any|axis|axes|number|dimension")
def positions_in_one_column(positions, d_model, base=10000.0):
    angles = np.asarray(positions)[:, None] * sinusoidal.frequencies(d_model, base)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(-1, d_model)


@mistake("add_positions", "1|first|0")
def first_row_is_position_one(x, base=10000.0):
    x = np.asarray(x)
    return x + sinusoidal.sinusoidal_encoding(np.arange(1, x.shape[-2] + 1), x.shape[-1], base)


@mistake("add_positions", "√|scale|multipl|embedding|size")
def embeddings_scaled(x, base=10000.0):
    x = np.asarray(x)
    return sinusoidal.add_positions(x * x.shape[-1] ** 0.5, base)


@mistake("wavelengths", "divi|2π|inverse|multipl|upside|ω")
def two_pi_times_frequency(d_model, base=10000.0):
    return 2 * np.pi * sinusoidal.frequencies(d_model, base)


@mistake("shift_matrix", "sign|back|transpos|minus|corner|other way|direction")
def minus_in_the_upper_corner(offset, d_model, base=10000.0):
    return np.swapaxes(sinusoidal.shift_matrix(offset, d_model, base), 0, 1)


@mistake("offset_similarity", "sum")
def cosine_of_the_sum(offsets, d_model, base=10000.0):
    return np.cos(np.asarray(offsets) * sinusoidal.frequencies(d_model, base).sum())


@mistake("to_concatenated", "nothing|order|same|change|swap|transpos|even")
def reshaped_and_not_swapped(pe):
    pe = np.asarray(pe)
    return pe.reshape(*pe.shape[:-1], pe.shape[-1] // 2, 2).reshape(pe.shape)


@mistake("to_interleaved", "again|opposite|other way|inverse|undo|same")
def concatenated_again(pe):
    pe = np.asarray(pe)
    return np.concatenate([pe[..., ::2], pe[..., 1::2]], axis=-1)
