"""Hidden tests for batches: this term's values, and each text in a batch compared with the same text alone,
for each encoding in the course.

The first paragraph of a test's docstring states a rule and never an input, because students read it if the test fails.

The functions of earlier lessons (attention, RoPE, ALiBi, a learned table, a layer with a state) are reimplemented here.
Each property test has two parts: a text has the same result in a batch and alone, but a different one without restarted
positions, the mask or closed gates.
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
sides = st.sampled_from(["left", "right"])


def attention(q, k, v, mask, bias=0.0):
    """Return attention as in lesson 1, with zeros for a query with no allowed key."""
    scores = np.where(mask, q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + bias, -INF)
    weights = np.where(mask, np.exp(scores - np.maximum(scores.max(axis=-1, keepdims=True), -1e300)), 0)
    return weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300) @ v


def rotated(x, positions):
    """Return x rotated by RoPE as in lesson 5, with pairs (2i, 2i+1)."""
    angles = np.outer(positions, 10000.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1]))
    pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def alibi(positions, slope=0.25):
    """Return ALiBi's bias as in lesson 7, minus slope times distance."""
    return -slope * np.abs(np.subtract.outer(positions, positions))


def linear_attention(q, k, v, log_f):
    """Return the results of a layer with a state, computed token by token as in lesson 12."""
    state, outs = np.zeros((k.shape[-1], v.shape[-1])), []
    for t in range(len(q)):
        state = np.exp(log_f[t]) * state + np.outer(k[t], v[t])
        outs.append(q[t] @ state)
    return np.array(outs)


def tokens(n, seed=0, d=4, dv=3):
    """Return q, k and v with values that grow along the row, so that a value from another text stands out."""
    q, k, v = (features(n, size, seed=seed + number) for number, size in enumerate((d, d, dv)))
    return q / 4, k, v + 9 * np.arange(n)[:, np.newaxis]


def causal(n):
    return np.tri(n, dtype=bool)


def cut(boundaries):
    """Return the rows of each text."""
    return [slice(begin, end) for begin, end in pairwise(boundaries)]


def counted(sizes):
    return np.concatenate([np.arange(size) for size in sizes])


def drawn_sizes(rng, texts=4, most=7):
    """Return random text lengths, including a text of one token and a text of maximum length."""
    return [int(size) for size in rng.permutation([1, most, *rng.integers(2, most, texts - 2)])]


def drawn_texts(rng, texts=4):
    return [rng.integers(0, 9, size) for size in drawn_sizes(rng, texts)]


def drawn_mask(rng, *shape):
    """Return a random mask in which the second-to-last entry of each row is a real token."""
    mask = rng.random(shape) < 0.6
    mask[..., -2] = True
    return mask


def padded_rows(sizes, side):
    """Return the mask of padded texts with these lengths."""
    steps = np.arange(max(sizes))
    return np.array([steps < size if side == "right" else steps >= max(sizes) - size for size in sizes])


# pad


@pytest.mark.question("pad", points=0.25)
def test_pad_on_both_sides(batches, rng):
    """Each row has its text on one side and padding on the other, whatever the ids are."""
    texts = drawn_texts(rng)
    expect.matches(batches.pad, texts)
    expect.matches(batches.pad, texts, side="left", pad_id=int(texts[0][0]))
    expect.matches(batches.pad, [list(map(int, text)) for text in drawn_texts(rng, 3)], "right", -100)


@pytest.mark.question("pad", points=0.25)
@given(sizes=lengths, side=sides, seed=seeds())
def test_padding_loses_nothing(batches, sizes, side, seed):
    """The tokens are where the mask is True, in order; all other entries are the padding id."""
    texts = [np.arange(size) + 1 + seed % 7 for size in sizes]
    ids, mask = batches.pad(texts, side, 0)
    expected = padded_rows(sizes, side)
    expect.close(mask, expected, "the mask is True at each text")
    expect.close(ids[expected], np.concatenate(texts), "real entries are the texts")
    expect.close(ids[~expected], np.zeros((~expected).sum()), "other entries are the padding id")


# position_ids


@pytest.mark.question("position_ids", points=0.3125)
def test_positions_with_any_leading_axes(batches, rng):
    """Any number of rows is allowed, with padding anywhere in a row."""
    for shape in ((7,), (3, 5), (2, 3, 6)):
        expect.matches(batches.position_ids, drawn_mask(rng, *shape))
    expect.matches(batches.position_ids, drawn_mask(rng, 2, 700))


@pytest.mark.question("position_ids", points=0.375)
@given(sizes=st.lists(st.integers(1, 6), min_size=2, max_size=4, unique=True), seed=seeds())
def test_a_learned_table_finds_its_rows(batches, sizes, seed):
    """With position_ids, a learned table gives a text the same rows in a padded batch and alone; with row
    indices, it does not."""
    table = features(8, 3, seed=seed) + 9 * np.arange(8)[:, np.newaxis]
    for side in ("left", "right"):
        real = padded_rows(sizes, side)
        positions = np.asarray(batches.position_ids(real))
        expect.holds(np.all((positions >= 0) & (positions < 8)), "no position is beyond the longest text")
        rows = table[positions.astype(int)]
        for row, size in enumerate(sizes):
            expect.close(rows[row, real[row]], table[:size], f"the rows of a text with padding on the {side}")
    naive = table[np.arange(max(sizes))]
    shortest = int(np.argmin(sizes))
    left = padded_rows(sizes, "left")[shortest]
    expect.holds(
        not np.allclose(naive[left], table[positions[shortest, padded_rows(sizes, "right")[shortest]].astype(int)]),
        "row indices are not positions in the text",
    )


@pytest.mark.question("position_ids", points=0.25)
def test_positions_do_not_loop(batches):
    """All tokens are counted at once, without a loop."""
    expect.vectorised(batches.position_ids, lambda length: (features(2, length) > -1,))


# padding_mask


@pytest.mark.question("padding_mask", points=0.3125)
def test_padding_mask_with_any_leading_axes(batches, rng):
    """Any number of rows is allowed, with padding anywhere in a row; the head axis is the third from the end."""
    for shape in ((6,), (3, 5), (2, 3, 4)):
        expect.matches(batches.padding_mask, drawn_mask(rng, *shape))


@pytest.mark.question("padding_mask", points=0.375)
@given(sizes=st.lists(st.integers(1, 5), min_size=2, max_size=3, unique=True), seed=seeds())
def test_only_differences_of_positions_count_for_rope(batches, sizes, seed):
    """With padding_mask, heads and RoPE, each text has the same result padded and alone, even if positions
    count along the whole row; without the mask, it does not."""
    longest = max(sizes)
    real = padded_rows(sizes, "left")
    q, k, v = (features(len(sizes), 2, longest, size, seed=seed + size) + 1 for size in (4, 6, 3))
    k = k[..., :4]
    steps = np.arange(longest)
    mask = np.asarray(batches.padding_mask(real))
    out = attention(rotated(q, steps), rotated(k, steps), v + 9 * steps[:, np.newaxis], mask)
    for row, size in enumerate(sizes):
        place, at = np.s_[row, :, real[row]], np.arange(size)
        q_r, k_r, v_r = (np.swapaxes(array[place], 0, 1) for array in (q, k, v + 9 * steps[:, np.newaxis]))
        alone = attention(rotated(q_r, at), rotated(k_r, at), v_r, causal(size))
        expect.close(np.swapaxes(out[place], 0, 1), alone, "a padded text has the same result as it does alone")
        if size < longest:
            open_row = attention(rotated(q[row], steps), rotated(k[row], steps), v[row], causal(longest))
            expect.holds(not np.allclose(open_row[:, real[row]], alone), "without the mask, padding is read")


@pytest.mark.question("padding_mask", points=0.25)
@given(sizes=lengths, side=sides)
def test_padding_uses_nothing_and_is_used_by_nothing(batches, sizes, side):
    """A real query uses exactly the real keys at or before its position; a padding query uses none."""
    real = padded_rows(sizes, side)
    mask = np.asarray(batches.padding_mask(real))
    counts = np.where(real, np.cumsum(real, axis=-1), 0)
    expect.close(mask.sum(axis=-1), counts[:, np.newaxis], "the number of keys that each query uses")
    expect.close(mask.any(axis=-2), real[:, np.newaxis], "only real keys are used")


EMPTY_ROW = [[True, False, True], [False, False, False]]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [case("position_ids", EMPTY_ROW), case("padding_mask", EMPTY_ROW), case("next_positions", EMPTY_ROW)],
)
def test_a_row_has_a_real_token(batches, function, arguments):
    """A row of the mask without a real token raises a ValueError, because no text is all padding."""
    expect.answers(getattr(batches, function), [[True, False, True], [False, False, True]])
    expect.raises(ValueError, getattr(batches, function), *arguments)


# next_positions


@pytest.mark.question("next_positions", points=0.1875)
def test_next_with_any_leading_axes(batches, rng):
    """Any number of rows is allowed, with padding anywhere in a row."""
    for shape in ((7,), (3, 5), (2, 3, 6)):
        expect.matches(batches.next_positions, drawn_mask(rng, *shape))
    for real in (128, 256, 32_768, 65_536):
        expect.matches(batches.next_positions, np.arange(real + 3) > 2)


@pytest.mark.question("next_positions", points=0.25)
@given(sizes=lengths, side=sides)
def test_next_goes_on_where_the_text_ends(batches, sizes, side):
    """The next token gets the position that it would have if it had been in the batch from the beginning."""
    real = padded_rows(sizes, side)
    longer = np.concatenate([real, np.ones((len(sizes), 1), dtype=bool)], axis=-1)
    expect.close(batches.next_positions(real), np.array(sizes), "the next position is the length of the text")
    positions = np.asarray(batches.position_ids(longer))
    expect.close(positions[:, -1], batches.next_positions(real), "position_ids agrees for the longer batch")


# pack


@pytest.mark.question("pack", points=0.25)
def test_pack_of_this_term(batches, rng):
    """pack returns the ids of all texts, in order, and the texts' boundaries."""
    expect.matches(batches.pack, drawn_texts(rng, 5))
    expect.matches(batches.pack, [list(map(int, text)) for text in drawn_texts(rng, 3)])
    expect.matches(batches.pack, [np.arange(69_000), [1], [2, 3]])


@pytest.mark.question("pack", points=0.25)
@given(sizes=lengths, seed=seeds())
def test_texts_come_back(batches, sizes, seed):
    """Each text lies between two neighbouring boundaries."""
    texts = [np.arange(size) * (number + 2) + seed % 5 for number, size in enumerate(sizes)]
    ids, boundaries = batches.pack(texts)
    expect.close(boundaries, np.cumsum([0, *sizes]), "the boundaries add up the lengths")
    for text, rows in zip(texts, cut(np.cumsum([0, *sizes])), strict=True):
        expect.close(ids[rows], text, "a text lies between its boundaries")


# packed_positions


@pytest.mark.question("packed_positions", points=0.25)
def test_packed_positions_of_this_term(batches, rng):
    """Each text counts from 0."""
    expect.matches(batches.packed_positions, np.cumsum([0, *drawn_sizes(rng, 5)]))
    expect.matches(batches.packed_positions, np.array([0, 300, 70_000]))


@pytest.mark.question("packed_positions", points=0.25)
@given(sizes=lengths, seed=seeds())
def test_a_learned_table_restarts(batches, sizes, seed):
    """With packed_positions, a learned table gives each text the same rows whether it is packed or alone; without
    the restart, the rows differ."""
    table = features(30, 3, seed=seed) + 9 * np.arange(30)[:, np.newaxis]
    boundaries = np.cumsum([0, *sizes])
    positions = np.asarray(batches.packed_positions(boundaries))
    expect.holds(np.all((positions >= 0) & (positions < 30)), "no position is beyond the longest text")
    rows = table[positions.astype(int)]
    for text in cut(boundaries):
        expect.close(rows[text], table[: text.stop - text.start], "a packed text gets the same rows as it does alone")
    expect.holds(not np.allclose(rows, table[: len(rows)]), "without the restart, it gets other rows")


@pytest.mark.question("packed_positions", points=0.25)
def test_packed_positions_do_not_loop_over_tokens(batches):
    """All tokens of a text are counted at once; a loop over texts is allowed."""
    expect.vectorised(batches.packed_positions, lambda length: (np.array([0, length // 2, length]),))


# boundaries_of


@pytest.mark.question("boundaries_of", points=0.5)
def test_boundaries_wherever_positions_jump(batches, rng):
    """A text begins wherever a position is not exactly one more than the previous one, whether it jumps ahead,
    falls or repeats."""
    expect.matches(batches.boundaries_of, counted(drawn_sizes(rng, 5)))
    begins = rng.integers(1, 9, 4)
    expect.matches(batches.boundaries_of, np.concatenate([begin + np.arange(3) for begin in [*begins, 40]]))
    expect.matches(batches.boundaries_of, np.array([int(begins[0])]))
    expect.matches(batches.boundaries_of, np.array([7, 7, 8, 10, 9]))
    expect.matches(batches.boundaries_of, np.arange(70_000) % 69_000)


@pytest.mark.question("boundaries_of", points=0.25)
@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_boundaries_undo_positions(batches, sizes):
    """Converting boundaries to positions and back restores the boundaries, even for texts of one token."""
    boundaries = np.cumsum([0, *sizes])
    expect.close(batches.boundaries_of(counted(sizes)), boundaries, "the boundaries of positions that restart")
    expect.close(batches.boundaries_of(batches.packed_positions(boundaries)), boundaries, "the boundaries come back")


# document_mask


@pytest.mark.question("document_mask", points=0.25)
@given(sizes=lengths)
def test_documents_are_triangles(batches, sizes):
    """The mask has one triangle per text, on the diagonal, and is False elsewhere."""
    boundaries = np.cumsum([0, *sizes])
    expected = np.zeros((boundaries[-1], boundaries[-1]))
    for rows in cut(boundaries):
        expected[rows, rows] = causal(rows.stop - rows.start)
    expect.close(batches.document_mask(boundaries), expected, "one triangle per text")
    expect.matches(batches.document_mask, np.array([0, 200, 300]))


@pytest.mark.question("document_mask", points=0.5)
@given(sizes=st.lists(st.integers(2, 5), min_size=2, max_size=4), seed=seeds())
def test_with_the_mask_the_restart_changes_nothing(batches, sizes, seed):
    """With document_mask, ALiBi and RoPE give each text the same result whether it is packed or alone and whether
    positions restart or continue; without the mask, the results differ."""
    boundaries = np.cumsum([0, *sizes])
    n = boundaries[-1]
    (q, k, v), mask = tokens(n, seed), np.asarray(batches.document_mask(boundaries))
    for positions in (counted(sizes), np.arange(n)):
        turned = attention(rotated(q, positions), rotated(k, positions), v, mask)
        biased = attention(q, k, v, mask, alibi(positions))
        for rows in cut(boundaries):
            at = np.arange(rows.stop - rows.start)
            alone = attention(rotated(q[rows], at), rotated(k[rows], at), v[rows], causal(len(at)))
            expect.close(turned[rows], alone, "with RoPE, a packed text has the same result as it does alone")
            alone = attention(q[rows], k[rows], v[rows], causal(len(at)), alibi(at))
            expect.close(biased[rows], alone, "with ALiBi, a packed text has the same result as it does alone")
        mixed = attention(q, k, v, causal(n), alibi(positions))
        expect.holds(not np.allclose(mixed[sizes[0] :], biased[sizes[0] :]), "without the mask, texts are mixed")


# packed_attention


@pytest.mark.question("packed_attention", points=0.5)
def test_packed_attention_is_attention_with_the_mask(batches, rng):
    """packed_attention equals attention with the document mask, for any leading axes, any sizes and scores of any
    magnitude."""
    for lead, d, dv in (((), 5, 2), ((2,), 1, 3), ((2, 3), 4, 1)):
        boundaries = np.cumsum([0, *drawn_sizes(rng)])
        q, k, v = (rng.standard_normal((*lead, boundaries[-1], size)) for size in (d, d, dv))
        expect.matches(batches.packed_attention, q, k, v, boundaries)
        expect.matches(batches.packed_attention, 900 * q, 9 * k, v, boundaries)
    expect.matches(batches.packed_attention, q, k, v, np.array([0, boundaries[-1]]))
    expect.matches(batches.packed_attention, q[0, 0], k, v, boundaries)
    expect.matches(batches.packed_attention, q, k[0], v[1, 0], boundaries)


@pytest.mark.question("packed_attention", points=0.5)
@given(sizes=lengths, seed=seeds())
def test_a_packed_text_is_the_text_alone(batches, sizes, seed):
    """With a learned table and position ids, each text has exactly the same result whether it is packed or alone;
    without the restart, the results differ."""
    boundaries = np.cumsum([0, *sizes])
    n = boundaries[-1]
    x, table = features(n, 4, seed=seed), features(n, 4, seed=seed + 1) + np.arange(n)[:, np.newaxis] / 4

    def layer(rows, positions, parts):
        h = x[rows] + table[positions]
        return np.asarray(batches.packed_attention(h, h[:, ::-1], h, parts))

    out = layer(slice(None), counted(sizes), boundaries)
    for rows in cut(boundaries):
        size = rows.stop - rows.start
        h = x[rows] + table[:size]
        expect.close(out[rows], attention(h, h[:, ::-1], h, causal(size)), "a packed text has the same result as alone")
    counting_on = layer(slice(None), np.arange(n), boundaries)
    expect.holds(not np.allclose(counting_on[sizes[0] :], out[sizes[0] :]), "without the restart, the rows differ")


@pytest.mark.question("packed_attention", points=0.25)
@given(sizes=lengths, seed=seeds(), broken=st.sampled_from([np.nan, INF]))
def test_nothing_of_a_text_reaches_another(batches, sizes, seed, broken):
    """No value in one text, not even a NaN, changes the results of the other texts."""
    boundaries = np.cumsum([0, *sizes])
    q, k, v = tokens(boundaries[-1], seed)
    first = slice(0, sizes[0])
    is_other = np.arange(boundaries[-1])[:, np.newaxis] >= sizes[0]
    before = batches.packed_attention(q, k, v, boundaries)
    others = (np.where(is_other, q + 3, q), np.where(is_other, 2 * k, k), np.where(is_other, broken, v))
    after = batches.packed_attention(*others, boundaries)
    expect.close(after[first], before[first], "a text does not change with its neighbours")
    expect.close(
        before[first], attention(q[first], k[first], v[first], causal(sizes[0])), "and it has the correct result"
    )


@pytest.mark.question("packed_attention", points=0.25)
def test_packed_attention_does_not_loop_over_tokens(batches):
    """All rows of a text are computed at once; a loop over texts is allowed."""
    expect.vectorised(
        batches.packed_attention,
        lambda length: (
            *(features(length, size, seed=size) for size in (4, 4, 3)),
            np.array([0, length // 2, length]),
        ),
    )


@pytest.mark.question("packed_attention", points=0.25)
def test_boundaries_end_with_the_row(batches):
    """Boundaries that end before the last token raise a ValueError, because some rows would be missing."""
    q, k, v = tokens(6)
    expect.answers(batches.packed_attention, q, k, v, np.array([0, 2, 6]))
    expect.raises(ValueError, batches.packed_attention, q, k, v, np.array([0, 2, 5]))


# reset_gates


@pytest.mark.question("reset_gates", points=0.25)
def test_reset_with_any_leading_axes(batches, rng):
    """The gate of each text's first token becomes −inf in every row; all other gates, open or closed, stay the same."""
    for lead in ((), (3,), (2, 3)):
        boundaries = np.cumsum([0, *drawn_sizes(rng)])
        log_f = -rng.exponential(0.5, (*lead, boundaries[-1]))
        log_f[..., boundaries[2] - 1], log_f[..., boundaries[1] - 1] = 0, -INF
        expect.matches(batches.reset_gates, log_f, boundaries)


@pytest.mark.question("reset_gates", points=0.625)
@given(sizes=lengths, seed=seeds())
def test_a_state_begins_anew(batches, sizes, seed):
    """With closed gates, a layer with a state gives each text the same result whether it is packed or alone, even
    if it starts with another row's state; with the old gates, the results differ."""
    boundaries = np.cumsum([0, *sizes])
    n = boundaries[-1]
    q, k, v = (features(n + 2, size, seed=seed + size) + 3 for size in (4, 5, 3))
    k = k[:, :4]
    log_f = -np.abs(features(n + 2, seed=seed)) / 4
    shut = np.concatenate([log_f[:2], batches.reset_gates(log_f[2:], boundaries)])
    out = linear_attention(q, k, v, shut)[2:]
    q, k, v, log_f = q[2:], k[2:], v[2:], log_f[2:]
    for rows in cut(boundaries):
        alone = linear_attention(q[rows], k[rows], v[rows], log_f[rows])
        expect.close(out[rows], alone, "a packed text has the same result as alone")
    leaking = linear_attention(q, k, v, log_f)
    expect.holds(not np.allclose(out[sizes[0] :], leaking[sizes[0] :]), "with the old gates, the state continues")


@pytest.mark.question("reset_gates", points=0.25)
@given(sizes=st.lists(st.integers(2, 5), min_size=2, max_size=4), seed=seeds())
def test_only_first_gates_change(batches, sizes, seed):
    """Exactly one gate per text is closed, and the other gates stay the same."""
    boundaries = np.cumsum([0, *sizes])
    log_f = -np.abs(features(boundaries[-1], seed=seed)) - 0.125
    got = np.asarray(batches.reset_gates(log_f, boundaries))
    expect.close(np.flatnonzero(np.isneginf(got)), boundaries[:-1], "the closed gates")
    kept = ~np.isneginf(got)
    expect.close(got[kept], np.delete(log_f, boundaries[:-1]), "the other gates stay as they are")


@pytest.mark.question("reset_gates", points=0.125)
def test_reset_works_on_a_copy(batches):
    """reset_gates does not modify its argument, because another layer might still need the old gates."""
    expect.unchanged(batches.reset_gates, -np.abs(features(2, 7)), np.array([0, 3, 7]))


# ring_positions


@pytest.mark.question("ring_positions", points=0.25)
@given(length=st.integers(0, 40), slots=st.integers(1, 9))
def test_ring_is_written_token_by_token(batches, length, slots):
    """Each token goes into the slot whose number is the token's position modulo the number of slots, replacing
    the older token there."""
    ring = np.full(slots, -1)
    for position in range(length):
        ring[position % slots] = position
    expect.close(batches.ring_positions(length, slots), ring, "the positions in the slots")


@pytest.mark.question("ring_positions", points=0.25)
def test_ring_does_not_loop(batches, rng):
    """All slots are filled at once, without a loop, even for long texts and large rings."""
    expect.vectorised(batches.ring_positions, lambda slots: (3 * slots - 5, slots))
    expect.matches(batches.ring_positions, int(rng.integers(10**5, 10**6)), int(rng.integers(40, 90)))
    expect.matches(batches.ring_positions, 70_001, 5)
    expect.matches(batches.ring_positions, 70_001, 70_000)


# tree_positions


@pytest.mark.question("tree_positions", points=0.25)
def test_tree_positions_of_this_term(batches, rng):
    """A token is one level deeper than its parent, whether there is one tree or several."""
    for count in (1, 6, 12):
        expect.matches(batches.tree_positions, np.array([int(rng.integers(-1, token)) for token in range(count)]))
    expect.matches(batches.tree_positions, np.array([-1, 0, 0, 0, 1, 1, 4, -1, 7]))
    expect.matches(batches.tree_positions, np.arange(-1, 299))


@pytest.mark.question("tree_positions", points=0.25)
@given(depth=st.integers(1, 5), futures=st.integers(2, 4))
def test_futures_count_alike(batches, depth, futures):
    """Along each of several chains from the same root, positions count up as in a text, in whatever order the row
    lists the tokens."""
    one_by_one = [-1] + [
        (0 if step == 0 else 1 + step * futures - futures + chain) for step in range(depth) for chain in range(futures)
    ]
    expected = [0] + [step + 1 for step in range(depth) for _ in range(futures)]
    expect.close(batches.tree_positions(np.array(one_by_one)), np.array(expected), "level by level")
    after_another = [-1] + [
        (0 if step == 0 else chain * depth + step) for chain in range(futures) for step in range(depth)
    ]
    expected = [0] + [step + 1 for _ in range(futures) for step in range(depth)]
    expect.close(batches.tree_positions(np.array(after_another)), np.array(expected), "chain after chain")


@pytest.mark.question("tree_positions", points=0.25)
def test_a_parent_comes_first(batches):
    """A parent that does not come before its token raises a ValueError, because its depth is not yet known."""
    expect.answers(batches.tree_positions, np.array([-1, 0, 1]))
    expect.raises(ValueError, batches.tree_positions, np.array([-1, 2, 0]))


# tree_mask


@pytest.mark.question("tree_mask", points=0.25)
def test_tree_mask_of_this_term(batches, rng):
    """A token uses itself and all its ancestors, whether there is one tree or several."""
    for count in (1, 6, 12):
        expect.matches(batches.tree_mask, np.array([int(rng.integers(-1, token)) for token in range(count)]))


@pytest.mark.question("tree_mask", points=0.25)
@given(choices=st.lists(st.integers(0, 20), min_size=2, max_size=9))
def test_ancestors_are_as_many_as_the_depth(batches, choices):
    """A token at depth p uses p + 1 tokens: itself and every token that its parent uses."""
    parents = np.array([choice % (token + 1) - 1 for token, choice in enumerate(choices)])
    mask = np.asarray(batches.tree_mask(parents))
    depths = []
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    expect.close(mask.sum(axis=-1), np.array(depths) + 1, "the number of tokens that each token uses")
    for token, parent in enumerate(parents):
        used = np.arange(len(parents)) == token
        expect.close(mask[token], used | mask[parent] if parent >= 0 else used, "the parent's tokens and itself")


@pytest.mark.question("tree_mask", points=0.5)
@given(choices=st.lists(st.integers(0, 20), min_size=3, max_size=8), seed=seeds())
def test_a_branch_is_the_text_alone(batches, choices, seed):
    """With RoPE at each token's depth, every branch has the same result in the tree as in a separate text; with
    positions in row order, or with the causal mask, the results differ."""
    parents = np.array([-1, 0, 0, *(choice % (token + 3) for token, choice in enumerate(choices))])
    n = len(parents)
    q, k, v = tokens(n, seed)
    positions, mask = np.asarray(batches.tree_positions(parents)), np.asarray(batches.tree_mask(parents))
    out = attention(rotated(q, positions), rotated(k, positions), v, mask)
    branch = [n - 1]
    while parents[branch[0]] >= 0:
        branch.insert(0, int(parents[branch[0]]))
    at = np.arange(len(branch))
    alone = attention(rotated(q[branch], at), rotated(k[branch], at), v[branch], causal(len(branch)))
    expect.close(out[branch], alone, "a branch has the same result as its text alone")
    in_a_row = attention(rotated(q, np.arange(n)), rotated(k, np.arange(n)), v, causal(n))
    expect.holds(not np.allclose(out[2], in_a_row[2]), "the causal mask mixes the branches")


# ANSWERS


@pytest.mark.question("ANSWERS", points=0.25)
@pytest.mark.parametrize(
    "key",
    [
        "rope_survives_left_padding_without_position_ids",
        "learned_survives_left_padding_without_position_ids",
        "share_of_padding_for_lengths_3_5_16",
        "ring_slot_of_position_1000_of_256",
    ],
)
def test_answer(batches, key):
    """The answer is correct."""
    expect.answer(batches, key)


@pytest.mark.question("ANSWERS", points=0)
@pytest.mark.parametrize(
    "key",
    [
        "position_after_3_padding_and_5_real_tokens",
        "texts_in_positions_0_1_0_0_1_2",
        "scores_text_by_text_for_lengths_3_5_16",
    ],
)
def test_practice_answer(batches, key):
    """This question is for practice and earns no points."""
    expect.answer(batches, key)
