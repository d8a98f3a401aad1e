import numpy as np

from tests.grader.support.numbers_in_lessons_helpers import solution

m = solution("sinusoidal")
omega, pe, block = m.frequencies(4), m.sinusoidal_encoding(np.arange(4), 4), m.shift_matrix(1, 4)[:2, :2]
cos, sin = block[0]
moved = block @ pe[1, :2]
eight, waves = m.frequencies(8), m.wavelengths(8)
close = pe[1] @ pe[2]
similar = m.offset_similarity(np.array([6, 1]), 8)


def misfit(codes: np.ndarray) -> float:
    """Return the largest error of the best single matrix that maps each encoding to the next encoding."""
    now, following = codes[:-1], codes[1:]
    return float(np.abs(now @ np.linalg.lstsq(now, following, rcond=None)[0] - following).max())


# Shifts are linear for any frequencies, unless the two features of a pair have different frequencies.
positions = np.arange(50)
free = np.outer(positions, [0.3, 1.7, 2.2])
by_feature = np.outer(positions, 10000.0 ** (-np.arange(8) / 8))
assert misfit(np.where(np.arange(8) % 2, np.cos(by_feature), np.sin(by_feature))) > 0.1
shift = m.shift_matrix(1, 8)
assert np.allclose(m.sinusoidal_encoding(positions, 8) @ shift.T, m.sinusoidal_encoding(positions + 1, 8))

SENTENCES = r"""
But the codes jump, as from 7 («7:04b») to 8 («8:04b»)
the angles 30° and 150° have the same sine <== math.isclose(math.sin(math.radians(30)),
    math.sin(math.radians(150)))
$10000^{0} = «omega[0]»$ and $10000^{-2/4} = «omega[1]»$
| 1 | «pe[1, :3]:.4f» | «pe[1, 3]:.5f» |
| 2 | «pe[2]:.4f» |
| 3 | «pe[3]:.4f» |
with cos 1 = «cos:.4f» and sin 1 = «sin:.4f»
«cos:.4f» · «pe[1, 0]:.4f» + «sin:.4f» · «pe[1, 1]:.4f» = «moved[0]:.4f», and the cosine
−«sin:.4f» · «pe[1, 0]:.4f» + «cos:.4f» · «pe[1, 1]:.4f» = «moved[1]:.3f»
The dot product of rows 1 and 2 is «close:.3f». Rows 2 and 3 give «pe[2] @ pe[3]:.3f» too <==
    math.isclose(close, m.offset_similarity(1, 4))
With $d = 8$ the frequencies are «eight[:3]» and «eight[3]»
Pair 2 makes a full turn in $2\pi/«eight[2]» \approx «waves[2]:.0f»$ positions, pair 3 in «waves[3]:.0f»
for $d = 8$ the longest wavelength is 2π · «waves[-1] / (2 * math.pi):.0f»
with $d = 8$, positions 6 apart («similar[0]:.3f») are more alike than neighbours («similar[1]:.3f»)
the dot product depends only on $k$, for *any* frequencies <== misfit(np.hstack([np.sin(free), np.cos(free)]))
    < 1e-9
$M^\top M$ is the identity matrix, and a shift by 2 and then by 3 is a shift by 5 <==
    np.allclose(m.shift_matrix(2, 8) @ m.shift_matrix(3, 8), m.shift_matrix(5, 8))
"""

ANSWERS = {
    "slowest_wavelength_512": round(m.wavelengths(512)[-1]),
    "fastest_wavelength": m.wavelengths(64, base=7.0)[0],
    "similarity_at_zero_512": m.offset_similarity(0, 512),
    "extrapolates_without_error": np.isfinite(m.sinusoidal_encoding(np.arange(5000), 512)).all(),
    "nearest_to_position_0_with_one_pair": 1 + np.argmax(m.offset_similarity(np.arange(1, 101), 2)),
    "sine_alone_has_a_shift_matrix": misfit(m.sinusoidal_encoding(positions, 8)[:, 0::2]) < 1e-9,
    "lower_left_of_shift_3": m.shift_matrix(3, 2)[1, 0],
    "registered_buffer_is_trained": False,
}
