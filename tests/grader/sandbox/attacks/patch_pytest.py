"""Idea: replace what pytest does with a failing test.

Stopped by: pytest is not inside the wall.
"""

with attempt("importing pytest"):
    import _pytest.runner
    import pytest

    _pytest.runner.runtestprotocol = lambda *args, **kwargs: []
    pytest.fail = print
with attempt("importing Hypothesis"):
    import hypothesis

    hypothesis.given = lambda **kwargs: lambda test: lambda *args: None
