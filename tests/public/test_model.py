"""Public tests for the model: each function's docstring example and values, and a property of the whole model.

Each test's docstring states the rule that the test checks. The expected values are in `expected/model.json`. The
models are tiny, and no two of their sizes are equal, so that an array meant for another axis has the wrong shape.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import case, features, seeds

FREQUENCIES = np.array([1.0, 0.125])
EPS = 0.25


def weights(shapes, seed=0):
    return {name: features(*shape, seed=seed + place) / 4 for place, (name, shape) in enumerate(shapes.items())}


def tiny_layer(seed=0, heads=6, key_heads=2, d=8, f=10):
    """Return a layer with six query heads, two key heads of four features, and norm weights far from 1."""
    width, narrow = 2 * len(FREQUENCIES) * heads, 2 * len(FREQUENCIES) * key_heads
    shapes = {"norm_1": (d,), "w_q": (d, width), "w_k": (d, narrow), "w_v": (d, narrow), "w_o": (width, d)}
    layer = weights(shapes | {"norm_2": (d,), "w_gate": (d, f), "w_up": (d, f), "w_down": (f, d)}, seed)
    return layer | {"norm_1": layer["norm_1"] + 2, "norm_2": layer["norm_2"] - 2}


def tiny_model(tied=True, layers=2, vocabulary=9, d=8):
    head = {} if tied else {"head": features(d, vocabulary, seed=1)}
    return head | {
        "embedding": features(vocabulary, d, seed=2) / 2,
        "layers": [tiny_layer(seed) for seed in range(layers)],
        "norm": features(d, seed=3) + 3,
        "frequencies": FREQUENCIES,
        "eps": EPS,
    }


def causal(length, before=0):
    return np.tri(length, before + length, before, dtype=bool)


def float32(layer):
    return {name: value.astype(np.float32) for name, value in layer.items()}


# rms_norm


@pytest.mark.question("rms_norm", points=0.25)
def test_norm_by_hand(model):
    """The root mean square of 3 and 4 is √12.5; each number is divided by √12.5, then multiplied by its weight."""
    got = model.rms_norm(np.array([[3.0, 4.0]]), np.array([1.0, 10.0]), eps=0)
    expect.close(got, np.array([[3.0, 40.0]]) / np.sqrt(12.5), "rms_norm([[3, 4]], [1, 10], eps=0)")


@pytest.mark.question("rms_norm", points=0.25)
def test_norm(model):
    """rms_norm returns x / √(mean of x² + eps) · weight, separately for each row; eps matters if x is small."""
    expect.matches(model.rms_norm, features(2, 3, 6), features(6, seed=1), 0.5)
    expect.matches(model.rms_norm, features(5, 4) / 512, features(4, seed=1))


# swiglu


@pytest.mark.question("swiglu", points=0.25)
def test_swiglu_by_hand(model):
    """In the example, the gate is 1 and the other part is 6, so their product is silu(1) · 6 = 4.386."""
    x, w_gate, w_up, w_down = ([[1.0, 2.0]], [[1.0], [0.0]], [[0.0], [3.0]], [[1.0, -1.0]])
    got = model.swiglu(*map(np.array, (x, w_gate, w_up, w_down)))
    expect.close(got, np.array([[6, -6]]) / (1 + np.exp(-1)), "the example of the docstring")


@pytest.mark.question("swiglu", points=0.25)
def test_swiglu(model):
    """swiglu returns (silu(x w_gate) ∘ (x w_up)) w_down, for gates of any size."""
    parts = features(4, 5, seed=1), features(4, 5, seed=2), features(5, 4, seed=3)
    expect.matches(model.swiglu, features(2, 3, 4), *parts)
    expect.matches(model.swiglu, features(3, 4) * 512, *parts)


# repeat_heads


@pytest.mark.question("repeat_heads", points=0.1875)
def test_copies_by_hand(model):
    """If two heads are repeated twice, the copies come in the order first, first, second, second."""
    got = model.repeat_heads(np.array([[[1.0]], [[2.0]]]), 2)
    expect.close(got, np.array([[[1.0]], [[1.0]], [[2.0]], [[2.0]]]), "repeat_heads([[[1]], [[2]]], 2)")


@pytest.mark.question("repeat_heads", points=0.25)
def test_copies(model):
    """Copies of a head are side by side; rows and features do not change."""
    expect.matches(model.repeat_heads, features(3, 4, 2), 2)
    expect.matches(model.repeat_heads, features(2, 3, 1, 4), 1)
    expect.matches(model.repeat_heads, features(2, 2, 5, 3), 3)


# to_half_layout


@pytest.mark.question("to_half_layout", points=0.25)
def test_half_layout_by_hand(model):
    """In two heads of four columns, columns 0 and 2 of each head come first, then 1 and 3."""
    got = model.to_half_layout(np.arange(8.0), 2)
    expect.close(got, np.array([0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]), "the columns 0 … 7 of two heads")


@pytest.mark.question("to_half_layout", points=0.25)
def test_half_layout(model):
    """The columns of each head are reordered separately, in a matrix with any number of rows, even a square one."""
    expect.matches(model.to_half_layout, features(5, 18), 3)
    expect.matches(model.to_half_layout, features(8, 8), 1)
    expect.matches(model.to_half_layout, features(12, 12), 2)


@pytest.mark.question("to_half_layout", points=0.25)
@given(seed=seeds(), heads=st.sampled_from([2, 3]))
def test_each_head_keeps_its_columns(model, seed, heads):
    """No column leaves its head; the first and last columns of a head stay in place, and all others move."""
    w = features(5, heads * 6, seed=seed) + 9 * np.arange(heads * 6)
    got = np.asarray(model.to_half_layout(w, heads))
    expect.holds(got.shape == w.shape, "the shape stays")
    in_heads, before = got.reshape(5, heads, 6), w.reshape(5, heads, 6)
    expect.close(np.sort(in_heads), np.sort(before), "each head has its columns")
    expect.close(in_heads[..., [0, -1]], before[..., [0, -1]], "the first and the last column of a head stay")
    expect.holds(not np.allclose(in_heads, before), "others move")


# apply_rope_half_with


@pytest.mark.question("apply_rope_half_with", points=0.25)
def test_rotation_by_hand(model):
    """At position 2, with frequencies 1 and ½, pair (0, 2) rotates by 2 and pair (1, 3) by 1."""
    got = model.apply_rope_half_with(np.array([[1.0, 1.0, 0.0, 0.0]]), np.array([2]), np.array([1.0, 0.5]))
    expect.close(got, np.array([[np.cos(2), np.cos(1), np.sin(2), np.sin(1)]]), "the example of the docstring")


@pytest.mark.question("apply_rope_half_with", points=0.25)
def test_rotation_with_frequencies(model):
    """Row t rotates by its position times `frequencies`; each text can have its own positions."""
    frequencies = np.array([2.0, 0.375, 0.0])
    expect.matches(model.apply_rope_half_with, features(5, 6), np.array([0, 1, 7, 3, 100]), frequencies)
    expect.matches(model.apply_rope_half_with, features(2, 3, 4, 6), np.array([0.5, -1, 9, 2]), frequencies)
    positions = np.array([[[0, 1, 2]], [[5, 6, 7]]])
    expect.matches(model.apply_rope_half_with, features(2, 4, 3, 6), positions, frequencies)


@pytest.mark.question("apply_rope_half_with", points=0.125)
def test_angles_have_all_digits(model):
    """Angles are computed in float64, even if positions and frequencies are float32: seven digits are too few."""
    positions, frequencies = np.array([0, 7, 70001], dtype=np.float32), np.array([1, 0.3, 0.01], dtype=np.float32)
    expect.matches(model.apply_rope_half_with, features(3, 6), positions, frequencies)


@pytest.mark.question("apply_rope_half_with", points=0.125)
def test_one_position_per_row(model):
    """A single position for several rows raises a ValueError, although numpy would use it for all."""
    expect.answers(model.apply_rope_half_with, features(5, 4), np.arange(5), FREQUENCIES)
    expect.raises(ValueError, model.apply_rope_half_with, features(5, 4), np.array([7]), FREQUENCIES)


# grouped_query_attention


@pytest.mark.question("grouped_query_attention", points=0.3125)
def test_one_token_gives_its_values(model):
    """A token that uses only itself gives its values, repeated for the query heads, times w_o."""
    x, layer = features(1, 8), tiny_layer()
    out, (keys, values) = model.grouped_query_attention(x, layer, np.array([0]), FREQUENCIES, causal(1))
    expect.close(keys, (x @ layer["w_k"]).reshape(2, 1, 4), "the keys at position 0 are not rotated")
    expect.close(values, (x @ layer["w_v"]).reshape(2, 1, 4), "values of two key heads")
    expected = np.repeat((x @ layer["w_v"]).reshape(2, 4), 3, axis=0).reshape(1, 24) @ layer["w_o"]
    expect.close(out, expected, "the values of key head j for query heads 3j, 3j + 1 and 3j + 2, times w_o")


@pytest.mark.question("grouped_query_attention", points=0.25)
def test_attention_of_heads_that_share_keys(model):
    """The output is the softmax of rotated queries and keys, times the values, times w_o, even for huge scores."""
    layer = tiny_layer()
    expect.matches(model.grouped_query_attention, features(5, 8), layer, np.arange(5), FREQUENCIES, causal(5))
    expect.matches(model.grouped_query_attention, 512 * features(3, 8), layer, np.arange(3), FREQUENCIES, causal(3))


@pytest.mark.question("grouped_query_attention", points=0.25)
def test_each_text_has_its_positions_and_its_mask(model):
    """If positions have the shape (B, T), all heads of a text share them, so they need an axis to match the heads
    of (B, h, T, dh)."""
    positions, mask = np.array([[0, 0, 1], [4, 5, 6]]), np.array([causal(3) * [False, True, True], causal(3)])
    arguments = tiny_layer(), positions, FREQUENCIES, mask[:, np.newaxis]
    expect.matches(model.grouped_query_attention, features(2, 3, 8), *arguments)


@pytest.mark.question("grouped_query_attention", points=0.25)
def test_attention_with_a_cache(model):
    """The cached keys and values come before the new ones, and the returned pair includes both."""
    cache = features(2, 3, 4, seed=1), features(2, 3, 4, seed=2)
    arguments = tiny_layer(), np.array([3, 4]), FREQUENCIES, causal(2, 3), cache
    expect.matches(model.grouped_query_attention, features(2, 8), *arguments)


@pytest.mark.question("grouped_query_attention", points=0.125)
def test_a_mask_has_a_row_per_query(model):
    """A mask with one row for several queries raises a ValueError, although numpy would use it for all."""
    x, layer, positions = features(3, 8), tiny_layer(), np.arange(3)
    expect.answers(model.grouped_query_attention, x, layer, positions, FREQUENCIES, causal(3))
    expect.raises(ValueError, model.grouped_query_attention, x, layer, positions, FREQUENCIES, causal(3)[:1])


# block


@pytest.mark.question("block", points=0.5)
def test_block(model):
    """Attention over the normalized x is added to x; then the feed-forward part of the normalized sum is added."""
    expect.matches(model.block, features(5, 8), tiny_layer(), np.arange(5), FREQUENCIES, causal(5), eps=EPS)
    cache = features(2, 3, 4, seed=1), features(2, 3, 4, seed=2)
    expect.matches(
        model.block, features(2, 8) / 4, tiny_layer(3), np.array([3, 4]), FREQUENCIES, causal(2, 3), cache, EPS
    )


@pytest.mark.question("block", points=0.25)
def test_a_part_that_writes_nothing(model):
    """If w_down is zero, only attention is added to x; if w_o is zero, only the feed-forward part is; if both
    are zero, the result is x."""
    x, layer, at = features(3, 8), tiny_layer(1), (np.arange(3), FREQUENCIES, causal(3))
    no_attention, no_feed_forward = {"w_o": np.zeros((24, 8))}, {"w_down": np.zeros((10, 8))}
    expect.matches(model.block, x, layer | no_feed_forward, *at, eps=EPS)
    expect.matches(model.block, x, layer | no_attention, *at, eps=EPS)
    expect.close(model.block(x, layer | no_attention | no_feed_forward, *at, eps=EPS)[0], x, "x stays as it is")


# from_checkpoint

NAMES = {
    "norm_1": "input_layernorm",
    "w_q": "self_attn.q_proj",
    "w_k": "self_attn.k_proj",
    "w_v": "self_attn.v_proj",
    "w_o": "self_attn.o_proj",
    "norm_2": "post_attention_layernorm",
    "w_gate": "mlp.gate_proj",
    "w_up": "mlp.up_proj",
    "w_down": "mlp.down_proj",
}


def checkpoint(model):
    """Return a model's tensors under Hugging Face's names, with the layers in reverse order."""
    tensors = {"lm_head.weight": model["head"].T} if "head" in model else {}
    for number, layer in reversed(list(enumerate(model["layers"]))):
        tensors |= {f"model.layers.{number}.{NAMES[name]}.weight": value.T for name, value in layer.items()}
    return tensors | {"model.norm.weight": model["norm"], "model.embed_tokens.weight": model["embedding"]}


@pytest.mark.question("from_checkpoint", points=0.25)
def test_checkpoint(model):
    """Each tensor is in its place, matrices are transposed, and layers are in order; a tied model has no `head`
    entry."""
    for tied in (True, False):
        expect.matches(model.from_checkpoint, checkpoint(tiny_model(tied)), FREQUENCIES, EPS)


@pytest.mark.question("from_checkpoint", points=0.25)
def test_eleven_layers(model):
    """Layers are sorted by number: layer 10 comes after layer 9, although as strings, "10" comes before "9"."""
    layers = [tiny_layer(seed, heads=1, key_heads=1, d=3, f=2) for seed in range(11)]
    expect.matches(model.from_checkpoint, checkpoint(tiny_model() | {"layers": layers}), FREQUENCIES, EPS)


@pytest.mark.question("from_checkpoint", points=0.25)
def test_old_frequencies_are_left_out(model):
    """A tensor whose name ends in rotary_emb.inv_freq is ignored; the `frequencies` argument is used instead."""
    old = {f"model.layers.{number}.self_attn.rotary_emb.inv_freq": np.ones(2) for number in range(2)}
    expect.matches(model.from_checkpoint, old | checkpoint(tiny_model()), FREQUENCIES, EPS)


# forward


@pytest.mark.question("forward", points=0.375)
def test_forward(model):
    """The embedding, the blocks and the last norm come before the head, which is the embedding again or a separate
    matrix."""
    for tied in (True, False):
        expect.matches(model.forward, np.array([3, 1, 4, 1, 5]), tiny_model(tied))
    expect.matches(model.forward, np.array([[3, 1, 4], [0, 8, 8]]), tiny_model())


@pytest.mark.question("forward", points=0.25)
def test_forward_at_other_positions_and_with_a_mask(model):
    """The `positions` and `mask` arguments apply to every layer."""
    positions, mask = np.array([[0, 0, 1], [0, 1, 2]]), np.array([causal(3) * [False, True, True], causal(3)])
    expect.matches(model.forward, np.array([[0, 2, 6], [5, 3, 5]]), tiny_model(), positions, mask[:, np.newaxis])


@pytest.mark.question("forward", points=0.25)
def test_forward_after_a_cache(model):
    """After a cache of t tokens, new token i may use keys 0 … t + i and has position t + i."""
    cache = [(features(2, 4, 4, seed=seed), features(2, 4, 4, seed=seed + 1)) for seed in (0, 2)]
    expect.matches(model.forward, np.array([3, 1, 4]), tiny_model(), cache=cache)


@pytest.mark.question("forward", points=0.25)
@given(tokens=st.lists(st.integers(0, 8), min_size=5, max_size=5), cut=st.integers(1, 3))
def test_a_text_in_two_pieces(model, tokens, cut):
    """A text read in two pieces, the second of which uses the first piece's cache, has the same logits as the
    whole text."""
    tokens, tiny = np.array(tokens), tiny_model()
    whole, _ = model.forward(tokens, tiny)
    first, cache = model.forward(tokens[:cut], tiny)
    second, _ = model.forward(tokens[cut:], tiny, cache=cache)
    expect.close(np.concatenate([first, second]), whole, "the logits of two pieces")
    other = model.forward((tokens + 1) % 9, tiny)[0]
    expect.holds(not np.allclose(other, whole, 1e-3), "another text has different logits")


# next_token_loss


@pytest.mark.question("next_token_loss", points=0.25)
def test_equal_logits_by_hand(model):
    """If a model predicts the same probability for each of 4 tokens, its loss is ln 4 at each token."""
    got = model.next_token_loss(np.full((3, 4), 2.5), np.array([0, 3, 1]))
    expect.close(got, np.log(4), "the loss of equal logits")


@pytest.mark.question("next_token_loss", points=0.25)
def test_loss(model):
    """The loss is the mean of −log softmax for the next token, over all rows, even for huge logits."""
    expect.matches(model.next_token_loss, features(2, 5, 7), np.array([[1, 2, 0, 6, 3], [4, 4, 5, 0, 1]]))
    expect.matches(model.next_token_loss, 512 * features(4, 3, seed=1), np.array([2, 0, 1, 1]))


# generate


@pytest.mark.question("generate", points=0.375)
def test_generate(model):
    """Each new token is the token with the largest logit."""
    expect.matches(model.generate, np.array([2, 5, 0]), tiny_model(tied=False), 6)
    expect.matches(model.generate, np.array([1, 4, 4, 2]), tiny_model(tied=False), 4)
    expect.matches(model.generate, np.array([7]), tiny_model(), 4)


@pytest.mark.question("generate", points=0.125)
def test_no_new_tokens(model):
    """For a count of 0, the result is an empty array of int64."""
    expect.matches(model.generate, np.array([0, 2]), tiny_model(), 4)
    expect.dtype(model.generate, np.array([3, 1]), tiny_model(), 0)


# Rules of lesson 1 for every function


SINGLE, DOUBLE = (tuple(features(2, 3, 4, seed=seed, dtype=dtype) for seed in (0, 1)) for dtype in (np.float32, float))
AT = float32(tiny_layer()), np.array([3, 4]), FREQUENCIES, causal(2, 3)


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        case("repeat_heads", ([[[1]], [[2]]], 2), (features(2, 3, 4, dtype=np.float32), 2)),
        case(
            "grouped_query_attention",
            (features(2, 8, dtype=np.float32), *AT, SINGLE),
            (features(2, 8), *AT, SINGLE),
            (features(2, 8, dtype=np.float32), *AT, DOUBLE),
        ),
    ],
)
def test_dtype(model, function, calls):
    """The result is float32 if x, the weights and the cache are float32; otherwise, it is float64. The dtypes of
    positions and frequencies do not affect the result's dtype."""
    for arguments in calls:
        expect.dtype(getattr(model, function), *arguments)


@pytest.mark.question("forward", points=0.125)
def test_arguments_stay_as_they_are(model):
    """No function modifies its arguments, whether a block's x, a checkpoint's tensors or a cache's list."""
    cache = [(features(2, 3, 4), features(2, 3, 4, seed=1))]
    expect.unchanged(model.block, features(2, 8), tiny_layer(), np.array([3, 4]), FREQUENCIES, causal(2, 3), cache[0])
    old = {"model.layers.0.self_attn.rotary_emb.inv_freq": FREQUENCIES}
    expect.unchanged(model.from_checkpoint, old | checkpoint(tiny_model(layers=1)), FREQUENCIES)
    expect.unchanged(model.forward, np.array([5, 0]), tiny_model(layers=1), cache=cache)
