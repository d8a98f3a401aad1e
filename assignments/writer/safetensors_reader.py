"""Read a checkpoint without PyTorch: the model's weights are stored in the format of Hugging Face's models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

DTYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
"""numpy's name for each number format in a file."""


def read_safetensors(path: str | Path) -> dict[str, np.ndarray]:
    """Return the arrays of a `.safetensors` file by name.

    The file begins with 8 bytes that give a length; a JSON header of that length follows, then the numbers.
    """
    content = Path(path).read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, entry in json.loads(content[8:begin]).items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(content[begin + first : begin + last], DTYPES[entry["dtype"]])
            tensors[name] = numbers.reshape(entry["shape"])
    return tensors
