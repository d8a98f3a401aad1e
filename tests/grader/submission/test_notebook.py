"""Notebooks: code cells in order, without what only a notebook understands."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from autograder.submission import Submission, read_file

MIB = 1 << 20


def code(source: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


def notebook(*cells: Any) -> str:
    prose = {"cell_type": "markdown", "metadata": {}, "source": ["# RoPE\n", "not code"]}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [prose, *cells]})


@pytest.fixture
def submission_file(tmp_path: Path):
    """Writes a file and reads it as what somebody handed in. Nothing is asked of it, so that all notes are on how it
    was read."""

    def write(content: str | bytes, name: str = "ada.ipynb") -> Submission:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_file(path, "notebook", ["naive", "rope"])

    return write


def read(submission_file: Any, *sources: str) -> Submission:
    submission = submission_file(notebook(*map(code, sources)))
    assert submission.problem is None, submission.problem
    assert len(submission.cells) == len(sources)
    for cell, source in zip(submission.cells, sources, strict=True):
        ast.parse(cell)
        assert cell == "" or cell.count("\n") == source.count("\n"), "lines must keep their numbers"
    return submission


def test_code_cells_come_in_order_and_prose_does_not(submission_file) -> None:
    submission = submission_file(
        notebook(code("x = 1\n"), {"cell_type": "raw", "source": "y"}, code(["def f():\n", "    return x"]))
    )
    assert submission.cells == ("x = 1\n", "def f():\n    return x")
    assert (submission.problem, submission.notes) == (None, ())


def test_any_usual_encoding_is_read(submission_file) -> None:
    text = notebook(code("θ = 1\r\nx = θ\r\n"))
    for content in (text.encode(), b"\xef\xbb\xbf" + text.encode(), b"\xff\xfe" + text.encode("utf-16-le")):
        assert submission_file(content).cells == ("θ = 1\nx = θ\n",)


DROPPED = {
    "%matplotlib inline\nx = 1": "pass\nx = 1",
    "x = 1\n!ls -l 'a\ny = 2": "x = 1\npass\ny = 2",
    "?np.dot\nnp.dot?\nnp.dot??\nx = 1": "pass\npass\npass\nx = 1",
    "%%time\nx = 1": "\nx = 1",
    "\n\n%%capture out\nx = 1\n": "\n\n\nx = 1\n",
    "%%writefile rope.py\ndef f():\n    pass\n": "\ndef f():\n    pass\n",
    "%%time\n%load_ext autoreload\nx = 1": "\npass\nx = 1",
    "%%bash\nrm -rf /\n": "",
    "%%html\n<b>x = 1</b>": "",
    "files = !ls\nt = %timeit -o f()\na, b = !ls\nx = 1": "pass\npass\npass\nx = 1",
    "if True:\n    !ls\nfor i in x:\n\t%time f(i)\nx = 1": "if True:\n    pass\nfor i in x:\n\tpass\nx = 1",
    "%time f(\nx = 1": "pass\nx = 1",
    "!echo \"it's\nx = '!'": "pass\nx = '!'",
    # Not magic: inside a string, a bracket, or after a backslash.
    "!ls\nx = '''\n%time\n!ls\nhelp?\n'''": "pass\nx = '''\n%time\n!ls\nhelp?\n'''",
    '!ls\nx = """a\n%b"c\n!d"""\ny = 2': 'pass\nx = """a\n%b"c\n!d"""\ny = 2',
    "!ls\nx = (7\n% 4)\ny = [8 # ]\n% 5]": "pass\nx = (7\n% 4)\ny = [8 # ]\n% 5]",
    "!ls\nx = 7 \\\n% 4": "pass\nx = 7 \\\n% 4",
    "!ls\nx = y != 3; x %= 4\nz = {'a':\n 5 % 3}": "pass\nx = y != 3; x %= 4\nz = {'a':\n 5 % 3}",
    "!ls\n# help?\nx = 'what?'": "pass\n# help?\nx = 'what?'",
    "!ls\ns = 'it\\'s' # \"\n%time": "pass\ns = 'it\\'s' # \"\npass",
}


@pytest.mark.parametrize(("source", "left"), DROPPED.items(), ids=range(len(DROPPED)))
def test_magic_is_dropped_and_nothing_else(submission_file, source: str, left: str) -> None:
    submission = read(submission_file, "first = 0", source)
    assert submission.cells[1] == left
    assert submission.notes == ("Magic, shell and help lines, and calls of Otter, were left out of code cells 2.",)


@pytest.mark.parametrize("source", ["x = 7 \\\n% 4", "'''\n%time\n!ls\n'''", "x = (7\n% 4\n)", "x = 5 # %time\n"])
def test_what_only_looks_like_magic_stays(submission_file, source: str) -> None:
    submission = read(submission_file, source)
    assert (submission.cells, submission.notes) == ((source,), ())


OTTER = {
    'import otter\ngrader = otter.Notebook("rope.ipynb")\nimport numpy as np': "pass\npass\nimport numpy as np",
    "import numpy, otter.check\nx = 1": "import numpy, otter.check\nx = 1",
    "θ = 1; import otter; y = 2": "θ = 1; import otter; y = 2",
    "import otter\ngrader = otter.Notebook(\n  'θ'\n)\nz = 3": "pass\npass\n\n\nz = 3",
    "import otter, numpy\nimport otter; x = 1": "import otter, numpy\nimport otter; x = 1",
    "otter = 5\nx = otter + 1": "otter = 5\nx = otter + 1",
}


@pytest.mark.parametrize(("source", "left"), OTTER.items(), ids=range(len(OTTER)))
def test_calls_of_otters_grader_are_dropped(submission_file, source: str, left: str) -> None:
    submission = read(submission_file, source)
    assert submission.cells == (left,)
    assert submission.notes == (
        ("Magic, shell and help lines, and calls of Otter, were left out of code cells 1.",) if left != source else ()
    )


def test_otters_grader_is_known_in_later_cells(submission_file) -> None:
    submission = read(submission_file, "import otter\ngrader = otter.Notebook()", "x = 1", 'grader.check("q1")')
    assert submission.cells == ("pass\npass", "x = 1", "pass")
    assert submission.notes == ("Magic, shell and help lines, and calls of Otter, were left out of code cells 1, 3.",)


def test_a_grader_of_the_students_own_stays(submission_file) -> None:
    assert read(submission_file, "grader = make()\ngrader.check('x')").notes == ()


def test_a_cell_that_is_no_python_is_left_out_and_named(submission_file) -> None:
    submission = submission_file(
        notebook(code("x = 1"), code("hello there\n"), code("y = 2"), code("z = r'\\'\n%time"))
    )
    assert submission.problem is None
    assert submission.cells == ("x = 1", "", "y = 2", "")
    assert submission.notes[0] == "Code cell 2 is not Python (line 1: invalid syntax) and was left out."
    assert submission.notes[1].startswith("Code cell 4 is not Python (line 1: unterminated string literal")


def test_notes_stay_short_however_many_cells_are_bad(submission_file) -> None:
    submission = submission_file(notebook(code("x = 1"), *[code("no code")] * 500, *[code("!ls\ny = 1")] * 500))
    assert len(submission.notes) == 10
    assert submission.notes[8] == "492 more code cells are not Python and were left out."
    assert submission.notes[9].endswith("code cells 502, 503, 504, 505, 506, 507, 508, 509 and 492 more.")


BAD = {
    "no cells": (notebook(), "no code cell"),
    "empty cells": (notebook(code(""), code(["\n", " "])), "no code cell"),
    "only magic": (notebook(code("%%bash\nls"), code("!ls")), "run"),
    "only comments": (notebook(code("# later")), "run"),
    "only otter": (notebook(code("import otter")), "run"),
    "no Python at all": (notebook(code("hello there")), "Code cell 1 is not Python (line 1: invalid syntax)"),
    "surrogate": (notebook(code("x = '\ud800'")), "run"),
    "nul": (notebook(code("x = 1\0")), "null bytes"),
    "deep code": (notebook(code("(" * 100_000)), "nested"),
    "too much code": (notebook(*[code("x = 1\n" * 1000)] * 60), "256 KiB"),
    "cut off": (notebook(code("x = 1"))[:-10], "damaged"),
    "very many cells": (notebook(*[code("x = 1")] * 2001), "2000 code cells"),
    "no list of cells": (json.dumps({"cells": {"a": 1}}), "no list of cells"),
    "object without cells": ("{}", "no list of cells"),
    "deep": ('{"cells":' + "[" * MIB, "damaged"),
    "deep objects": ('{"a":' * (MIB // 2), "damaged"),
    "long number": ('{"cells": [' + "9" * 10_000 + "]}", "4300"),
    "large": (notebook(code("x = 1")) + " " * 4 * MIB, "4 MiB"),
    "web page": ("<!doctype html><title>rope</title>", "not Python"),
    "empty": ("", "no code"),
}


@pytest.mark.parametrize(("content", "word"), BAD.values(), ids=BAD)
def test_a_notebook_without_code_is_refused(submission_file, content: str, word: str) -> None:
    submission = submission_file(content)
    assert submission.problem is not None
    assert submission.cells == ()
    assert word in submission.problem.message
    assert submission.problem.message.isprintable() and submission.problem.message.endswith(".")


def test_a_notebook_named_as_python_is_read_as_a_notebook(submission_file) -> None:
    submission = submission_file(notebook(code("x = 1")), "ada.py")
    assert (submission.cells, submission.notes) == (("x = 1",), ())


def test_python_named_as_a_notebook_is_read_as_python(submission_file) -> None:
    submission = submission_file("x = 1\n")
    assert (submission.cells, submission.notes) == (("x = 1\n",), ())


def test_python_that_begins_with_a_dict_is_python(submission_file) -> None:
    assert submission_file('{"cells": 1}\nx = 1\n', "ada.py").cells == ('{"cells": 1}\nx = 1\n',)
    assert submission_file('{"x": 1}', "ada.py").cells == ('{"x": 1}',)
