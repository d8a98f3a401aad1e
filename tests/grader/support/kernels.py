"""A Jupyter kernel to run cells in, one after the other, however long each takes.

Not with nbclient, which now and then overlooks a reply while widgets talk, and which drops what a cell shows where that
comes late.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

Message = dict[str, Any]
"""What a kernel sends, in Jupyter's own form."""


@contextmanager
def running() -> Iterator[BlockingKernelClient]:
    """A kernel of this interpreter."""
    manager, kernel = start_new_kernel(startup_timeout=math.inf, kernel_name="python3")
    try:
        yield kernel
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)


def run(kernel: BlockingKernelClient, folder: Path, sources: list[str]) -> dict[str, list[Message]]:
    """Source of each cell → what the kernel sent while it ran in that folder."""
    kernel.execute_interactive(f"import os, sys\nos.chdir({str(folder)!r})")
    kernel.execute_interactive("for name in ('figures', 'lab'):\n    sys.modules.pop(name, None)")
    sent: dict[str, list[Message]] = {}
    for source in sources:
        sent[source] = []
        kernel.execute_interactive(source, output_hook=sent[source].append)
    return sent
