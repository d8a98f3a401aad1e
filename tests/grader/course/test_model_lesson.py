"""Tests of lesson 14: with the same weights, the solution computes the logits recorded from transformers, and those
that transformers computes during the test.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from assignments.model import lab
from assignments.writer.llama import Model
from assignments.writer.safetensors_reader import read_safetensors
from autograder import course
from autograder.checks.results import Phase
from autograder.course import ROOT
from autograder.grading.suite import Suite
from autograder.hints import catalogue
from autograder.protocol.failure_kinds import Kind
from tests.grader.support.numbers_in_lessons_helpers import solution

LESSON = ROOT / "assignments" / "model"
FOLDERS = [LESSON / "tiny", *sorted((Path(__file__).parent / "llama").iterdir())]
every_checkpoint = pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
TOLERANCE = {"float32": 1e-6, "float64": 1e-12}
model = solution("model")


def loaded(folder: Path, dtype: str) -> Any:
    """Return a checkpoint as read by the solution."""
    eps = json.loads((folder / "config.json").read_text("utf-8"))["rms_norm_eps"]
    tensors = read_safetensors(folder / "model.safetensors")
    with np.load(folder / "logits.npz") as recorded:
        frequencies = recorded["frequencies"]
    return model.from_checkpoint({name: one.astype(dtype) for name, one in tensors.items()}, frequencies, eps)


@every_checkpoint
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_the_same_weights_give_the_same_logits(folder: Path, dtype: str) -> None:
    with np.load(folder / "logits.npz") as recorded:
        logits, _ = model.forward(recorded["tokens"], loaded(folder, dtype))
        assert logits.dtype == dtype
        np.testing.assert_allclose(logits, recorded[dtype], rtol=0, atol=TOLERANCE[dtype])


@every_checkpoint
def test_a_text_in_the_pieces_of_transformers_gives_its_logits(folder: Path) -> None:
    parts, cache = [], None
    with np.load(folder / "logits.npz") as recorded:
        for piece in np.split(recorded["tokens"], np.cumsum(recorded["pieces"])[:-1]):
            logits, cache = model.forward(piece, loaded(folder, "float32"), cache=cache)
            parts.append(logits)
        expected = recorded["float32_in_pieces"]
        np.testing.assert_allclose(np.concatenate(parts), expected, rtol=0, atol=TOLERANCE["float32"])


@every_checkpoint
def test_the_loss_and_the_text_are_those_of_the_logits(folder: Path) -> None:
    whole = loaded(folder, "float64")
    with np.load(folder / "logits.npz") as recorded:
        logits, tokens = recorded["float64"], recorded["tokens"]
    chances = np.exp(logits[:-1]) / np.exp(logits[:-1]).sum(axis=-1, keepdims=True)
    expected = -np.log(chances[np.arange(len(tokens) - 1), tokens[1:]]).mean()
    assert model.next_token_loss(model.forward(tokens, whole)[0], tokens) == pytest.approx(expected, abs=1e-12)
    assert model.generate(tokens, whole, 1) == [logits[-1].argmax()]


@pytest.mark.long
@every_checkpoint
def test_transformers_gives_these_logits_today(folder: Path) -> None:
    need = "Live parity needs PyTorch and transformers: pip install -e .[train]."
    torch, transformers = (pytest.importorskip(name, reason=need) for name in ("torch", "transformers"))
    other = transformers.LlamaForCausalLM.from_pretrained(folder)
    tokens = np.random.default_rng(1).integers(other.config.vocab_size, size=(2, 9))
    with torch.no_grad():
        expected = other(torch.from_numpy(tokens)).logits.numpy()
        logits, _ = model.forward(tokens, loaded(folder, "float32"))
        np.testing.assert_allclose(logits, expected, rtol=0, atol=TOLERANCE["float32"])


def test_the_course_s_model_reads_and_writes_as_it_does_for_the_writer() -> None:
    """The model of lesson 14 and the writer's model produce the same letters and the same logits."""
    whole, writer, prompt = lab.writer_model(model), Model(), "Two tokens that"
    ids = writer.encode(prompt)
    np.testing.assert_allclose(model.forward(ids, whole)[0], writer.read(ids)[0], rtol=0, atol=1e-9)
    text = ""
    logits, cache = writer.read(ids)
    for _ in range(60):
        token = int(logits[-1].argmax())
        text += writer.symbols[token]
        logits, cache = writer.read([token], cache)
    assert lab.write(model, prompt, 60) == text


# Mistakes that public tests find

IN_PLACE = """
def block(x, layer, positions, frequencies, mask, cache=None, eps=1e-5):
    x = np.asarray(x)
    out, pair = grouped_query_attention(rms_norm(x, layer["norm_1"], eps), layer, positions, frequencies, mask, cache)
    x += out
    return x + swiglu(rms_norm(x, layer["norm_2"], eps), layer["w_gate"], layer["w_up"], layer["w_down"]), pair
"""

QUIET_MISTAKES = {
    "a block adds in place": ("test_arguments_stay_as_they_are", Kind.CHANGED, IN_PLACE),
    "the list of a cache is written to": (
        "test_arguments_stay_as_they_are",
        Kind.CHANGED,
        """
def forward(tokens, model, positions=None, mask=None, cache=None):
    logits, pairs = right["forward"](tokens, model, positions, mask, cache)
    if cache:
        cache[:] = pairs
    return logits, pairs
""",
    ),
    "layers sorted as words": (
        "test_eleven_layers",
        Kind.VALUE,
        """
def from_checkpoint(tensors, frequencies, eps=1e-5):
    model = right["from_checkpoint"](tensors, frequencies, eps)
    order = sorted(range(len(model["layers"])), key=str)
    return model | {"layers": [model["layers"][number] for number in order]}
""",
    ),
    "copies of whole numbers": (
        "test_dtype[repeat_heads]",
        Kind.DTYPE,
        """
def repeat_heads(x, n_rep):
    return np.repeat(np.asarray(x), n_rep, axis=-3)
""",
    ),
    "the dtype of the cache left out": (
        "test_dtype[grouped_query_attention]",
        Kind.DTYPE,
        """
def grouped_query_attention(x, layer, positions, frequencies, mask, cache=None):
    out, pair = right["grouped_query_attention"](x, layer, positions, frequencies, mask, cache)
    *_, dtype = _features(x, *layer.values())
    return out.astype(dtype), tuple(one.astype(dtype) for one in pair)
""",
    ),
    "angles in float32": (
        "test_angles_have_all_digits",
        Kind.PRECISION,
        """
def apply_rope_half_with(x, positions, frequencies):
    x, dtype = _features(x)
    angles = np.asarray(positions)[..., None] * np.asarray(frequencies)
    first, second = np.split(x, 2, axis=-1)
    rotated = first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)
    return np.concatenate(rotated, axis=-1).astype(dtype)
""",
    ),
    "an empty result of float64": (
        "test_no_new_tokens",
        Kind.DTYPE,
        """
def generate(tokens, model, count):
    return np.array(right["generate"](tokens, model, count).tolist())
""",
    ),
}
"""Mistakes that raise no error and change few values, each with the public test that fails and the kind of failure."""


@pytest.fixture(scope="module")
def suite() -> Suite:
    return Suite(course.find("model"))


@pytest.mark.parametrize(
    ("test", "kind", "source"), QUIET_MISTAKES.values(), ids=[name.replace(" ", "-") for name in QUIET_MISTAKES]
)
def test_a_quiet_mistake_is_seen_at_home(suite: Suite, test: str, kind: Kind, source: str) -> None:
    module = catalogue.solution(course.find("model"))
    vars(module)["right"] = dict(vars(module))
    exec(source, vars(module))
    (result,) = [one for one in suite.run(catalogue.ModuleBackend(module), Phase.PUBLIC) if one.test.name == test]
    assert result.kind is kind


# Code that the lesson prints


def blocks(language: str) -> list[str]:
    """Return all code blocks in one language from the lesson's “The same logits” section."""
    (section,) = re.findall(r"\n## The same logits\n(.*?)\n## ", (LESSON / "README.md").read_text("utf-8"), re.DOTALL)
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def test_the_lines_of_the_lesson_typed_as_it_says_show_what_it_shows(tmp_path: Path) -> None:
    """The lesson's lines of code run in a folder like the handout, with the lesson's command and a correct
    solution."""
    for folder in ("model", "writer"):
        shutil.copytree(LESSON.parent / folder, tmp_path / "assignments" / folder)
    shutil.copy(LESSON.parent / "experiments.py", tmp_path / "assignments")
    shutil.copy(ROOT / "solutions" / "model.py", tmp_path / "assignments" / "model" / "model.py")
    (command,) = re.findall(r"`\.venv/bin/python (-i -m [^`]+)`", (LESSON / "README.md").read_text("utf-8"))
    shown = subprocess.run(
        [sys.executable, *command.split()],
        input="\n".join(blocks("python")),
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert "Error" not in shown.stderr
    *differences, right, wrong = shown.stdout.splitlines()
    sizes = [float(re.sub(r"np\.float\d\d\((.*)\)", r"\1", one)) for one in differences]
    assert [f"{sizes[0]:.0e}"] == re.findall(r"shows about ([\de-]+)", (LESSON / "README.md").read_text("utf-8"))
    assert len(sizes) == 2 and max(sizes[1:]) < TOLERANCE["float64"]
    assert [right, wrong] == [one.strip() for one in blocks("text")]


def printed() -> ModuleType:
    """Return a module with the lesson's code for reading a file of tensors."""
    (code,) = (block for block in blocks("python") if "def read_safetensors" in block)
    module = ModuleType("printed")
    exec(code, vars(module))
    return module


def test_the_printed_function_reads_a_file_of_tensors(tmp_path: Path) -> None:
    arrays = {
        "b": np.arange(6, dtype=np.float32).reshape(2, 3),
        "a.weight": np.array([0.5, -1.25], dtype=np.float32),
    }
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    numbers = b""
    for name, array in arrays.items():
        offsets = [len(numbers), len(numbers) + array.nbytes]
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": offsets}
        numbers += array.tobytes()
    text = json.dumps(header).encode()
    path = tmp_path / "two.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + numbers)
    for read in (printed().read_safetensors, read_safetensors):
        tensors = read(path)
        assert tensors.keys() == arrays.keys()
        for name, array in arrays.items():
            np.testing.assert_array_equal(tensors[name], array)


def test_the_printed_function_reads_the_tiny_checkpoint() -> None:
    path = LESSON / "tiny" / "model.safetensors"
    read, expected = printed().read_safetensors(path), read_safetensors(path)
    assert read.keys() == expected.keys() and sum(one.size for one in read.values()) == 18208
    for name, tensor in expected.items():
        np.testing.assert_array_equal(read[name], tensor)
