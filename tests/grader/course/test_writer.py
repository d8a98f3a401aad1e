"""The model that writes: your functions and the given ones agree, and what is broken on purpose shows."""

from __future__ import annotations

import functools
import re
import sys
import types

import numpy as np
import pytest

from assignments.writer import lessons
from assignments.writer.experiments import EXPERIMENTS, Way, held_out
from assignments.writer.experiments import PROMPT as START
from assignments.writer.model import HERE, Model, measured, powers
from assignments.writer.yours import TRIED, yours
from autograder.course import ROOT
from solutions import context_extension, rope

PROMPT = "Two tokens that"


@pytest.fixture(scope="module")
def given() -> Model:
    return Model()


@pytest.fixture(scope="module")
def mine() -> Model:
    """The model with all functions of the solutions, as a student has them who has written all."""
    return Model(yours("solutions.{0}"))


def test_written_functions_take_part_and_unwritten_ones_do_not() -> None:
    assert all(whose.startswith("yours") for whose in yours("solutions.{0}").whose.values())
    assert all(whose.startswith("given: yours is not written") for whose in yours().whose.values())


def test_your_functions_write_the_same_text_as_the_given_ones(given: Model, mine: Model) -> None:
    assert "".join(mine.write(PROMPT, 120)) == "".join(given.write(PROMPT, 120))
    ids = given.encode(held_out()[:150])
    np.testing.assert_allclose(mine.read(ids)[0], given.read(ids)[0], atol=1e-9)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, types.ModuleType]:
    """Two files with all functions of the solutions, which a test may change."""
    made = {}
    for name in {assignment for assignment, *_ in TRIED.values()}:
        solution = sys.modules[f"solutions.{name}"]
        made[name] = types.ModuleType(f"of_a_student_{name}")
        vars(made[name]).update({f: vars(solution)[f] for f, (of, *_) in TRIED.items() if of == name})
        monkeypatch.setitem(sys.modules, made[name].__name__, made[name])
    return made


def test_the_other_layout_serves_who_has_written_only_that(files: dict[str, types.ModuleType], given: Model) -> None:
    def unwritten(*_: object) -> None:
        raise NotImplementedError

    files["rope"].apply_rope = files["rope"].decode_step = unwritten  # type: ignore[attr-defined]
    model = Model(yours("of_a_student_{0}"))
    assert model.parts.in_halves and "apply_rope" not in model.parts.whose
    ids = given.encode(PROMPT)
    np.testing.assert_allclose(model.read(ids)[0], given.read(ids)[0], atol=1e-9)


def test_a_wrong_layout_of_yours_writes_another_text(files: dict[str, types.ModuleType], given: Model) -> None:
    files["rope"].apply_rope = rope.apply_rope_half  # type: ignore[attr-defined]
    ids = given.encode(held_out()[:200])
    wrong = Model(yours("of_a_student_{0}"))
    logits = wrong.read(ids[:-1])[0]
    loss = np.logaddexp.reduce(logits, axis=-1) - logits[np.arange(len(ids) - 1), ids[1:]]
    assert loss.mean() > given.losses(held_out()[:200]).mean() + 0.5


def test_what_your_function_raises_is_said(files: dict[str, types.ModuleType]) -> None:
    files["attention"].softmax = lambda scores: scores.no_such_thing  # type: ignore[attr-defined]
    files["rope"].apply_rope = lambda x, positions: x[0]  # type: ignore[attr-defined]
    parts = yours("of_a_student_{0}")
    assert "yours returns shape (1, 2) where (1, 1, 2) is due" in parts.whose["apply_rope"]
    assert parts.softmax is None and "yours raises AttributeError" in parts.whose["softmax"]


RUN = dict(EXPERIMENTS)


@functools.cache
def ways(name: str) -> list[Way]:
    """Return what an experiment shows; for the longest one, what its lesson says."""
    if name == "longer":
        lesson = (HERE.parent / "context_extension" / "README.md").read_text("utf-8")
        block = lesson.split("<!-- writer: longer -->")[1].split("```")[1]
        return [Way(*found) for found in re.findall(r"(.+):\n    (.+)\n", block)]
    return list(RUN[name](Model()))


def texts(name: str) -> list[str]:
    return [way.text for way in ways(name)]


@pytest.mark.parametrize("name", ["other-layout", "forgotten-position"])
def test_what_is_broken_writes_something_else(name: str) -> None:
    right, wrong = texts(name)
    assert right != wrong


def test_without_positions_and_mask_the_order_makes_no_difference() -> None:
    ordered, other, blind, blind_other = texts("shuffled")
    assert ordered[len(START) :] != other[len(START) :] and blind[len(START) :] == blind_other[len(START) :]


def test_hidden_padding_changes_nothing_and_the_other_ways_do() -> None:
    alone, hidden, seen, late = texts("padded-left")
    assert alone == hidden and seen != alone and late != alone


def test_the_recorded_matrices_are_rope_interpolation_and_yarn() -> None:
    step = {kind: powers(kind, 2)[1] for kind in ("trained", "interpolated", "yarn")}
    np.testing.assert_allclose(step["trained"], rope.rotation_matrix(1, 32).T, atol=1e-12)
    np.testing.assert_allclose(step["interpolated"], rope.rotation_matrix(0.25, 32).T, atol=1e-12)
    frequencies = context_extension.yarn_frequencies(32, 10000.0, 4.0, 256)
    np.testing.assert_allclose(np.arccos(np.diag(step["yarn"])[::2]), frequencies, atol=1e-9)


def test_the_model_knows_more_than_a_bigram_and_more_with_positions_than_without() -> None:
    bigram, without, with_rope = (float(loss) for _, loss in measured())
    assert with_rope < without < bigram


@pytest.mark.long
def test_lessons_show_what_the_model_writes_today(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EXPERIMENTS:
        monkeypatch.setitem(EXPERIMENTS, name, lambda _, name=name: ways(name))
    shown = list(lessons.lessons())
    assert len(shown) >= 2, "two lessons at least show it"
    for path, text, right in shown:
        assert text == right, f"{path.relative_to(ROOT)}: run python -m assignments.writer.lessons"


@pytest.mark.long
def test_the_losses_of_lesson_8_are_those_of_the_model() -> None:
    saved = lessons.saved_losses()
    np.testing.assert_allclose(saved["as trained"], [float(loss) for loss in lessons.losses("as trained")], atol=0.002)
    shown = {way.title: [float(loss) for loss in way.text.split()] for way in ways("longer")}
    assert shown.keys() == saved.keys()
    for name, quarters in shown.items():
        np.testing.assert_allclose(quarters, np.reshape(saved[name], (4, -1)).mean(axis=1), atol=0.006)


def test_it_stays_small() -> None:
    assert (HERE / "weights.npz").stat().st_size <= 3 * 2**20
    assert len((HERE / "model.py").read_text("utf-8").splitlines()) <= 250
