import numpy as np

from tests.grader.support.numbers_in_lessons_helpers import solution

m = solution("naive")
step_13, step_401 = (m.normalized_positions(length)[1] for length in (13, 401))
first, far = m.add_integer_positions(np.tile([0.3, -0.7], (501, 1)))[[0, 500]]
row = np.random.default_rng(0).normal(size=(1, 64)).repeat(501, axis=0)
normed = [(values - values.mean()) / values.std() for values in m.add_integer_positions(row)[[0, 500]]]
growing = [m.normalized_positions(length) for length in (8, 9)]
four, gray = m.binary_positions(16), m.gray_positions(16)
carries = m.hamming_steps(four)
single = np.mean(m.hamming_steps(m.binary_positions(2**10)) == 1)


def bits(code: np.ndarray) -> str:
    return "".join(map(str, code))


SENTENCES = r"""
"0.25" is position 3 in a sequence of 13 tokens and position 100 in a sequence of 401 <==
    m.normalized_positions(13)[3] == m.normalized_positions(401)[100] == 0.25
A step to the next token is «step_13:/» in the first sequence and «step_401:/» in the second
The features «first[0]» and «first[1]» become «far[0]» and «far[1]» at position 500
Then «100 * 500 / far[0]:.2f» % of the first number is position
subtracts from each row the mean of the row. So it removes the number that we added to all features <==
    np.allclose(*normed)
every new token changes all earlier numbers, except the first <== np.flatnonzero(growing[0] ==
    growing[1][:8]).tolist() == [0]
«m.bits_needed(1024)» bits give «2**10:,» codes, «m.bits_needed(2**20)» bits give «2**20:,»
| 0 | «four[0]» | «carries[0]» |
| 1 | «four[1]» | «carries[1]» |
| 5 | «four[5]» | «carries[5]» |
| 6 | «four[6]» | «carries[6]» |
| 7 | «four[7]» | «carries[7]» |
| 8 | «four[8]» | «carries[8]» |
From 7 («bits(four[7])») to 8 («bits(four[8])») all four bits change
The 8 bits of the positions 124 to 132
| normalized | $3/6 = «m.normalized_positions(7)[3]»$ | $3/12 = «m.normalized_positions(13)[3]»$ |
| bits needed | «m.bits_needed(7)», since $2^2 < 7 \le 2^3$ | «m.bits_needed(13)», since $2^3 < 13 \le 2^4$ |
| binary | «bits(m.binary_positions(7)[3])» | «bits(m.binary_positions(13)[3])» |
| 7 | «bits(four[7])» | $«bits(four[7])» \oplus «bits(four[3])» = «bits(gray[7])»$ |
| 8 | «bits(four[8])» | $«bits(four[8])» \oplus «bits(four[4])» = «bits(gray[8])»$ |
| bits that change | «carries[7]» | «m.hamming_steps(gray)[7]» | <== set(m.hamming_steps(gray)) == {1}
`math.log(2**29) / math.log(2)` is «repr(math.log(2**29) / math.log(2))», and rounded up this is 30
$3/5 = «m.normalized_positions(6)[3]»$ and $30/59 \approx «m.normalized_positions(60)[30]:.3f»$
"""
assert [m.bit_period(bit) for bit in range(4)] == [2, 4, 8, 16]

shares = 1 / m.add_integer_positions(np.ones((200, 1)))[:, 0]
ANSWERS = {
    "normalized_5_of_10": m.normalized_positions(10)[5],
    "normalized_5_of_1000": m.normalized_positions(1000)[5],
    "bits_for_512": m.bits_needed(512),
    "bits_flipped_3_to_4": carries[3],
    "middle_of_512": m.normalized_positions(512)[255],
    "position_that_leaves_one_percent": np.argmax(np.isclose(shares, 0.01)),
    "first_position_lost_in_float16": 1 + np.argmin(np.diff(m.integer_positions(4096).astype(np.float16))),
}
