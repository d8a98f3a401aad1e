"""Tests of the architecture of `autograder/`: imports go downwards (import-linter, in pyproject.toml), and a
package uses only the public modules of other packages.

The tests also check modules named in strings, as in `runpy` and `subprocess` calls or plugin names.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest
from importlinter import cli as import_linter

from autograder import course

CONTRACT = tomllib.loads((course.ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]
LAYERS: list[str] = CONTRACT["layers"]

FILES = sorted(path for path in course.PACKAGE_FOLDER.rglob("*.py") if "_course" not in path.parts)


@functools.cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"))


@functools.cache
def graph() -> grimp.ImportGraph:
    """Return every import in the package, including those inside functions."""
    return grimp.build_graph("autograder", cache_dir=None)


def package(module: str) -> str:
    """Return the package of a module, such as `grading` for `autograder.grading.suite`."""
    return module.split(".")[1]


def crossing() -> Iterator[tuple[str, str]]:
    """Yield each import between packages as a pair: the importing module and the imported module."""
    for importer in sorted(graph().modules - {"autograder"}):
        for imported in sorted(graph().find_modules_directly_imported_by(importer) - {"autograder"}):
            if package(imported) != package(importer):
                yield importer, imported


def test_imports_go_down() -> None:
    """Imports go only down the layers: code that needs an import from a higher package belongs in another package."""
    assert import_linter.lint_imports(config_filename=str(course.ROOT / "pyproject.toml"), no_cache=True) == 0


def test_packages_import_each_other_through_their_public_modules() -> None:
    private = [
        f"{importer} imports {imported}"
        for importer, imported in crossing()
        if (inside := imported.split(".")[2:])
        and inside[0] not in importlib.import_module(f"autograder.{package(imported)}").MODULES_FOR_OTHER_PACKAGES
    ]
    assert private == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(course.PACKAGE_FOLDER)))
def test_a_module_that_a_string_names_stands_below(path: Path) -> None:
    own = path.relative_to(course.PACKAGE_FOLDER).parts[0].removesuffix(".py")
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for name in re.findall(r"\bautograder(?:\.[a-z_]+)+", node.value) if node.value.isascii() else ():
                if name in graph().modules and " " not in node.value and package(name) != own:
                    assert LAYERS.index(package(name)) > LAYERS.index(own), (
                        f"a string in {path} names {name}: an arrow up"
                    )


def test_one_noun_is_one_class_and_one_module() -> None:
    """A reader who searches for a name finds only one definition."""
    classes = Counter(
        node.name.lstrip("_") for path in FILES for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)
    )
    modules = Counter(path.stem for path in FILES if not path.stem.startswith("__"))
    assert [name for name, times in (classes + modules).items() if times > 1] == []


def test_no_test_imports_another() -> None:
    """Code that two tests share belongs in `support/`."""
    texts = {path.name: path.read_text("utf-8") for path in (course.ROOT / "tests" / "grader").rglob("*.py")}
    assert [
        name
        for name, text in texts.items()
        if re.search(r"^\s*(from|import) tests\.grader\.[\w.]*\btest_", text, re.MULTILINE)
    ] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(course.PACKAGE_FOLDER)))
def test_no_text_is_split_after_a_value_entered_it(path: Path) -> None:
    """A path may contain a space, and splitting a command at that space would run a different command."""
    calls = (node.func for node in ast.walk(tree(path)) if isinstance(node, ast.Call) and not node.args)
    split = [call for call in calls if isinstance(call, ast.Attribute) and call.attr == "split"]
    assert not any(isinstance(call.value, ast.JoinedStr) for call in split)
