"""`python -m tests.grader.tools.make_llama_checkpoints`: make the small Llama checkpoints that lesson 14 reads.

The script needs PyTorch and transformers (`pip install -e '.[train]'`). The script writes random models in Hugging
Face's format: one for the lesson into `assignments/model/tiny`, the others for tests into `tests/grader/course/llama`.
Each folder contains `model.safetensors`, `config.json` and `logits.npz`, which holds a text and the logits that
transformers computed for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

ROOT = Path(__file__).parents[3]
TINY = ROOT / "assignments" / "model" / "tiny"
CASES = ROOT / "tests" / "grader" / "course" / "llama"
LENGTH, PIECES, SEED = 20, (11, 1, 1, 5, 2), 14

SMALL = {
    "vocab_size": 23,
    "hidden_size": 18,
    "intermediate_size": 28,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "rms_norm_eps": 1e-3,
    "tie_word_embeddings": True,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
CONFIGURATIONS = {
    TINY: {
        "vocab_size": 84,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0},
    },
    CASES / "grouped_tied": SMALL,
    CASES / "grouped_untied": SMALL | {"tie_word_embeddings": False},
    CASES / "equal_heads_tied": SMALL | {"num_key_value_heads": 6},
    CASES / "equal_heads_untied": SMALL | {"num_key_value_heads": 6, "tie_word_embeddings": False},
    CASES / "one_key_head": SMALL | {"num_key_value_heads": 1},
    CASES / "eleven_layers": SMALL | {"hidden_size": 12, "intermediate_size": 16, "num_hidden_layers": 11},
    CASES / "llama3_frequencies": SMALL
    | {
        "hidden_size": 20,
        "num_attention_heads": 4,
        "head_dim": 8,
        "max_position_embeddings": 1024,
        "rope_parameters": {
            "rope_type": "llama3",
            "rope_theta": 10000.0,
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 128,
        },
    },
}
"""Folder → its model's configuration."""


@contextmanager
def float64_for_float32() -> Iterator[None]:
    """Let transformers compute norms, frequencies and angles in float64 instead of float32."""
    with (
        mock.patch.multiple(torch, float32=torch.float64, float=torch.float64),
        mock.patch.object(torch.Tensor, "float", torch.Tensor.double),
    ):
        yield


def random_model(config: LlamaConfig) -> LlamaForCausalLM:
    """Return a model with random weights and with norm weights far from 1."""
    torch.manual_seed(SEED)
    model = LlamaForCausalLM(config).eval()
    for name, weight in model.named_parameters():
        if weight.ndim == 1:
            torch.nn.init.uniform_(weight, 0.5, 1.5)
        else:
            torch.nn.init.normal_(weight, std=0.5 * weight.shape[1] ** -0.5 if "layers" in name else 0.06)
    return model


@torch.no_grad()
def logits_of(model: LlamaForCausalLM, tokens: torch.Tensor, pieces: tuple[int, ...]) -> np.ndarray:
    """Return the logits (T, V) of a text that the model reads in pieces, through its cache."""
    cache, logits = None, []
    for piece in tokens.split(list(pieces)):
        output = model(piece[None], cache=cache, use_cache=True)
        cache = output.cache
        logits.append(output.logits[0])
    return torch.cat(logits).numpy()


def write(folder: Path, configuration: dict[str, object]) -> None:
    """Write a checkpoint and the logits that transformers computes with it."""
    config = LlamaConfig(**configuration)
    model = random_model(config)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink()
    tokens = torch.randint(config.vocab_size, (LENGTH,), generator=torch.Generator().manual_seed(SEED))
    recorded = {
        "tokens": tokens.numpy(),
        "pieces": np.array(PIECES),
        "float32": logits_of(model, tokens, (LENGTH,)),
        "float32_in_pieces": logits_of(model, tokens, PIECES),
    }
    model.double()
    with float64_for_float32():
        model.model.rotary_emb = LlamaRotaryEmbedding(config)
        recorded["frequencies"] = model.model.rotary_emb.inv_freq.numpy()
        recorded["float64"] = logits_of(model, tokens, (LENGTH,))
    np.savez_compressed(folder / "logits.npz", **recorded)


def main() -> None:
    """Write every checkpoint."""
    for folder, configuration in CONFIGURATIONS.items():
        write(folder, configuration)


if __name__ == "__main__":
    main()
