"""Tests of small Llama checkpoints: a plain reference and transformers both reproduce the recorded logits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assignments.writer.safetensors_reader import read_safetensors
from autograder.course import ROOT
from solutions import context_extension, rope
from tests.grader.support import reference_llama

TINY = ROOT / "assignments" / "model" / "tiny"
FOLDERS = [TINY, *sorted((Path(__file__).parent / "llama").iterdir())]
every_checkpoint = pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])


@every_checkpoint
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float64", 1e-12)])
def test_a_plain_llama_gives_the_recorded_logits(folder: Path, dtype: str, tolerance: float) -> None:
    eps = json.loads((folder / "config.json").read_text("utf-8"))["rms_norm_eps"]
    stored = read_safetensors(folder / "model.safetensors")
    tensors = {name: tensor.astype(dtype) for name, tensor in stored.items()}
    with np.load(folder / "logits.npz") as recorded:
        logits = reference_llama.forward(recorded["tokens"], tensors, recorded["frequencies"], eps)
        assert logits.dtype == dtype
        np.testing.assert_allclose(logits, recorded[dtype], rtol=0, atol=tolerance)


@every_checkpoint
def test_the_cache_of_transformers_changes_no_logit(folder: Path) -> None:
    with np.load(folder / "logits.npz") as recorded:
        assert recorded["pieces"].sum() == len(recorded["tokens"])
        np.testing.assert_allclose(recorded["float32_in_pieces"], recorded["float32"], rtol=0, atol=1e-6)


@every_checkpoint
def test_the_recorded_frequencies_are_those_of_the_lessons(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text("utf-8"))
    parameters, head_dim = config["rope_parameters"], config["head_dim"]
    if parameters["rope_type"] == "llama3":
        expected = context_extension.llama3_frequencies(
            head_dim,
            parameters["rope_theta"],
            parameters["factor"],
            parameters["low_freq_factor"],
            parameters["high_freq_factor"],
            parameters["original_max_position_embeddings"],
        )
        assert np.ptp(expected / rope.rope_frequencies(head_dim, parameters["rope_theta"])) > 0.8
    else:
        expected = rope.rope_frequencies(head_dim, parameters["rope_theta"])
    with np.load(folder / "logits.npz") as recorded:
        np.testing.assert_allclose(recorded["frequencies"], expected, rtol=1e-12)


@pytest.mark.long
@every_checkpoint
def test_transformers_gives_the_recorded_logits_today(folder: Path) -> None:
    torch = pytest.importorskip("torch", reason="Live parity needs PyTorch: pip install -e .[train].")
    transformers = pytest.importorskip("transformers", reason="Live parity needs transformers.")
    model = transformers.LlamaForCausalLM.from_pretrained(folder)
    with np.load(folder / "logits.npz") as recorded, torch.no_grad():
        logits = model(torch.from_numpy(recorded["tokens"])[None]).logits[0].numpy()
        np.testing.assert_allclose(logits, recorded["float32"], rtol=0, atol=1e-6)
