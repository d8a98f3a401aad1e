"""The course in a browser: from a folder, without a network, quiet, and every dial agrees with the solutions."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator

from autograder import course
from autograder.handout import bundle
from autograder.handout.page import course as pages_of_the_course
from autograder.handout.page import dials
from tests.grader.browsing import Opened

LESSONS = [one.name for one in course.assignments()]
NAMES = ["index", *LESSONS, "glossary", "numpy"]
PLACED = [dial for dial in dials.DIALS if dial.lesson in LESSONS]
A4 = 688
"""width of an A4 page without its margins, in pixels"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course alone, as `dist/course/` has it."""
    folder = tmp_path_factory.mktemp("course")
    bundle.unpack(pages_of_the_course(), folder)
    return folder


@pytest.fixture(scope="module")
def opened(browser: Browser, folder: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """A page of the course, loaded once for all of its tests. Each test says itself how wide it is and which theme it has."""
    with Opened(browser, folder / f"{request.param}.html") as one:
        yield one


on_every_page = pytest.mark.parametrize("opened", NAMES, indirect=True)
on_every_dial = pytest.mark.parametrize(
    "opened, dial", [(dial.lesson, dial) for dial in PLACED], ids=[dial.name for dial in PLACED], indirect=["opened"], scope="module"
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
    d, side = int(s["d"]), s["side"]
    pairs = np.arange(d // 2)
    both = (10000.0 ** (-2 * pairs / d))[:, None] * np.stack([np.cos(pairs), np.sin(pairs)], axis=-1)
    table = {"axial": grids.axial_frequencies, "alternating": grids.alternating_frequencies, "mixed": lambda _: both}[s["kind"]](d)
    q = np.tile([1.0, 0.0], d // 2)
    cells = grids.grid_positions(side, side)
    query = np.array([[min(s["y"], side - 1), min(s["x"], side - 1)]])
    scores = grids.grid_scores(q[None], np.tile(q, (side * side, 1)), query, cells, table)
    return {"scores": scores[0], "table": table}


def sinks(s: Settings) -> Numbers:
    modern = solution("modern")
    tokens = modern.kept_tokens(s["total"], s["sinks"], s["window"])
    stored = np.stack([np.cos(tokens), np.sin(tokens)], axis=-1)
    moved = [modern.shift_keys(key[None], place - token)[0] for place, (token, key) in enumerate(zip(tokens, stored, strict=True))]
    return {"tokens": tokens, "moved": moved}


EXPECTED: dict[str, Expected] = {
    "shuffle": shuffle, "bits": bits, "slice": encoding, "fan": fan, "clock": encoding, "shift": shift, "decay": decay,
    "buckets": buckets, "slopes": slopes, "stretch": stretch, "patch": patch, "sinks": sinks,
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


CONTROLS = """(section) => Array.from(section.querySelectorAll("form [name]")).map((one) => ({
  name: one.name, type: one.type, low: Number(one.min), high: Number(one.max), step: Number(one.step || 1),
  options: Array.from(one.options ?? []).map((option) => option.value),
  begin: one.type === "checkbox" ? one.checked : one.tagName === "SELECT" ? one.value : Number(one.value),
}))"""

SHOWN_AT = """(section, tried) => tried.map((settings) => {
  const form = section.querySelector("form");
  for (const [name, value] of Object.entries(settings)) {
    const input = form.elements[name];
    if (input.type === "checkbox") input.checked = value; else input.value = value;
  }
  form.dispatchEvent(new Event("input"));
  return { numbers: section.numbers, picture: section.querySelector("svg").outerHTML, says: section.querySelector(".says").textContent };
})"""


def settings_to_try(section: Locator) -> list[Settings]:
    """Each control through all its values with the others where they begin, and some combinations."""
    controls = section.evaluate(CONTROLS)
    values = {one["name"]: values_of(one) for one in controls}
    begin = {one["name"]: one["begin"] for one in controls}
    alone = [begin | {name: value} for name, tried in values.items() for value in tried]
    combinations = list(itertools.product(*values.values()))
    chosen = np.random.default_rng(0).choice(len(combinations), min(20, len(combinations)), replace=False)
    return alone + [dict(zip(values, combinations[place], strict=True)) for place in chosen]


def begun(opened: Opened, dial: dials.Dial) -> Locator:
    """The section of a dial, drawn, with all controls where they begin."""
    section = opened.page.locator(f"[data-dial={dial.name}]")
    section.locator("svg").wait_for()
    section.evaluate("(one) => { one.querySelector('form').reset(); one.querySelector('form').dispatchEvent(new Event('input')); }")
    return section


@on_every_dial
def test_a_dial_computes_what_the_solution_does(opened: Opened, dial: dials.Dial) -> None:
    """Wherever its controls stand, to 1e-9; the picture is drawn and the sentence follows."""
    section = begun(opened, dial)
    tried = settings_to_try(section)
    shown = section.evaluate(SHOWN_AT, tried)
    for settings, one in zip(tried, shown, strict=True):
        expected = EXPECTED[dial.name](settings)
        assert one["numbers"].keys() == expected.keys()
        for name, wanted in expected.items():
            np.testing.assert_allclose(one["numbers"][name], wanted, rtol=1e-9, atol=1e-9, err_msg=f"{dial.name} {name} at {settings}")
        assert not re.search("NaN|undefined|Infinity", one["picture"]), settings
    assert len({one["says"] for one in shown}) > 3
    assert not opened.complaints


@on_every_dial
def test_a_dial_moves_by_keyboard(opened: Opened, dial: dials.Dial) -> None:
    """Each slider by an arrow key, each button by Enter; Start again brings the beginning back."""
    page, section = opened.page, begun(opened, dial)

    def numbers() -> Any:
        return section.evaluate("(one) => one.numbers")

    section.evaluate("(one) => { one.begun = JSON.stringify(one.numbers); }")
    for control in section.locator("input[type=range], select").all():
        control.focus()
        before = control.input_value()
        page.keyboard.press("ArrowUp")
        if control.input_value() == before:  # it began at that end
            page.keyboard.press("ArrowDown")
        assert control.input_value() != before
    for button in section.locator("[data-step]").all():
        button.focus()
        before = numbers()
        page.keyboard.press("Enter")
        assert numbers() != before or dial.name == "bits"
    section.locator("button[type=reset]").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("(one) => JSON.stringify(one.numbers) === one.begun", arg=section.element_handle())
    assert not opened.complaints


def test_the_small_script_says_what_the_long_one_says(browser: Browser, folder: Path) -> None:
    """Comments and line ends are gone, and no space within a text: every dial draws the same picture."""
    long = "\n".join((dials.FOLDER / f"{part}.js").read_text("utf-8") for part in ("kernels", "toolkit", *(dial.name for dial in dials.DIALS)))
    short = re.sub(r"^\(\(\)=>\{|\}\)\(\);?\s*$", "", (folder / "dials.js").read_text("utf-8"))
    page = browser.new_page()
    drawn = [
        page.evaluate(f"(tried) => {{ {source}\nreturn Object.entries(dials).map(([name, f]) => [name, f(tried[name], 600)]); }}", SETTINGS)
        for source in (long, short)
    ]
    page.close()
    assert drawn[0] == drawn[1] and len(drawn[0]) == len(dials.DIALS)
    assert "//" not in short and len(short) < len(long)


SETTINGS = {
    "shuffle": {"order": "021", "mask": True},
    "bits": {"position": 32, "bits": 6, "gray": False},
    "slice": {"position": 7, "d": 16},
    "fan": {"zoom": 3, "d": 16},
    "clock": {"position": 44, "d": 8},
    "shift": {"m": 2, "n": 3, "theta": 1, "q0": 2, "q1": 1, "k0": 1, "k1": 3},
    "decay": {"offset": 50, "power": 4, "d": 64},
    "buckets": {"relative": -12, "k": 16, "count": 32, "far": 128, "both": True},
    "slopes": {"heads": 12, "tolerance": 0.01},
    "stretch": {"factor": 8, "d": 128, "base": 500000, "trained": 8192},
    "patch": {"kind": "mixed", "d": 16, "side": 8, "y": 3, "x": 4},
    "sinks": {"total": 20, "sinks": 4, "window": 8},
}


# The pages


@on_every_page
def test_a_page_fits_is_quiet_and_stays_at_home(opened: Opened, folder: Path) -> None:
    """In two widths and both themes nothing sticks out, nothing is logged, nothing is asked of a network, and axe finds no barrier.
    No formula is empty or has a colour of its own (so axe need not ask inside), no root is cut or followed by a gap."""
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width, scheme in itertools.product((420, 1600), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="screen", color_scheme=scheme)  # type: ignore[arg-type]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WRONG_FORMULAS) == []
        assert page.evaluate(WRONG_ROOTS) == []
        if (width, scheme) not in ((420, "dark"), (1600, "light")):
            continue  # what axe looks for depends on the width or on the theme, never on both
        found = Axe().run(page, context={"exclude": [["math"]]}, options={"preload": False, "resultTypes": ["violations"]})
        assert found.violations_count == 0, f"{width} {scheme}: {found.generate_report()}"
    assert all(url.startswith(folder.as_uri()) or url.startswith("data:") for url in opened.requests)
    assert not opened.complaints


WRONG_FORMULAS = """() => Array.from(document.querySelectorAll("math"))
  .filter((one) => one.getBoundingClientRect().width < 2 || one.querySelector("merror") ||
    Array.from(one.querySelectorAll("*")).some((part) => getComputedStyle(part).color !== getComputedStyle(one.parentElement).color))
  .map((one) => one.getAttribute("alttext"))"""

# The font has one sign of the root, 1.2 em high: with larger ones Chromium leaves their width free behind every root.
WRONG_ROOTS = """() => Array.from(document.querySelectorAll("msqrt")).filter((one) => {
  const [root, inside] = [one.getBoundingClientRect(), one.lastElementChild.getBoundingClientRect()];
  return root.right > inside.right + 0.5 || root.height > 1.5 * parseFloat(getComputedStyle(one).fontSize);
}).map((one) => one.textContent)"""


def test_the_theme_can_be_chosen_and_stays(browser: Browser, folder: Path) -> None:
    with Opened(browser, folder / "index.html") as opened:
        page = opened.page
        shade = "getComputedStyle(document.documentElement).backgroundColor"
        light = page.evaluate(shade)
        page.locator("#theme").click()
        dark = page.evaluate(shade)
        assert light != dark
        page.goto((folder / "rope.html").as_uri())
        assert page.evaluate(shade) == dark
        page.locator("#theme").click()
        assert page.evaluate(shade) == light


@pytest.mark.parametrize("moves", [True, False])
def test_a_term_is_explained_by_keyboard_with_and_without_scripts(browser: Browser, folder: Path, moves: bool) -> None:
    with Opened(browser, folder / "rope.html", moves=moves) as opened:
        page = opened.page
        term = page.locator("button.term", has_text="query").first
        term.focus()
        page.keyboard.press("Enter")
        assert page.locator("#term-query").is_visible()
        page.keyboard.press("Escape")
        assert not page.locator("#term-query").is_visible()


def test_without_scripts_everything_can_be_read(browser: Browser, folder: Path) -> None:
    """Text, formulas, figures and docstrings are there; a dial says why it does not move, shows no dead controls, and tells its
    answer to whoever opens it."""
    with Opened(browser, folder / "rope.html", moves=False) as opened:
        page = opened.page
        assert page.locator(".dial .still").first.is_visible()
        assert page.locator(".dial form").first.is_hidden()
        assert page.locator("#theme").is_hidden()
        for part, inside in ((".docstring", "pre"), (".answer", "p")):
            assert not page.locator(f"{part} {inside}").first.is_visible()
            page.locator(f"{part} summary").first.focus()
            page.keyboard.press("Enter")
            assert page.locator(f"{part} {inside}").first.is_visible()
        assert page.locator("math").first.is_visible() and page.locator("main figure img").first.is_visible()


@on_every_page
def test_on_paper_nothing_is_cut(opened: Opened) -> None:
    """Printed, the paper is white, nothing is wider than the page, and closed parts are open."""
    page = opened.page
    page.set_viewport_size({"width": A4, "height": 900})
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= A4
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(CUT) == []
    assert page.evaluate(CLOSED) == []
    assert page.pdf(format="A4").startswith(b"%PDF")


CUT = """() => Array.from(document.querySelectorAll("main pre, main .scroll, main .formula"))
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"""
CLOSED = """() => Array.from(document.querySelectorAll("main details:not([open]) > :not(summary)"))
  .filter((one) => one.getBoundingClientRect().height < 1).map((one) => one.textContent)"""
