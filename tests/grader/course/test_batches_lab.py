"""The given run of lesson 13: right gradients, the same rows for every way, numbers that are still true."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from assignments.batches import lab
from assignments.extrapolation.lab import stacked
from autograder import course
from autograder.hints import catalogue

ASSIGNMENT = course.find("batches")
SOLUTION = catalogue.solution(ASSIGNMENT)


@pytest.mark.parametrize("task", lab.TASKS)
@pytest.mark.parametrize("method", lab.METHODS)
def test_gradients_are_those_of_finite_differences(task: str, method: str) -> None:
    rng = np.random.default_rng(0)
    drawn = stacked([lab.draw_parameters(method, seed) for seed in range(2)])
    parameters = {name: value.astype(np.float64) + rng.normal(0, 0.3, value.shape) for name, value in drawn.items()}
    chosen = rng.integers(lab.ROWS, size=(2, 3))
    rows = lab.Rows(*(part[chosen] for part in lab.draw_rows(SOLUTION, task, lab.WAYS[2])))
    tokens = rng.integers(lab.VOCABULARY, size=(2, 3, lab.ROW))
    _, gradients = lab.loss_and_gradients(parameters, method, tokens, rows)
    assert gradients.keys() == parameters.keys()
    for name, gradient in gradients.items():
        for _ in range(3):
            place = tuple(int(rng.integers(size)) for size in gradient.shape)
            ends = []
            for step in (1e-4, -1e-4):
                shifted = {key: value.copy() for key, value in parameters.items()}
                shifted[name][place] += step
                ends.append(lab.loss_and_gradients(shifted, method, tokens, rows)[0][place[0]])
            # Rotations are kept in single precision.
            assert gradient[place] == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=1e-6, rel=1e-3), (name, place)


def test_a_packed_row_gives_each_text_what_it_gives_alone() -> None:
    """With the restart and the mask; the answer of a token is in its own text."""
    way = lab.WAYS[0]
    rows = lab.draw_rows(SOLUTION, "first token", way)
    model = stacked([lab.draw_parameters("learned", 0)])
    tokens = np.random.default_rng(1).integers(lab.VOCABULARY, size=(1, 1, lab.ROW))
    packed = lab.look(model, "learned", tokens, lab.Rows(*(part[:1] for part in rows))).scores[0, 0]
    begins = [*np.flatnonzero(rows.positions[0] == 0), lab.ROW]
    for begin, end in pairwise(begins):
        length = end - begin
        steps = np.arange(length)[np.newaxis]
        text = lab.Rows(steps, np.tri(length, dtype=bool)[np.newaxis], 0 * steps, steps > 0)
        alone = lab.look(model, "learned", tokens[..., begin:end], text).scores[0, 0]
        np.testing.assert_allclose(packed[begin:end], alone, atol=1e-5)
        assert (rows.answer[0, begin:end] == begin).all()


def test_training_learns_and_a_seed_does_not_depend_on_its_company() -> None:
    alone = lab.train(SOLUTION, "first token", "rope", lab.WAYS[0], [3], steps=10)
    beside = lab.train(SOLUTION, "first token", "rope", lab.WAYS[0], [0, 3], steps=10)
    assert all(np.allclose(value[0], beside[name][1], atol=1e-4) for name, value in alone.items())


def test_nothing_is_left_out() -> None:
    rows = lab.saved()
    keys = [(row.task, row.method, row.way, row.seed, row.test) for row in rows]
    wanted = {
        (task, method, str(way), seed, test)
        for task in lab.TASKS for method in lab.METHODS for way in lab.WAYS for seed in lab.SEEDS for test in lab.TESTS
    }  # fmt: skip
    assert len(keys) == len(set(keys)) and set(keys) == wanted and len(lab.SEEDS) >= 8


def test_the_tables_are_those_of_the_measurements() -> None:
    assert Path(lab.__file__).with_name("measured.md").read_text("utf-8") == lab.tables(lab.saved())


def test_what_is_kept_is_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(Path(lab.__file__).with_name("measured.csv"), tmp_path)
    monkeypatch.setattr(lab, "HERE", tmp_path)
    lab.keep(ASSIGNMENT.solution, False, [lab.saved()])
    for name in ("measured.csv", "measured.md"):
        assert (tmp_path / name).read_bytes() == Path(lab.__file__).with_name(name).read_bytes()
