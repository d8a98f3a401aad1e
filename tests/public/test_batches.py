"""Public tests for batches: each function's docstring example, values and traps, and comparisons of texts in a
batch with the same texts alone.

Each test's docstring states the rule that the test checks. The expected values are in `expected/batches.json`.
Attention, RoPE and the layer with a state come from lessons 1, 5 and 12 and are reimplemented here.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checks import expect
from autograder.checks.inputs import case, features, seeds

INF = np.inf
lengths = st.lists(st.integers(1, 5), min_size=2, max_size=4)


def attention(q, k, v, mask):
    """Return attention as in lesson 1, where a query with no allowed key gets zeros."""
    scores = np.where(mask, q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), -INF)
    weights = np.where(mask, np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300)), 0)
    return weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300) @ v


def rotated(x, positions):
    """Return x rotated by RoPE as in lesson 5, with pairs (2i, 2i+1)."""
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1]))
    pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def linear_attention(q, k, v, log_f):
    """Return the results of a layer with a state, as in lesson 12, computed token by token."""
    state, outs = np.zeros((k.shape[-1], v.shape[-1])), []
    for t in range(len(q)):
        state = np.exp(log_f[t]) * state + np.outer(k[t], v[t])
        outs.append(q[t] @ state)
    return np.array(outs)


def tokens(n, seed=0, d=4, dv=3):
    """q, k and v."""
    return [features(n, size, seed=seed + number) for number, size in enumerate((d, d, dv))]


def causal(n):
    return np.tri(n, dtype=bool)


def cut(boundaries):
    """Return the rows of each text."""
    return [slice(begin, end) for begin, end in pairwise(boundaries)]


# pad


@pytest.mark.question("pad", points=0.25)
def test_pad_by_hand(batches):
    """Padding makes short texts as long as the longest; it comes after the text, or before it with side "left"."""
    ids, mask = batches.pad([[7, 8, 9], [5]], "left")
    expect.close(ids, np.array([[7, 8, 9], [0, 0, 5]]), "the ids with padding on the left")
    expect.close(mask, np.array([[True, True, True], [False, False, True]]), "True for real tokens, on the left")
    ids, mask = batches.pad([[7, 8, 9], [5]])
    expect.close(ids, np.array([[7, 8, 9], [5, 0, 0]]), "the ids with padding on the right")
    expect.close(mask, np.array([[True, True, True], [True, False, False]]), "True for real tokens, on the right")


@pytest.mark.question("pad", points=0.25)
def test_a_real_token_may_have_the_id_of_padding(batches):
    """The boolean mask marks the real tokens, because a real token can have the same id as padding."""
    _, mask = expect.matches(batches.pad, [[2, 5, 2], [6, 2], [2]], "right", 2)
    expect.holds(np.asarray(mask).dtype == bool, "the mask is boolean")
    expect.matches(batches.pad, [np.array([4]), np.array([0, 3, 0, 1])], "left")


# position_ids


@pytest.mark.question("position_ids", points=0.25)
def test_positions_by_hand(batches):
    """After two padding entries, three tokens have the positions 0, 1 and 2."""
    mask = np.array([[False, False, True, True, True]])
    expect.close(batches.position_ids(mask), np.array([[0, 0, 0, 1, 2]]), "positions after padding on the left")


@pytest.mark.question("position_ids", points=0.25)
def test_positions_wherever_padding_is(batches):
    """A real token's position is the number of real tokens before it; padding has position 0, wherever it is."""
    expect.matches(batches.position_ids, np.array([True, True, True, False, False]))
    expect.matches(batches.position_ids, np.array([[True, False, True, True, False], [False, True, True, False, True]]))
    expect.matches(batches.position_ids, features(2, 3, 6) > -1)


# padding_mask


@pytest.mark.question("padding_mask", points=0.25)
def test_padding_mask_by_hand(batches):
    """With one padding entry and two tokens, the padding uses no key, and no query uses the padding."""
    expected = np.array([[[False, False, False], [False, True, False], [False, True, True]]])
    expect.close(batches.padding_mask(np.array([False, True, True])), expected, "padding_mask([False, True, True])")


@pytest.mark.question("padding_mask", points=0.25)
def test_padding_mask_has_an_axis_for_heads(batches):
    """The mask has shape (..., 1, T, T) and is True where query and key are real tokens and the key is not later."""
    expect.matches(batches.padding_mask, np.array([[True, True, False, False], [False, True, True, True]]))
    expect.dtype(batches.padding_mask, features(2, 3, 5) > -1)


@pytest.mark.question("padding_mask", points=0.25)
@given(seed=seeds(), before=st.integers(0, 3), after=st.integers(0, 3))
def test_a_padded_text_gives_what_it_gives_alone(batches, seed, before, after):
    """With the mask, a text has the same result whether it is padded or alone, and a row of padding gets zeros."""
    real = np.array([False] * before + [True] * 4 + [False] * after)
    q, k, v = tokens(len(real), seed)
    out = attention(q[np.newaxis], k[np.newaxis], v[np.newaxis], batches.padding_mask(real))[0]
    alone = attention(q[real], k[real], v[real], causal(4))
    expect.close(out[real], alone, "attention with this mask: a padded text has the same result as it does alone")
    expect.close(out[~real], np.zeros((before + after, 3)), "attention with this mask: a row of padding gives zeros")


# next_positions


@pytest.mark.question("next_positions", points=0.25)
def test_next_by_hand(batches):
    """The next position is 2 after two real tokens and 3 after three: padding does not count."""
    mask = np.array([[False, True, True], [True, True, True]])
    expect.close(batches.next_positions(mask), np.array([2, 3]), "the next position of two rows")


@pytest.mark.question("next_positions", points=0.25)
def test_next_of_any_batch(batches):
    """Each row has its own next position, wherever the padding is."""
    expect.matches(batches.next_positions, np.array([[True, False, False, False], [False, True, False, True]]))
    expect.matches(batches.next_positions, features(2, 3, 7) > -1)


# pack


@pytest.mark.question("pack", points=0.25)
def test_pack(batches):
    """Texts with three tokens and one token give four ids and the boundaries 0, 3 and 4; other texts follow
    the same rule."""
    ids, boundaries = batches.pack([[7, 8, 9], [5]])
    expect.close(ids, np.array([7, 8, 9, 5]), "the texts one after the other")
    expect.close(boundaries, np.array([0, 3, 4]), "where they begin and end")
    expect.matches(batches.pack, [[4], [4], [6, 0, 4, 1], [2, 2]])
    expect.matches(batches.pack, [np.array([3, 1, 2])])


# packed_positions


@pytest.mark.question("packed_positions", points=0.25)
def test_packed_positions(batches):
    """The positions of each text count from 0 (0, 1, 2, then 0, 1), for any number of texts, even a text of one
    token."""
    expected = np.array([0, 1, 2, 0, 1])
    expect.close(batches.packed_positions(np.array([0, 3, 5])), expected, "packed_positions([0, 3, 5])")
    expect.matches(batches.packed_positions, np.array([0, 1, 2, 6, 8]))
    expect.matches(batches.packed_positions, np.array([0, 7]))


# boundaries_of


@pytest.mark.question("boundaries_of", points=0.25)
def test_boundaries_by_hand(batches):
    """With the positions 0, 1, 2, 0, 1, texts begin at tokens 0 and 3, and the row ends at 5."""
    expect.close(
        batches.boundaries_of(np.array([0, 1, 2, 0, 1])), np.array([0, 3, 5]), "boundaries_of([0, 1, 2, 0, 1])"
    )


@pytest.mark.question("boundaries_of", points=0.25)
@given(sizes=lengths)
def test_boundaries_come_back(batches, sizes):
    """Converting boundaries to positions and back restores the boundaries."""
    boundaries = np.cumsum([0, *sizes])
    positions = np.concatenate([np.arange(size) for size in sizes])
    expect.close(batches.boundaries_of(positions), boundaries, "the boundaries of positions that restart")
    expect.close(batches.packed_positions(boundaries), positions, "the positions come back")


@pytest.mark.question("boundaries_of", points=0.25)
def test_boundaries_where_positions_jump(batches):
    """A text begins wherever a position is not exactly one more than the previous one, even if a text has one
    token or starts above 0."""
    expect.matches(batches.boundaries_of, np.array([0, 0, 0, 1, 0]))
    expect.matches(batches.boundaries_of, np.array([5, 6, 7, 0, 1, 3, 4]))


# document_mask


@pytest.mark.question("document_mask", points=0.25)
def test_document_mask_by_hand(batches):
    """A two-token text and a one-token text give a mask with two small triangles."""
    expected = np.array([[True, False, False], [True, True, False], [False, False, True]])
    expect.close(batches.document_mask(np.array([0, 2, 3])), expected, "document_mask([0, 2, 3])")


@pytest.mark.question("document_mask", points=0.25)
def test_document_mask(batches):
    """A query uses the keys of its own text, up to its own position; the mask is boolean."""
    expect.matches(batches.document_mask, np.array([0, 1, 4, 6]))
    expect.dtype(batches.document_mask, np.array([0, 5]))


# packed_attention


@pytest.mark.question("packed_attention", points=0.25)
def test_packed_attention_by_hand(batches):
    """With equal scores, each row is the mean of its own text's values so far."""
    zeros, values = np.zeros((3, 1)), np.array([[2.0], [4.0], [9.0]])
    out = batches.packed_attention(zeros, zeros, values, np.array([0, 2, 3]))
    expect.close(out, np.array([[2.0], [3.0], [9.0]]), "two texts with equal scores")


@pytest.mark.question("packed_attention", points=0.25)
def test_packed_attention(batches):
    """packed_attention is softmax(q kᵀ/√d) v within each text, for any number of leading axes and scores of any
    magnitude."""
    q, k, v = tokens(9)
    expect.matches(batches.packed_attention, q, k, v, np.array([0, 2, 3, 9]))
    expect.matches(batches.packed_attention, 1000 * q, 8 * k, v, np.array([0, 4, 9]))
    q, k, v = (features(2, 3, 6, size, seed=size) for size in (4, 4, 5))
    expect.matches(batches.packed_attention, q, k + 1, v, np.array([0, 2, 6]))


@pytest.mark.question("packed_attention", points=0.625)
@given(seed=seeds(), sizes=lengths)
def test_packed_is_alone_with_rope(batches, seed, sizes):
    """With RoPE, each text has exactly the same result whether it is packed or alone; in one causal row, the
    results differ."""
    boundaries = np.cumsum([0, *sizes])
    n = boundaries[-1]
    q, k, v = tokens(n, seed)
    q, v = q / 4, v + 9 * np.arange(n)[:, np.newaxis]
    positions = np.concatenate([np.arange(size) for size in sizes])
    out = batches.packed_attention(rotated(q, positions), rotated(k, positions), v, boundaries)
    for rows in cut(boundaries):
        at = np.arange(rows.stop - rows.start)
        alone = attention(rotated(q[rows], at), rotated(k[rows], at), v[rows], causal(len(at)))
        expect.close(out[rows], alone, "a packed text has the same result as it does alone")
    mixed = attention(rotated(q, positions), rotated(k, positions), v, causal(n))
    expect.holds(not np.allclose(np.asarray(out)[sizes[0] :], mixed[sizes[0] :]), "one causal row mixes the texts")


@pytest.mark.question("packed_attention", points=0.25)
def test_a_nan_stays_in_its_text(batches):
    """A NaN in one text does not reach another, because the computation for a text uses only its own rows."""
    q, k, v = tokens(7)
    v[4:] = np.nan
    out = batches.packed_attention(q, k, v, np.array([0, 4, 7]))
    expect.close(
        out[:4], attention(q[:4], k[:4], v[:4], causal(4)), "a text without a NaN has the same result as it does alone"
    )


@pytest.mark.question("packed_attention", points=0.125)
def test_packed_attention_in_float32(batches):
    """packed_attention returns float32 if q, k and v are all float32; otherwise, it returns float64."""
    arrays = [array.astype(np.float32) for array in tokens(7)]
    expect.dtype(batches.packed_attention, *arrays, np.array([0, 3, 7]))
    expect.dtype(batches.packed_attention, arrays[0], arrays[1], arrays[2].astype(np.float64), np.array([0, 3, 7]))


# reset_gates


@pytest.mark.question("reset_gates", points=0.3125)
def test_reset_by_hand(batches):
    """The gate of each text's first token is closed (−inf); the others stay the same."""
    got = batches.reset_gates(np.array([-1.0, -2.0, -3.0, -4.0]), np.array([0, 3, 4]))
    expect.close(got, np.array([-INF, -2.0, -3.0, -INF]), "reset_gates([-1, -2, -3, -4], [0, 3, 4])")
    expect.matches(batches.reset_gates, -np.abs(features(2, 3, 6)), np.array([0, 1, 4, 6]))


@pytest.mark.question("reset_gates", points=0.25)
def test_reset_leaves_its_gates_alone(batches):
    """reset_gates does not modify its argument, because another layer might still need the old gates."""
    expect.unchanged(batches.reset_gates, -np.abs(features(2, 5)), np.array([0, 3, 5]))


@pytest.mark.question("reset_gates", points=0.375)
@given(seed=seeds(), sizes=lengths)
def test_packed_is_alone_with_a_state(batches, seed, sizes):
    """With closed gates, linear attention gives each text the same result whether it is packed or alone; with the
    old gates, the results differ."""
    boundaries = np.cumsum([0, *sizes])
    q, k, v = (array + 3 for array in tokens(boundaries[-1], seed))
    log_f = -np.abs(features(boundaries[-1], seed=seed + 7)) / 4
    gates = batches.reset_gates(log_f, boundaries)
    out = linear_attention(q, k, v, gates)
    for rows in cut(boundaries):
        alone = linear_attention(q[rows], k[rows], v[rows], log_f[rows])
        expect.close(out[rows], alone, "a packed text has the same result as it does alone", expect.precision(gates))
    leaking = linear_attention(q, k, v, log_f)
    expect.holds(not np.allclose(out[sizes[0] :], leaking[sizes[0] :]), "with the old gates, the state continues")


# ring_positions


@pytest.mark.question("ring_positions", points=0.25)
def test_ring_by_hand(batches):
    """When six tokens pass through four slots, tokens 4 and 5 replace tokens 0 and 1; two tokens leave two slots
    empty."""
    expect.close(batches.ring_positions(6, 4), np.array([4, 5, 2, 3]), "ring_positions(6, 4)")
    expect.close(batches.ring_positions(2, 4), np.array([0, 1, -1, -1]), "ring_positions(2, 4)")


@pytest.mark.question("ring_positions", points=0.25)
def test_ring(batches):
    """The slots are correct for an empty ring, a half-full ring, a full ring, and a full ring plus one token."""
    for length in (0, 3, 5, 6, 13):
        expect.matches(batches.ring_positions, length, 5)
    expect.matches(batches.ring_positions, 9, 1)


# tree_positions


@pytest.mark.question("tree_positions", points=0.25)
def test_tree_positions_by_hand(batches):
    """A root, its two children and a grandchild have the depths 0, 1, 1, 2."""
    expected = np.array([0, 1, 1, 2])
    expect.close(batches.tree_positions(np.array([-1, 0, 0, 1])), expected, "tree_positions([-1, 0, 0, 1])")


@pytest.mark.question("tree_positions", points=0.25)
def test_tree_positions(batches):
    """A position is a depth, not an index: in a chain, in several trees, and in a tree whose levels are mixed."""
    expect.matches(batches.tree_positions, np.array([-1, 0, 1, 2]))
    expect.matches(batches.tree_positions, np.array([-1, -1, 1, 0, 2, -1, 4]))


# tree_mask


@pytest.mark.question("tree_mask", points=0.25)
def test_tree_mask_by_hand(batches):
    """Two children of the same root use the root and themselves, but not each other."""
    expected = np.array([[True, False, False], [True, True, False], [True, False, True]])
    expect.close(batches.tree_mask(np.array([-1, 0, 0])), expected, "tree_mask([-1, 0, 0])")


@pytest.mark.question("tree_mask", points=0.25)
def test_tree_mask(batches):
    """A token uses all its ancestors, not only its parent; in a chain, this is the causal mask. The mask is boolean."""
    expect.matches(batches.tree_mask, np.array([-1, 0, 1, 2]))
    expect.dtype(batches.tree_mask, np.array([-1, -1, 1, 0, 2, -1, 4]))


# Rules of lesson 1 for every function


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        case("reset_gates", np.array([-0.1, -0.2, -0.3]), np.array([0, 1, 3])),
    ],
)
def test_tables_are_float64(batches, function, arguments):
    """The table is float64 and computed in float64, because float32 keeps only seven digits, and every later
    step loses more."""
    expect.dtype(getattr(batches, function), *arguments)
