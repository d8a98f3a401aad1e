import numpy as np

from tests.grader.support.numbers_in_lessons_helpers import point, solution

m = solution("learned")
unused = np.flatnonzero(~m.trained_rows(512, [128]))
table = np.array([[1.0, 1], [2, 2], [3, 3]])
gradient = m.lookup_gradient((3, 2), [0, 2, 0], [[1, 0], [0, 1], [2, 5]])
after, stretched = m.sgd_step(table, gradient, 0.1), m.resize_table(table, 5)
few = np.array([[0, 0], [1, 10], [2, 20]])
total, once = np.zeros(3), np.zeros(3)
np.add.at(total, [0, 2, 0], [1, 1, 5])
once[[0, 2, 0]] += [1, 1, 5]
where = np.linspace(0, 2, 5)


def row(values: np.ndarray) -> str:
    return point(values, "[]") if np.ndim(values) == 1 else ", ".join(map(row, values))


SENTENCES = r"""
A table of 512 rows ends with row «unused[-1]»
no training sequence was longer than 128. Then rows «unused[0]» to «unused[-1]» exist
with mean 0 and standard deviation $\sigma = «m.init_table(2000, 100, seed=0).std().round(3)»$
[1, 0] + [2, 5] = «row(gradient[0])». Row 1 was never read: «row(gradient[1])». Row 2: «row(gradient[2])».
row 0 becomes [1 − «0.1 * gradient[0, 0]», 1 − «0.1 * gradient[0, 1]»] = «row(after[0])»; row 1 stays
    «row(after[1])»; row 2 becomes «row(after[2])»
$u = «where»$, so the rows are «row(stretched)». <== np.array_equal(stretched[::2], table)
three quarters of the rows had learned nothing <== len(unused) / 512 == 3 / 4
rng = np.random.default_rng(7) rng.normal(5.0, 2.0, (3, 4))
table[[2, 0]] # «few[[2, 0]].tolist().__str__()»
np.add.at(total, [0, 2, 0], [1, 1, 5]) # total is «row(total)» <== once.sum() < total.sum()
lengths[:, None] > np.arange(4) # shape (2, 4) <== (np.array([2, 3])[:, None] > np.arange(4)).shape == (2, 4)
where = np.linspace(0, 2, 5) # «row(where)»
np.floor(where).astype(int) # «row(np.floor(where))»; where[:, None] has shape «str(where[:, None].shape)»
"""

big = m.init_table(1024, 768, seed=0)
batch = np.concatenate([np.arange(length) for length in [64] * 20 + [100] * 12])
reads = m.lookup_gradient((1024, 1), batch, np.ones((len(batch), 1)))[:, 0]
ANSWERS = {
    "rows_available_at_position_1024": len(big[1024:]),
    "parameters_gpt2": big.size,
    "has_built_in_distance": (big[0] @ big[1:3].T).min() > (big[0] @ big[500:].T).max(),
    "gradients_added_to_row_63": reads[63],
    "gradients_added_to_row_64": reads[64],
    "old_position_of_new_row_3": m.resize_table(np.arange(5.0)[:, None], 9)[3, 0],
}
