"""The course's texts for this term, with numbers, links and marks that follow the course plan.

The sources are written for the full course, in which `lesson 5` is the fifth lesson, as its title says. An `Edition`
rewrites them: numbers become the term's numbers, links to files that students do not get become plain words, and
ungraded functions are marked. An edition with all lessons in order and every function graded changes nothing.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from autograder import course

OPTIONAL_NOTE = "Optional, not graded"
"""The words that mark a function as worth no points this term."""

_LINK = r"(?<!!)\[(?P<label>[^\[\]]*)\]\((?P<target>[^()\s]+)\)"
_MORE_NUMBERS = r"(?:(?:,\s+and\s+|,\s+|\s+and\s+|\s+or\s+|\s+to\s+|–)\d+)*"
_LESSON_WORDS = rf"\b[Ll]esson\s+(?P<number>\d+)\b|\b[Ll]essons\s+(?P<numbers>\d+{_MORE_NUMBERS})\b"
_LINK_OR_LESSON_WORDS = re.compile(f"{_LINK}|{_LESSON_WORDS}")
"""Pattern for a link, for `lesson 5`, and for `lessons 2 to 4, and 10`."""
_LESSON_LINK_LABEL = re.compile(r"(?P<word>[Ll]essons?\s+)?(?P<number>\d+)(?P<rest>\b[^\d]*)", re.DOTALL)
_TITLE_NUMBER = re.compile(r"\A# \d+\. ")
_LESSON_LINK_LIST = re.compile(r'(?s)(?<=<div class="plain">\n\n).*?(?=\n\n</div>)')
_GLOSSARY_LESSON_NUMBERS = re.compile(r"(?m)(?<=\| )\d+(?:, \d+)*(?= \|$)")
TEXTS_WITH_EXAMPLE_LESSON = ("README.md", "Makefile", "assignments/README.md", "assignments/setup.md")
"""Texts in a handout that apply to all lessons but mention one lesson, function or lab as an example."""
_EXAMPLE, _EXAMPLE_FUNCTION, _EXAMPLE_LAB = "attention", "softmax", "modern"
_LESSON_NEEDS = re.compile(r"(?ms)^\*\*[^*]*?· needs (?P<needs>.*?)\*\*$")


@dataclass(frozen=True)
class Edition:
    """A term's edition of the course."""

    lessons: Sequence[str]
    """the term's lessons, in order"""
    full_course: Sequence[str]
    """the full course's lessons, in order, which numbers in a source refer to"""
    shipped_lessons: Collection[str]
    """lessons whose files students get"""
    ungraded_functions: Mapping[str, Collection[str]] = field(default_factory=dict)
    """functions that are not graded, by lesson"""

    @classmethod
    def of_term(cls, ship_only: Collection[str] = ()) -> Edition:
        """Return the edition for the course plan, with files for all its lessons or only those in `ship_only`."""
        lessons = [assignment.name for assignment in course.term_assignments()]
        shipped_lessons = [name for name in lessons if not ship_only or name in ship_only]
        return cls(lessons, course.all_lessons(), shipped_lessons, course.plan().ungraded_functions)

    @property
    def lessons_differ_from_full(self) -> bool:
        """Return True if the term's lessons or their order differ from the full course."""
        return [*self.lessons] != [*self.full_course]

    def number(self, lesson: str) -> int:
        """Return a lesson's number this term."""
        return self.lessons.index(lesson) + 1

    def text(self, source: str, path: str = "") -> str:
        """Return this edition's version of a course text. `path`, if any, is relative to the course's root."""
        folder, _, file = path.rpartition("/")
        lesson = folder.removeprefix("assignments/")
        if lesson in self.lessons:
            source = self._with_marked_ungraded_functions(source, lesson, file)
            if file == "README.md":
                unmet = self._missing_prerequisites_phrase(lesson, source)
                note = f"\n\n*This lesson builds on {unmet}.*" if unmet else ""
                source = _LESSON_NEEDS.sub(lambda facts: facts[0] + note, source, count=1)
                source = _TITLE_NUMBER.sub(f"# {self.number(lesson)}. ", source)
        if path == "assignments/README.md" and (
            self.lessons_differ_from_full or [*self.shipped_lessons] != [*self.lessons]
        ):
            source = _LESSON_LINK_LIST.sub(
                " ·\n".join(f"[{self.number(one)} {one}]({one}/README.md)" for one in self.shipped_lessons), source
            )
        if path == "assignments/glossary.md":
            source = _GLOSSARY_LESSON_NUMBERS.sub(lambda match: self.renumbered_table_cell(match[0]), source)
        if path in TEXTS_WITH_EXAMPLE_LESSON:
            source = self._with_unshipped_examples_replaced(source)
        return _LINK_OR_LESSON_WORDS.sub(functools.partial(self._renumbered_mention, folder), source)

    def unmet_lesson_needs(self) -> Iterator[str]:
        """Yield a message for each of this term's lessons that builds on one that is left out or comes later."""
        for name in self.shipped_lessons:
            if unmet := self._missing_prerequisites_phrase(name, course.Assignment(name).lesson.read_text("utf-8")):
                yield f"{name} builds on {unmet}"

    def _missing_prerequisites_phrase(self, lesson: str, lesson_text: str) -> str:
        """Return a phrase naming the lessons that a lesson's text needs but that are left out or come later this term.

        Return an empty string if there are none.
        """
        facts = _LESSON_NEEDS.search(lesson_text)
        named = self._lessons_named_in(facts["needs"]) if facts else []
        missing = [name for name in named if name not in self.lessons]
        later = [name for name in named if name in self.lessons and self.number(name) > self.number(lesson)]
        parts = {"which this term leaves out": missing, "which this term covers only later": later}
        return ", and on ".join(f"{_joined_names(names)}, {what}" for what, names in parts.items() if names)

    def _lessons_named_in(self, source: str) -> list[str]:
        """Return the lessons that a text mentions, in the course's order."""
        mentions = [*_LINK_OR_LESSON_WORDS.finditer(source)]
        numbers: set[int] = set()
        for mention in mentions:
            numbers |= {*_expanded(mention["number"] or mention["numbers"] or _number_in_label(mention["label"]))}
        for first, last in pairwise(mentions):
            if source[first.end() : last.start()].strip() == "to" and first["label"] and last["label"]:
                numbers |= {*_expanded(f"{_number_in_label(first['label'])} to {_number_in_label(last['label'])}")}
        return [name for place, name in enumerate(self.full_course, start=1) if place in numbers]

    def _renumbered_mention(self, folder: str, match: re.Match[str]) -> str:
        if match["target"]:
            return self._renumbered_link(folder, match)
        return self._renumbered_lessons(match[0], match["number"] or match["numbers"])

    def _renumbered_link(self, folder: str, match: re.Match[str]) -> str:
        """Return a link with this term's number, or just its label if students do not get the lesson."""
        target = posixpath.normpath(posixpath.join(folder, match["target"].partition("#")[0]))
        lesson = target.removeprefix("assignments/").partition("/")[0] if target.startswith("assignments/") else ""
        if "://" in match["target"] or lesson not in self.full_course:
            return match[0]
        label = match["label"]
        if numbered := _LESSON_LINK_LABEL.fullmatch(label):
            if lesson not in self.lessons:
                return _left_out_phrase(numbered["word"] or "lesson ", [lesson])
            label = f"{numbered['word'] or ''}{self.number(lesson)}{numbered['rest']}"
        return f"[{label}]({match['target']})" if lesson in self.shipped_lessons else label

    def _renumbered_lessons(self, mention: str, numbers: str) -> str:
        """Return `lesson 5` or `lessons 2 to 4, and 10` with this edition's numbers, without left-out lessons."""
        meant = [number for number in _expanded(numbers) if 1 <= number <= len(self.full_course)]
        names = [self.full_course[number - 1] for number in meant]
        there = sorted(self.number(name) for name in names if name in self.lessons)
        if there == meant or not names:
            return mention
        if not there:
            return _left_out_phrase(mention, names)
        begin = mention[0] + ("essons" if len(there) > 1 else "esson")
        return f"{begin} {_enumerated(there)}"

    def renumbered_table_cell(self, numbers: str) -> str:
        """Return a table cell's lesson numbers as numbers in this edition; 0 is the front page."""
        meant = _expanded(numbers)
        names = [self.full_course[number - 1] for number in meant if 1 <= number <= len(self.full_course)]
        there = sorted(self.number(name) for name in names if name in self.lessons)
        if there == [number for number in meant if number]:
            return numbers
        return ", ".join(map(str, [0] * (0 in meant) + there)) or "–"

    def _with_unshipped_examples_replaced(self, source: str) -> str:
        """Return a guide in which examples that are not shipped are replaced by the first shipped lesson."""
        labs = [name for name in self.shipped_lessons if (course.Assignment(name).folder / "lab.py").is_file()]
        if _EXAMPLE not in self.shipped_lessons:
            first = next(iter(self.shipped_lessons))
            function = re.search(r"(?m)^def ([a-z]\w*)", course.Assignment(first).stub.read_text("utf-8"))
            source = re.sub(rf'(?<=\.|"){_EXAMPLE_FUNCTION}\b', function[1] if function else "", source)
            source = re.sub(rf"(?<=[`/=.]){_EXAMPLE}\b|(?<=checks ){_EXAMPLE}\b", first, source)
        if _EXAMPLE_LAB not in labs:
            lab = rf"( (?:ASSIGNMENT=)?)(?<=[= ]){_EXAMPLE_LAB}\b"
            source = re.sub(lab, rf"\g<1>{labs[0]}" if labs else "", source)
        return source

    def _with_marked_ungraded_functions(self, source: str, lesson: str, file: str) -> str:
        """Return a lesson or a stub with every optional function marked."""
        for name in sorted(self.ungraded_functions.get(lesson, ())):
            if file == "README.md":
                heading = rf"(?m)^(### .*`{name}\b.*)$"
                source = re.sub(heading, lambda match: f"{match[1]}\n\n*{OPTIONAL_NOTE}: `{name}`.*", source)  # noqa: B023
            elif file == f"{lesson}.py":
                source = re.sub(rf"(?m)^(?=def {name}\()", f"# {OPTIONAL_NOTE}.\n", source)
        return source


def _number_in_label(label: str | None) -> str:
    """Return the number in the label of a lesson link, or an empty string if the label has no number."""
    match = _LESSON_LINK_LABEL.fullmatch(label or "")
    return match["number"] if match else ""


def _expanded(numbers: str) -> list[int]:
    """Return the numbers that a text such as `2 to 4, and 10` stands for."""
    ranges = re.findall(r"(\d+)(?:(?:\s+to\s+|–)(\d+))?", numbers)
    return sorted(number for first, last in ranges for number in range(int(first), int(last or first) + 1))


def _enumerated(numbers: Sequence[int]) -> str:
    """Return numbers as a phrase such as `1, 3 and 4`, or `1 to 4` for three or more consecutive ones."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return _joined_names([*map(str, numbers)])


def _left_out_phrase(replaced_words: str, lessons: Sequence[str]) -> str:
    """Return the phrase that replaces a mention of left-out lessons."""
    article, kind = "The" if replaced_words[0] == "L" else "the", "lessons" if len(lessons) > 1 else "lesson"
    return f"{article} left-out {kind} on {_joined_names(lessons)}"


def _joined_names(lessons: Sequence[str]) -> str:
    *most, last = [name.replace("_", " ") for name in lessons]
    return f"{', '.join(most)} and {last}" if most else last
