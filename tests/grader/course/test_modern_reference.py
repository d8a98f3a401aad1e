"""`modern` computes what the models compute: a few constants, taken once from the code that the lesson names.

They come from Hugging Face transformers 5.23.0 with torch 2.13.0, called on the arguments that each test names, and
were written down with the digits that float32 gives. Neither library is needed here. To take them again, install both
somewhere else and make the calls in the docstrings. `log_n_scale` is not among them: Qwen's first version shipped its
code with its weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograder import course
from autograder.hints import catalogue

FLOAT32 = 1e-6
"""What was computed in float32 has seven digits."""


@pytest.fixture(scope="module")
def modern() -> Any:
    return catalogue.solution(course.find("modern"))


@pytest.mark.parametrize("n_layers", [48, 36])
def test_layers_without_rope(modern: Any, n_layers: int) -> None:
    """`Llama4TextConfig().no_rope_layers` (48 layers) and `SmolLM3Config().no_rope_layers` (36): 1 where a layer uses
    RoPE."""
    assert modern.rope_layers(n_layers, 4).astype(int).tolist() == [1, 1, 1, 0] * (n_layers // 4)


def test_gemma_3(modern: Any) -> None:
    """`Gemma3TextConfig()`: 26 `layer_types`, and `rope_parameters` of 10⁴ for sliding and 10⁶ for full attention."""
    theirs = [*[10000.0] * 5, 1000000.0] * 4 + [10000.0] * 2
    assert modern.layer_bases(26, 6).tolist() == theirs


def test_gemma_4(modern: Any) -> None:
    """`Gemma4TextConfig()`: 30 `layer_types`, the last of them full attention, and p-RoPE with p = 0.25 in heads of 512
    there."""
    assert np.flatnonzero(modern.layer_bases(30, 6) == 1e6).tolist() == [5, 11, 17, 23, 29]


@pytest.mark.parametrize(
    ("head_dim", "p", "theirs"),
    [
        (
            20,
            0.7,
            [1.0, 0.251188636, 0.0630957335, 0.0158489291, 0.00398107152, 0.00100000005, 0.000251188554, 0, 0, 0],
        ),
        (18, 0.5, [1.0, 0.215443477, 0.0464158878, 0.00999999885, 0, 0, 0, 0, 0]),
        (10, 0.3, [1.0, 0, 0, 0, 0]),
        (8, 0.0, [0, 0, 0, 0]),
        (8, 1.0, [1.0, 0.0316227786, 0.00100000005, 3.16227743e-05]),
    ],
)
def test_proportional_rope(modern: Any, head_dim: int, p: float, theirs: list[float]) -> None:
    """`ROPE_INIT_FUNCTIONS["proportional"]` with `partial_rotary_factor` p and `rope_theta` 10⁶."""
    np.testing.assert_allclose(modern.p_rope_frequencies(head_dim, p, 1e6), theirs, rtol=FLOAT32)


def test_llama_4_temperature(modern: Any) -> None:
    """Queries that `Llama4TextAttention` of layer 3 hands on over those of its `q_proj`, `floor_scale` 3, positions 0 …
    6."""
    theirs = [1.0, 1.0, 1.06931472, 1.06931472, 1.06931472, 1.10986125, 1.10986125]
    np.testing.assert_allclose(modern.temperature(np.arange(7), 3), theirs, rtol=FLOAT32)


def test_masks(modern: Any) -> None:
    """`sliding_window_causal_mask_function(3)` and `chunked_causal_mask_function(4, …)` at queries 5 … 8 and keys 0 …
    8."""
    sliding = ["000111000", "000011100", "000001110", "000000111"]
    chunked = ["000011000", "000011100", "000011110", "000000001"]
    for mask, theirs in ((modern.sliding_window_mask(4, 9, 3), sliding), (modern.chunk_mask(4, 9, 4), chunked)):
        assert ["".join(str(int(one)) for one in row) for row in mask] == theirs


def test_gpt_oss_sinks(modern: Any) -> None:
    """Scores and sinks as `eager_attention_forward` of `modeling_gpt_oss` treats them, written out in torch: the sink
    as one more column, softmax in float32, and that column left out."""
    theirs = [[[0.628531694, 0.231223896], [0.186323732, 0.506480396]], [[0.006648354, 0.006648354], [0.5, 0.5]]]
    scores = [[[2.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [40.0, 40.0]]]
    np.testing.assert_allclose(modern.sink_weights(scores, [0.5, 5.0]), theirs, rtol=FLOAT32)


def test_deepseek_v2(modern: Any) -> None:
    """`DeepseekV2Attention` with one head: the query and the key that it hands on to attention, times its `scaling`.

    Its projections were set so that d_c = 2 and d_r = 4, the content features are (1, 2) and (3, −1), the features to
    rotate (1, 2, 3, 4) and (4, 3, 2, 1), with the query at 5 and the key at 2. Its pairs are neighbours, as ours.
    """
    ours = modern.decoupled_scores([[[1.0, 2.0]]], [[[3.0, -1.0]]], [[[1.0, 2, 3, 4]]], [[4.0, 3, 2, 1]], [5], [2])
    np.testing.assert_allclose(ours, [[[0.0979787186]]], rtol=FLOAT32)
