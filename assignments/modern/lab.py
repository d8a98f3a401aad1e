"""Experiment on layers with and without RoPE: a two-layer model, trained at 16 tokens and tested on up to 128.

This code is provided; there is nothing for you to fill in. `make experiment` runs the lab on your `modern.py`.

Every sequence begins with the same start token, and all other tokens are drawn at random. There are two tasks:

    copy 3 back    at each of the last 12 positions, name the token 3 positions back
    passkey        one mark is somewhere in the sequence; at the last position, name the token after the mark

The model has two layers. Each layer consists of causal attention with one head, then two matrices with max(0, ·)
between them:

    h = h + softmax(q kᵀ/√d) v          q, k, v = h W_q, h W_k, h W_v; in layers with RoPE, q and k are rotated
    h = h + max(0, h W_up) W_down

After the second layer, h W_out scores each token as the answer. In the file under test, `rope_layers` decides which
layers rotate, and `shift_keys` supplies the rotations.

How does a model without RoPE count? The lab removes the first token of each sequence in two ways: it replaces the
token only in the test, or in training as well. The lab also prints the attention weight of token 0 in the first
layer.

Can RoPE be removed after training (DroPE, arXiv 2512.12167)? The lab trains with RoPE in every layer, removes RoPE
from one layer or both, and then either stops or continues training for some steps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # so that the import below works from any folder

from assignments import experiments  # noqa: E402
from assignments.extrapolation.lab_model import (  # noqa: E402
    Adam,
    Parameters,
    flattened,
    softmax,
    times_matrix,
    transposed,
)

SEEDS = (0, 1, 2, 3, 4, 5, 6, 7)


@dataclass(frozen=True)
class Setting:
    """Values that stay fixed while the layers with RoPE vary."""

    trained_length: int = 16
    lengths: tuple[int, ...] = (16, 20, 24, 32, 48, 64, 128)
    """Lengths at which the trained model is tested."""
    back: int = 3
    """Number of positions from a token back to the token that it copies."""
    base: float = 1e4
    """Base of RoPE."""
    steps: int = 2500
    batch: int = 16
    learning_rate: float = 3e-3
    texts: int = 256
    """Approximate number of test sequences at each length."""
    vocabulary: int = 16
    """Number of tokens that can be answers; the start token and the mark have the next ids."""
    width: int = 32
    hidden: int = 64
    layers: int = 2
    start: bool = True
    """True if every training sequence begins with the start token."""

    @property
    def start_token(self) -> int:
        """Return the id of the start token."""
        return self.vocabulary

    @property
    def mark(self) -> int:
        """Return the id of the mark."""
        return self.vocabulary + 1


def _first(implementation: ModuleType, layers: int) -> np.ndarray:
    return np.concatenate([implementation.rope_layers(2, 2), np.zeros(layers - 2, dtype=bool)])


SCHEDULES: dict[str, Callable[[ModuleType, int], np.ndarray]] = {
    "no layer": lambda implementation, layers: implementation.rope_layers(layers, 1),
    "the first layer": _first,
    "the second layer": lambda implementation, layers: ~_first(implementation, layers),
    "every layer": lambda implementation, layers: implementation.rope_layers(layers, layers + 1),
}
BUT_LAST = "all but the last layer"
SCHEDULES_OF_THREE = {
    "the first layer": _first,
    BUT_LAST: lambda implementation, layers: implementation.rope_layers(layers, layers),
    "every layer": SCHEDULES["every layer"],
}
"""Schedules for three layers: the order of layers in Llama 4 and SmolLM3, on a small scale."""
_SCHEDULES = SCHEDULES | SCHEDULES_OF_THREE
"""For each schedule, a function that returns True for each layer that rotates, as `rope_layers` does.

An interval above the number of layers skips no layer. No interval skips only the first of two layers, so the control
"the second layer" is the opposite of interval 2.
"""


class Texts(NamedTuple):
    """Sequences, their correct answers, and the positions that are tested."""

    tokens: np.ndarray
    """Token ids, (..., T)."""
    answers: np.ndarray
    """Correct answer at each tested position, (..., T)."""
    has_answer: np.ndarray
    """True at each tested position, (..., T)."""


class Measurement(NamedTuple):
    """Result of one trained model at one length."""

    run: str
    schedule: str
    seed: int
    length: int
    accuracy: float
    """Share of the tested positions at which the correct token has the highest score."""


class Loss(NamedTuple):
    """Mean cross-entropy of one seed in training, over the steps since the previous row."""

    run: str
    schedule: str
    seed: int
    step: int
    loss: float


class Look(NamedTuple):
    """Attention weight of token 0 at one position in the first layer, without RoPE: the mean over sequences."""

    seed: int
    position: int
    weight: float


# The tasks. Training uses all positions with an answer; `last` says how many count in the measurement.


def copy_back(rng: np.random.Generator, count: int, length: int, setting: Setting) -> Texts:
    """Return sequences whose answer at each position is the token `back` positions before it."""
    tokens = _random_tokens(rng, count, length, setting)
    # At the other positions, np.roll put answers from the end.
    has_answer = np.tile(np.arange(length) > setting.back, (count, 1))
    return Texts(tokens, np.roll(tokens, setting.back, axis=1), has_answer)


def passkey(rng: np.random.Generator, count: int, length: int, setting: Setting) -> Texts:
    """Return sequences with one mark each, whose answer is the token after the mark."""
    tokens = _random_tokens(rng, count, length, setting)
    marked = rng.integers(1, length - 2, size=(count, 1))
    np.put_along_axis(tokens, marked, setting.mark, axis=1)
    keys = np.take_along_axis(tokens, marked + 1, axis=1)
    return Texts(tokens, np.tile(keys, length), np.arange(length) > marked + 1)


def _random_tokens(rng: np.random.Generator, count: int, length: int, setting: Setting) -> np.ndarray:
    tokens = rng.integers(setting.vocabulary, size=(count, length))
    if setting.start:
        tokens[:, 0] = setting.start_token
    return tokens


class Task(NamedTuple):
    """Task of the experiment: how texts are drawn, and how many positions are tested."""

    draw: Callable[[np.random.Generator, int, int, Setting], Texts]
    last: Callable[[Setting], int]
    """Number of tested positions, counted from the end."""


COPYING = Task(copy_back, lambda setting: setting.trained_length - 1 - setting.back)
PASSKEY = Task(passkey, lambda setting: 1)


@dataclass(frozen=True)
class Run:
    """Task in one setting, with the schedules that are trained for this task."""

    task: Task
    setting: Setting
    schedules: tuple[str, ...] = tuple(SCHEDULES)
    full: bool = False
    """True for a run that is measured once and saved: `make experiment FULL=1` repeats the run."""
    trained_before: str = ""
    """Name of an earlier run, whose trained models (RoPE in every layer) are the start; empty for a random start.

    A run that starts from trained models changes their schedule, and continues training for its own number of steps.
    """


TAKEN_OUT = ("no layer", "the first layer", "every layer")
"""Layers in which RoPE stays when the other layers lose RoPE after training.

The last entry is the control: training continues, and RoPE stays in every layer.
"""


def taken_out(run: str, steps: int) -> str:
    """Return the name of the run that removes RoPE from the models of `run` and continues training."""
    return f"{run}, RoPE taken out, {steps} steps"


NO_START, REPLACED = "copy 3 back, no start token", "copy 3 back, first token replaced"
RUNS = {
    "copy 3 back": Run(COPYING, Setting()),
    "passkey": Run(PASSKEY, Setting(), full=True),
    NO_START: Run(COPYING, Setting(start=False), ("no layer",)),
    "copy 3 back, base 10": Run(COPYING, Setting(base=10.0), ("the first layer", "every layer"), full=True),
    "copy 3 back, three layers": Run(COPYING, Setting(layers=3), tuple(SCHEDULES_OF_THREE), full=True),
    **{
        taken_out(run, steps): Run(task, Setting(steps=steps), schedules, full=True, trained_before=run)
        for run, task in (("copy 3 back", COPYING), ("passkey", PASSKEY))
        for steps, schedules in ((0, ("no layer", "the first layer")), (1000, TAKEN_OUT))
    },
}


# The model and its gradients, for many seeds at once: every array begins with the axes (seed, sequence).


def draw_parameters(setting: Setting, seeds: Sequence[int]) -> Parameters:
    """Return one model per seed, stacked along the first axis.

    All schedules start from the same parameters.
    """
    width, hidden = setting.width, setting.hidden
    shapes = {"tokens": (setting.vocabulary + 2, width), "out": (width, setting.vocabulary)}
    for layer in range(setting.layers):
        shapes |= {f"{name} {layer}": (width, width) for name in ("q", "k", "v")}
        shapes |= {f"up {layer}": (width, hidden), f"down {layer}": (hidden, width)}
    drawn = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        drawn.append(
            {name: rng.normal(0, 1 if name == "tokens" else shape[0] ** -0.5, shape) for name, shape in shapes.items()}
        )
    return {name: np.stack([one[name] for one in drawn]) for name in shapes}


Layers = list[np.ndarray | None]
"""Rotations of each layer, (T, d, d), or None without RoPE.

Row t times the t-th matrix is the row rotated by position t.
"""


def rotations(implementation: ModuleType, schedule: str, length: int, setting: Setting) -> Layers:
    """Return the rotations of each layer of a schedule, with None for a layer without RoPE."""
    rotates = _SCHEDULES[schedule](implementation, setting.layers)
    unit = np.eye(setting.width)
    matrices = np.stack([implementation.shift_keys(unit, position, base=setting.base) for position in range(length)])
    return [matrices if one else None for one in rotates]


def forward(parameters: Parameters, layers: Layers, tokens: np.ndarray) -> tuple[np.ndarray, list[tuple]]:
    """Return the scores of all tokens as answers, shape (S, B, T, vocabulary).

    The second result contains the intermediate values that the gradients need.
    """
    ahead = np.triu(np.full((tokens.shape[-1],) * 2, -np.inf, parameters["tokens"].dtype), 1)
    h = parameters["tokens"][np.arange(len(tokens))[:, np.newaxis, np.newaxis], tokens]
    kept: list[tuple] = []
    for layer, matrices in enumerate(layers):
        q, k, v = (times_matrix(h, parameters[f"{name} {layer}"]) for name in ("q", "k", "v"))
        q, k = _rotated(q, matrices), _rotated(k, matrices)
        weights = softmax(q @ transposed(k) / q.shape[-1] ** 0.5 + ahead)
        attended = h + weights @ v
        up = times_matrix(attended, parameters[f"up {layer}"])
        kept.append((h, q, k, v, weights, attended, up))
        h = attended + times_matrix(np.maximum(up, 0), parameters[f"down {layer}"])
    kept.append((h,))
    return times_matrix(h, parameters["out"]), kept


def loss_and_gradients(parameters: Parameters, layers: Layers, texts: Texts) -> tuple[np.ndarray, Parameters]:
    """Return the mean cross-entropy of each seed, shape (S,), and its gradient for every parameter."""
    scores, kept = forward(parameters, layers, texts.tokens)
    d_scores, answers = softmax(scores), np.where(texts.has_answer, texts.answers, 0)[..., np.newaxis]
    right_probabilities = np.take_along_axis(d_scores, answers, axis=-1)
    share = (texts.has_answer / texts.has_answer.sum(axis=(1, 2), keepdims=True))[..., np.newaxis].astype(scores.dtype)
    loss = -(np.log(np.maximum(np.where(share > 0, right_probabilities, 1), 1e-30)) * share).sum(axis=(1, 2, 3))
    np.put_along_axis(d_scores, answers, right_probabilities - 1, axis=-1)
    d_scores *= share

    gradients: Parameters = {}

    def back(name: str, x: np.ndarray, d_y: np.ndarray) -> np.ndarray:
        """Propagate a gradient back through y = x W: keep the gradient of W, and return the gradient of x."""
        gradients[name] = transposed(flattened(x)) @ flattened(d_y)
        return times_matrix(d_y, transposed(parameters[name]))

    d_h = back("out", *kept.pop(), d_scores)
    for layer in reversed(range(len(layers))):
        h, q, k, v, weights, attended, up = kept.pop()
        d_up = back(f"down {layer}", np.maximum(up, 0), d_h) * (up > 0)
        d_h = d_h + back(f"up {layer}", attended, d_up)
        d_weights = d_h @ transposed(v)
        d_raw = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
        matrices = layers[layer]
        rotated_back = None if matrices is None else transposed(matrices)
        d_q, d_k = _rotated(d_raw @ k, rotated_back), _rotated(transposed(d_raw) @ q, rotated_back)
        d_v = transposed(weights) @ d_h
        d_h = d_h + sum(back(f"{name} {layer}", h, d_y) for name, d_y in (("q", d_q), ("k", d_k), ("v", d_v)))
    one_hot = np.eye(parameters["tokens"].shape[1], dtype=scores.dtype)[texts.tokens.reshape(len(texts.tokens), -1)]
    gradients["tokens"] = transposed(one_hot) @ flattened(d_h)
    return loss, gradients


def _rotated(x: np.ndarray, matrices: np.ndarray | None) -> np.ndarray:
    """Multiply each row t of x by matrix t."""
    if matrices is None:
        return x
    return (x.swapaxes(0, 2) @ matrices[:, np.newaxis].astype(x.dtype)).swapaxes(0, 2)


# Training and measuring.


def train(
    implementation: ModuleType, run: str, schedule: str, seeds: Sequence[int] = SEEDS, steps: int | None = None
) -> tuple[Parameters, list[Loss]]:
    """Train one model per seed. The numbers drawn for a seed do not depend on the other seeds in the same call."""
    task, setting, before = RUNS[run].task, RUNS[run].setting, RUNS[run].trained_before
    steps = setting.steps if steps is None else steps
    if before:
        parameters, _ = train(implementation, before, "every layer", seeds)
    else:
        # float32 takes half the time, and every measurement is a count of right answers.
        parameters = {name: value.astype(np.float32) for name, value in draw_parameters(setting, seeds).items()}
    sources = [np.random.default_rng([seed, 2 if before else 1]) for seed in seeds]
    layers = rotations(implementation, schedule, setting.trained_length, setting)
    adam = Adam(parameters)
    losses, passed = [], []
    for step in range(steps):
        drawn = [task.draw(source, setting.batch, setting.trained_length, setting) for source in sources]
        loss, gradients = loss_and_gradients(parameters, layers, Texts(*map(np.stack, zip(*drawn, strict=True))))
        # The step size shrinks to zero at the end, so that the last few sequences do not decide the result.
        adam.step(gradients, setting.learning_rate * (1 - step / steps))
        passed.append(loss)
        if (step + 1) % 100 == 0:
            losses += [
                Loss(run, schedule, seed, step + 1, float(one))
                for seed, one in zip(seeds, np.mean(passed, axis=0), strict=True)
            ]
            passed = []
    return parameters, losses


def one_model(parameters: Parameters, place: int) -> Parameters:
    """Return one of the stacked models; the seed axis stays, with size 1."""
    return {name: value[place : place + 1] for name, value in parameters.items()}


def ask(
    implementation: ModuleType, run: str, schedule: str, model: Parameters, length: int, replaced: bool = False
) -> float:
    """Return the accuracy at one length of one model whose seed axis has size 1.

    The sequences are the same for every schedule and seed.
    """
    task, setting = RUNS[run].task, RUNS[run].setting
    rng = np.random.default_rng(length)
    texts = task.draw(rng, setting.texts, length, setting)
    if replaced:
        texts.tokens[:, 0] = rng.integers(setting.vocabulary, size=setting.texts)
    scores, _ = forward(model, rotations(implementation, schedule, length, setting), texts.tokens[np.newaxis])
    right = scores[0].argmax(axis=-1) == texts.answers
    return float(right[:, -task.last(setting) :].mean())


def look(implementation: ModuleType, run: str, model: Parameters, seed: int) -> list[Look]:
    """Return the attention weight of token 0 at every position in the first layer, without RoPE."""
    task, setting = RUNS[run].task, RUNS[run].setting
    texts = task.draw(np.random.default_rng(0), setting.texts, setting.trained_length, setting)
    _, kept = forward(
        model, rotations(implementation, "no layer", setting.trained_length, setting), texts.tokens[np.newaxis]
    )
    weights = kept[0][4][0, :, :, 0].mean(axis=0)
    return [Look(seed, position, float(weight)) for position, weight in enumerate(weights)]


class Results(NamedTuple):
    """Results of one schedule in one run."""

    measurements: list[Measurement]
    losses: list[Loss]
    looks: list[Look]


def measure(implementation: ModuleType, run: str, schedule: str, seeds: Sequence[int] = SEEDS) -> Results:
    """Train one model per seed, and test each at every length."""
    setting = RUNS[run].setting
    trained, losses = train(implementation, run, schedule, seeds)
    measurements, looks = [], []
    for place, seed in enumerate(seeds):
        model = one_model(trained, place)
        for length in setting.lengths:
            measurements.append(
                Measurement(run, schedule, seed, length, ask(implementation, run, schedule, model, length))
            )
        if (run, schedule) == ("copy 3 back", "no layer"):
            for length in setting.lengths:
                accuracy = ask(implementation, run, schedule, model, length, replaced=True)
                measurements.append(Measurement(REPLACED, schedule, seed, length, accuracy))
            looks += look(implementation, run, model, seed)
    return Results(measurements, losses, looks)


# The files.


def jobs(full: bool) -> list[tuple[str, str]]:
    """Return a run and a schedule for each job; long runs are included only with `full`."""
    return [(name, schedule) for name, run in RUNS.items() if full or not run.full for schedule in run.schedules]


def job(path: Path, run: str, schedule: str) -> Results:
    """Train and test one schedule in one run, with the functions in the file at `path`."""
    return measure(experiments.load(path), run, schedule)


def saved(path: Path = HERE / "measured.csv") -> list[Measurement]:
    """Return the measurements of the last experiment.

    If the reader has not run the experiment yet, return the course's measurements.
    """
    rows = experiments.rows_of(path)
    return [
        Measurement(row["run"], row["schedule"], int(row["seed"]), int(row["length"]), float(row["accuracy"]))
        for row in rows
    ]


def saved_losses(path: Path = HERE / "losses.csv") -> list[Loss]:
    """Return the losses of the last experiment."""
    rows = experiments.rows_of(path)
    return [Loss(row["run"], row["schedule"], int(row["seed"]), int(row["step"]), float(row["loss"])) for row in rows]


def saved_looks(path: Path = HERE / "first_token.csv") -> list[Look]:
    """Return the attention weights of token 0 in the last experiment."""
    return [Look(int(row["seed"]), int(row["position"]), float(row["weight"])) for row in experiments.rows_of(path)]


def save(results: Results, folder: Path) -> None:
    """Write three files, with four decimals for the last number of each row."""
    names = (("measured.csv", Measurement), ("losses.csv", Loss), ("first_token.csv", Look))
    for (name, kind), rows in zip(names, results, strict=True):
        experiments.write_rows(folder / name, kind._fields, ((*row[:-1], f"{row[-1]:.4f}") for row in rows))


def accuracies(measured: Sequence[Measurement], run: str, schedule: str) -> dict[int, np.ndarray]:
    """Return the accuracies of all seeds, by length."""
    rows = [row for row in measured if (row.run, row.schedule) == (run, schedule)]
    lengths = sorted({row.length for row in rows})
    return {length: np.array([row.accuracy for row in rows if row.length == length]) for length in lengths}


def weights_of_first_token(looks: Sequence[Look]) -> np.ndarray:
    """Return the weights of token 0, shape (seeds, positions)."""
    seeds = sorted({look.seed for look in looks})
    return np.array([[look.weight for look in looks if look.seed == seed] for seed in seeds])


def times_the_others(weights: np.ndarray) -> np.ndarray:
    """Return c for each seed, where the weight of token 0 at position t is c/(c + t).

    c is a mean over positions; for c = 1, the weight is 1/(t + 1).
    """
    later = weights[:, 1:]
    return np.asarray((later * np.arange(1, weights.shape[1]) / (1 - later)).mean(axis=1))


def summary(measured: Sequence[Measurement]) -> str:
    """Return the lesson's tables, one per task, with the best schedule first.

    Each row shows the accuracy at two lengths, and for how many seeds RoPE in the first layer is better at 64 tokens.
    """
    return "\n\n".join(_schedules(measured, run) for run in ("copy 3 back", "passkey"))


def _schedules(measured: Sequence[Measurement], run: str) -> str:
    by_schedule = {schedule: accuracies(measured, run, schedule) for schedule in SCHEDULES}
    lines = []
    for schedule in sorted(by_schedule, key=lambda schedule: -float(by_schedule[schedule][64].mean())):
        gain = experiments.paired(by_schedule[schedule][64], by_schedule["the first layer"][64])
        compared = "" if schedule == "the first layer" else f"{gain.gained} of {gain.models}, p {gain.p:.3f}"
        lines.append([schedule, *(experiments.spread(by_schedule[schedule][length]) for length in (32, 64)), compared])
    return experiments.markdown([f"{run}: RoPE in", "at 32", "at 64", "first layer better"], lines)


def taken_out_table(measured: Sequence[Measurement]) -> str:
    """Return the accuracy after RoPE was removed from trained models.

    The rows show in which layers RoPE stays, and for how many more steps the models were trained.
    """
    lines = []
    for schedule in reversed(TAKEN_OUT):
        for steps in (0, 1000):
            line = [schedule, f"{steps:,}"]
            for run in ("copy 3 back", "passkey"):
                untouched = schedule == "every layer" and steps == 0
                by_schedule = accuracies(measured, run if untouched else taken_out(run, steps), schedule)
                line += [experiments.number(by_schedule[length].mean()) for length in (16, 64)]
            lines.append(line)
    tested = [f"{task} at {length}" for task in ("copy", "passkey") for length in (16, 64)]
    return experiments.markdown(["RoPE stays in", "more steps", *tested], lines)


def tables(measured: Sequence[Measurement], looks: Sequence[Look]) -> str:
    """Return, as Markdown, accuracies, differences by seed, and how a model without RoPE counts."""
    parts = ["Trained at 16 tokens", summary(measured)]
    parts += ["RoPE taken out after training", taken_out_table(measured)]
    for run in dict.fromkeys(row.run for row in measured):
        schedules = list(dict.fromkeys(row.schedule for row in measured if row.run == run))
        by_schedule = {schedule: accuracies(measured, run, schedule) for schedule in schedules}
        lengths = list(by_schedule[schedules[0]])
        lines = [
            [schedule, *map(experiments.mean_and_reliable, by_schedule[schedule].values())] for schedule in schedules
        ]
        parts += [run.capitalize(), experiments.markdown(["RoPE in", *map(str, lengths)], lines)]
        others = [schedule for schedule in schedules if schedule not in ("the first layer", "no layer")]
        if "the first layer" in schedules:
            lines = [
                [
                    other,
                    *(
                        experiments.compared(by_schedule[other][length], by_schedule["the first layer"][length])
                        for length in lengths[1:]
                    ),
                ]
                for other in others
            ]
            header = ["less RoPE in", *map(str, lengths[1:])]
            parts += [f"{run.capitalize()}: RoPE in the first layer, seed by seed", experiments.markdown(header, lines)]
    weights = weights_of_first_token(looks)
    positions = (1, 3, 7, 15)
    cells = [experiments.spread(weights[:, position]) for position in positions]
    equal = [experiments.number(1 / (position + 1)) for position in positions]
    parts += [
        "Without RoPE: weight of token 0 in the first layer, by position",
        experiments.markdown(["", *map(str, positions)], [["measured", *cells], ["all scores equal", *equal]]),
        f"Token 0 weighs as much as {experiments.spread(times_the_others(weights))} other tokens.",
    ]
    return "\n\n".join(parts) + "\n"


def keep(path: Path, full: bool, results: Sequence[Results]) -> str:
    """Write the results, keep those of runs that were not repeated, draw the pictures, and return the tables."""
    repeated = {name for name, _ in jobs(full)}
    measurements = [row for one in results for row in one.measurements]
    losses = [row for one in results for row in one.losses]
    if not full:
        measurements += [row for row in saved(HERE / "measured.csv") if row.run in RUNS and row.run not in repeated]
        losses += [row for row in saved_losses(HERE / "losses.csv") if row.run not in repeated]
    order = list(RUNS)
    order.insert(1, REPLACED)
    measurements.sort(key=lambda row: order.index(row.run))
    losses.sort(key=lambda row: order.index(row.run))
    save(Results(measurements, losses, [row for one in results for row in one.looks]), HERE)
    kept = saved(HERE / "measured.csv")
    text = tables(kept, saved_looks(HERE / "first_token.csv"))
    (HERE / "measured.md").write_text(text, encoding="utf-8")
    figures, pictures = experiments.load(HERE / "figures.py"), HERE.parent / "figures"
    pictures.mkdir(exist_ok=True)
    figures.save(figures.schedules_measured(kept), pictures / "schedules_measured.svg")
    figures.save(figures.schedule_losses(saved_losses(HERE / "losses.csv")), pictures / "schedule_losses.svg")
    return text


if __name__ == "__main__":
    experiments.run([sys.modules[__name__]], experiments.requests_full(sys.argv[1:]))
