"""Tests of chance in the similarity report: honest students are not listed where a lesson leaves little room, and
copies are listed as long as a class contains anything that tells them from honest work.
"""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from autograder.reports import similarity
from autograder.reports.coincidence import ChanceModel
from autograder.reports.fingerprints import Handout, ProgramPrints
from autograder.submission import Submission

OPERATIONS = "sin cos exp abs sqrt cumsum sort round floor ceil tanh square diff prod".split()
HANDOUT = Handout(frozenset({"np", *OPERATIONS}), np.empty(0, np.uint64))


def version(function: int, number: int) -> str:
    """Return one way to write a function."""
    draw = random.Random(1000 * function + number)
    lines = [
        f"    x = np.{draw.choice(OPERATIONS)}(x[{draw.randrange(99)}:]) {draw.choice('+-*/')} x" for _ in range(4)
    ]
    return "\n".join([f"def f{function}(x):", *lines, "    return x"])


def honest(draw: random.Random, n_functions: int, n_versions: int) -> list[str]:
    """Return the functions of a student who chooses each version and each name independently. Version 0 is the most
    frequent."""
    weights = [1 / rank for rank in range(1, n_versions + 1)]
    chosen = [version(n, draw.choices(range(n_versions), weights)[0]) for n in range(n_functions)]
    return [re.sub(r"\bx\b", f"x{draw.randrange(10**6)}", function) for function in chosen]


def listed(students: dict[str, list[str]]) -> set[frozenset[str]]:
    """Return the pairs that the report lists for a class."""
    files = [Submission(name, "rope", f"{name}.py", cells=("\n".join(code),)) for name, code in students.items()]
    programs = [HANDOUT.program_beyond(file.cells) for file in files]
    return {frozenset(row[2:4]) for row in similarity._rows_of_pairs(files, programs, len(files))}


@pytest.mark.long
@pytest.mark.parametrize("n_versions", [2, 4, 8])
@pytest.mark.parametrize("n_students", [12, 60, 150])
@pytest.mark.parametrize("n_functions", [4, 8])
def test_honest_students_who_had_few_choices_are_not_listed(n_students: int, n_functions: int, n_versions: int) -> None:
    draw = random.Random(n_students + n_versions)
    class_ = {f"student {n}": honest(draw, n_functions, n_versions) for n in range(n_students)}
    assert len(listed(class_)) <= 1


@pytest.mark.parametrize("n_copies", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_copies_are_listed_among_students_who_had_few_choices(seed: int, n_copies: int) -> None:
    """Copies with reordered functions are listed with their source if three of ten functions are rare."""
    draw = random.Random(seed)
    class_ = {f"student {n}": honest(draw, 10, 4) for n in range(60)}
    class_["source"] = [*honest(draw, 7, 4), *(version(n, 99) for n in (7, 8, 9))]
    for n in range(n_copies):
        class_[f"copy {n}"] = draw.sample(class_["source"], 10)
    pairs = listed(class_)
    assert set[str]().union(*pairs) == {"source", *(f"copy {n}" for n in range(n_copies))}
    assert len(pairs) == n_copies


def test_copies_are_no_evidence_that_the_code_is_natural() -> None:
    """Eleven copies of a program in a class of twelve are listed; eleven independent programs with its functions in
    other combinations show that the functions are natural, so a pair with the same combination is not listed."""
    source = [version(n, 0) for n in range(6)]
    others = {f"other {n}": [version(k, 5 + n) for k in range(6)] for n in range(1)}
    copies = {f"copy {n}": random.Random(n).sample(source, 6) for n in range(11)}
    assert set[str]().union(*listed(copies | others)) == set(copies)
    natural = {
        f"student {n}": [version(k, 0) if (n >> k) % 2 else version(k, 1) for k in range(6)] for n in range(1, 64)
    }
    assert listed({**natural, "twin": source[::-1]}) == set()


def test_files_with_the_same_text_are_always_listed() -> None:
    """Equal names, comments and layout are no chance, however natural the code is."""
    draw = random.Random(0)
    class_ = {f"student {n}": honest(draw, 5, 2) for n in range(60)}
    assert listed(class_) == set()
    assert listed(class_ | {"twin": class_["student 7"]}) == {frozenset({"student 7", "twin"})}


def test_chance_does_not_depend_on_the_order_of_the_pair() -> None:
    draw = random.Random(0)
    programs = [HANDOUT.program_beyond(("\n".join(honest(draw, 8, 4)),)) for _ in range(30)]
    programs += [programs[0], ProgramPrints()]
    model = ChanceModel(programs, 31)
    for first in range(32):
        for second in range(first):
            assert model.may_be_chance(first, second) == model.may_be_chance(second, first)
