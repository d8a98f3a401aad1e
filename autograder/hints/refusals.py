"""What a solution refuses, and the rules behind it, as its docstrings and the messages of its errors state them."""

from __future__ import annotations

import ast
import functools
import re
import types
from dataclasses import replace
from pathlib import Path

from autograder.protocol.call import Call, Raised, Reply, perform


class Refusals:
    """The refusals of one solution."""

    def __init__(self, solution: types.ModuleType) -> None:
        self.solution = solution

    def line(self, call: Call) -> int | None:
        """Where a call is refused: at the same line for all functions that leave it to another."""
        raised = self._raised(call)
        return raised.line if raised is not None else None

    def rule(self, call: Call) -> tuple[str, str] | None:
        """The error of its refusal of a call, and the rule that it states, without any value; None where numpy refuses
        for it."""
        raised = self._raised(call)
        rule = _rule(raised.message, self._stated) if raised is not None else None
        if raised is None or rule is None:
            return None
        if "…" in rule:  # with a gap it is no sentence: the docstring says it, which the student has too
            rule = _clause(self._raises(call.function), rule.split()[0])
        return (raised.kind, rule) if rule else None

    def broken(self, call: Call, reply: Reply) -> str | None:
        """What to say where this came of a call that is refused: the rule, by what the solution says when it
        refuses."""
        refused = self.rule(call)
        if refused is None:
            return None
        kind, rule = refused
        if reply.raised is None:
            return f"Your code accepts an argument that breaks this rule: {rule}."
        if not reply.raised.on_purpose:
            return f"Your code does not check this argument: the error comes from what it calls. The rule: {rule}."
        if kind not in reply.raised.bases:
            return f"Your code refuses with another error than {kind}. The rule: {rule}."
        return f"The message of your {kind} does not contain the value. The rule: {rule}."

    def all_of(self, function: str) -> str | None:
        """What to say where a function refuses an argument that is allowed: all that its docstring has refused."""
        said = self._raises(function).removeprefix("Raises: ")
        return f"It refuses more than it should. All that is refused: “{said}”." if said else None

    def _raised(self, call: Call) -> Raised | None:
        return perform(self.solution, replace(call.copy(), measured=False)).raised

    def _raises(self, function: str) -> str:
        """What a function's docstring says of errors, or that of the function which it names for them."""
        docstring = vars(self.solution)[function].__doc__ or ""
        if match := re.search(r"errors: as (\w+)", docstring):
            return self._raises(match[1])
        match = re.search(r"^ *(Raises: .+?)(?=^ *[A-Z]\w+: |\Z)", docstring, re.DOTALL | re.MULTILINE)
        return " ".join(match[1].split()).rstrip(".") if match else ""

    @functools.cached_property
    def _stated(self) -> list[tuple[str, ...]]:
        """The messages of its errors, each as the constant texts around its values; first those that say most."""
        messages: list[tuple[str, ...]] = []
        for node in ast.walk(ast.parse(Path(str(self.solution.__file__)).read_text(encoding="utf-8"))):
            match node:
                case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str(text)), *_])):
                    messages.append((text,))
                case ast.Raise(exc=ast.Call(args=[ast.JoinedStr(values=values), *_])):
                    marked = "".join(str(value.value) if isinstance(value, ast.Constant) else "\0" for value in values)
                    messages.append(tuple(marked.split("\0")))
                case ast.Call(args=[*_, ast.Constant(value=str(text))]) if " " in text:  # a rule for whatever checks it
                    messages.append((f"{text}; got ", ""))
        return sorted(messages, key=lambda texts: -sum(map(len, texts)))


def _clause(raises: str, argument: str) -> str:
    """What is said of errors, or of those of one argument where a single part names it."""
    parts = re.split(r"[,;] (?:and |or )?|: ", raises)
    naming = [part for part in parts if re.search(rf"\b{re.escape(argument)}\b", part)]
    if len(naming) == 1:
        return f"{naming[0].removeprefix('ValueError ').removeprefix('for ')} is refused"
    return raises and f"“{raises}”"


def _rule(message: str, stated: list[tuple[str, ...]]) -> str | None:
    for texts in stated:
        pattern = "(.+?)".join(re.escape(part) for part in texts)
        if match := re.fullmatch(pattern, message, re.DOTALL):
            without_values = texts[0]
            for before, group, after in zip(texts, match.groups(), texts[1:], strict=False):
                # A name may stand in the message, and the smallest size of all; a value may not.
                is_smallest = before.endswith("at least ") and group in ("0", "1", "2")
                is_told = is_smallest or re.fullmatch(r"(?!nan|inf)[a-z_ ]+", group)
                without_values += (group if is_told else "…") + after
            return re.split(r"; (?:got|there is)|: got", without_values)[0].strip()
    return None
