"""Gradescope: submission_metadata.yml in an export says whose each folder is, and when it came."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from autograder.submission import disk
from autograder.submission.names import utf8_safe
from autograder.submission.records import Person

METADATA = "submission_metadata.yml"
MAX_METADATA = 64 * disk.MIB
"""an export also holds what an autograder printed for each test"""
_MAX_DEPTH = 100
_FOLDER = re.compile(r"submission_\d+")


@dataclass(frozen=True)
class Entry:
    """What the export says about one of its folders."""

    people: tuple[Person, ...] = ()
    created: float = 0.0
    """seconds since 1970; 0 where the export does not say"""


def is_export(folders: Iterable[str], files: Collection[str]) -> bool:
    """Whether what lies directly in a folder has an export's shape: the metadata, and folders such as Gradescope makes
    them."""
    return METADATA in files and any(map(_FOLDER.fullmatch, folders))


def entries(folder: Path) -> dict[str, Entry]:
    """What the export in `folder` says, by folder name. Raises whatever bytes of any kind make the parser raise."""
    document = _document(disk.read(folder / METADATA, MAX_METADATA).decode("utf-8-sig"))
    if not isinstance(document, dict):
        raise ValueError("it is not a table of folders")
    return {name: _entry(content) for name, content in document.items()}


def _entry(content: Any) -> Entry:
    fields = content if isinstance(content, dict) else {}
    submitters = fields.get(":submitters")
    people = {who.key: who for who in map(_person, submitters if isinstance(submitters, list) else []) if who.key}
    return Entry(tuple(people.values()), _seconds(fields.get(":created_at")))


def _person(submitter: Any) -> Person:
    fields = submitter if isinstance(submitter, dict) else {}
    email, sid, name = (
        utf8_safe(value) if isinstance(value := fields.get(key), str) else "" for key in (":email", ":sid", ":name")
    )
    return Person("Gradescope", email=email, sid=sid, name=name)


def _seconds(timestamp: Any) -> float:
    """Of `2026-11-01 14:22:32.365935000 -07:00`, as Ruby writes it."""
    try:
        moment = datetime.fromisoformat(re.sub(r" (?=[Z+-])", "", timestamp))
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _document(text: str) -> Any:
    """The document in mappings, lists and strings.

    Built from the parser's events: an export of a large class has megabytes, deep nesting crashes PyYAML's C composer,
    and the tags of Ruby objects, on which a safe loader stops, are simply not looked at.
    """
    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    contents = (event for event in events if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent))
    anchors: dict[str, Any] = {}
    documents = list(iter(lambda: _value(contents, anchors, 0), _END))
    return documents[0] if documents else None


_END = object()


def _value(events: Iterator[yaml.Event], anchors: dict[str, Any], depth: int) -> Any:
    """What the next events make up; _END where what holds it ends."""
    event = next(events, None)
    match event:
        case yaml.AliasEvent():
            return anchors.get(event.anchor)
        case yaml.ScalarEvent():
            value = event.value
        case yaml.CollectionStartEvent():
            if depth == _MAX_DEPTH:
                raise ValueError("it is nested too deeply")
            value = list(iter(lambda: _value(events, anchors, depth + 1), _END))
            if isinstance(event, yaml.MappingStartEvent):
                value = {key: item for key, item in zip(value[::2], value[1::2], strict=True) if isinstance(key, str)}
        case _:
            return _END
    anchors[event.anchor] = value
    return value
