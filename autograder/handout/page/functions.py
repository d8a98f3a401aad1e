"""The functions of an assignment as its stub has them: signature and docstring, below the heading of the function."""

from __future__ import annotations

import ast
import re
from html import escape

from autograder.handout.page.markdown import code


def docstrings(stub: str) -> dict[str, str]:
    """Name → signature and docstring, folded. The public functions of a stub, in its order."""
    found = (node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"))
    return {
        node.name: f'<details class="docstring"><summary>Docstring of <code>{node.name}</code></summary>'
        f"<pre><code>{code(f'{node.name}({ast.unparse(node.args)})').strip()}\n\n"
        f"{escape(_running(ast.get_docstring(node) or ''))}</code></pre></details>\n"
        for node in found
    }


def _running(docstring: str) -> str:
    """Running text without its line ends, so that it breaks where the page is full. Formulas (indented) and fields (`Returns:`) begin a line."""
    return re.sub(r"(?m)^(\S.*)\n(?=\S)(?![A-Z]\w+:)", r"\1 ", docstring)
