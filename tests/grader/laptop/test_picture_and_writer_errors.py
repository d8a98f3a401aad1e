"""Tests of the message about an exception outside the tests: it names the student's function and line."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.laptop.picture_and_writer_errors import error_sentence

TEXT = """
def inner(x):
    return {}

def outer(x):
    return inner(x) + 1

class Odd(Exception):
    pass
"""

FAULTS = {
    "1 / 0": "ZeroDivisionError at line 3 of rope.py: division by zero",
    "x.missing": "AttributeError at line 3 of rope.py: 'int' object has no attribute 'missing'",
    "undefined": "NameError at line 3 of rope.py: name 'undefined' is not defined",
    "(_ for _ in ()).throw(Odd('{} % {0}'))": "Odd at line 3 of rope.py: {} % {0}",
}
"""Ending of the sentence that describes each expression's exception."""


def loaded(text: str, path: str) -> types.ModuleType:
    """Return a module whose source text seems to come from the file `path`."""
    module = types.ModuleType("student")
    exec(compile(text, path, "exec"), vars(module))
    return module


def sentence(call: Callable[[], Any]) -> str:
    """Return the message about the exception that a call raises."""
    with pytest.raises(Exception, match=r"\w") as caught:
        call()
    return error_sentence(caught.value)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("function", ["inner", "outer"])
@pytest.mark.parametrize("folder", ["/course/assignments/rope/", "assignments/rope/"])
def test_the_function_that_was_called_and_the_line_that_raised_are_named(
    fault: str, function: str, folder: str
) -> None:
    module = loaded(TEXT.replace("{}", fault), f"{folder}rope.py")
    assert sentence(lambda: getattr(module, function)(1)) == f"{function} raised {FAULTS[fault]}"


def test_a_file_that_raises_while_it_is_loaded_is_named() -> None:
    said = sentence(lambda: loaded("x = 1\nx.y\n", "/course/assignments/rope/rope.py"))
    assert said == "Your file raised AttributeError at line 2 of rope.py: 'int' object has no attribute 'y'"


@pytest.mark.parametrize("text", ["x = (", "def f(:", "  x = 1", "x = 'abc", "return 1"])
def test_a_file_that_cannot_be_parsed_is_named(text: str) -> None:
    said = sentence(lambda: loaded(f"y = 1\n{text}\n", "/course/assignments/rope/rope.py"))
    assert re.fullmatch(r"Your file cannot run: .+ at line 2 of rope\.py\.", said)


@pytest.mark.parametrize("path", ["/course/assignments/model/lab.py", str(Path(__file__))])
def test_an_exception_in_the_course_s_own_code_comes_from_results_that_do_not_fit(path: str) -> None:
    said = sentence(lambda: loaded(TEXT.replace("{}", "1 / 0"), path).inner(1))
    assert said == "The results of your functions do not fit together (ZeroDivisionError: division by zero)."


def test_a_long_message_is_cut() -> None:
    module = loaded(TEXT.replace("{}", "[]['x' * 9999] if x else int('7' * 9999 + 'y')"), "assignments/rope/rope.py")
    assert len(sentence(lambda: module.inner(0))) < 400
