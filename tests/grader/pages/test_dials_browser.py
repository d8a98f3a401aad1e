"""The dials in a browser: their numbers are those of the solutions, no text lies on another, and what they are for
always holds."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator

from autograder import course
from autograder.pages import dials
from tests.grader.support.browsing import DIALS, Dial, Opened


@pytest.fixture(scope="module")
def opened(browser: Browser, course_folder: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """A page of the course, loaded once for all of its tests."""
    with Opened(browser, course_folder / f"{request.param}.html") as one:
        yield one


on_every_dial = pytest.mark.parametrize(
    "opened, dial",
    [(one.page, one) for one in DIALS],
    ids=[f"{one.page}-{one.name}" for one in DIALS],
    indirect=["opened"],
    scope="module",
)


@functools.cache
def solution(name: str) -> Any:
    """A solution as a module."""
    spec = importlib.util.spec_from_file_location(f"solution_of_{name}", course.find(name).solution)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Settings = dict[str, Any]
Numbers = dict[str, Any]
Expected = Callable[[Settings], Numbers]


def shuffle(s: Settings) -> Numbers:
    attention = solution("attention")
    x, order = np.array([[1, 0.2], [-0.5, 1], [0.4, 1.5]]), [int(digit) for digit in s["order"]]
    mask = attention.causal_mask(3) if s["mask"] else None
    identity, moved = np.eye(2), attention.permute_tokens(x, order)
    first, second = (attention.self_attention(rows, identity, identity, identity, mask) for rows in (x, moved))
    return {
        "before": attention.attention_weights(x, x, mask),
        "after": attention.attention_weights(moved, moved, mask),
        "left": first,
        "right": second,
    }


def bits(s: Settings) -> Numbers:
    naive = solution("naive")
    count = int(s["bits"])
    codes = (naive.gray_positions if s["gray"] else naive.binary_positions)(2**count, count)
    position = min(s["position"], 2**count - 1)
    return {"digits": codes[position], "flips": naive.hamming_steps(codes)[position - 1] if position else 0}


def encoding(s: Settings) -> Numbers:
    return {"encoding": solution("sinusoidal").sinusoidal_encoding(s["position"], int(s["d"]))}


def fan(s: Settings) -> Numbers:
    wavelengths = solution("sinusoidal").wavelengths(int(s["d"]))
    return {"wavelengths": wavelengths, "turning": int((wavelengths <= 10 ** s["zoom"]).sum())}


def scale(s: Settings) -> Numbers:
    naive = solution("naive")
    length = int(s["tokens"])
    words = {"dog": np.array([0.8, -0.6, 0.3, -0.9]), "man": np.array([-0.7, 0.5, 0.9, -0.2])}
    position = min(s["position"], length - 1)
    rows = {name: np.tile(row, (length, 1)) for name, row in words.items()}
    if s["kind"] == "integer":
        there = {name: naive.add_integer_positions(row)[position] for name, row in rows.items()}
    else:
        share = naive.normalized_positions(length)[position] if s["kind"] == "normalized" else 0
        there = {name: row[position] + share for name, row in rows.items()}
    dog, man = there["dog"], there["man"]
    cosine = np.clip(dog @ man / np.linalg.norm(dog) / np.linalg.norm(man), -1, 1)
    return words | {"dogThere": dog, "manThere": man, "there": np.degrees(np.arccos(cosine))}


def rows(s: Settings) -> Numbers:
    learned = solution("learned")
    d, count, seen = 16, s["count"], min(s["trained"], s["count"])
    p, f = np.arange(count)[:, None], np.arange(d)
    table, wanted = 0.1 * np.sin(7.3 * (p + 1) * (f + 1)), 0.1 * np.sin(p / 2 + f)
    used = np.arange(seen)
    for _ in range(s["steps"]):
        error = learned.lookup(table, used) - wanted[:seen]
        table = learned.sgd_step(table, learned.lookup_gradient(table.shape, used, error), 0.2)
    asked = s["asked"]
    return {
        "table": table.ravel(),
        "error": np.linalg.norm(learned.lookup(table, asked) - wanted[asked]) if asked < count else -1,
    }


def whole(s: Settings) -> Numbers:
    sentence = "the dog saw the man and the man fed the dog".split()
    vocabulary = list(dict.fromkeys(sentence))
    x = np.array([np.sin(1.7 * (vocabulary.index(word) + 1) * np.arange(1, 17)) for word in sentence])

    def row(shift: int) -> Any:
        where = np.arange(len(sentence)) + shift
        table = np.sin(7.3 * np.arange(1, 62)[:, None] * np.arange(1, 17))
        added = {"number": where[:, None] / 10, "sinusoidal": solution("sinusoidal").sinusoidal_encoding(where, 16)}
        rows = x + added.get(s["method"], 0)
        if s["method"] == "learned":
            rows = x + solution("learned").lookup(table, where)
        scores = rows @ rows.T
        if s["method"] == "rope":
            scores = 4 * solution("rope").rope_scores(x, x, where, where)
        relative = where - where[:, None]
        if s["method"] == "buckets":
            scores = scores + 4 * np.cos(solution("relative").t5_bucket(relative, False, 32, 128))
        if s["method"] == "alibi":
            scores = scores - 4 * 0.25 * -relative
        query = int(s["query"])
        return solution("attention").softmax(scores[query, : query + 1] / 4)

    return {"before": row(0), "after": row(s["shift"])}


@functools.cache
def measured(page: str) -> dict[str, Any]:
    """What a prediction on this page is compared with."""
    return dials.measured(page)


def guess(s: Settings, page: str) -> Numbers:
    mine = np.array([s[f"at{place}"] for place in range(len(measured(page)["lengths"]))]) / 100
    is_told = s["shown"] and not np.all(mine == 0.5)
    return {
        "mine": mine,
        "mean": np.mean(json.loads(measured(page)["data"])["curves"][s["group"]], axis=0) if is_told else np.zeros(0),
    }


def shift(s: Settings) -> Numbers:
    rope = solution("rope")
    theta = float(s["theta"])
    q, k = np.array([[s["q0"], s["q1"]]], float), np.array([[s["k0"], s["k1"]]], float)

    def score(m: float, n: float) -> float:
        return float(rope.rope_scores(q, k, [m * theta], [n * theta])[0, 0])

    return {
        "plain": score(0, 0),
        "rotated": score(s["m"], s["n"]),
        "home": score(0, s["n"] - s["m"]),
        "turnedQ": rope.apply_rope(q, [s["m"] * theta])[0],
        "turnedK": rope.apply_rope(k, [s["n"] * theta])[0],
    }


def decay(s: Settings) -> Numbers:
    d, base = int(s["d"]), 10.0 ** s["power"]
    return {
        "limit": solution("rope").decay_bound(s["offset"], d, base),
        "similarity": solution("sinusoidal").offset_similarity(s["offset"], d, base),
    }


def buckets(s: Settings) -> Numbers:
    relative = solution("relative")
    return {
        "clipped": relative.clip_positions(np.array(s["relative"]), s["k"]),
        "name": relative.t5_bucket(np.array(s["relative"]), s["both"], int(s["count"]), int(s["far"])),
    }


def slopes(s: Settings) -> Numbers:
    alibi = solution("alibi")
    found = alibi.alibi_slopes(s["heads"])
    return {"slopes": found, "windows": [alibi.effective_window(slope, float(s["tolerance"])) for slope in found]}


def stretch(s: Settings) -> Numbers:
    extension, rope = solution("context_extension"), solution("rope")
    d, base, factor, trained = int(s["d"]), float(s["base"]), s["factor"], int(s["trained"])
    return {
        "interpolation": rope.rope_frequencies(d, base) / factor,
        "ntk": rope.rope_frequencies(d, extension.ntk_base(base, factor, d)),
        "yarn": extension.yarn_frequencies(d, base, factor, trained),
        "llama3": extension.llama3_frequencies(d, base, factor, trained_len=trained),
    }


def patch(s: Settings) -> Numbers:
    grids = solution("grids")
    d, side = int(s["d"]), 15
    pairs = np.arange(d // 2)
    both = (100.0 ** (-2 * pairs / d))[:, None] * np.stack([np.cos(2.4 * pairs), np.sin(2.4 * pairs)], axis=-1)
    tables = {"axial": grids.axial_frequencies, "alternating": grids.alternating_frequencies, "mixed": lambda *_: both}
    table = tables[s["kind"]](d, 100.0)
    row = np.tile([1.0, 0.0], d // 2)[None]
    # This query, rotated by the offset, meets a key of `row` there with all its pairs in line.
    query = grids.apply_rope_nd(row, np.array([[s["down"], s["right"]]]), table)
    keys = np.repeat(row, side * side, axis=0)
    scores = grids.grid_scores(query, keys, np.full((1, 2), side // 2), grids.grid_positions(side, side), table)
    return {"scores": scores[0], "table": table}


def sinks(s: Settings) -> Numbers:
    modern = solution("modern")
    tokens = modern.kept_tokens(s["total"], s["sinks"], s["window"])
    stored = np.stack([np.cos(tokens), np.sin(tokens)], axis=-1)
    moved = [
        modern.shift_keys(key[None], place - token)[0]
        for place, (token, key) in enumerate(zip(tokens, stored, strict=True))
    ]
    return {"tokens": tokens, "moved": moved}


def gate(s: Settings) -> Numbers:
    state = solution("state")
    gates = np.full(8, float(s["others"]))
    gates[s["at"]] = s["gate"]
    with np.errstate(divide="ignore"):
        log_f = np.log(gates)
    keys, values = np.tile(np.eye(2), (4, 1)), np.array([[4.0], [2], [6], [1], [3], [5], [2], [4]])
    held, after = np.zeros((2, 1)), []
    for key, value, log_gate in zip(keys, values, log_f, strict=True):
        _, held = state.linear_step(held, key, key, value, log_gate)
        after.append(held[:, 0])
    return {"matrix": state.decay_matrix(log_f).ravel(), "states": np.concatenate(after)}


def beta(s: Settings) -> Numbers:
    state = solution("state")
    angle = math.radians(s["angle"])
    keys = np.array([[1.0, 0.0], [math.cos(angle), math.sin(angle)]])
    _, first = state.linear_step(np.zeros((2, 1)), keys[0], keys[0], [4.0], 0.0)
    _, added = state.linear_step(first, keys[1], keys[1], [6.0], 0.0)
    mended = state.delta_step(first, keys[1], [6.0], s["beta"], 0.0)
    return {"sum": added[:, 0], "delta": mended[:, 0], "added": keys @ added[:, 0], "mended": keys @ mended[:, 0]}


def packed(s: Settings) -> Numbers:
    batches = solution("batches")
    boundaries = np.unique([0, s["first"], s["second"], 12])
    own, restart = s["seen"] == "own", s["counting"] == "restart"
    mask = batches.document_mask(boundaries if own else np.array([0, 12]))
    positions = batches.packed_positions(boundaries) if restart else np.arange(12)
    return {"boundaries": boundaries, "positions": positions, "mask": mask.ravel()}


def ring(s: Settings) -> Numbers:
    return {"held": solution("batches").ring_positions(s["tokens"], s["slots"])}


EXPECTED: dict[str, Expected] = {
    "whole": whole, "shuffle": shuffle, "scale": scale, "bits": bits, "slice": encoding, "fan": fan,
    "clock": encoding, "rows": rows,
    "shift": shift, "decay": decay, "buckets": buckets, "slopes": slopes, "stretch": stretch, "patch": patch,
    "sinks": sinks,
    "gate": gate, "beta": beta,
    "packed": packed, "ring": ring,
}  # fmt: skip


def values_of(control: dict[str, Any]) -> list[Any]:
    """What a control can be set to: everything of a list, five places of a slider, numbers with sign and fraction."""
    if control["type"] == "checkbox":
        return [True, False]
    if control["type"] == "select-one":
        return list(control["options"])
    if control["type"] == "number":
        return [-2.5, 0, 3]
    low, high, step = control["low"], control["high"], control["step"]
    places = [low + round((high - low) * share / step) * step for share in (0, 0.23, 0.5, 0.81, 1)]
    return [int(place) if float(place).is_integer() else round(place, 6) for place in places]


CONTROLS = """(section) => Array.from(section.querySelectorAll(".controls [name]")).map((one) => ({
  name: one.name, type: one.type, low: Number(one.min), high: Number(one.max), step: Number(one.step || 1),
  options: Array.from(one.options ?? []).map((option) => option.value),
  begin: one.type === "checkbox" ? one.checked : one.tagName === "SELECT" ? one.value : Number(one.value),
}))"""

SHOWN_AT = """(section, tried) => tried.map((settings) => {
  const form = section.querySelector("form");
  const inputs = Object.entries(settings).map(([name, value]) => [form.elements[name], value]);
  const field = (input) => (input.type === "checkbox" ? "checked" : "value");
  const standing = () => inputs.map(([input]) => input[field(input)]).join();
  let before;
  do {  // A list or a slider may set where another slider ends, so it is set until nothing moves any more.
    before = standing();
    for (const [input, value] of inputs) input[field(input)] = value;
    form.dispatchEvent(new Event("input"));
  } while (standing() !== before && standing() !== inputs.map(([, value]) => value).join());
  const drawing = section.querySelector("svg");
  const picture = drawing.outerHTML;
  const mark = Array.from(picture).reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) | 0, 0);
  const wrong = picture.match(/NaN|undefined|Infinity/g) ?? [];
  const unread = Object.entries({ over: seen.over(drawing), cut: seen.cut(drawing), faint: seen.faint(drawing),
    wrong });
  return { numbers: section.numbers, says: section.says, picture: mark,
    unread: unread.filter(([, texts]) => texts.length),
    outputs: Object.fromEntries(Array.from(form.querySelectorAll("[type=range]"), (one) => [
      one.name, Number(one.value)])) };
})"""


def settings_to_try(section: Locator, combined: int = 20) -> list[Settings]:
    """Each control through all its values with the others where they begin, and some combinations."""
    controls = section.evaluate(CONTROLS)
    values = {one["name"]: values_of(one) for one in controls}
    begin = {one["name"]: one["begin"] for one in controls}
    alone = [begin | {name: value} for name, tried in values.items() for value in tried]
    combinations = list(itertools.product(*values.values()))
    chosen = np.random.default_rng(0).choice(len(combinations), min(combined, len(combinations)), replace=False)
    return alone + [dict(zip(values, combinations[place], strict=True)) for place in chosen]


def begun(opened: Opened, dial: Dial) -> Locator:
    """The section of a dial, drawn, with all controls where they begin."""
    section = opened.page.locator(f"[data-dial={dial.name}]")
    section.locator("svg").wait_for()
    section.evaluate(
        "(one) => { one.querySelector('form').reset(); one.querySelector('form').dispatchEvent(new Event('input')); }"
    )
    return section


@pytest.mark.parametrize("width, scheme", [(1280, "light"), (390, "dark")])
@on_every_dial
def test_a_dial_computes_what_the_solution_does_and_can_be_read(
    opened: Opened, dial: Dial, width: int, scheme: str
) -> None:
    """Wherever its controls stand, to 1e-9. No text lies on another, is cut or is hardly seen, and the sentence
    follows."""
    opened.page.set_viewport_size({"width": width, "height": 900})
    opened.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    section = begun(opened, dial)
    tried = settings_to_try(section)
    shown = section.evaluate(SHOWN_AT, tried)
    for settings, one in zip(tried, shown, strict=True):
        expected = guess(settings, dial.page) if dial.name == "guess" else EXPECTED[dial.name](settings)
        assert one["numbers"].keys() == expected.keys()
        for name, wanted in expected.items():
            np.testing.assert_allclose(
                one["numbers"][name], wanted, rtol=1e-9, atol=1e-9, err_msg=f"{dial.name} {name} at {settings}"
            )
        assert one["unread"] == [], settings
        assert not re.search(r"(?<![\d.,−])1 (?!is|was|has)[a-z]+s\b", one["says"]), one["says"]  # 1 tokens
    assert len({one["says"] for one in shown}) > 3
    assert not opened.complaints


@on_every_dial
def test_a_slider_does_something_up_to_its_ends(opened: Opened, dial: Dial) -> None:
    """At both ends the last step still changes the picture or the sentence, and the number at the slider is the one
    that is used."""
    section = begun(opened, dial)
    for one in section.evaluate(CONTROLS):
        if one["type"] != "range":
            continue
        for end, inward in ((one["low"], one["step"]), (one["high"], -one["step"])):
            tried = [{one["name"]: end}, {one["name"]: end + inward}]
            first, second = section.evaluate(SHOWN_AT, tried)
            assert [shown["outputs"][one["name"]] for shown in (first, second)] == pytest.approx([end, end + inward])
            assert (first["picture"], first["says"]) != (second["picture"], second["says"]), f"{dial.name} {tried}"
        section.evaluate("(one) => one.querySelector('form').reset()")


@on_every_dial
def test_what_can_be_dragged_changes_a_setting(opened: Opened, dial: Dial) -> None:
    page, section = opened.page, begun(opened, dial)
    page.set_viewport_size({"width": 1280, "height": 1400})
    section.scroll_into_view_if_needed()
    handles = section.evaluate("(one) => Array.from(one.querySelectorAll('[data-drag]'), (part) => part.dataset.drag)")
    assert set(handles) == set(section.evaluate("(one) => Object.keys(one.drags)"))
    for handle in sorted(set(handles)):
        before = begun(opened, dial).evaluate(SHOWN)
        for right, down in ((60, 30), (-60, -30), (120, 90)):
            box = section.locator(f"[data-drag={handle}]").last.bounding_box()
            assert box is not None
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + right, y + down, steps=2)
            page.evaluate(DRAWN)
            page.mouse.up()
            if section.evaluate(SHOWN) != before:
                break
        assert section.evaluate(SHOWN) != before, f"{dial.name}: dragging {handle} changes nothing"
    assert not opened.complaints


SHOWN = "(one) => JSON.stringify(one.numbers) + one.says + one.querySelector('svg').outerHTML"
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Waits until what was asked for before is drawn: a picture follows a mouse once a frame."""


# Where a dial begins is not the case of a graded question: what that asks is for the reader to find.
GRADED = {
    "shuffle": [{"order": "210"}, {"order": "012"}],
    "bits": [{"position": 3}, {"position": 4}],
    "scale": [{"position": 5}, {"position": 255}],
    "shift": [{"m": 1, "n": 3}, {"m": 3, "n": 5}],
    "buckets": [{"count": "32", "far": "128"}, {"relative": -1}, {"relative": 1}, {"k": 16}],
    "slopes": [{"heads": 8}],
    "stretch": [{"factor": 4}, {"factor": 16}, {"method": "ntk"}],
}


@on_every_dial
def test_no_dial_begins_where_a_graded_question_stands(opened: Opened, dial: Dial) -> None:
    begin = {one["name"]: one["begin"] for one in opened.page.locator(f"[data-dial={dial.name}]").evaluate(CONTROLS)}
    assert not any(begin.items() >= case.items() for case in GRADED.get(dial.name, []))


@on_every_dial
def test_a_dial_moves_by_keyboard(opened: Opened, dial: Dial) -> None:
    """Each slider by an arrow key, each button by Enter; Start again brings the beginning back."""
    page, section = opened.page, begun(opened, dial)
    begin = section.evaluate(SHOWN)
    for control in section.locator(".controls input[type=range], .controls select").all():
        control.focus()
        before = control.input_value()
        page.keyboard.press("ArrowUp")
        if control.input_value() == before:  # it began at that end
            page.keyboard.press("ArrowDown")
        assert control.input_value() != before
    for button in section.locator("[data-step]").all():
        if button.is_disabled():
            continue
        before = section.evaluate(SHOWN)
        button.press("Enter")
        assert section.evaluate(SHOWN) != before
    section.locator("button[type=reset]").press("Enter")
    page.evaluate(DRAWN)
    assert section.evaluate(SHOWN) == begin and not opened.complaints


@on_every_dial
def test_the_question_of_a_dial_takes_an_answer_and_says_whether_it_is_right(opened: Opened, dial: Dial) -> None:
    page, section = opened.page, opened.page.locator(f"[data-dial={dial.name}]")
    ask = section.locator(".ask")
    right = str(ask.get_attribute("data-right"))
    radios = ask.locator("[type=radio]")
    assert not section.locator(".answer").is_visible()
    if radios.count():
        wrong = next(one for one in radios.all() if one.get_attribute("value") != right)
        wrong.check()
        ask.locator("button").click()
        assert ask.locator(".verdict").text_content() == "Not right."
        ask.locator(f"[value='{right}']").check()
    else:
        ask.locator("[name=given]").fill(str(float(right) + 1))
        page.keyboard.press("Enter")
        assert ask.locator(".verdict").text_content() == "Not right: your number is too large."
        ask.locator("[name=given]").fill(right)
    ask.locator("button").click()
    assert ask.locator(".verdict").text_content() == "Right." and section.locator(".answer p").is_visible()
    assert page.evaluate("JSON.parse(localStorage.whereabouts)")[dial.page][dial.name] == "right"


PLAYED = [
    one
    for one in DIALS
    if any(
        (folder / f"{one.name}.html").is_file() and "{{ play(" in (folder / f"{one.name}.html").read_text("utf-8")
        for folder in dials.FOLDERS
    )
]


@pytest.mark.parametrize("dial", PLAYED, ids=lambda one: one.name)
def test_a_dial_plays_by_itself_unless_less_motion_is_wanted(browser: Browser, course_folder: Path, dial: Dial) -> None:
    with Opened(browser, course_folder / f"{dial.page}.html") as opened:
        page, form = opened.page, f"#dial-{dial.name}"
        before = page.locator(f"{form} output").all_inner_texts()
        page.locator(f"{form} [data-play]").click()
        page.wait_for_function(
            "([form, before]) => Array.from(document.querySelectorAll(`${form} output`), (one) => one.textContent)"
            ".join() !== before.join()",
            arg=[form, before],
        )
        page.locator(f"{form} [data-play]").click()
        assert page.locator(f"{form} [data-play]").inner_text() == "▶ play" and not opened.complaints
        page.emulate_media(reduced_motion="reduce")
        page.reload()
        assert page.locator(f"{form} [data-play]").is_hidden()


@pytest.mark.parametrize("page_name", [one.page for one in DIALS if one.name == "guess"])
def test_a_measured_curve_appears_only_after_its_own_prediction_which_is_remembered(
    browser: Browser, course_folder: Path, page_name: str
) -> None:
    """Three curves at most are asked for, after the task is told."""
    text = (course_folder / f"{page_name}.html").read_text("utf-8")
    assert text.index("trained") < text.index('id="dial-guess"')
    with Opened(browser, course_folder / f"{page_name}.html") as opened:
        section = opened.page.locator("#dial-guess")
        section.locator("svg").wait_for()
        group, shown, curves = section.locator("[name=group]"), section.locator("[name=shown]"), "path.one"
        first, second, *more = [str(one.get_attribute("value")) for one in group.locator("option").all()]
        shown.check()
        assert len(more) <= 1 and section.locator(curves).count() == 0
        section.locator(".says", has_text="First move a point").wait_for()
        section.locator("[name=at1]").fill("80")
        assert section.locator(curves).count() > 3
        group.select_option(second)
        assert not shown.is_checked() and section.locator(curves).count() == 0
        group.select_option(first)
        assert section.locator("[name=at1]").input_value() == "80" and section.locator(curves).count() == 0
