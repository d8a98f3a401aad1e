"""Train the small model that writes: `python -m assignments.writer.train` (PyTorch: `pip install -e '.[train]'`).

It reads text.txt, the sentences of this course, one character at a time, and writes weights.npz and measured.csv. The
architecture is Llama's in small: RMSNorm before each part, RoPE on queries and keys (pairs 2i and 2i + 1), causal
attention, a feed-forward part, and the embedding used again at the end. The same model is trained once more without
any rotation, so that its loss can stand beside it, and a bigram model is counted.

Every tenth paragraph is held out: the losses in measured.csv are of those, in nats per character.
"""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

HERE = Path(__file__).parent
LENGTH, WIDTH, LAYERS, HEADS = 256, 128, 4, 4
STEPS, BATCH, RATE, DROPOUT, SEED = 3000, 8, 1.5e-3, 0.1, 0


def paragraphs() -> tuple[str, str]:
    """The text to learn from, and the text to test on: every tenth paragraph."""
    lines = (HERE / "text.txt").read_text("utf-8").splitlines(keepends=True)
    return "".join(line for i, line in enumerate(lines) if i % 10), "".join(lines[::10])


def rotated(x: torch.Tensor) -> torch.Tensor:
    """RoPE on (..., T, head_dim), positions 0 … T − 1."""
    length, size = x.shape[-2:]
    angles = torch.arange(length)[:, None] * 10000.0 ** (-torch.arange(0, size, 2) / size)
    turned = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * torch.polar(torch.ones(()), angles)
    return torch.view_as_real(turned).flatten(-2)


class Layer(nn.Module):
    """Attention, then a feed-forward part, each on a normalized copy of the input and added to it."""

    def __init__(self, rotates: bool) -> None:
        super().__init__()
        self.rotates = rotates
        self.norm_1, self.norm_2 = nn.RMSNorm(WIDTH, 1e-5), nn.RMSNorm(WIDTH, 1e-5)
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.w_up, self.w_down = nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, T, WIDTH) → the same shape."""
        h = self.norm_1(x)
        q, k, v = (w(h).unflatten(-1, (HEADS, -1)).transpose(1, 2) for w in (self.w_q, self.w_k, self.w_v))
        if self.rotates:
            q, k = rotated(q), rotated(k)
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + functional.dropout(self.w_o(attended.transpose(1, 2).flatten(-2)), DROPOUT, self.training)
        fed = self.w_down(functional.relu(self.w_up(self.norm_2(x))))
        return x + functional.dropout(fed, DROPOUT, self.training)


class Writer(nn.Module):
    """Characters → the logits of each next character."""

    def __init__(self, symbols: int, rotates: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, WIDTH)
        self.layers = nn.ModuleList(Layer(rotates) for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH, 1e-5)
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                narrow = math.sqrt(2 * LAYERS) if name.endswith(("w_o.weight", "w_down.weight")) else 1
                nn.init.normal_(weight, std=0.02 if "embedding" in name else WIDTH**-0.5 / narrow)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(B, T) integers → (B, T, symbols)."""
        x = functional.dropout(self.embedding(ids), DROPOUT, self.training)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.embedding.weight.T


def trained(ids: torch.Tensor, symbols: int, rotates: bool) -> Writer:
    """A model after STEPS steps on windows of `ids`: the same windows, with and without rotation."""
    torch.manual_seed(SEED)
    model = Writer(symbols, rotates)
    decayed = [weight for weight in model.parameters() if weight.ndim == 2]
    others = [weight for weight in model.parameters() if weight.ndim == 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=RATE, betas=(0.9, 0.99)
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
    """Mean loss per character of a text, read in windows of LENGTH."""
    windows = ids[: len(ids) // LENGTH * LENGTH].reshape(-1, LENGTH)
    return functional.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten()).item()


def bigram_loss(read: np.ndarray, tested: np.ndarray, symbols: int) -> float:
    """The loss of a model that counts which character follows which, each pair once more than it was seen."""
    counts = np.ones((symbols, symbols))
    np.add.at(counts, (read[:-1], read[1:]), 1)
    chances = counts / counts.sum(axis=1, keepdims=True)
    return float(-np.log(chances[tested[:-1], tested[1:]]).mean())


def recorded_steps() -> dict[str, np.ndarray]:
    """The matrix that moves a row of one head on by one position: as trained, and two ways to read four times as far.

    Rows are multiplied from the left. Interpolation divides every frequency by 4; YaRN (Peng et al. 2023, defaults of
    §3.2) divides those that turn less than once in the trained length, leaves those that turn more than 32 times, and
    passes from one to the other in between.
    """
    size = WIDTH // HEADS
    frequencies = 10000.0 ** (-np.arange(0, size, 2) / size)
    low, high = (size * math.log(LENGTH / (turns * 2 * math.pi)) / (2 * math.log(10000)) for turns in (32, 1))
    divided = np.clip(
        (np.arange(size // 2) - max(math.floor(low), 0)) / (math.ceil(high) - max(math.floor(low), 0)), 0, 1
    )
    kinds = {"trained": frequencies, "interpolated": frequencies / 4}
    kinds["yarn"] = frequencies * (1 - divided) + frequencies / 4 * divided
    steps = {}
    for kind, angles in kinds.items():
        step = np.zeros((size, size))
        for pair, angle in enumerate(angles):
            first, second = 2 * pair, 2 * pair + 1
            step[first, first] = step[second, second] = math.cos(angle)
            step[first, second], step[second, first] = math.sin(angle), -math.sin(angle)
        steps[kind] = step
    return steps


def main() -> None:
    """Train both models, and write weights.npz and measured.csv."""
    torch.set_num_threads(1)
    read, tested = paragraphs()
    symbols = sorted(set(read + tested))
    encoded = [np.array([symbols.index(character) for character in text]) for text in (read, tested)]
    ids, held_out = map(torch.from_numpy, encoded)
    models = {rotates: trained(ids, len(symbols), rotates) for rotates in (True, False)}
    weights = {
        name.removesuffix(".weight"): (value.T if name.split(".")[-2].startswith("w_") else value)
        for name, value in models[True].state_dict().items()
    }
    steps = {f"step_{kind}": step for kind, step in recorded_steps().items()}
    np.savez_compressed(
        HERE / "weights.npz",
        symbols=np.array("".join(symbols)),
        halves=np.r_[0 : WIDTH // HEADS : 2, 1 : WIDTH // HEADS : 2],  # the features of a head in the other layout
        **steps,
        **{name: value.numpy().astype(np.float16) for name, value in weights.items()},
    )
    with (HERE / "measured.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("model", "loss"))
        rows.writerow(("bigram", f"{bigram_loss(*encoded, len(symbols)):.3f}"))
        rows.writerow(("without positions", f"{loss_of(models[False], held_out):.3f}"))
        rows.writerow(("with RoPE", f"{loss_of(models[True], held_out):.3f}"))


if __name__ == "__main__":
    main()
