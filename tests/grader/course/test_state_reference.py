"""`state` computes what the models compute: a few constants, taken once from the code that the lesson names.

They come from Hugging Face transformers 5.23.0 with torch 2.15.0, called on the arguments below, and were written down
with the digits that float32 gives. Neither library is needed here. To take them again, install both somewhere else and
make the calls in the docstrings. It has no code of the Forgetting Transformer, of RetNet and of CoPE: their formulas
are held by the suites alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.hints import catalogue

FLOAT32 = 2e-6
"""What was computed in float32 has seven digits, and a few of them go where terms cancel."""

Q = np.array(
    [[-2.0, -1.625, -1.125], [0.375, 2.0, -0.5], [-0.25, 0.125, 1.0], [1.125, 0.625, 0.25], [0.125, -1.75, -2.0]]
)
K = (
    np.array(
        [[0.75, 0.5, -1.875], [1.625, -0.125, -0.75], [-1.625, -1.25, 1.625], [-1.625, 2.0, 0.75], [0.375, -0.75, -2.0]]
    )
    / 4
)
V = np.array([[0.75, -2.0], [-0.625, 1.25], [1.625, -0.375], [-1.0, -0.5], [-0.75, -2.0]])
STATE = np.array([[-1.0, 0.125], [0.5, -1.75], [1.0, 0.875]])
INF = np.inf


@pytest.fixture(scope="module")
def state() -> Any:
    return catalogue.solution(course.find("state"))


@pytest.mark.parametrize("gate", [-1.0, -1e30])
def test_segment_sum(state: Any, gate: float) -> None:
    """`segment_sum` of Mamba-2 for the log gates −3, `gate`, −2, −½."""
    theirs = [[0, -INF, -INF, -INF], [gate, 0, -INF, -INF], [gate - 2, -2, 0, -INF], [gate - 2.5, -2.5, -0.5, 0]]
    np.testing.assert_allclose(state.decay_bias([-3.0, gate, -2.0, -0.5]), theirs, rtol=FLOAT32)


def test_mamba_2(state: Any) -> None:
    """`mamba2_chunk_scan` with `chunk_size` 2 and `mamba2_selective_state_update` token by token, which agree.

    B is K, C is Q and x is V, with A = −1 and dt as below, without D. Their state is ours transposed, and they write dt
    · x.
    """
    dt = np.array([0.75, 0.5, 1.0, 0.25, 0.4375])
    theirs = [
        [0.0009584557, 0.8363868],
        [0.1676847339, -1.5045892],
        [0.8709802628, -0.0099198371],
        [-0.736974001, 0.1379280537],
        [-0.6281387806, -1.0066902637],
    ]
    their_state = [[-0.3617842197, 0.0493961573], [-0.2383324802, 0.0652386099], [0.4999988079, 0.4493485987]]
    values = dt[:, np.newaxis] * V

    out, after = state.linear_chunks(Q, K, values, -dt, 2, STATE)
    np.testing.assert_allclose(out, theirs, atol=FLOAT32)
    np.testing.assert_allclose(after, their_state, atol=FLOAT32)

    memory = STATE
    for q, k, v, log_f, wanted in zip(Q, K, values, -dt, theirs, strict=True):
        out, memory = state.linear_step(memory, q, k, v, log_f)
        np.testing.assert_allclose(out, wanted, atol=FLOAT32)
    np.testing.assert_allclose(memory, their_state, atol=FLOAT32)


def test_qwen_3_next(state: Any) -> None:
    """`torch_recurrent_gated_delta_rule` and `torch_chunk_gated_delta_rule`, which agree, without normalising q and k.

    They read with q/√d after the write.
    """
    log_f, beta = [-0.75, -0.5, -1.0, 0.0, -0.4375], [0.75, 0.4375, 0.375, 0.1875, 0.875]
    theirs = [
        [-0.0056138486, 0.4765992165],
        [0.146426931, -0.8287214637],
        [0.2056533247, 0.0321450084],
        [-0.2136172354, 0.0411224775],
        [-0.5135510564, -1.2861092091],
    ]
    memory = STATE
    for t, wanted in enumerate(theirs):
        memory = state.delta_step(memory, K[t], V[t], beta[t], log_f[t])
        np.testing.assert_allclose(Q[t] / np.sqrt(3) @ memory, wanted, atol=FLOAT32)
    np.testing.assert_allclose(
        memory,
        [[-0.2255173028, -0.063673228], [-0.0277021304, 0.1965538263], [0.4548928142, 0.9378391504]],
        atol=FLOAT32,
    )
