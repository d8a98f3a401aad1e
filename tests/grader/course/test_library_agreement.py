"""Tests of agreement with libraries: lessons compute the same numbers as Hugging Face transformers and torch.

The constants were computed in float32 with the reference code named in each case, from transformers 5.23.0 to 5.24.0
and torch 2.13.0 to 2.15.0. The tests need neither library. To re-record the constants, install both libraries in
another environment and make the same calls. `log_n_scale`, the Forgetting Transformer, RetNet and CoPE are not tested,
because neither library implements them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.grader.support.numbers_in_lessons_helpers import solution

INF = np.inf


class Case(NamedTuple):
    """A call in the course and the expected result from a library."""

    theirs: str
    """The library's function and its arguments, as written in the library's reference code."""
    lesson: str
    ours: Callable[[Any], Any]
    expected: Any


REAL = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 1]], dtype=bool)
PACKED = np.array([0, 1, 2, 0, 0, 1, 2, 3])


def text_of_each(m: Any, positions: list[int] | np.ndarray) -> np.ndarray:
    sizes = np.diff(m.boundaries_of(np.array(positions)))
    return np.repeat(np.arange(len(sizes)), sizes)


def bits(mask: np.ndarray) -> list[str]:
    return ["".join(str(int(one)) for one in row) for row in mask]


BATCHES = [
    Case(
        "`generate`: the running sum of an attention mask less 1, and 0 for padding",
        "batches",
        lambda m: m.position_ids(REAL),
        [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4], [0, 0, 1, 2, 3]],
    ),
    Case(
        "`create_causal_mask` with eager attention and REAL as attention mask; padding is on the left",
        "batches",
        lambda m: [bits(one) for one in m.padding_mask(REAL)[:, 0]],
        [
            ["00000", "00000", "00100", "00110", "00111"],
            ["10000", "11000", "11100", "11110", "11111"],
            ["00000", "01000", "01100", "01110", "01111"],
        ],
    ),
    Case(
        "`DataCollatorWithFlattening(return_flash_attn_kwargs=True)` on texts of 3, 1 and 2 tokens",
        "batches",
        lambda m: [*m.pack([[7, 8, 9], [5], [1, 2]])[1], *m.packed_positions([0, 3, 4, 6])],
        [0, 3, 4, 6, 0, 1, 2, 0, 0, 1],
    ),
    Case(
        "`find_packed_sequence_indices`: the number of its text, for each token",
        "batches",
        lambda m: [*text_of_each(m, PACKED), *text_of_each(m, [5, 6, 7, 0, 1])],
        [0, 0, 0, 1, 2, 2, 2, 2, 0, 0, 0, 1, 1],
    ),
    Case(
        "`create_causal_mask` with eager attention and the positions alone",
        "batches",
        lambda m: bits(m.document_mask(m.boundaries_of(PACKED))),
        ["10000000", "11000000", "11100000", "00010000", "00001000", "00001100", "00001110", "00001111"],
    ),
]

REROPE = [
    Case(
        "bojone/rerope, written out in torch in float64 with window 3: two tables of scores, chosen by distance",
        "context_extension",
        lambda m: m.rerope_scores(
            np.array([[1.0, 2, 3, 4], [2, 1, 0, -1], [1, -1, 1, 2]]),
            np.array([[4.0, 3, 2, 1], [1, 0, 1, 0], [0, 2, -1, 1]]),
            np.array([0.0, 4, 9]), np.array([0.0, 4, 9]), 3,
        ),
        [[10.0, 0.495154523, -2.050977565], [-5.77361824, 1.0, 1.727125189], [1.953030597, 0.045343272, -0.5]],
    ),
]  # fmt: skip

SQUARES = np.arange(6.0)[:, np.newaxis] ** 2
NEIGHBOURS = np.reshape(np.arange(8), (2, 4)).T.ravel()
"""Order of features that places the pairs (i, i + d/2) next to each other."""
GRIDS = [
    Case(
        "`DetrSinePositionEmbedding`, 4 features per axis, not normalized: its cell (0, 1). It counts from 1",
        "grids",
        lambda m: m.sinusoidal_2d(3, 4, 8).reshape(3, 4, 8)[1, 2],
        [0.841470985, 0.540302306, 0.009999833, 0.99995, 0.909297427, -0.416146837, 0.019998667, 0.999800007],
    ),
    Case(
        '`interpolate(mode="bilinear", align_corners=False)`, larger',
        "grids",
        lambda m: m.resize_grid(SQUARES, (2, 3), (3, 4))[:, 0],
        [0, 0.625, 2.125, 4, 4.5, 7, 10.75, 14.5, 9, 13.375, 19.375, 25],
    ),
    Case(
        "the same, narrower",
        "grids",
        lambda m: m.resize_grid(SQUARES, (2, 3), (4, 2))[:, 0],
        [0.25, 3.25, 2.875, 8.125, 8.125, 17.875, 10.75, 22.75],
    ),
    Case(
        "`Qwen2VLVisionRotaryEmbedding`, then `apply_rotary_pos_emb_vision`, on 1 … 8 at row 3, column 5",
        "grids",
        lambda m: m.apply_rope_nd((NEIGHBOURS + 1.0)[np.newaxis], [[3, 5]], m.axial_frequencies(8))[0],
        np.array(
            [-1.69559252, 1.81912708, 7.56345654, 3.59516764, -4.80884266, 6.05729103, -0.89113748, 8.18991852]
        )[NEIGHBOURS],
    ),
    Case(
        "`PixtralVisionRotaryEmbedding` with 8 features at row 3, column 5. It lists the pairs of y before those of x",
        "grids",
        lambda m: m.alternating_frequencies(8)[[0, 2, 1, 3]] @ [3, 5],
        [3.0, 0.03, 0.5, 0.005],
    ),
    Case(
        "`Qwen2VLRotaryEmbedding` with 24 features at (1, 2, 3)",
        "grids",
        lambda m: m.mrope_frequencies(24, (2, 4, 6)) @ [1, 2, 3],
        [1.0, 0.464158922, 0.430886924, 0.200000003, 0.0928317681, 0.0430886969,
         0.0299999975, 0.0139247691, 0.00646330277, 0.00300000026, 0.00139247673, 0.000646330242],
    ),
    Case(
        "`Qwen3VLTextRotaryEmbedding`; the fifth pair of h that (4, 5, 3) promises would be pair 13, and there are 12",
        "grids",
        lambda m: m.mrope_frequencies(24, (4, 5, 3), interleaved=True) @ [1, 2, 3],
        [1.0, 0.928317785, 0.646330357, 0.100000001, 0.0928317681, 0.0646330416,
         0.00999999978, 0.00928318035, 0.00646330277, 0.00100000005, 0.000928317895, 0.000215443419],
    ),
    Case(
        "`Qwen2VLModel.get_rope_index` of 2 tokens, a video of 3 × 5 × 4 cells and 3 tokens",
        "grids",
        lambda m: m.mrope_positions([2, (3, 5, 4), 3])[[2, 3, 6, 22, 61, 62, 64]],
        [[2, 2, 2], [2, 2, 3], [2, 3, 2], [3, 2, 2], [4, 6, 5], [7, 7, 7], [9, 9, 9]],
    ),
]  # fmt: skip

MODERN = [
    Case(
        "`Llama4TextConfig().no_rope_layers`, and the first 36 of it `SmolLM3Config`'s: 1 where a layer uses RoPE",
        "modern",
        lambda m: m.rope_layers(48, 4),
        [1, 1, 1, 0] * 12,
    ),
    Case(
        "`Gemma3TextConfig()`: 26 `layer_types`",
        "modern",
        lambda m: m.layer_bases(26, 6),
        [*[1e4] * 5, 1e6] * 4 + [1e4] * 2,
    ),
    *(
        Case(
            f'`ROPE_INIT_FUNCTIONS["proportional"]` with {head_dim} features, p = {p} and `rope_theta` 10⁶',
            "modern",
            lambda m, head_dim=head_dim, p=p: m.p_rope_frequencies(head_dim, p, 1e6),
            expected,
        )
        for head_dim, p, expected in (
            (20, 0.7, [1, 0.251188636, 0.0630957335, 0.0158489291, 0.00398107152, 0.00100000005, 0.000251188554,
                       0, 0, 0]),
            (10, 0.3, [1, 0, 0, 0, 0]),
            (8, 1.0, [1, 0.0316227786, 0.00100000005, 3.16227743e-05]),
        )
    ),
    Case(
        "queries of `Llama4TextAttention` of layer 3 over those of its `q_proj`, `floor_scale` 3, positions 0 … 6",
        "modern",
        lambda m: m.temperature(np.arange(7), 3),
        [1.0, 1.0, 1.06931472, 1.06931472, 1.06931472, 1.10986125, 1.10986125],
    ),
    Case(
        "`sliding_window_causal_mask_function(3)`, `chunked_causal_mask_function(4, …)`, queries 5 … 8, keys 0 … 8",
        "modern",
        lambda m: bits(m.sliding_window_mask(4, 9, 3)) + bits(m.chunk_mask(4, 9, 4)),
        ["000111000", "000011100", "000001110", "000000111", "000011000", "000011100", "000011110", "000000001"],
    ),
    Case(
        "`eager_attention_forward` of `modeling_gpt_oss`, written out: the sink as one more column, then left out",
        "modern",
        lambda m: m.sink_weights([[[2.0, 1], [0, 1]], [[0, 0], [40, 40]]], [0.5, 5.0]),
        [[[0.628531694, 0.231223896], [0.186323732, 0.506480396]], [[0.006648354, 0.006648354], [0.5, 0.5]]],
    ),
    Case(
        "`DeepseekV2Attention`, one head, d_c = 2, d_r = 4: the query and the key that it makes, times `scaling`",
        "modern",
        lambda m: m.decoupled_scores([[[1.0, 2]]], [[[3.0, -1]]], [[[1.0, 2, 3, 4]]], [[4.0, 3, 2, 1]], [5], [2]),
        [[[0.0979787186]]],
    ),
]  # fmt: skip

Q = np.array([[-16, -13, -9], [3, 16, -4], [-2, 1, 8], [9, 5, 2], [1, -14, -16]]) / 8
K = np.array([[6, 4, -15], [13, -1, -6], [-13, -10, 13], [-13, 16, 6], [3, -6, -16]]) / 32
V = np.array([[6, -16], [-5, 10], [13, -3], [-8, -4], [-6, -16]]) / 8
STATE = np.array([[-8, 1], [4, -14], [8, 7]]) / 8
DT = np.array([0.75, 0.5, 1.0, 0.25, 0.4375])
MAMBA = [
    [0.0009584557, 0.8363868], [0.1676847339, -1.5045892], [0.8709802628, -0.0099198371],
    [-0.736974001, 0.1379280537], [-0.6281387806, -1.0066902637],
]  # fmt: skip
MAMBA_STATE = [[-0.3617842197, 0.0493961573], [-0.2383324802, 0.0652386099], [0.4999988079, 0.4493485987]]


def token_by_token(m: Any) -> np.ndarray:
    memory, outputs = STATE, []
    for q, k, v, dt in zip(Q, K, V, DT, strict=True):
        out, memory = m.linear_step(memory, q, k, dt * v, -dt)
        outputs.append(out)
    return np.concatenate([outputs, memory])


def delta_rule(m: Any) -> np.ndarray:
    memory, outputs = STATE, []
    gates, betas = [-0.75, -0.5, -1.0, 0.0, -0.4375], [0.75, 0.4375, 0.375, 0.1875, 0.875]
    for q, k, v, beta, log_f in zip(Q, K, V, betas, gates, strict=True):
        memory = m.delta_step(memory, k, v, beta, log_f)
        outputs.append(q / np.sqrt(3) @ memory)  # The library reads with q/√d after the write.
    return np.concatenate([outputs, memory])


STATES = [
    *(
        Case(
            f"`segment_sum` of Mamba-2 for the log gates −3, {gate}, −2, −½",
            "state",
            lambda m, gate=gate: m.decay_bias([-3.0, gate, -2.0, -0.5]),
            [[0, -INF, -INF, -INF], [gate, 0, -INF, -INF], [gate - 2, -2, 0, -INF], [gate - 2.5, -2.5, -0.5, 0]],
        )
        for gate in (-1.0, -1e30)
    ),
    Case(
        "`mamba2_chunk_scan`, chunks of 2: B is K, C is Q, x is V, A = −1; its state is ours transposed",
        "state",
        lambda m: np.concatenate(m.linear_chunks(Q, K, DT[:, np.newaxis] * V, -DT, 2, STATE)),
        MAMBA + MAMBA_STATE,
    ),
    Case("`mamba2_selective_state_update`, token by token", "state", token_by_token, MAMBA + MAMBA_STATE),
    Case(
        "`torch_recurrent_gated_delta_rule` and `torch_chunk_gated_delta_rule`, without normalising q and k",
        "state",
        delta_rule,
        [[-0.0056138486, 0.4765992165], [0.146426931, -0.8287214637], [0.2056533247, 0.0321450084],
         [-0.2136172354, 0.0411224775], [-0.5135510564, -1.2861092091], [-0.2255173028, -0.063673228],
         [-0.0277021304, 0.1965538263], [0.4548928142, 0.9378391504]],
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", [*BATCHES, *REROPE, *GRIDS, *MODERN, *STATES], ids=lambda case: case.theirs)
def test_it_is_what_the_libraries_compute(case: Case) -> None:
    ours = case.ours(solution(case.lesson))
    if isinstance(np.ravel(case.expected)[0], str):
        assert ours == case.expected
    else:
        np.testing.assert_allclose(ours, case.expected, rtol=1e-6, atol=2e-6)
