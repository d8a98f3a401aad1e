"""Substitutes that return the grader's answers instead of the results of a submission's functions.

A substitute contains no rules or answers. While its function is replaced, a substitute looks up each call among the
answers that have arrived. If there is none, it records the call as unanswered and runs the submission's function. The
submission shares its second worker with the substitutes and can change everything in it, so the grader trusts nothing
that the worker sends.
"""

from __future__ import annotations

import base64
import copy
import hashlib
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from autograder.protocol import codec

MAX_UNANSWERED_CALLS_PER_ROUND = 256
"""Maximum number of unanswered calls reported by one helped call."""

UNANSWERED_CALLS_TAG = "unanswered"
"""First part of the result of a helped call that made unanswered calls."""

ReplacedCall = tuple[str, tuple[Any, ...], dict[str, Any]]
"""A call to a replaced function: the function's name, the positional arguments and the keyword arguments."""

Answer = tuple[str, Any] | None
"""Either the name and message of an error, or "" and the correct value; None if the submission's function must run."""

EncryptedAnswer = tuple[str, str]
"""Hash of an encoded call, and the answer in a form that can be read only with the encoded call."""


def encrypt_with_call(encoded_call: bytes, answer: Answer) -> EncryptedAnswer:
    """Return an answer in a form that can be sent before the submission makes the call.

    Code that cannot compute the call's arguments learns nothing from an encrypted answer.
    """
    return _call_hash(encoded_call), base64.b64encode(_mixed(encoded_call, codec.encode(answer))).decode("ascii")


def _call_hash(encoded_call: bytes) -> str:
    return hashlib.sha256(encoded_call).hexdigest()


def _mixed(encoded_call: bytes, data: bytes) -> bytes:
    """XOR the data with bytes that depend on the call; applying this twice restores the data."""
    stream = hashlib.shake_256(encoded_call).digest(len(data))
    return (np.frombuffer(data, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


class UnansweredCall(BaseException):
    """Raised to stop a call in which a substitute has received an unanswered call.

    It is not a subclass of Exception, so no `except Exception` in a submission can continue with a value that will
    change.
    """


class Exchange:
    """A submission's substitutes, and the calls and answers that they exchange with the grader."""

    def __init__(self, namespace: dict[str, Any], functions: Collection[str]) -> None:
        """Put a substitute for each function into `namespace`, under every name that the function has."""
        self.namespace = namespace
        self.replaced: frozenset[str] = frozenset()
        """Names of the functions whose substitutes return correct values during the current call."""
        self.answers: dict[bytes, Answer] = {}
        """Decrypted answers, keyed by encoded call."""
        self.encrypted: dict[str, str] = {}
        """Encrypted answers, keyed by the hash of the encoded call."""
        self.current = b""
        """The encoded call that is being made with substitutes."""
        self.pending: dict[bytes, ReplacedCall] = {}
        """Unanswered calls that have not been reported yet, keyed by encoded call."""
        self.unanswered_depth = 0
        """Number of unanswered calls to replaced functions whose original functions are running."""
        self.substitutes: dict[str, Callable[..., Any]] = {}
        for name in functions:
            original = namespace.get(name)
            substitute = namespace[name] = self.substitutes[name] = self._answering_substitute(name, original)
            aliases = [alias for alias, value in namespace.items() if value is original is not None]
            namespace.update(dict.fromkeys(aliases, substitute))

    def receive(self, encrypted: Collection[EncryptedAnswer]) -> None:
        """Store encrypted answers."""
        self.encrypted.update(encrypted)

    def call_with_substitutes(
        self,
        replaced: Collection[str],
        encrypted: Collection[EncryptedAnswer],
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Store encrypted answers, replace the functions in `replaced`, and call the submission's function.

        If the function made unanswered calls, return UNANSWERED_CALLS_TAG and those calls.
        """
        if self.current != (current := codec.encode((name, args, kwargs))):
            self.current = current
            self._forget_declined_calls()
        self.receive(encrypted)
        self._set_replaced_and_take_unanswered(replaced)
        try:
            return self.namespace[name](*args, **kwargs)
        except UnansweredCall:
            return UNANSWERED_CALLS_TAG, self._set_replaced_and_take_unanswered(replaced)

    def _forget_declined_calls(self) -> None:
        """Forget which calls the grader left unanswered, since it decides this separately for each helped call."""
        for key in [key for key, answer in self.answers.items() if answer is None]:
            del self.answers[key]
            self.encrypted.pop(_call_hash(key), None)

    def _set_replaced_and_take_unanswered(self, replaced: Collection[str]) -> list[ReplacedCall]:
        """Store the names of the replaced functions. Return the unanswered calls, and forget them."""
        self.replaced = frozenset(replaced)
        unanswered = list(self.pending.values())
        self.pending.clear()
        return unanswered

    def original_value(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the value of the submission's own function, with no function replaced."""
        self._set_replaced_and_take_unanswered(())
        return self.substitutes[name](*args, **kwargs)

    def _answering_substitute(self, name: str, original: Callable[..., Any] | None) -> Callable[..., Any]:
        """Return the substitute for `original`, which is None if the function is not written."""

        def substitute(*args: Any, **kwargs: Any) -> Any:
            if name in self.replaced:
                call = name, tuple(map(_as_plain, args)), {key: _as_plain(value) for key, value in kwargs.items()}
                key = codec.encode(call)
                if key not in self.answers and (encrypted := self.encrypted.get(_call_hash(key))) is not None:
                    self.answers[key] = codec.decode(_mixed(key, base64.b64decode(encrypted)))
                if key not in self.answers and len(self.pending) < MAX_UNANSWERED_CALLS_PER_ROUND:
                    self.pending[key] = copy.deepcopy(call)
                if (answer := self.answers.get(key)) is not None:
                    return _value(*answer)
            is_replaced = name in self.replaced
            self.unanswered_depth += is_replaced
            try:
                if original is None:
                    raise NotImplementedError
                return original(*args, **kwargs)
            finally:
                self.unanswered_depth -= is_replaced
                # A replaced function returns a value, so that later calls can become pending in the same round.
                if self.pending and not is_replaced and not self.unanswered_depth:
                    raise UnansweredCall

        # Each substitute has a separate code object, because the line counter tells functions apart by it.
        substitute.__code__ = substitute.__code__.replace(co_name=name)
        return substitute


def _as_plain(argument: Any) -> Any:
    """Return a range as a list, which a message may contain, and any other argument unchanged."""
    return list(argument[: codec.MAX_VALUES_PER_MESSAGE + 1]) if type(argument) is range else argument


def _value(error: str, value: Any) -> Any:
    """Return the correct value in an answer, or raise the error that it names."""
    if error:
        raise (IndexError if error == IndexError.__name__ else ValueError)(value)
    return copy.deepcopy(value)
