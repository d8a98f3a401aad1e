"""The functions of an assignment as its stub has them: signature and docstring."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    """What a student is told of one function in code."""

    name: str
    signature: str
    docstring: str


def functions(stub: str) -> list[Function]:
    """The public functions of a stub, in its order."""
    found = (node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"))
    return [Function(node.name, f"{node.name}({ast.unparse(node.args)})", inspect.cleandoc(ast.get_docstring(node) or "")) for node in found]
