"""The pictures of lesson 14, drawn from the functions of whoever hands in `model.py`."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from matplotlib.figure import Figure

from assignments.figures import BLUE, GREY, Lesson, as_numbers, make_panels, picture
from assignments.figures import explore as explore

LESSON = Lesson(14, 2, "1", (), "the middle of every step")


@picture
def model_steps(model: ModuleType, seq_len: int = 6, width: float = 1.5) -> Figure:
    """The steps of a line, and the middle of each."""
    middles = as_numbers(model.model_middles(seq_len, width))
    figure, axes = make_panels(1, 6.4, 2.2)
    axes.vlines(np.arange(seq_len + 1) * width, 0, 1, color=GREY, linewidth=1)
    axes.plot(middles, np.full(len(middles), 0.5), "o", color=BLUE)
    axes.set(xlabel="position", yticks=[], ylim=(-0.2, 1.2), title="the middle of every step")
    return figure
