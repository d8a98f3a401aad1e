"""Tests of the course plan: one file determines numbers, links, lists and pages, and which lessons ship and
are graded.
"""

from __future__ import annotations

import json
import os
import posixpath
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import course
from autograder.grading.otter_scoring import OtterScorer, scaled_to_full_marks
from autograder.grading.suite import Suite
from autograder.handout import bundle, first_problem, leaks
from autograder.hints import catalogue
from autograder.lesson_renumbering import TEXTS_WITH_EXAMPLE_LESSON, Edition

FULL = course.all_lessons()
ROPE = course.find("rope")


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that writes a term's plan."""
    path = tmp_path / "course.toml"
    monkeypatch.setattr(course, "plan_file", lambda: path)
    return lambda text: path.write_text(text, "utf-8") and None


def edition(lessons: list[str], shipped: list[str] | None = None, **optional: set[str]) -> Edition:
    return Edition(lessons, FULL, lessons if shipped is None else shipped, optional)


def test_the_plan_says_which_lessons_there_are_and_in_which_order(plan: Callable[[str], None]) -> None:
    assert [one.name for one in course.term_assignments()] == FULL and not course.left_out_lessons()
    plan('\ufefflessons = ["alibi", "attention"]')
    assert [one.name for one in course.term_assignments()] == ["alibi", "attention"]
    assert course.left_out_lessons() == {*FULL} - {"alibi", "attention"} and course.all_lessons() == FULL


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('lessons = ["modren"]', "course.toml names modren, but the course has only .*modern"),
        ('lesson = ["rope"]', "course.toml names lesson, but"),
        ('lessons = ["rope", "rope"]', "the name of each lesson once"),
        ('lessons = "rope"', "write lessons = "),
        ("lessons = [rope]", "course.toml cannot be read: "),
        ("rope = 3", 'write rope = { optional = \\["decay_bound"\\] }'),
        ('rope = { optional = ["decay"] }', "rope has no function decay; it has rope_frequencies"),
    ],
)
def test_a_plan_that_cannot_be_used_is_one_sentence(plan: Callable[[str], None], text: str, sentence: str) -> None:
    plan(text)
    with pytest.raises(course.CourseError, match=sentence):
        course.term_assignments()


TEXTS = [
    path.relative_to(course.ROOT).as_posix()
    for pattern in ("assignments/**/*.md", "assignments/**/*.py", "assignments/**/*.ipynb")
    for path in sorted(course.ROOT.glob(pattern))
]


def test_the_full_course_is_as_it_is_written() -> None:
    """With the full plan, no text changes, so every lesson number in the sources is the number of the linked
    lesson."""
    for name in TEXTS:
        text = (course.ROOT / name).read_text("utf-8")
        assert edition(FULL).text(text, name) == text, name


MENTIONED = re.compile(r"(?i)\blessons?\s+(\d+)")


@pytest.mark.parametrize("seed", range(6))
def test_any_plan_has_numbers_without_gaps_and_links_that_lead_to_their_lesson(seed: int) -> None:
    draw = random.Random(seed)
    lessons = draw.sample(FULL, draw.randrange(1, len(FULL)))
    shipped = draw.sample(lessons, draw.randrange(1, len(lessons) + 1))
    term = edition(lessons, [name for name in lessons if name in shipped])
    for name in TEXTS:
        if name.split("/")[1] in {*FULL} - {*shipped}:
            continue
        text = term.text((course.ROOT / name).read_text("utf-8"), name)
        assert all(int(number) <= len(lessons) for number in MENTIONED.findall(text)), name
        for label, target in re.findall(r"(?<!!)\[([^\[\]]*)\]\(([^()\s]+)\)", text) if name.endswith(".md") else []:
            lesson = posixpath.normpath(posixpath.join(posixpath.dirname(name), target)).split("/")[1:2]
            if "://" not in target and lesson and lesson[0] in FULL:
                assert lesson[0] in shipped, (name, target)
                assert [int(one) for one in re.findall(r"\d+", label)] in ([], [term.number(lesson[0])]), (name, label)
    for lesson in shipped:
        name = f"assignments/{lesson}/README.md"
        text = term.text((course.ROOT / name).read_text("utf-8"), name)
        assert text.startswith(f"# {lessons.index(lesson) + 1}. ")


@pytest.mark.parametrize("seed", range(6))
def test_the_first_page_links_to_the_shipped_lessons_in_the_order_of_the_term(seed: int) -> None:
    """The list of links contains every shipped lesson and mentions no other lesson, whether the plan changes the
    lessons or only some lessons of the full course ship."""
    draw = random.Random(seed)
    name = "assignments/README.md"
    source = (course.ROOT / name).read_text("utf-8")
    lessons, shipped = (draw.sample(FULL, draw.randrange(1, len(FULL))) for _ in range(2))
    for term in (edition(lessons), edition(FULL, [lesson for lesson in FULL if lesson in shipped])):
        _, after = term.text(source, name).split('<div class="plain">\n\n')
        links = after.partition("\n\n</div>")[0].split(" ·\n")
        assert links == [f"[{term.number(one)} {one}]({one}/README.md)" for one in term.shipped_lessons]


@pytest.mark.parametrize("seed", range(6))
def test_the_glossary_has_the_numbers_of_the_term(seed: int) -> None:
    """Each term of the glossary names the same lessons as in the full course, except for lessons that the plan
    leaves out; 0 is the front page."""
    draw = random.Random(seed)
    lessons = draw.sample(FULL, draw.randrange(1, len(FULL)))
    name = "assignments/glossary.md"
    source = (course.ROOT / name).read_text("utf-8")
    texts = (source, edition(lessons).text(source, name))
    cells, term_cells = (re.findall(r"(?m)\| ([\d, –]+) \|$", text) for text in texts)
    assert len(cells) > 50
    for numbers, term_numbers in zip(cells, term_cells, strict=True):
        named = [("front page", *FULL)[int(number)] for number in re.findall(r"\d+", numbers)]
        right = sorted(["front page", *lessons].index(one) for one in named if one in {"front page", *lessons})
        assert term_numbers == (", ".join(map(str, right)) or "–")


PROSE = {
    "as in lesson 3, and": "as in lesson 2, and",
    "Lesson 9 asks": "The left-out lesson on extrapolation asks",
    "(lessons 1 and 3, sine)": "(lessons 1 and 2, sine)",
    "lessons 2 to 4, and 10": "lesson 2",
    "lessons 2 to 5": "lessons 2 and 3",
    "Lessons 8 and 9 left": "The left-out lessons on context extension and extrapolation left",
    "[lesson 5](../rope/README.md#cache)": "[lesson 3](../rope/README.md#cache)",
    "[Lesson\n7](../alibi/README.md)": "Lesson\n4",
    "[lesson 6](../relative/README.md)": "the left-out lesson on relative",
    "[its slopes](../alibi/README.md)": "its slopes",
    "[5](../rope/README.md) and [the web](https://rope.org/lesson)": "[3](../rope/README.md) and [the web](https://rope.org/lesson)",
    "lesson 2026": "lesson 2026",
}


def test_prose_speaks_of_the_lessons_of_the_term() -> None:
    term = edition(["attention", "sinusoidal", "rope", "alibi"], ["attention", "sinusoidal", "rope"])
    for text, right in PROSE.items():
        assert term.text(text, "assignments/attention/README.md") == right


def test_a_lesson_whose_basis_is_left_out_says_so() -> None:
    """If a term omits a lesson on which another lesson builds, the text tells students, and the build tells
    instructors. A range of links counts as a single link."""
    term = edition([name for name in FULL if name not in ("sinusoidal", "learned")])
    said = dict(sentence.split(" builds on ") for sentence in term.unmet_lesson_needs())
    assert said["rope"].startswith("sinusoidal, which") and said["grids"].startswith("sinusoidal and learned, which")
    assert said["extrapolation"].startswith("sinusoidal and learned") and "alibi" not in said
    text = term.text(ROPE.lesson.read_text("utf-8"), "assignments/rope/README.md")
    assert "\n\n*This lesson builds on sinusoidal, which this term leaves out.*\n" in text
    late = edition(["rope", "alibi", "attention", "grids", "sinusoidal"])
    said = dict(sentence.split(" builds on ", 1) for sentence in late.unmet_lesson_needs())
    assert said["rope"] == "attention and sinusoidal, which this term covers only later" and "attention" not in said
    assert said["grids"] == "learned, which this term leaves out, and on sinusoidal, which this term covers only later"
    text = late.text(ROPE.lesson.read_text("utf-8"), "assignments/rope/README.md")
    assert "*This lesson builds on attention and sinusoidal, which this term covers only later.*\n" in text
    assert not [*edition(FULL).unmet_lesson_needs()]
    assert (
        term._lessons_named_in("[lesson 2](../naive/README.md) to\n[lesson 7](../alibi/README.md) (all)") == FULL[1:7]
    )


EXAMPLE = re.compile(r"ASSIGNMENT=(\w+)|(?:checks|experiments) ([a-z]\w+)|assignments[/.](\w+)[/.]|`(\w+)[./]\w+`")


@pytest.mark.parametrize("seed", range(8))
def test_every_example_of_a_guide_names_a_lesson_that_ships(seed: int) -> None:
    """Examples in guides include commands and paths, such as the path of an experiment or of a function's stub."""
    draw = random.Random(seed)
    shipped = draw.sample(FULL, draw.randrange(1, len(FULL)))
    first = "attention" if "attention" in shipped else shipped[0]
    for name in TEXTS_WITH_EXAMPLE_LESSON:
        template = bundle.TEMPLATES_FOLDER / f"{name}.template"
        source = (template if template.is_file() else course.ROOT / name).read_text("utf-8")
        text = edition(shipped).text(source, name)
        found = {next(filter(None, groups)) for groups in EXAMPLE.findall(text)}
        assert first in found and found & {*FULL} <= {*shipped}, name
        for lab in re.findall(r"experiments? (?:ASSIGNMENT=)?([a-z]\w+)[`:]", text):
            assert (course.Assignment(lab).folder / "lab.py").is_file()
        for function in re.findall(rf'`{first}\.(?!py)(\w+)`|grader.check\("(\w+)"', text):
            assert f"def {''.join(function)}(" in course.Assignment(first).stub.read_text("utf-8")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_no_handout_of_any_subset_has_a_dead_link(seed: int, plan: Callable[[str], None]) -> None:
    """Texts, notebooks, pages, pictures and the search contain no dead links, whatever the order and number of open
    lessons."""
    draw = random.Random(seed)
    lessons = draw.sample(FULL, draw.randrange(2, len(FULL)))
    shipped = draw.sample(lessons, draw.randrange(1, len(lessons)))
    plan(f"lessons = {json.dumps(lessons)}")
    files = bundle.contents(shipped)
    dead = []
    for name, content in files.items():
        pattern = {".md": r"\]\(([^)#\s]+)", ".html": r'(?:href|src|srcset)="([^"#]+)'}.get(posixpath.splitext(name)[1])
        # A comment may hold the words for a browser tab, for example.
        text = re.sub(rb"(?s)<!--.*?-->", b"", content).decode("utf-8", "replace")
        for target in re.findall(pattern, text) if pattern else []:
            there = os.path.normpath(os.path.join(os.path.dirname(name), target))
            if not re.match(r"\w+:", target) and there not in files:
                dead.append((name, target))
    assert not dead
    index = files["course/index.html"].decode("utf-8")
    assert re.findall(r'<li value="(\d+)"><a data-of="(\w+)"', index) == [
        (str(number), name) for number, name in enumerate(lessons, start=1) if name in shipped
    ]
    found = json.loads(files["course/search.js"].decode("utf-8").partition("=")[2].rstrip(";\n"))
    assert {section["link"].partition(".")[0] for section in found} & {*FULL} == {*shipped}
    drawn = re.findall(r"<text[^>]*>(.*?)</text>", files["assignments/figures/map.svg"].decode("utf-8"))
    assert [text for text in drawn if text in FULL] == lessons and any(
        f"{len(lessons)} lessons" in one for one in drawn
    )


def test_a_lesson_that_is_left_out_stays_a_secret(plan: Callable[[str], None]) -> None:
    """The solution of an omitted lesson must not leak, because an instructor may include the lesson in the
    next term."""
    plan('lessons = ["attention"]')
    body = re.findall(r"# BEGIN SOLUTION\n(.*?)\s*# END SOLUTION", ROPE.solution.read_text("utf-8"), re.DOTALL)[1]
    assert any("'s solution: " in leak for leak in leaks({"notes.md": body.encode()}))


# Optional functions


def test_an_optional_function_says_so_wherever_a_student_meets_it(plan: Callable[[str], None]) -> None:
    plan('lessons = ["rope"]\nrope = { optional = ["decay_bound"] }')
    files = bundle.contents()
    assert "\n\n*Optional, not graded: `decay_bound`.*\n" in files["assignments/rope/README.md"].decode()
    assert "# Optional, not graded.\ndef decay_bound(" in files["assignments/rope/rope.py"].decode()
    page = files["course/rope.html"].decode()
    assert page.count("Optional, not graded") == 1 and "decay_bound" in page.partition("Optional, not graded")[2][:60]
    assert b'question("decay_bound"' in files["tests/public/test_rope.py"]


def score(suite: Suite, broken: set[str]) -> dict[str, object]:
    """Return the score of a solution in which some functions are unimplemented."""
    module = catalogue.solution(ROPE)
    for name in broken:
        vars(module)[name] = unwritten
    return OtterScorer(ROPE, suite.tests).grade_fields(suite.run(catalogue.ModuleBackend(module)))


def unwritten(*_: object) -> None:
    raise NotImplementedError


def test_what_is_optional_costs_nothing_and_the_rest_makes_up_full_marks(plan: Callable[[str], None]) -> None:
    plan('rope = { optional = ["decay_bound"] }')
    suite = Suite(ROPE, only_graded=True)
    possible = sum(test.points for test in suite.tests)
    assert possible < 20 and "decay_bound" not in {test.question for test in suite.tests}
    assert {test.question for test in Suite(ROPE).tests} > {"decay_bound"}
    right = score(suite, {"decay_bound"})
    assert (right["score"], right["max_score"]) == (20, 20)
    wrong = score(suite, {"half_to_interleaved"})
    lost = sum(test.points for test in suite.tests if test.question == "half_to_interleaved")
    assert lost and wrong["score"] == round(80 * (possible - lost) / possible) / 4
    tests = wrong["gradescope"]["tests"]
    assert sum(test.get("score", 0) for test in tests) == pytest.approx(wrong["score"])
    assert sum(test.get("max_score", 0) for test in tests) == pytest.approx(20)


@pytest.mark.parametrize("seed", range(5))
def test_a_scaled_score_is_in_quarters_and_keeps_zero_and_full_marks(seed: int) -> None:
    possible = random.Random(seed).randrange(1, 160) / 8
    for eighths in range(int(8 * possible) + 1):
        numbers = scaled_to_full_marks({"score": eighths / 8, "max_score": possible, "gradescope": {"tests": []}})
        assert numbers["score"] * 4 % 1 == 0 and abs(numbers["score"] - 20 * eighths / 8 / possible) <= 0.125 + 1e-9
    assert numbers["score"] == numbers["max_score"] == 20


def test_what_a_graded_function_builds_on_cannot_be_optional(plan: Callable[[str], None]) -> None:
    plan('rope = { optional = ["rope_frequencies", "rotate_half"] }')
    sentence = r"course.toml: rope_frequencies of rope cannot be optional, because \w+ builds on it"
    with pytest.raises(course.CourseError, match=sentence):
        Suite(ROPE, only_graded=True)
    assert re.fullmatch(sentence, first_problem(ROPE))


def test_another_choice_of_optional_functions_is_another_suite(plan: Callable[[str], None]) -> None:
    def hashes() -> list[str]:
        return [course.Assignment(name).grading_hash for name in ("rope", "learned")]

    before = hashes()
    plan('rope = { optional = ["decay_bound"] }')
    after = hashes()
    assert after[0] != before[0] and after[1] == before[1]
