"""Substitutes for a submission's functions, inside its second worker: they return the answers that the grader sent.

A substitute contains no rule and no answer. It looks a call up among the answers that arrived, records a call
without an answer, and otherwise runs the submission's function. The submission shares this process and can change
anything in it, so the grader trusts nothing that comes from here.
"""

from __future__ import annotations

import base64
import copy
import hashlib
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from autograder.protocol import codec

MAX_QUESTIONS_PER_EXCHANGE = 256
"""Maximum number of questions that one exchange reports."""

UNANSWERED_TAG = "unanswered"
"""First part of the result of a helped call that has unanswered questions."""

Question = tuple[str, tuple[Any, ...], dict[str, Any]]
"""Function name, positional arguments, keyword arguments."""

Answer = tuple[str, Any] | None
"""Name of an error and its message, or an empty text and the right value; None if the submission's function runs."""

Sealed = tuple[str, str]
"""Label of a question, and its answer in a form that needs the question to read it."""


def seal(question: bytes, answer: Answer) -> Sealed:
    """Return an answer that can be sent before its question is asked.

    A function that lacks the formula never computes the question, and so learns nothing from the answer.
    """
    return _label(question), base64.b64encode(_mixed(question, codec.encode(answer))).decode("ascii")


def _label(question: bytes) -> str:
    return hashlib.sha256(question).hexdigest()


def _mixed(question: bytes, data: bytes) -> bytes:
    """Return the data XOR a stream of bytes that depends on the question; applied twice, this gives the data again."""
    stream = hashlib.shake_256(question).digest(len(data))
    return (np.frombuffer(data, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


class UnansweredQuestion(BaseException):
    """Ends a call in which a substitute met an unanswered question.

    It is not an Exception, so that no `except Exception` in a submission can continue with a value that is about to
    change.
    """


class Exchange:
    """The substitutes of a submission, and the questions and answers that pass between them and the grader."""

    def __init__(self, namespace: dict[str, Any], functions: Collection[str]) -> None:
        """Put a substitute for each function into `namespace`, under every name that the function has there."""
        self.namespace = namespace
        self.replaced: frozenset[str] = frozenset()
        """Names of the functions whose right values may be used now."""
        self.answers: dict[bytes, Answer] = {}
        """Encoded question → opened answer."""
        self.sealed: dict[str, str] = {}
        """Label of a question → its sealed answer."""
        self.pending: dict[bytes, Question] = {}
        """Bytes of a question → the question, for questions that the grader has not read yet."""
        self.substitutes: dict[str, Callable[..., Any]] = {}
        for name in functions:
            original = namespace.get(name)
            substitute = namespace[name] = self.substitutes[name] = self._answering_substitute(name, original)
            aliases = [alias for alias, value in namespace.items() if value is original is not None]
            namespace.update(dict.fromkeys(aliases, substitute))

    def receive(self, sealed: Collection[Sealed]) -> None:
        """Store sealed answers."""
        self.sealed.update(sealed)

    def call_with_substitutes(
        self,
        replaced: Collection[str],
        sealed: Collection[Sealed],
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Store sealed answers, decide which functions are replaced, and make a call of the submission.

        Return UNANSWERED_TAG and the questions if the call has questions without an answer.
        """
        self.receive(sealed)
        self._replace(replaced)
        try:
            return self.namespace[name](*args, **kwargs)
        except UnansweredQuestion:
            return UNANSWERED_TAG, self._replace(replaced)

    def _replace(self, replaced: Collection[str]) -> list[Question]:
        """Decide which functions are replaced, and return the questions asked since the last time."""
        self.replaced = frozenset(replaced)
        questions = list(self.pending.values())
        self.pending.clear()
        return questions

    def original_value(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the value of an original function, which has original functions below it."""
        self._replace(())
        return self.substitutes[name](*args, **kwargs)

    def _answering_substitute(self, name: str, original: Callable[..., Any] | None) -> Callable[..., Any]:
        """Return the function that replaces `original` in the submission."""

        def substitute(*args: Any, **kwargs: Any) -> Any:
            if name in self.replaced:
                key = codec.encode((name, args, kwargs))
                if key not in self.answers and (sealed := self.sealed.get(_label(key))) is not None:
                    self.answers[key] = codec.decode(_mixed(key, base64.b64decode(sealed)))
                if key not in self.answers and len(self.pending) < MAX_QUESTIONS_PER_EXCHANGE:
                    self.pending[key] = copy.deepcopy((name, args, kwargs))
                if (answer := self.answers.get(key)) is not None:
                    return _value(*answer)
            try:
                if original is None:
                    raise NotImplementedError
                return original(*args, **kwargs)
            finally:
                if self.pending and name not in self.replaced:
                    raise UnansweredQuestion

        # Each has a separate code object, since counting lines distinguishes functions by their code objects.
        substitute.__code__ = substitute.__code__.replace(co_name=name)
        return substitute


def _value(error: str, value: Any) -> Any:
    """Return the value of an answer, or raise its error."""
    if error:
        raise (IndexError if error == IndexError.__name__ else ValueError)(value)
    return copy.deepcopy(value)
