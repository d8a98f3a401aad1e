"""Tests of notebooks: code cells are read in order, without the lines that only a notebook can run."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.submission import Submission, read_submission
from autograder.submission.syntax_trees import GRADER_PYTHON
from tests.grader.support.student_folders import code_cell, notebook

MIB = 1 << 20
Reader = Callable[..., Submission]


@pytest.fixture
def submission_file(tmp_path: Path) -> Reader:
    """Return a function that writes a file and reads it for an assignment that does not exist, so that every
    note is about reading."""

    def write(content: str | bytes, name: str = "ada.ipynb") -> Submission:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_submission(path, "notebook", ["naive", "rope"])

    return write


def left_out(cells: str, more: str = "") -> str:
    what = "what only a notebook can run, such as magics, shell and help lines, uploads and calls to Otter"
    return f"Left out of code cell{'s' * (';' in cells)} {cells}: {what}{more}."


def read(submission_file: Reader, *sources: str) -> Submission:
    submission = submission_file(notebook(*sources))
    assert submission.problem is None, submission.problem
    for cell, source in zip(submission.cells, sources, strict=True):
        ast.parse(cell)
        assert cell == "" or cell.count("\n") == source.count("\n"), "lines must keep their numbers"
    return submission


def test_code_cells_come_in_order_and_prose_does_not(submission_file: Reader) -> None:
    """The file's encoding and name make no difference."""
    text = notebook("θ = 1\n", {"cell_type": "raw", "source": "y"}, ["def f():\n", "    return θ"])
    for content in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16")):
        assert submission_file(content).cells == ("θ = 1\n", "def f():\n    return θ")
    submission = submission_file(text, "ada.py")
    assert len(submission.cells) == 2 and (submission.problem, submission.notes) == (None, ())
    assert submission_file("x = 1\n").cells == ("x = 1\n",)
    for python in ('{"cells": 1}\nx = 1\n', '{"x": 1}'):
        assert submission_file(python, "ada.py").cells == (python,)


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
    # Lines that are not magics: inside a string or a bracket, or after a backslash.
    "!ls\nx = '''\n%time\n!ls\nhelp?\n'''": "pass\nx = '''\n%time\n!ls\nhelp?\n'''",
    "!ls\nx = (7\n% 4)\ny = [8 # ]\n% 5]": "pass\nx = (7\n% 4)\ny = [8 # ]\n% 5]",
    "!ls\nx = 7 \\\n% 4": "pass\nx = 7 \\\n% 4",
    "!ls\n# help?\nx = 'what?'": "pass\n# help?\nx = 'what?'",
    "x = 7 \\\n% 4": "x = 7 \\\n% 4",
    "x = (7\n% 4\n)": "x = (7\n% 4\n)",
    # Otter's lines, as in the handout's notebooks, and a student's own lines.
    'import otter\ngrader = otter.Notebook("rope.ipynb")\nimport numpy as np': "pass\npass\nimport numpy as np",
    "import otter\ngrader = otter.Notebook(\n  'θ'\n)\nz = 3": "pass\npass\n\n\nz = 3",
    "θ = 1; import otter; y = 2": "θ = 1; pass; y = 2",
    # Lines of the notebook host, and lines that depend on them.
    "from google.colab import files\nup = files.upload();  # mine\nfor f in up.keys():\n    print(f)\nx = 1": (
        "pass\npass;  # mine\npass\n\nx = 1"
    ),
    "from google.colab import drive\ndrive.mount(\n'/x')\nx = 1": "pass\npass\n\nx = 1",
    "import micropip; await micropip.install('x'); x = 1": "pass; pass; x = 1",
    "x = 1\nasync with f() as g:\n    y = 1\nz = 2": "x = 1\npass\n\nz = 2",
    "async def f():\n    await g()\nx = 1": "async def f():\n    await g()\nx = 1",
    "from IPython.display import display, HTML\nif 1:\n    display(1)\nelse:\n    x = 2": (
        "pass\nif 1:\n    pass\nelse:\n    x = 2"
    ),
    "try:\n    import google.colab\nexcept ImportError:\n    x = 1": "try:\n    pass\nexcept ImportError:\n    x = 1",
    "from ipywidgets import interact\n@interact(\n  a=1)\ndef f(a):\n    return a": (
        "pass\n\n\ndef f(a):\n    return a"
    ),
    "import IPython, os\nx = 1": "import IPython, os\nx = 1",
    "from google.colab import files\nfiles = [1]\nx = files[0]": "pass\nfiles = [1]\nx = files[0]",
    "from google.colab import files\ndef f(files):\n    return files": "pass\ndef f(files):\n    return files",
    "otter = 5\nx = otter + 1": "otter = 5\nx = otter + 1",
    "grader = make()\ngrader.check('x')": "grader = make()\ngrader.check('x')",
}


@pytest.mark.parametrize(("source", "left"), DROPPED.items(), ids=range(len(DROPPED)))
def test_what_only_a_notebook_understands_is_dropped_and_nothing_else(
    submission_file: Reader, source: str, left: str
) -> None:
    submission = read(submission_file, "first = 0", source)
    assert submission.cells[1] == left
    assert submission.notes == ((left_out("2"),) if left != source else ())


BINDINGS = [
    "x = [{0} for {0} in y]",
    "x = {{{0}: 1 for _, {0} in y}}",
    "x = lambda {0}: {0} + 1",
    "x = sum({0} for {0} in y)",
]
"""Statements that bind a name and read it, so that the name is not the host's."""


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.parametrize("name", ["mo", "get_ipython", "files"])
def test_a_name_that_a_statement_binds_itself_is_not_the_hosts(
    submission_file: Reader, binding: str, name: str
) -> None:
    """`mo` is marimo's usual name, but students also use it for their own variables."""
    host, reads_host = "from google.colab import files", f"{name}.upload()"
    submission = read(submission_file, host, f"{binding.format(name)}\n{reads_host}")
    assert submission.cells == ("pass", f"{binding.format(name)}\npass")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_inside_a_cell(submission_file: Reader, end: str) -> None:
    submission = submission_file(notebook(end.join(["!ls", "x = 1", "%time f()", "y = 2"])))
    assert (submission.problem, submission.cells) == (None, ("pass\nx = 1\npass\ny = 2",))


def test_otters_grader_is_known_in_later_cells(submission_file: Reader) -> None:
    submission = read(submission_file, "import otter\ngrader = otter.Notebook()", "x = 1", 'grader.check("q1")')
    assert submission.cells == ("pass\npass", "x = 1", "pass")
    assert submission.notes == (left_out("1; 3"),)


def test_a_cell_that_is_no_python_is_left_out_and_named(submission_file: Reader) -> None:
    """A single note names the cells that were left out, however many there are."""
    submission = submission_file(notebook("x = 1", "hello there\n", "y = 2", "z = r'\\'\n%time"))
    assert submission.cells == ("x = 1", "", "y = 2", "")
    fault = f" (code cell 2 is not {GRADER_PYTHON}: line 1: invalid syntax)"
    assert submission.notes == (left_out("2; 4", fault),)
    submission = submission_file(notebook("x = 1", *["no code"] * 50, *["!ls\ny = 1"] * 50))
    assert submission.notes == (left_out("2; 3; 4; 5; 6; 7; 8; 9; and 92 more", fault),)


BAD = {
    "no cells": (notebook(), "no code cell"),
    "empty cells": (notebook("", ["\n", " "]), "no code cell"),
    "only magic": (notebook("%%bash\nls", "!ls"), "run"),
    "only otter": (notebook("import otter", "# later"), "run"),
    "no Python at all": (notebook("hello there"), f"code cell 1 is not {GRADER_PYTHON}: line 1: invalid syntax"),
    "surrogate": (notebook("x = '\ud800'"), "run"),
    "nul": (notebook("x = 1\0"), "null bytes"),
    "too much code": (notebook(*["x = 1\n" * 1000] * 60), "256 KiB"),
    "cut off": (notebook("x = 1")[:-10], "damaged"),
    "very many cells": (notebook(*["x = 1"] * 2001), "2000 code cells"),
    "no list of cells": (json.dumps({"cells": {"a": code_cell("x = 1")}}), "no list of cells"),
    "object without cells": ("{}", "no list of cells"),
    "deep": ('{"cells":' + "[" * MIB, "damaged"),
    "long number": ('{"cells": [' + "9" * 10_000 + "]}", "4300"),
}


@pytest.mark.parametrize(("content", "word"), BAD.values(), ids=BAD)
def test_a_notebook_without_code_is_refused(submission_file: Reader, content: str, word: str) -> None:
    submission = submission_file(content)
    assert submission.problem is not None and submission.cells == ()
    assert word in submission.problem.message
    assert submission.problem.message.isprintable() and submission.problem.message.endswith(".")
