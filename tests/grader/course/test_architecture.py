"""The rooms of `autograder/`: imports go down, and through a room's front door. A change that needs an arrow up belongs
elsewhere."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import course

ORDER = """
    cli doctor handout laptop pages otter batch reports grading hints submission sandbox checks protocol
    parallel course files safe_path
""".split()
"""From the top floor down. The last five know of nothing else; students get `course.shipped_code` alone."""


def room(name: str) -> str:
    """`autograder.grading.suite` is in the room `grading`."""
    return name.split(".")[1]


def imports(path: Path) -> Iterator[str]:
    """The project's modules that a file names in its import statements, also inside functions."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("autograder"):
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if is_module(full) else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("autograder."))


def is_module(name: str) -> bool:
    path = course.PACKAGE.parent / Path(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


tree = functools.cache(lambda path: ast.parse(path.read_text("utf-8")))
FILES = sorted(
    path
    for path in course.PACKAGE.rglob("*.py")
    if ("_course" not in path.parts and path.parent != course.PACKAGE) or path.stem in ORDER
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(course.PACKAGE)))
def test_imports_go_down_and_through_the_front_door(path: Path) -> None:
    relative = path.relative_to(course.PACKAGE)
    own = relative.parts[0].removesuffix(".py")
    for name in imports(path):
        if name == "autograder" or room(name) == own:
            continue
        assert ORDER.index(room(name)) > ORDER.index(own), f"{relative} imports {name}: an arrow up"
        inside = name.split(".")[2:]
        front_door = importlib.import_module(f"autograder.{room(name)}")
        if inside:
            assert inside[0] in front_door.PUBLIC_MODULES, (
                f"{relative} imports {name}, which is not in the front door of {room(name)}"
            )


def test_one_noun_is_one_class_and_one_module() -> None:
    """A stranger who searches for a name finds one thing."""
    classes = Counter(
        node.name.lstrip("_") for path in FILES for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)
    )
    modules = Counter(path.stem for path in FILES if not path.stem.startswith("__"))
    assert [name for name, times in (classes + modules).items() if times > 1] == []


def test_no_test_imports_another() -> None:
    """What two tests share stands in `support/`."""
    texts = {path.name: path.read_text("utf-8") for path in (course.ROOT / "tests" / "grader").rglob("*.py")}
    assert [
        name
        for name, text in texts.items()
        if re.search(r"^\s*(from|import) tests\.grader\.[\w.]*\btest_", text, re.MULTILINE)
    ] == []
