"""The model of the experiment: one layer of causal attention, its gradients, and its optimizer.

For a sequence of tokens,

    h = encode(method, x)          x: the trained embeddings of the tokens
    q, k, v = h W_q, h W_k, h W_v  v has one column for each token of the vocabulary
    y = softmax(logits(method, q, k)) v

Row t of y scores every token as the answer at position t. A `Reading` describes the effects of `encode` and `logits`;
no encoding is implemented in this file. With a reading, `loss_and_gradients` is ordinary matrix calculus.

All seeds and sequences are computed at once, so the first axes of every array are (seed, sequence).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """Effect of a method on sequences of the trained length, apart from the trained parameters."""

    added: np.ndarray
    """Rows that encode adds, apart from the learned table, (T, d)."""
    constant: np.ndarray
    """Scores that logits adds, apart from the tables, (T, T); −inf where a query is not allowed to use a key."""
    rotations: np.ndarray | None = None
    """Rotations, (T, d/2), complex: entry (t, i) multiplies pair i of row t, read as a complex number."""
    rows: np.ndarray | None = None
    """Row of key_table that query i uses at key j, (T, T)."""
    buckets: np.ndarray | None = None
    """Entry of bias_table that query i uses at key j, (T, T)."""
    positions: np.ndarray | None = None
    """Row of the learned table, or of a longer `added`, that each token uses, (S, B, T); None if token t uses row t."""
    score: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    """Function that scores the last queries with all keys, for methods whose scores no rotation can produce."""


def loss_and_gradients(
    parameters: Parameters, reading: Reading, sequences: np.ndarray, answers: np.ndarray
) -> tuple[np.ndarray, Parameters]:
    """Return the mean cross-entropy of each seed, shape (S,), and its gradient for every parameter.

    `parameters` have the seeds along their first axis, `sequences` are token ids of shape (S, B, T), and `answers`, of
    shape (S, B, n), are the correct tokens at the last n positions. Earlier positions have no answer.
    """
    n_answers = answers.shape[-1]
    h = embedded(parameters, reading, sequences)
    q, k, v = projected(parameters, h, n_answers)
    weights = softmax(attention_scores(parameters, reading, q, k))
    d_y = softmax(weights @ v)

    right = np.take_along_axis(d_y, answers[..., np.newaxis], axis=-1)  # probabilities of the right tokens
    loss = -np.log(np.maximum(right, 1e-30)).mean(axis=(1, 2, 3))

    # Softmax and cross-entropy together: the gradient of a score is its probability, less 1 for the right token.
    np.put_along_axis(d_y, answers[..., np.newaxis], right - 1, axis=-1)
    d_y /= answers[0].size

    d_weights = d_y @ transposed(v)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    d_q, d_k, d_tables = _score_gradients(parameters, reading, q, k, d_scores)
    d_v = transposed(weights) @ d_y

    d_h = np.zeros_like(h)
    gradients = {}
    for name, gradient in (("w_q", d_q), ("w_k", d_k), ("w_v", d_v)):
        used = np.s_[..., -gradient.shape[-2] :, :]  # queries come from the last rows, keys and values from all rows
        d_h[used] += times_matrix(gradient, transposed(parameters[name]))
        gradients[name] = transposed(flattened(h[used])) @ flattened(gradient)
    for name, index in (("tokens", sequences), ("before", previous_tokens(parameters, sequences))):
        if name in parameters:
            one_hot = np.eye(parameters[name].shape[1], dtype=h.dtype)[index.reshape(len(sequences), -1)]
            gradients[name] = transposed(one_hot) @ flattened(
                d_h
            )  # a row collects gradients from all positions that used it
    if "table" in parameters:
        gradients["table"] = np.zeros_like(parameters["table"])
        if reading.positions is None:
            gradients["table"][:, : sequences.shape[-1]] = d_h.sum(axis=1)
        else:
            seeds = np.arange(len(sequences))[:, np.newaxis, np.newaxis]
            np.add.at(gradients["table"], (seeds, reading.positions), d_h)
    return loss, gradients | d_tables


def answered(parameters: Parameters, reading: Reading, sequences: np.ndarray, n_answers: int) -> np.ndarray:
    """Return the scores of every token as the answer at the last positions, (S, B, n_answers, vocabulary)."""
    q, k, v = projected(parameters, embedded(parameters, reading, sequences), n_answers)
    return softmax(attention_scores(parameters, reading, q, k)) @ v


def embedded(parameters: Parameters, reading: Reading, sequences: np.ndarray) -> np.ndarray:
    """Return the h defined in the module's docstring, (S, B, T, d)."""
    seeds = np.arange(len(sequences))[:, np.newaxis, np.newaxis]
    positions = np.arange(sequences.shape[-1]) if reading.positions is None else reading.positions
    h = parameters["tokens"][seeds, sequences] + reading.added[positions]
    if "before" in parameters:
        h = h + parameters["before"][seeds, previous_tokens(parameters, sequences)]
    if "table" in parameters:
        h = h + parameters["table"][seeds, np.broadcast_to(positions, sequences.shape)]
    return h


def previous_tokens(parameters: Parameters, sequences: np.ndarray) -> np.ndarray:
    """Return the token before each token; the first token gets an extra id, one above the largest token id."""
    return np.concatenate(
        [np.full_like(sequences[..., :1], parameters["tokens"].shape[1]), sequences[..., :-1]], axis=-1
    )


def projected(parameters: Parameters, h: np.ndarray, n_answers: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the queries at the last positions only, and the keys and values at all positions."""
    return (
        times_matrix(h[..., -n_answers:, :], parameters["w_q"]),
        times_matrix(h, parameters["w_k"]),
        times_matrix(h, parameters["w_v"]),
    )


def attention_scores(parameters: Parameters, reading: Reading, q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the scores, shape (S, B, n, T): queries of the last n positions, keys of all T."""
    last, root = np.s_[-q.shape[-2] :], float(np.sqrt(q.shape[-1]))
    if reading.score is not None:
        return reading.score(q, k) + reading.constant[last]
    scores = _rotated(q, reading.rotations) @ transposed(_rotated(k, reading.rotations)) / root
    if reading.rows is not None:
        key_table = parameters["key_table"]
        with_each_row = times_matrix(q, transposed(key_table)) / root
        scores += np.einsum("sbir,ijr->sbij", with_each_row, _one_hot(reading.rows[last], key_table))
    if reading.buckets is not None:
        scores += parameters["bias_table"][:, np.newaxis, reading.buckets[last], 0]
    return scores + reading.constant[last]


def _score_gradients(
    parameters: Parameters, reading: Reading, q: np.ndarray, k: np.ndarray, d_scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, Parameters]:
    """Return the gradients of the queries, the keys and, if the scores read a table, the table."""
    last, root = np.s_[-q.shape[-2] :], float(np.sqrt(q.shape[-1]))
    back = None if reading.rotations is None else reading.rotations.conj()  # rotates in the opposite direction
    d_q = _rotated(d_scores @ _rotated(k, reading.rotations) / root, back)
    d_k = _rotated(transposed(d_scores) @ _rotated(q, reading.rotations) / root, back)
    d_tables = {}
    if reading.rows is not None:
        key_table = parameters["key_table"]
        d_with_row = np.einsum("sbij,ijr->sbir", d_scores, _one_hot(reading.rows[last], key_table)) / root
        d_q += times_matrix(d_with_row, key_table)
        d_tables["key_table"] = transposed(flattened(d_with_row)) @ flattened(q)
    if reading.buckets is not None:
        bias_table = parameters["bias_table"]
        entries = np.einsum("sij,ijr->sr", d_scores.sum(axis=1), _one_hot(reading.buckets[last], bias_table))
        d_tables["bias_table"] = entries[..., np.newaxis]
    return d_q, d_k, d_tables


def _rotated(x: np.ndarray, rotations: np.ndarray | None) -> np.ndarray:
    """Multiply each pair of features, read as one complex number, by its rotation.

    The last row of x is at the last position.
    """
    if rotations is None:
        return x
    pairs = np.ascontiguousarray(x).view(np.complex64 if x.dtype == np.float32 else np.complex128)
    return (pairs * rotations[-x.shape[-2] :]).astype(pairs.dtype, copy=False).view(x.dtype)


def _one_hot(index: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.eye(table.shape[1], dtype=table.dtype)[index]


def times_matrix(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Multiply x of shape (S, B, T, n) by each seed's matrix, (S, n, m)."""
    return (flattened(x) @ w).reshape(*x.shape[:-1], w.shape[-1])


def transposed(x: np.ndarray) -> np.ndarray:
    """Return x with its last two axes swapped."""
    return np.swapaxes(x, -1, -2)


def flattened(x: np.ndarray) -> np.ndarray:
    """Reshape (S, B, T, n) to (S, B·T, n)."""
    return x.reshape(len(x), -1, x.shape[-1])


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of scores along the last axis."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


# Training.

Draw = Callable[[], tuple[np.ndarray, np.ndarray]]


def stacked(models: Sequence[Parameters]) -> Parameters:
    """Stack the parameters of several seeds along a new first axis."""
    return {name: np.stack([model[name] for model in models]) for name in models[0]}


def descend(
    parameters: Parameters,
    reading: Reading,
    draw: Draw,
    steps: int,
    learning_rate: float,
    reading_of_step: Callable[[Reading], Reading] = lambda reading: reading,
) -> np.ndarray:
    """Train the parameters in place and return the losses, (steps, S).

    Each step draws new sequences and answers, and uses the `Reading` that `reading_of_step` returns.
    """
    adam = Adam(parameters)
    losses = []
    for step in range(steps):
        loss, gradients = loss_and_gradients(parameters, reading_of_step(reading), *draw())
        # The step size shrinks to zero at the end, so that the last few sequences do not decide the result.
        adam.step(gradients, learning_rate * (1 - step / steps))
        losses.append(loss)
    return np.array(losses)


class Adam:
    """Adam, the optimizer of Kingma and Ba 2015, with β₁ = 0.9 and β₂ = 0.99."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.mean = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.square = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.steps = 0

    def step(self, gradients: Parameters, learning_rate: float) -> None:
        """Move every parameter by one step against its gradient."""
        self.steps += 1
        for name, gradient in gradients.items():
            self.mean[name] += 0.1 * (gradient - self.mean[name])
            self.square[name] += 0.01 * (gradient**2 - self.square[name])
            mean = self.mean[name] / (1 - 0.9**self.steps)
            square = self.square[name] / (1 - 0.99**self.steps)
            self.parameters[name] -= learning_rate * mean / (np.sqrt(square) + 1e-8)
