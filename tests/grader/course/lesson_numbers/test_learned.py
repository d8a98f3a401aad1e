"""Every number of the lesson `learned`, and what its questions ask."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.grader.support.lesson_numbers import Sentences, differing, missing, short


def test_the_numbers_of_the_lesson() -> None:
    assert missing("learned", numbers) == []


def test_the_answers_are_what_the_functions_say() -> None:
    assert differing("learned", answers) == []


def numbers(m: Any) -> Sentences:
    used = m.trained_rows(512, [128])
    yield f"A table of 512 rows ends with row {len(used) - 1}"
    yield (
        f"no training sequence was longer than 128. Then rows {np.flatnonzero(~used)[0]} to {np.flatnonzero(~used)[-1]}"
        " exist"
    )
    yield (
        "with mean 0 and standard deviation $\\sigma ="
        f" {short(round(float(m.init_table(2000, 100, seed=0).std()), 3))}$"
    )

    table = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    gradient = m.lookup_gradient((3, 2), [0, 2, 0], [[1, 0], [0, 1], [2, 5]])

    def row(values: np.ndarray) -> str:
        return f"[{', '.join(map(short, values))}]"

    yield f"[1, 0] + [2, 5] = {row(gradient[0])}. Row 1 was never read: {row(gradient[1])}. Row 2: {row(gradient[2])}."
    after = m.sgd_step(table, gradient, 0.1)
    taken = " , ".join(f"1 − {short(0.1 * value)}" for value in gradient[0]).replace(" ,", ",")
    yield f"row 0 becomes [{taken}] = {row(after[0])}; row 1 stays {row(after[1])}; row 2 becomes {row(after[2])}"
    stretched = m.resize_table(table, 5)
    yield f"$u = {', '.join(short(j * 2 / 4) for j in range(5))}$"
    yield f"so the rows are {', '.join(row(values) for values in stretched)}."
    assert np.array_equal(stretched[::2], table)
    yield "Old neighbours are now two steps apart"
    yield f"BERT-base has 512 × 768 = {m.init_table(512, 768, seed=0).size:,}."
    share = np.flatnonzero(m.trained_rows(512, [128])).size / 512
    assert share == 1 / 4
    yield "three quarters of the rows had learned nothing"
    yield f"P.weight.grad # [{', '.join(map(row, gradient))}]"
    yield f"P.weight # [{', '.join(map(row, after))}]"

    # What the boxes show of numpy.
    assert np.random.default_rng(7).normal(5.0, 2.0, (3, 4)).shape == (3, 4)
    few = np.array([[0, 0], [1, 10], [2, 20]])
    yield f"table[[2, 0]] # {few[[2, 0]].tolist()}"
    total = np.zeros(3)
    np.add.at(total, [0, 2, 0], [1, 1, 5])
    yield f"np.add.at(total, [0, 2, 0], [1, 1, 5]) # total is {row(total)}"
    once = np.zeros(3)
    once[[0, 2, 0]] += [1, 1, 5]
    assert once.sum() < total.sum()
    yield f"lengths[:, None] > np.arange(4) # shape {(np.array([2, 3])[:, None] > np.arange(4)).shape}"
    where = np.linspace(0, 2, 5)
    yield f"where = np.linspace(0, 2, 5) # {row(where)}"
    yield f"np.floor(where).astype(int) # {row(np.floor(where))}; where[:, None] has shape {where[:, None].shape}"


def answers(m: Any) -> dict[str, Any]:
    table = m.init_table(1024, 768, seed=0)
    near, far = table[0] @ table[1:3].T, table[0] @ table[500:].T
    batch = np.concatenate([np.arange(length) for length in [64] * 20 + [100] * 12])
    reads = m.lookup_gradient((1024, 1), batch, np.ones((len(batch), 1)))[:, 0]
    return {
        "rows_available_at_position_1024": len(table[1024:]),
        "parameters_gpt2": table.size,
        "has_built_in_distance": near.min() > far.max(),
        "gradients_added_to_row_63": reads[63],
        "gradients_added_to_row_64": reads[64],
        "old_position_of_new_row_3": m.resize_table(np.arange(5.0)[:, None], 9)[3, 0],
    }
