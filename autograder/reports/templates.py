"""Jinja templates, and the only function that renders them."""

from __future__ import annotations

import functools
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape

FOLDER = Path(__file__).with_name("page_template")
"""Folder with this package's templates and the style sheet that all pages share."""


def environment(*folders: Path) -> Environment:
    """Return an environment for the templates in these folders; it escapes values in HTML and rejects missing ones."""
    made = Environment(
        loader=FileSystemLoader(folders),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["repr"] = repr
    return made


@functools.cache
def _template(path: Path) -> Template:
    return environment(path.parent).overlay(keep_trailing_newline=True).get_template(path.name)


def filled(template: Path, **values: object) -> str:
    """Return a template filled with these values."""
    return _template(template).render(values)
