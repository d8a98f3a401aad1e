"""`python -m assignments.writer.train`: train the small model (needs `pip install -e '.[train]'`).

The script reads text.txt, the sentences of this course, one character at a time. The script writes
weights.safetensors, recorded.npz and measured.csv. The architecture is a small Llama: RMSNorm before each part,
RoPE on queries and keys (pairs 2i and 2i + 1), causal attention with grouped queries, SwiGLU, and an output head
that is the embedding. For comparison, the script also trains the same model without rotation, and a bigram model
that counts pairs of characters.

Every tenth paragraph is held out: measured.csv holds the losses on these paragraphs, in nats per character.
"""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

HERE = Path(__file__).parent
LENGTH, WIDTH, HIDDEN, LAYERS, HEADS, KEY_HEADS = 256, 128, 384, 4, 4, 2
HEAD_DIM = WIDTH // HEADS
STEPS, BATCH, RATE, DROPOUT, SEED = 3000, 8, 1.5e-3, 0.1, 0


def paragraphs() -> tuple[str, str]:
    """Return the training text and the test text; every tenth paragraph is in the test text."""
    lines = (HERE / "text.txt").read_text("utf-8").splitlines(keepends=True)
    return "".join(line for i, line in enumerate(lines) if i % 10), "".join(lines[::10])


def rotate(x: torch.Tensor) -> torch.Tensor:
    """Return x (..., T, head_dim) after RoPE at positions 0 … T − 1."""
    length, size = x.shape[-2:]
    angles = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones(()), angles)).flatten(-2)


def linear(inputs: int, outputs: int) -> nn.Linear:
    """Return a linear map without a bias."""
    return nn.Linear(inputs, outputs, bias=False)


class Attention(nn.Module):
    """Causal attention in which two query heads share one key head."""

    def __init__(self, rotates: bool) -> None:
        super().__init__()
        self.rotates = rotates
        self.q_proj, self.o_proj = linear(WIDTH, HEADS * HEAD_DIM), linear(HEADS * HEAD_DIM, WIDTH)
        self.k_proj, self.v_proj = (linear(WIDTH, KEY_HEADS * HEAD_DIM) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the output of the part for x, (B, T, WIDTH), in the same shape."""
        projections = (self.q_proj, self.k_proj, self.v_proj)
        q, k, v = (project(x).unflatten(-1, (-1, HEAD_DIM)).transpose(1, 2) for project in projections)
        if self.rotates:
            q, k = rotate(q), rotate(k)
        k, v = (heads.repeat_interleave(HEADS // KEY_HEADS, dim=1) for heads in (k, v))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(attended.transpose(1, 2).flatten(-2))


class FeedForward(nn.Module):
    """SwiGLU (Shazeer 2020): one linear map, gated by another."""

    def __init__(self) -> None:
        super().__init__()
        self.gate_proj, self.up_proj = linear(WIDTH, HIDDEN), linear(WIDTH, HIDDEN)
        self.down_proj = linear(HIDDEN, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the output of the part for x, (B, T, WIDTH), in the same shape."""
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    """Attention, then the feed-forward part: each part reads a normalized copy of x and adds its result to x."""

    def __init__(self, rotates: bool) -> None:
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = nn.RMSNorm(WIDTH, 1e-5), nn.RMSNorm(WIDTH, 1e-5)
        self.self_attn, self.mlp = Attention(rotates), FeedForward()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the output of the part for x, (B, T, WIDTH), in the same shape."""
        x = x + functional.dropout(self.self_attn(self.input_layernorm(x)), DROPOUT, self.training)
        return x + functional.dropout(self.mlp(self.post_attention_layernorm(x)), DROPOUT, self.training)


class Writer(nn.Module):
    """Model that computes the logits of each next character from character ids.

    The parts are named as in Hugging Face's Llama.
    """

    def __init__(self, symbols: int, rotates: bool) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(symbols, WIDTH)
        self.layers = nn.ModuleList(Layer(rotates) for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH, 1e-5)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                narrow = math.sqrt(2 * LAYERS) if name.endswith(("o_proj.weight", "down_proj.weight")) else 1
                nn.init.normal_(weight, std=0.02 if "embed" in name else WIDTH**-0.5 / narrow)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the logits, (B, T, symbols), after each of the tokens, (B, T) integers."""
        x = functional.dropout(self.embed_tokens(ids), DROPOUT, self.training)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.embed_tokens.weight.T


def train(ids: torch.Tensor, symbols: int, rotates: bool) -> Writer:
    """Return a model after STEPS steps on windows of `ids`; the windows are the same with and without rotation."""
    torch.manual_seed(SEED)
    model = Writer(symbols, rotates)
    matrices = [weight for weight in model.parameters() if weight.ndim == 2]
    gains = [weight for weight in model.parameters() if weight.ndim == 1]
    optimizer = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.1}, {"params": gains, "weight_decay": 0.0}],
        lr=RATE,
        betas=(0.9, 0.99),
    )
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(step / 100, 0.5 + 0.5 * math.cos(math.pi * step / STEPS))
        begins = torch.randint(len(ids) - LENGTH, (BATCH,))
        windows = ids[begins[:, None] + torch.arange(LENGTH + 1)]
        loss = functional.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.3f}", file=sys.stderr, flush=True)
    return model.eval()


@torch.no_grad()
def loss_of(model: Writer, ids: torch.Tensor) -> float:
    """Return the mean loss per character on a text that the model reads in windows of LENGTH."""
    windows = ids[: len(ids) // LENGTH * LENGTH].reshape(-1, LENGTH)
    return functional.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten()).item()


def bigram_loss(read: np.ndarray, tested: np.ndarray, symbols: int) -> float:
    """Return the loss of a model that counts pairs of characters; each count starts at 1."""
    counts = np.ones((symbols, symbols))
    np.add.at(counts, (read[:-1], read[1:]), 1)
    probabilities = counts / counts.sum(axis=1, keepdims=True)
    return float(-np.log(probabilities[tested[:-1], tested[1:]]).mean())


def rotation_steps() -> dict[str, np.ndarray]:
    """Return the matrices that rotate a row of one head by one position: the trained one, and two for longer texts.

    A row vector is rotated by row @ matrix. Interpolation divides every frequency by 4. YaRN (Peng et al. 2023,
    defaults of §3.2) divides the frequency of a pair that makes less than one full rotation in the trained length,
    keeps the frequency of a pair that makes more than 32, and blends the two frequencies for the pairs in between.
    """
    frequencies = 10000.0 ** (-np.arange(0, HEAD_DIM, 2) / HEAD_DIM)
    wavelengths = (LENGTH / rotations for rotations in (32, 1))
    low, high = (HEAD_DIM / 2 * math.log(length / (2 * math.pi), 10000) for length in wavelengths)
    first = max(math.floor(low), 0)
    divided = np.clip((np.arange(HEAD_DIM // 2) - first) / (math.ceil(high) - first), 0, 1)
    kinds = {"trained": frequencies, "interpolated": frequencies / 4}
    kinds["yarn"] = frequencies * (1 - divided) + frequencies / 4 * divided
    return {kind: step_matrix(angles) for kind, angles in kinds.items()}


def step_matrix(angles: np.ndarray) -> np.ndarray:
    """Return the matrix that rotates pair i of a row by angles[i]."""
    step = np.zeros((HEAD_DIM, HEAD_DIM))
    for pair, angle in enumerate(angles):
        first, second = 2 * pair, 2 * pair + 1
        step[first, first] = step[second, second] = math.cos(angle)
        step[first, second], step[second, first] = math.sin(angle), -math.sin(angle)
    return step


def main() -> None:
    """Train both models, and write weights.safetensors, recorded.npz and measured.csv."""
    torch.set_num_threads(1)
    read, tested = paragraphs()
    symbols = sorted(set(read + tested))
    encoded = [np.array([symbols.index(character) for character in text]) for text in (read, tested)]
    ids, held_out = map(torch.from_numpy, encoded)
    models = {rotates: train(ids, len(symbols), rotates) for rotates in (True, False)}
    save_file(
        {f"model.{name}": weight.half() for name, weight in models[True].state_dict().items()},
        HERE / "weights.safetensors",
        metadata={"format": "pt", "rope": "pairs 2i and 2i + 1, base 10000"},
    )
    np.savez_compressed(
        HERE / "recorded.npz",
        symbols=np.array("".join(symbols)),
        halves=np.r_[0:HEAD_DIM:2, 1:HEAD_DIM:2],  # the features of a head in the other layout
        **rotation_steps(),
    )
    with (HERE / "measured.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("model", "loss"))
        rows.writerow(("bigram", f"{bigram_loss(*encoded, len(symbols)):.3f}"))
        rows.writerow(("without positions", f"{loss_of(models[False], held_out):.3f}"))
        rows.writerow(("with RoPE", f"{loss_of(models[True], held_out):.3f}"))


if __name__ == "__main__":
    main()
