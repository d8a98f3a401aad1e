"""Hidden tests for the model: this term's values, and properties of a whole model.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

Each property test has two parts: one change has no effect, and a similar change does have an effect. The models
are tiny. No two of a model's sizes are equal, unless a test needs a square matrix.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import features, seeds

EPS = 0.0625
HEADS, KEY_HEADS, SIZE = 6, 2, 4
FREQUENCIES = np.array([1.0, 0.125])
D, F, VOCABULARY = 8, 10, 9


def normal(rng, *shape):
    return rng.standard_normal(shape)


def drawn_layer(draw, heads=HEADS, key_heads=KEY_HEADS, size=SIZE, d=D, f=F):
    """Return a layer whose numbers, about 1 in size, come from draw(*shape), with norm weights far from 1."""
    layer = {
        "norm_1": 2 + draw(d) / 4,
        "w_q": draw(d, heads * size) / 2,
        "w_k": draw(d, key_heads * size) / 2,
        "w_v": draw(d, key_heads * size) / 4,
        "w_o": draw(heads * size, d) / 8,
        "norm_2": draw(d) / 4 - 2,
        "w_gate": draw(d, f) / 4,
        "w_up": draw(d, f) / 4,
        "w_down": draw(f, d) / 4,
    }
    return layer


def drawn_model(draw, layers=2, tied=True, **sizes):
    head = {} if tied else {"head": draw(D, VOCABULARY)}
    return head | {
        "embedding": draw(VOCABULARY, D),
        "layers": [drawn_layer(draw, **sizes) for _ in range(layers)],
        "norm": 2 + draw(D) / 4,
        "frequencies": FREQUENCIES,
        "eps": EPS,
    }


def of_seed(seed):
    """draw(*shape) for Hypothesis."""
    drawn_by = np.random.default_rng(seed)
    return lambda *shape: drawn_by.standard_normal(shape)


def features_of(rng):
    """Return a function that draws this term's inputs for a shape, as multiples of 1/64, so that a failing call
    is readable."""
    return lambda *shape: np.round(rng.standard_normal(shape) * 64) / 64


def causal(length, before=0):
    return np.tri(length, before + length, before, dtype=bool)


def rotated(x, positions):
    """Return lesson 5's apply_rope of x, with pairs (2i, 2i+1) and base 10,000."""
    angles = np.multiply.outer(positions, 10000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1]))
    pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


# rms_norm


@pytest.mark.question("rms_norm", points=0.25)
def test_norm_of_this_term(model, rng):
    """rms_norm returns x / √(mean of x² + eps) · weight, over the last axis, with any leading axes."""
    for shape in ((5,), (3, 6), (2, 3, 4)):
        expect.matches(model.rms_norm, normal(rng, *shape), normal(rng, shape[-1]) + 3, float(rng.uniform(0.1, 2)))
    expect.matches(model.rms_norm, normal(rng, 2, 5) / 300, normal(rng, 5))


@pytest.mark.question("rms_norm", points=0.5)
@given(seed=seeds(), factor=st.sampled_from([0.25, 64.0, 1e6]))
def test_norm_ignores_the_size_and_not_the_mean(model, seed, factor):
    """With eps = 0, scaling a row changes nothing, but adding a number does, because no mean is subtracted."""
    x, weight = features(3, 5, seed=seed) + 0.25, features(5, seed=seed + 1) + 3
    got = np.asarray(model.rms_norm(x, weight, eps=0))
    expect.close(model.rms_norm(factor * x, weight, eps=0), got, "the size of x changes nothing")
    expect.close(((got / weight) ** 2).mean(axis=-1), np.ones(3), "without its weight, a row has mean square 1")
    expect.holds(not np.allclose(model.rms_norm(x + 2, weight, eps=0), got), "the mean of x counts")


# swiglu


@pytest.mark.question("swiglu", points=0.375)
def test_swiglu_of_this_term(model, rng):
    """swiglu returns (silu(x w_gate) ∘ (x w_up)) w_down, with any leading axes and gates of any size."""
    for lead, size in (((), 1), ((2,), 3), ((2, 3), 3000)):
        x, w_gate, w_up = size * normal(rng, *lead, 4, 5), normal(rng, 5, 7), normal(rng, 5, 7)
        expect.matches(model.swiglu, x, w_gate, w_up, normal(rng, 7, 5) / size)


@pytest.mark.question("swiglu", points=0.375)
@given(seed=seeds())
def test_the_gate_alone_is_bent(model, seed):
    """Doubling w_up doubles the result; doubling w_gate does not. A gate far above 0 lets its feature
    through; a gate far below 0 blocks it."""
    x, w_up, w_down = np.abs(features(3, 4, seed=seed)) + 0.5, features(4, 5, seed=seed + 1), features(5, 4, seed=7)
    w_up, w_gate = w_up + 3, features(4, 5, seed=seed + 2)
    got = np.asarray(model.swiglu(x, w_gate, w_up, w_down))
    expect.close(model.swiglu(x, w_gate, 2 * w_up, w_down), 2 * got, "the result is linear in w_up")
    expect.holds(not np.allclose(model.swiglu(x, 2 * w_gate, w_up, w_down), 2 * got), "it is not linear in the gate")
    wide = np.full((4, 5), 256.0)
    passed = ((x @ wide) * (x @ w_up)) @ w_down
    expect.close(model.swiglu(x, wide, w_up, w_down), passed, "a gate far above 0 is its own silu")
    expect.close(model.swiglu(x, -wide, w_up, w_down), np.zeros((3, 4)), "a gate far below 0 blocks everything")


# repeat_heads


@pytest.mark.question("repeat_heads", points=0.375)
@given(seed=seeds(), heads=st.sampled_from([2, 3]), copies=st.integers(2, 4))
def test_copy_j_is_of_head_j_over_n(model, seed, heads, copies):
    """Head j of the result is head j // n_rep of x, for any leading axes."""
    x = features(2, heads, 3, 5, seed=seed) + 9 * np.arange(heads)[:, np.newaxis, np.newaxis]
    got = np.asarray(model.repeat_heads(x, copies))
    expect.holds(got.shape == (2, heads * copies, 3, 5), "each head occurs n_rep times")
    for head in range(heads * copies):
        expect.close(got[:, head], x[:, head // copies], "head j is a copy of head j // n_rep")


@pytest.mark.question("repeat_heads", points=0.125)
def test_no_copies_are_refused(model):
    """n_rep = 0 raises a ValueError, because no head would be left."""
    expect.answers(model.repeat_heads, features(2, 3, 4), 3)
    expect.raises(ValueError, model.repeat_heads, features(2, 3, 4), 0)


# to_half_layout


@pytest.mark.question("to_half_layout", points=0.25)
def test_half_layout_of_this_term(model, rng):
    """The columns are reordered head by head, in a matrix, a stack of matrices or a bias."""
    for shape, heads in (((24,), 3), ((5, 20), 2), ((2, 3, 12), 1), ((16, 16), 4)):
        expect.matches(model.to_half_layout, normal(rng, *shape), heads)


@pytest.mark.question("to_half_layout", points=0.375)
@given(seed=seeds(), heads=st.sampled_from([2, 3]))
def test_reordered_weights_score_as_before(model, seed, heads):
    """With reordered columns, the half layout gives every head the same scores as neighbouring pairs; with
    the old columns, it does not."""
    x, size, positions = features(5, 7, seed=seed), 6, np.arange(5)
    frequencies = 10000.0 ** (-np.arange(0, size, 2) / size)
    w_q, w_k = (features(7, heads * size, seed=seed + number) / 4 for number in (1, 2))

    def scores(rotate, *weights):
        q, k = (np.swapaxes((x @ np.asarray(w)).reshape(5, heads, size), 0, 1) for w in weights)
        return rotate(q) @ np.swapaxes(rotate(k), -1, -2)

    expected = scores(lambda rows: rotated(rows, positions), w_q, w_k)
    reordered = model.to_half_layout(w_q, heads), model.to_half_layout(w_k, heads)

    def in_halves(rows):
        first, second = np.split(rows, 2, axis=-1)
        turned = (first + 1j * second) * np.exp(1j * np.multiply.outer(positions, frequencies))
        return np.concatenate([turned.real, turned.imag], axis=-1)

    expect.close(scores(in_halves, *reordered), expected, "the scores of each head")
    expect.holds(not np.allclose(scores(in_halves, w_q, w_k), expected), "the old columns give different scores")


@pytest.mark.question("to_half_layout", points=0.125)
def test_heads_of_odd_size_are_refused(model):
    """An odd head size raises a ValueError, because the columns of such a head do not form pairs."""
    expect.answers(model.to_half_layout, features(5, 12), 3)
    expect.raises(ValueError, model.to_half_layout, features(5, 12), 4)


# apply_rope_half_with


@pytest.mark.question("apply_rope_half_with", points=0.25)
def test_rotation_of_this_term(model, rng):
    """Any frequencies and leading axes are allowed, and any positions, whether all texts share them or each
    text has its own."""
    frequencies = rng.uniform(0, 2, 3)
    expect.matches(model.apply_rope_half_with, normal(rng, 5, 6), rng.integers(0, 70000, 5), frequencies)
    expect.matches(model.apply_rope_half_with, normal(rng, 2, 3, 4, 6), rng.uniform(-9, 9, 4), frequencies)
    expect.matches(model.apply_rope_half_with, normal(rng, 2, 3, 4, 6), rng.integers(0, 99, (2, 1, 4)), frequencies)


@pytest.mark.question("apply_rope_half_with", points=0.375)
@given(seed=seeds(), shift=st.integers(1, 2000))
def test_any_frequencies_keep_scores_relative(model, seed, shift):
    """Whatever the frequencies, scores depend only on the differences between positions, and rows keep their
    length; other differences give other scores."""
    q, k = features(4, 6, seed=seed) + 0.25, features(4, 6, seed=seed + 1) + 0.25
    frequencies, positions = np.array([1.5, 0.25, 0.0078125]), np.array([0, 2, 3, 9])

    def scores(q_positions, k_positions):
        rows = (model.apply_rope_half_with(*one, frequencies) for one in ((q, q_positions), (k, k_positions)))
        return np.matmul(*(one if place == 0 else np.swapaxes(one, -1, -2) for place, one in enumerate(rows)))

    got = scores(positions, positions)
    expect.close(scores(positions + shift, positions + shift), got, "a shift of all positions", tolerance=1e-7)
    expect.holds(not np.allclose(scores(positions + 1, positions), got), "a shift of only the queries counts")
    turned = model.apply_rope_half_with(q, positions, frequencies)
    expect.close((np.asarray(turned) ** 2).sum(axis=-1), (q**2).sum(axis=-1), "rows keep their length")


@pytest.mark.question("apply_rope_half_with", points=0.125)
def test_rotation_does_not_loop(model):
    """All rows are rotated at once, without a loop."""
    expect.vectorised(
        model.apply_rope_half_with, lambda length: (features(2, length, 4), np.arange(length), FREQUENCIES)
    )


# grouped_query_attention


@pytest.mark.question("grouped_query_attention", points=0.5)
def test_attention_of_this_term(model, rng):
    """Any number of heads, scores of any magnitude, and texts with individual positions and masks are allowed."""
    draw = features_of(rng)
    for heads, key_heads in ((6, 2), (4, 1), (3, 3)):
        layer, positions = drawn_layer(draw, heads, key_heads), rng.integers(0, 50, 5)
        expect.matches(model.grouped_query_attention, draw(5, D), layer, positions, FREQUENCIES, causal(5))
        arguments = 300 * draw(5, D), layer, positions, FREQUENCIES, causal(5)
        expect.matches(model.grouped_query_attention, *arguments, tolerance=1e-7)  # scores of 10⁵
    mask = rng.random((2, 1, 5, 5)) < 0.6
    mask[0, 0, 2] = False
    expect.matches(model.grouped_query_attention, draw(2, 5, D), layer, rng.integers(0, 9, (2, 5)), FREQUENCIES, mask)
    large = drawn_layer(draw, size=6)
    expect.matches(model.grouped_query_attention, draw(3, D), large, np.arange(3), rng.uniform(0, 1, 3), causal(3))
    square = drawn_layer(draw, heads=4, key_heads=2, d=16)
    expect.matches(model.grouped_query_attention, draw(3, 16), square, np.arange(3), FREQUENCIES, causal(3))


@pytest.mark.question("grouped_query_attention", points=0.25)
def test_attention_with_a_cache_of_this_term(model, rng):
    """The cached heads come first, unchanged; the returned pair contains the old and new heads, with keys rotated
    but not repeated."""
    draw = features_of(rng)
    for lead, new in (((), 1), ((2,), 3)):
        cache = draw(*lead, KEY_HEADS, 4, SIZE), draw(*lead, KEY_HEADS, 4, SIZE)
        arguments = drawn_layer(draw), 4 + np.arange(new), FREQUENCIES, causal(new, 4), cache
        expect.matches(model.grouped_query_attention, draw(*lead, new, D), *arguments)


def exchanged(layer, one, other):
    """Return the layer with two query heads swapped in w_q's columns and w_o's rows."""
    order = np.arange(HEADS)
    order[[one, other]] = other, one
    columns = (order[:, np.newaxis] * SIZE + np.arange(SIZE)).ravel()
    return layer | {"w_q": layer["w_q"][:, columns], "w_o": layer["w_o"][columns]}


@pytest.mark.question("grouped_query_attention", points=0.75)
@given(seed=seeds())
def test_heads_of_one_group_may_be_exchanged(model, seed):
    """Swapping two query heads within a group changes nothing; swapping heads between groups does."""
    draw = of_seed(seed)
    x, layer, at = draw(5, D), drawn_layer(draw), (np.array([1, 2, 4, 7, 11]), FREQUENCIES, causal(5))
    got, _ = expect.matches(model.grouped_query_attention, x, layer, *at)
    for one, other in ((0, 2), (4, 5)):
        same, _ = model.grouped_query_attention(x, exchanged(layer, one, other), *at)
        expect.close(same, got, "two heads of the same group swapped")
    for one, other in ((0, 3), (2, 4)):
        same, _ = model.grouped_query_attention(x, exchanged(layer, one, other), *at)
        expect.holds(not np.allclose(same, got), "heads of two groups use different keys")


@pytest.mark.question("grouped_query_attention", points=0.25)
@given(seed=seeds())
def test_values_are_not_rotated(model, seed):
    """If all keys are zero, every token gets the mean of the values so far, at any position; with other keys,
    it does not."""
    draw = of_seed(seed)
    x, layer = draw(4, D), drawn_layer(draw)
    at = np.array([3, 5, 8, 40]), FREQUENCIES, causal(4)
    got, (_, values) = model.grouped_query_attention(x, layer | {"w_k": np.zeros((D, KEY_HEADS * SIZE))}, *at)
    means = np.cumsum(x @ layer["w_v"], axis=0) / np.arange(1, 5)[:, np.newaxis]
    expected = np.repeat(means.reshape(4, KEY_HEADS, SIZE), HEADS // KEY_HEADS, axis=1).reshape(4, -1) @ layer["w_o"]
    expect.close(got, expected, "the mean of the values so far")
    expect.close(
        values, np.swapaxes((x @ layer["w_v"]).reshape(4, KEY_HEADS, SIZE), 0, 1), "values are cached as they are"
    )
    with_keys, _ = expect.matches(model.grouped_query_attention, x, layer, *at)
    expect.holds(not np.allclose(with_keys, expected), "keys count")


@pytest.mark.question("grouped_query_attention", points=0.25)
def test_a_query_that_may_use_nothing(model, rng):
    """A query that is not allowed to use any key gets zeros; the results for the other queries stay the same."""
    draw = features_of(rng)
    x, layer, mask = draw(4, D), drawn_layer(draw), causal(4)
    mask[:, 0] = False
    out, _ = expect.matches(model.grouped_query_attention, x, layer, np.arange(4), FREQUENCIES, mask)
    expect.close(out[0], np.zeros(D), "a query that may use no key")
    rest, _ = model.grouped_query_attention(x[1:], layer, np.arange(3), FREQUENCIES, causal(3))
    expect.close(out[1:], rest, "the other queries")


# block


@pytest.mark.question("block", points=0.25)
def test_block_of_this_term(model, rng):
    """block adds attention(norm_1(x)) to x, and then swiglu(norm_2(sum)) to this sum, with or without a cache,
    and passes eps on."""
    draw = features_of(rng)
    layer, cache = drawn_layer(draw), (draw(2, KEY_HEADS, 3, SIZE), draw(2, KEY_HEADS, 3, SIZE))
    expect.matches(model.block, draw(5, D), layer, np.arange(5), FREQUENCIES, causal(5), eps=0.5)
    expect.matches(model.block, draw(2, 2, D) / 8, layer, np.array([3, 4]), FREQUENCIES, causal(2, 3), cache, EPS)
    expect.matches(model.block, draw(3, D) / 256, layer, np.arange(3), FREQUENCIES, causal(3))


@pytest.mark.question("block", points=0.75)
@given(seed=seeds(), factor=st.sampled_from([16.0, 1024.0]))
def test_the_sum_is_of_x_itself(model, seed, factor):
    """If w_o and w_down are zero, a block returns x unchanged; otherwise, it adds as much to a large x as to a
    small one."""
    draw = of_seed(seed)
    x, layer, at = 4 * draw(4, D), drawn_layer(draw), (np.array([2, 3, 5, 8]), FREQUENCIES, causal(4))
    silent = layer | {"w_o": np.zeros_like(layer["w_o"]), "w_down": np.zeros_like(layer["w_down"])}
    expect.close(model.block(factor * x, silent, *at, eps=EPS)[0], factor * x, "nothing is added to x")
    added = np.asarray(expect.matches(model.block, x, layer, *at, eps=0.0)[0]) - x
    without = layer | {"w_down": silent["w_down"]}
    first, of_large = (np.asarray(model.block(size * x, without, *at, eps=0.0)[0]) - size * x for size in (1.0, factor))
    expect.close(of_large, first, "what attention adds does not grow with x", tolerance=1e-7)
    expect.holds(not np.allclose(added, first) and not np.allclose(first, 0), "both parts add something")


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
    """Return a model's tensors under Hugging Face's names."""
    tensors = {"model.embed_tokens.weight": model["embedding"], "model.norm.weight": model["norm"]}
    for number, layer in enumerate(model["layers"]):
        tensors |= {f"model.layers.{number}.{NAMES[name]}.weight": value.T for name, value in layer.items()}
    return tensors | ({"lm_head.weight": model["head"].T} if "head" in model else {})


@pytest.mark.question("from_checkpoint", points=0.375)
def test_checkpoint_in_any_order(model, rng):
    """The order of the names makes no difference, and square matrices are transposed as well."""
    draw = features_of(rng)
    for tied in (True, False):
        tensors = checkpoint(drawn_model(draw, tied=tied, heads=2, key_heads=1))
        names = [list(tensors)[place] for place in rng.permutation(len(tensors))]
        expect.matches(model.from_checkpoint, {name: tensors[name] for name in names}, rng.uniform(0, 1, 2), 0.5)


@pytest.mark.question("from_checkpoint", points=0.5)
def test_layer_10_comes_after_layer_9(model, rng):
    """Layers are sorted by number, not by name; frequencies in old checkpoints are ignored."""
    draw = features_of(rng)
    layers = [drawn_layer(draw, heads=2, key_heads=1, d=3, f=2) for _ in range(12)]
    tensors = checkpoint({"embedding": draw(4, 3), "norm": draw(3), "layers": layers})
    old = {f"model.layers.{number}.self_attn.rotary_emb.inv_freq": draw(2) for number in range(12)}
    ordered = dict(sorted((tensors | old).items()))
    expect.matches(model.from_checkpoint, ordered, FREQUENCIES)


@pytest.mark.question("from_checkpoint", points=0.125)
def test_other_tensors_are_refused(model, rng):
    """A tensor with an unknown name raises a ValueError, because ignoring it would change the logits."""
    tensors = checkpoint(drawn_model(features_of(rng), layers=1))
    expect.answers(model.from_checkpoint, tensors, FREQUENCIES, EPS)
    for name in ("model.layers.0.self_attn.q_proj.bias", "model.layers.0.self_attn.q_norm.weight"):
        expect.raises(ValueError, model.from_checkpoint, tensors | {name: np.ones(D)}, FREQUENCIES, EPS)


# forward


@pytest.mark.question("forward", points=0.25)
def test_forward_of_this_term(model, rng):
    """The logits come from the embedding, the blocks, the last norm and the head, tied or not, for any batch."""
    draw = features_of(rng)
    for shape, tied in (((5,), True), ((2, 4), False)):
        expect.matches(model.forward, rng.integers(0, VOCABULARY, shape), drawn_model(draw, 2, tied))
    expect.matches(model.forward, rng.integers(0, VOCABULARY, 3), drawn_model(draw, 2), np.array([7, 1, 30]))


@pytest.mark.question("forward", points=0.25)
@given(seed=seeds(), shift=st.integers(1, 500))
def test_only_differences_of_positions_count(model, seed, shift):
    """Shifting all positions by the same amount changes no logit; other changes of the positions do."""
    draw = of_seed(seed)
    tokens, tiny, positions = (np.arange(5) * 2 + seed) % VOCABULARY, drawn_model(draw), np.arange(5)
    got, _ = expect.matches(model.forward, tokens, tiny)
    expect.close(model.forward(tokens, tiny, positions)[0], got, "positions begin with 0")
    expect.close(model.forward(tokens, tiny, positions + shift)[0], got, "all positions shifted", tolerance=1e-7)
    expect.holds(not np.allclose(model.forward(tokens, tiny, 2 * positions)[0], got), "other differences count")


@pytest.mark.question("forward", points=0.25)
@given(seed=seeds(), place=st.integers(1, 4))
def test_a_later_token_changes_no_earlier_logit(model, seed, place):
    """Changing a token changes its own logits and later ones, but no earlier ones."""
    draw = of_seed(seed)
    tokens, tiny = np.array([0, 5, 5, 2, 8]), drawn_model(draw)
    other = np.where(np.arange(5) == place, (tokens + 3) % VOCABULARY, tokens)
    got, changed = (np.asarray(expect.matches(model.forward, one, tiny)[0]) for one in (tokens, other))
    expect.close(changed[:place], got[:place], "the logits before the different token")
    for row in range(place, 5):
        expect.holds(not np.allclose(changed[row], got[row]), "the logits from it on change")


@pytest.mark.question("forward", points=0.375)
@given(seed=seeds(), cuts=st.lists(st.integers(0, 6), min_size=2, max_size=2, unique=True))
def test_a_text_in_any_pieces(model, seed, cuts):
    """Reading a text in pieces through the cache gives the same logits as reading it all at once, and does not
    modify the `cache` argument."""
    draw, first = of_seed(seed), np.arange(7) * 4 % VOCABULARY
    tokens, tiny, cache, pieces = np.stack([first, first[::-1]]), drawn_model(draw, tied=False), None, []
    whole, kept = model.forward(tokens, tiny)
    for begin, end in zip([0, *sorted(one + 1 for one in cuts)], [*sorted(one + 1 for one in cuts), 7], strict=True):
        if begin < end:
            logits, cache = model.forward(tokens[:, begin:end], tiny, cache=cache)
            pieces.append(logits)
    expect.close(np.concatenate(pieces, axis=-2), whole, "the logits of the pieces")
    for (keys, values), (all_keys, all_values) in zip(cache, kept, strict=True):
        expect.close(keys, all_keys, "the keys of the pieces")
        expect.close(values, all_values, "the values of the pieces")
    lonely, _ = model.forward(tokens[:, 3:], tiny)
    expect.holds(not np.allclose(lonely, np.asarray(whole)[:, 3:]), "what came before counts")


@pytest.mark.question("forward", points=0.375)
@given(seed=seeds(), before=st.integers(1, 3))
def test_a_padded_text_gives_what_it_gives_alone(model, seed, before):
    """With lesson 13's position ids and mask, a text and its next token have the same logits whether the text is
    padded on the left or alone; without the mask, the logits differ."""
    draw, tokens = of_seed(seed), np.array([3, 1, 4, 1])
    tiny, real = drawn_model(draw), np.arange(before + 4) >= before
    longer, others = np.concatenate([np.zeros(before, dtype=int), tokens]), np.arange(before + 4) % VOCABULARY
    batch, is_real = np.stack([longer, others]), np.stack([real, np.ones_like(real)])
    positions = np.where(is_real, np.cumsum(is_real, axis=-1) - 1, 0)
    mask = causal(before + 4) & is_real[:, np.newaxis] & is_real[..., np.newaxis]
    logits, cache = model.forward(batch, tiny, positions, mask[:, np.newaxis])
    alone, kept = model.forward(tokens, tiny)
    expect.close(np.asarray(logits)[0, before:], alone, "a padded text")
    ones = np.ones((2, 1), dtype=bool)
    more_mask = np.concatenate([is_real, ones], axis=-1)[:, np.newaxis, np.newaxis]
    more, _ = model.forward(np.array([[2], [2]]), tiny, positions[:, -1:] + 1, more_mask, cache)
    expect.close(np.asarray(more)[0], model.forward(np.array([2]), tiny, cache=kept)[0], "one more token")
    unmasked, _ = model.forward(batch, tiny, positions)
    expect.holds(not np.allclose(np.asarray(unmasked)[0, before:], alone), "without the mask, padding is read")


@pytest.mark.question("forward", points=0.125)
def test_minus_one_is_no_token(model):
    """A negative token raises an IndexError, although numpy would read a row from the end of the embedding."""
    tiny = drawn_model(lambda *shape: features(*shape))
    expect.answers(model.forward, np.array([0, 1, 8]), tiny)
    expect.raises(IndexError, model.forward, np.array([0, 1, -1]), tiny)


@pytest.mark.question("forward", points=0.125)
def test_arguments_are_left_alone(model, rng):
    """No function in the model modifies a block's x, a checkpoint's tensors, a model or a cache."""
    draw = features_of(rng)
    tiny, cache = drawn_model(draw, layers=1), [(draw(KEY_HEADS, 3, SIZE), draw(KEY_HEADS, 3, SIZE))]
    at = np.array([3, 4]), FREQUENCIES, causal(2, 3), cache[0]
    expect.unchanged(model.block, draw(2, D), tiny["layers"][0], *at)
    old = {"model.layers.0.self_attn.rotary_emb.inv_freq": FREQUENCIES}
    expect.unchanged(model.from_checkpoint, checkpoint(tiny) | old, FREQUENCIES)
    expect.unchanged(model.forward, np.array([5, 0]), tiny, cache=cache)


# next_token_loss


@pytest.mark.question("next_token_loss", points=0.25)
def test_loss_of_this_term(model, rng):
    """The loss is the mean over all rows of all texts, where each token is predicted by the logits before it;
    even huge logits are allowed."""
    for shape, size in (((2,), 1), ((6,), 2000), ((2, 3, 4), 3)):
        expect.matches(model.next_token_loss, size * normal(rng, *shape, 5), rng.integers(0, 5, shape))


@pytest.mark.question("next_token_loss", points=0.25)
@given(seed=seeds(), number=st.sampled_from([3.0, -700.0, 5000.0]))
def test_a_number_on_all_logits_changes_no_loss(model, seed, number):
    """Equal logits give a loss of ln V; adding a number to all logits changes nothing; a confident correct
    prediction costs nothing, and a confident wrong one costs its lead."""
    tokens = np.random.default_rng(seed).permutation(6)
    logits = features(6, 6, seed=seed)
    got = model.next_token_loss(logits, tokens)
    expect.close(model.next_token_loss(np.full((6, 6), number), tokens), np.log(6), "equal logits")
    expect.close(model.next_token_loss(logits + number, tokens), got, "a number added to all logits")
    sure = 900 * np.eye(6)
    expect.close(model.next_token_loss(sure[np.roll(tokens, -1)], tokens), 0.0, "sure and right")
    expect.close(model.next_token_loss(sure[tokens], tokens), 900.0, "sure that the same token comes again")


@pytest.mark.question("next_token_loss", points=0.125)
def test_loss_does_not_loop(model):
    """All next tokens are looked up at once, without a loop."""
    expect.vectorised(model.next_token_loss, lambda length: (features(length, 5), np.arange(length) % 5))


@pytest.mark.question("next_token_loss", points=0.125)
def test_minus_one_is_no_next_token(model):
    """A negative next token raises an IndexError, although numpy would read a logit from the end."""
    expect.answers(model.next_token_loss, features(4, 5), np.array([0, 1, 4, 2]))
    expect.raises(IndexError, model.next_token_loss, features(4, 5), np.array([0, 1, -1, 2]))


# generate


@pytest.mark.question("generate", points=0.625)
@given(seed=seeds(), length=st.integers(1, 4))
def test_each_token_is_the_likeliest_after_all_before_it(model, seed, length):
    """Each new token has the largest logit after the prompt and the earlier new tokens; a different prompt gives
    a different continuation."""
    draw, prompt = of_seed(seed), (np.arange(length) * 5 + seed) % VOCABULARY
    tiny, text = drawn_model(draw, tied=False), list(prompt)
    got = expect.matches(model.generate, prompt, tiny, 5)
    for _ in range(5):
        text.append(int(np.argmax(model.forward(np.array(text), tiny)[0][-1])))
    expect.close(got, np.array(text[length:]), "the most likely tokens, one after the other")


@pytest.mark.question("generate", points=0.125)
def test_a_negative_count_is_refused(model):
    """A negative count raises a ValueError, because a loop over the count would silently return nothing."""
    tiny = drawn_model(lambda *shape: features(*shape))
    expect.answers(model.generate, np.array([0, 1]), tiny, 2)
    expect.raises(ValueError, model.generate, np.array([0, 1]), tiny, -1)


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key",
    [
        "cached_numbers_per_token_llama_3_8b",
        "logits_change_when_all_positions_shift_by_5",
        "perplexity_of_a_uniform_guess_among_84",
        "tile_equals_repeat_for_one_key_head",
    ],
)
def test_answer(model, key):
    """The answer is correct."""
    expect.answer(model, key)


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize("key", ["feed_forward_share_of_a_layer_llama_3_8b"])
def test_answer_to_three_digits(model, key):
    """The answer is correct to three digits."""
    expect.answer(model, key, tolerance=0.0005 / (21 / 26))


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key",
    [
        "key_head_of_query_head_13_of_32_with_8",
        "parameters_of_a_gated_part_d_32_f_48",
        "loss_of_a_token_that_got_probability_1_in_8",
    ],
)
def test_practice_answer(model, key):
    """This question is for practice and earns no points."""
    expect.answer(model, key)
