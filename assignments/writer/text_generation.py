"""Texts that the writer's model writes, piece by piece, for a terminal and for a page."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from assignments.writer.experiments import EXPERIMENTS
from assignments.writer.llama import Model


def written(model: Model, prompt: str, n: int = 300) -> Iterator[str]:
    """Yield the prompt, n further characters, and a comparison with the text that the provided functions write.

    An empty piece stands for a character from the provided functions, so that no step takes long.
    """
    yield prompt
    text = expected = ""
    for character in model.write(prompt, n):
        text += character
        yield character
    if not any(source.startswith("yours") for source in model.parts.sources.values()):
        return
    for character in Model().write(prompt, n):
        expected += character
        yield ""
    pairs = enumerate(zip(text, expected, strict=True), 1)
    first = next((i for i, (actual, other) in pairs if actual != other), None)
    comparison = f"another text from character {first} on" if first else "the same text"
    yield f"\n\nThe provided functions write {comparison}."


def compared(model: Model, name: str) -> Iterator[str]:
    """Yield the subject of an experiment, then the title and text of each variant."""
    experiment = EXPERIMENTS[name]
    yield inspect.cleandoc(experiment.__doc__ or "")
    for variant in experiment(model):
        yield f"\n\n{variant.title}:\n    {variant.text}"
