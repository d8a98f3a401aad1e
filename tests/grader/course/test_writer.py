"""Tests of the model that writes text: student functions give the same results as provided ones, and its
experiments show the effects of mistakes.
"""

from __future__ import annotations

import functools
import re
import sys
import types

import numpy as np
import pytest

from assignments.writer import update_lessons
from assignments.writer.experiments import EXPERIMENTS, N_CHARACTERS, Variant, held_out, readers
from assignments.writer.experiments import PROMPT as EXPERIMENT_PROMPT
from assignments.writer.llama import HERE, Model, measured, powers
from assignments.writer.safetensors_reader import read_safetensors
from assignments.writer.written_functions import TRIALS, written_functions
from autograder.course import ROOT
from solutions import context_extension, model, rope
from tests.grader.support import reference_llama

PROMPT = "Two tokens that"


@pytest.fixture(scope="module")
def provided() -> Model:
    return Model()


@pytest.fixture(scope="module")
def solved() -> Model:
    """Return a model that uses all functions of the solutions, as if a student had implemented all of
    them."""
    return Model(written_functions("solutions.{0}"))


def test_written_functions_take_part_and_unwritten_ones_do_not() -> None:
    assert all(source.startswith("yours") for source in written_functions("solutions.{0}").sources.values())
    assert all(source.startswith("provided: yours is not written") for source in written_functions().sources.values())


def test_your_functions_write_the_same_text_as_the_provided_ones(provided: Model, solved: Model) -> None:
    assert "".join(solved.write(PROMPT, 120)) == "".join(provided.write(PROMPT, 120))
    ids = provided.encode(held_out()[:150])
    np.testing.assert_allclose(solved.read(ids)[0], provided.read(ids)[0], atol=1e-9)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, types.ModuleType]:
    """Return copies of two solution files, which a test may change."""
    modules = {}
    for name in {assignment for assignment, *_ in TRIALS.values()}:
        solution = sys.modules[f"solutions.{name}"]
        modules[name] = types.ModuleType(f"student_{name}")
        functions = [function for function, (assignment, *_) in TRIALS.items() if assignment == name]
        vars(modules[name]).update({function: vars(solution)[function] for function in functions})
        monkeypatch.setitem(sys.modules, modules[name].__name__, modules[name])
    return modules


def test_the_half_layout_takes_part_where_only_it_is_written(
    files: dict[str, types.ModuleType], provided: Model
) -> None:
    def unwritten(*_: object) -> None:
        raise NotImplementedError

    files["rope"].apply_rope = files["rope"].decode_step = unwritten  # type: ignore[attr-defined]
    model = Model(written_functions("student_{0}"))
    assert model.parts.half_layout
    assert model.parts.sources["apply_rope"] == "your apply_rope_half instead, because yours is not written yet"
    ids = provided.encode(PROMPT)
    np.testing.assert_allclose(model.read(ids)[0], provided.read(ids)[0], atol=1e-9)


def test_your_wrong_layout_writes_another_text(files: dict[str, types.ModuleType], provided: Model) -> None:
    files["rope"].apply_rope = rope.apply_rope_half  # type: ignore[attr-defined]
    text = held_out()[:200]
    wrong = Model(written_functions("student_{0}"))
    assert wrong.losses(text).mean() > provided.losses(text).mean() + 0.5


def test_the_source_of_a_function_says_what_your_function_raised(files: dict[str, types.ModuleType]) -> None:
    files["attention"].softmax = lambda scores: scores.no_such_attribute  # type: ignore[attr-defined]
    files["rope"].apply_rope = lambda x, positions: x[0]  # type: ignore[attr-defined]
    parts = written_functions("student_{0}")
    assert "yours returns shape (1, 2), expected (1, 1, 2)" in parts.sources["apply_rope"]
    assert parts.softmax is None and "yours raises AttributeError" in parts.sources["softmax"]


def test_the_half_layout_replaces_a_function_that_raises_and_the_source_says_so(
    files: dict[str, types.ModuleType],
) -> None:
    for error in (ValueError("no\nrotation"), IndexError("axis 3")):

        def raises(*_: object, error: Exception = error) -> None:
            raise error

        files["rope"].apply_rope = files["rope"].decode_step = raises  # type: ignore[attr-defined]
        sources = written_functions("student_{0}").sources
        reason = f"yours raises {type(error).__name__}: {error}"
        assert sources["apply_rope"] == f"your apply_rope_half instead, because {reason}"
        assert sources["decode_step"] == f"provided: {reason}"


# The same weights as a checkpoint ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tensors() -> dict[str, np.ndarray]:
    """Return the weights that lesson 14 loads, in the half layout."""
    stored = read_safetensors(HERE / "weights.safetensors")
    weights = {name: tensor.astype(float) for name, tensor in stored.items()}
    for name, matrix in weights.items():
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            heads = matrix.reshape(-1, 32, matrix.shape[-1]).swapaxes(1, 2)
            weights[name] = rope.interleaved_to_half(heads).swapaxes(1, 2).reshape(matrix.shape)
    return weights


def test_the_weights_are_a_llama_checkpoint_with_grouped_queries(tensors: dict[str, np.ndarray]) -> None:
    parts = [f"self_attn.{letter}_proj" for letter in "qkvo"]
    parts += ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "input_layernorm", "post_attention_layernorm"]
    names = {f"model.layers.{layer}.{part}.weight" for layer in range(4) for part in parts}
    assert tensors.keys() == names | {"model.embed_tokens.weight", "model.norm.weight"}
    rows = {letter: len(tensors[f"model.layers.0.self_attn.{letter}_proj.weight"]) for letter in "qkv"}
    assert rows == {"q": 128, "k": 64, "v": 64}


def test_a_plain_llama_gives_the_logits_of_the_model(tensors: dict[str, np.ndarray], provided: Model) -> None:
    ids = provided.encode(held_out()[:200])
    logits = reference_llama.forward(np.array(ids), tensors, rope.rope_frequencies(32))
    np.testing.assert_allclose(logits, provided.read(ids)[0], atol=1e-9)


def test_a_plain_llama_writes_what_the_model_writes(tensors: dict[str, np.ndarray], provided: Model) -> None:
    ids, rng = provided.encode(PROMPT), np.random.default_rng(0)
    for character in provided.write(PROMPT, 60):
        logits = reference_llama.forward(np.array(ids), tensors, rope.rope_frequencies(32))[-1]
        ids.append(provided.draw(logits, rng))
        assert provided.symbols[ids[-1]] == character


# The experiments --------------------------------------------------------------------------------


def test_a_reader_of_long_texts_has_the_same_loss_with_your_functions(provided: Model, solved: Model) -> None:
    """Correct student functions give the same loss in every variant of the model that the experiment compares."""
    text = held_out()[:70]
    losses = [{name: reader.losses(text) for name, reader in readers(model).items()} for model in (provided, solved)]
    for name, expected in losses[0].items():
        np.testing.assert_allclose(losses[1][name], expected, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("name", ["other-layout", "forgotten-position", "shuffled", "dropped", "padded-left"])
def test_an_experiment_shows_the_same_with_your_functions(name: str, solved: Model) -> None:
    assert [(one.title, one.text) for one in RUN[name](solved)] == [(one.title, one.text) for one in variants(name)]


RUN = dict(EXPERIMENTS)


@functools.cache
def variants(name: str) -> list[Variant]:
    """Return the output of an experiment; for the slowest experiment, the output is read from the lesson."""
    if name == "longer":
        lesson = (HERE.parent / "context_extension" / "README.md").read_text("utf-8")
        block = lesson.split("<!-- writer: longer -->")[1].split("```")[1]
        return [Variant(*match) for match in re.findall(r"(.+):\n    (.+)\n", block)]
    return list(RUN[name](Model()))


def texts(name: str) -> list[str]:
    return [variant.text for variant in variants(name)]


@pytest.mark.parametrize("name", ["other-layout", "forgotten-position"])
def test_a_broken_model_writes_another_text(name: str) -> None:
    right, wrong = texts(name)
    assert right != wrong


def test_without_positions_and_mask_the_order_makes_no_difference() -> None:
    ordered, other, blind, blind_other = texts("shuffled")
    n = len(EXPERIMENT_PROMPT)
    assert ordered[n:] != other[n:] and blind[n:] == blind_other[n:]
    assert len(ordered[n:].replace(" / ", "\n")) == N_CHARACTERS


def test_hidden_padding_changes_nothing_and_the_other_variants_do() -> None:
    alone, hidden, seen, late = texts("padded-left")
    assert alone == hidden and seen != alone and late != alone


def test_yarn_and_rerope_read_four_times_the_trained_length_and_the_other_methods_do_not() -> None:
    losses = {variant.title: [float(loss) for loss in variant.text.split()] for variant in variants("longer")}
    bigram, *_ = (float(loss) for _, loss in measured())
    assert losses["as trained"][0] < bigram < losses["as trained"][-1]
    assert min(losses["interpolation"]) > bigram > max(losses["YaRN"] + losses["ReRoPE"])
    assert losses["ReRoPE"][0] < losses["YaRN"][0]


def test_a_window_reads_a_long_text_better_than_the_whole_text_in_the_cache() -> None:
    whole, window, sinks = (float(loss) for loss in texts("dropped"))
    assert window < whole and abs(sinks - window) < 0.1


def test_the_recorded_matrices_are_rope_interpolation_and_yarn() -> None:
    step = {kind: powers(kind, 2)[1] for kind in ("trained", "interpolated", "yarn")}
    np.testing.assert_allclose(step["trained"], rope.rotation_matrix(1, 32).T, atol=1e-12)
    np.testing.assert_allclose(step["interpolated"], rope.rotation_matrix(0.25, 32).T, atol=1e-12)
    frequencies = context_extension.yarn_frequencies(32, 10000.0, 4.0, 256)
    np.testing.assert_allclose(np.arccos(np.diag(step["yarn"])[::2]), frequencies, atol=1e-9)


def test_the_model_knows_more_than_a_bigram_and_more_with_positions_than_without() -> None:
    bigram, without, with_rope = (float(loss) for _, loss in measured())
    assert with_rope < without < bigram


def test_the_guide_quotes_the_measured_losses() -> None:
    guide = (HERE.parent / "writer.md").read_text("utf-8")
    quoted = [float(number) for number in re.findall(r"(?<![\d.])[12]\.\d\d(?!\d)", guide)]
    assert quoted == [pytest.approx(float(loss), abs=0.0051) for _, loss in measured()]


def test_a_whole_model_writes_what_the_functions_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "assignments.model.model", model)
    functions, whole = RUN["whole-model"](Model())
    assert whole.text == functions.text
    lesson = (HERE.parent / "model" / "README.md").read_text("utf-8")
    assert whole.text.removeprefix(EXPERIMENT_PROMPT).split(" / ")[0] in lesson


@pytest.mark.long
def test_lessons_show_what_the_model_writes_today(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EXPERIMENTS:
        monkeypatch.setitem(EXPERIMENTS, name, lambda _, name=name: variants(name))
    shown = list(update_lessons.updated_lessons())
    assert len(shown) >= 2, "at least two lessons show an experiment"
    for path, text, updated in shown:
        assert text == updated, f"{path.relative_to(ROOT)}: run python -m assignments.writer.update_lessons"


@pytest.mark.long
def test_the_losses_of_lesson_8_are_those_of_the_model() -> None:
    saved = update_lessons.saved_losses()
    actual = [float(loss) for loss in update_lessons.losses("as trained")]
    np.testing.assert_allclose(saved["as trained"], actual, atol=0.002)
    shown = {variant.title: [float(loss) for loss in variant.text.split()] for variant in variants("longer")}
    assert shown.keys() == saved.keys()
    for name, quarters in shown.items():
        np.testing.assert_allclose(quarters, np.reshape(saved[name], (4, -1)).mean(axis=1), atol=0.006)


def test_the_files_stay_small() -> None:
    assert (HERE / "weights.safetensors").stat().st_size <= 3 * 2**20
    assert len((HERE / "llama.py").read_text("utf-8").splitlines()) <= 250
