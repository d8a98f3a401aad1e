"""The course in a browser: from a folder, without a network, quiet, and every dial agrees with the solutions."""

from __future__ import annotations

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
from playwright.sync_api import Browser, Locator, Page

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
        "gap": attention.equivariance_gap(x, identity, identity, identity, order, mask),
        "gaps": np.abs(first[order] - second).max(axis=-1),
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


def values_of(control: Locator) -> list[Any]:
    """What a control can be set to: everything of a list, five places of a slider, numbers with sign and fraction."""
    kind = control.get_attribute("type")
    if kind == "checkbox":
        return [True, False]
    if kind is None:
        return control.locator("option").evaluate_all("(all) => all.map((one) => one.value)")
    if kind == "number":
        return [-2.5, 0, 3]
    low, high, step = (float(control.get_attribute(name) or 1) for name in ("min", "max", "step"))
    places = [low + round((high - low) * share / step) * step for share in (0, 0.23, 0.5, 0.81, 1)]
    return [int(place) if place.is_integer() else round(place, 6) for place in places]


SET = """(section, settings) => {
  const form = section.querySelector("form");
  for (const [name, value] of Object.entries(settings)) {
    const input = form.elements[name];
    if (input.type === "checkbox") input.checked = value; else input.value = value;
  }
  form.dispatchEvent(new Event("input"));
  return section.numbers;
}"""


def settings_to_try(section: Locator) -> Iterator[Settings]:
    """Each control through all its values with the others where they begin, and some combinations."""
    controls = {str(one.get_attribute("name")): one for one in section.locator("form [name]").all()}
    values = {name: values_of(control) for name, control in controls.items()}
    begin = {name: section.evaluate(BEGIN, name) for name in values}
    for name, tried in values.items():
        for value in tried:
            yield begin | {name: value}
    combinations = list(itertools.product(*values.values()))
    for place in np.random.default_rng(0).choice(len(combinations), min(20, len(combinations)), replace=False):
        yield dict(zip(values, combinations[place], strict=True))


BEGIN = """(section, name) => {
  const input = section.querySelector("form").elements[name];
  if (input.type === "checkbox") return input.checked;
  return input.tagName === "SELECT" ? input.value : Number(input.value);
}"""


@pytest.mark.parametrize("dial", PLACED, ids=[dial.name for dial in PLACED])
def test_a_dial_computes_what_the_solution_does(browser: Browser, folder: Path, dial: dials.Dial) -> None:
    """Wherever its controls stand, to 1e-9; the picture is drawn and the sentence follows."""
    with Opened(browser, folder / f"{dial.lesson}.html") as opened:
        section = opened.page.locator(f"[data-dial={dial.name}]")
        section.locator("svg").wait_for()
        said = set()
        for settings in list(settings_to_try(section)):
            numbers = section.evaluate(SET, settings)
            expected = EXPECTED[dial.name](settings)
            assert numbers.keys() == expected.keys()
            for name, wanted in expected.items():
                np.testing.assert_allclose(numbers[name], wanted, rtol=1e-9, atol=1e-9, err_msg=f"{dial.name} {name} at {settings}")
            picture = section.locator("svg").evaluate("(svg) => svg.outerHTML")
            assert "NaN" not in picture and "undefined" not in picture and "Infinity" not in picture, settings
            said.add(section.locator(".says").text_content())
        assert len(said) > 3
        assert not opened.complaints


@pytest.mark.parametrize("dial", PLACED, ids=[dial.name for dial in PLACED])
def test_a_dial_moves_by_keyboard(browser: Browser, folder: Path, dial: dials.Dial) -> None:
    """Each slider by an arrow key, each button by Enter; Start again brings the beginning back."""
    with Opened(browser, folder / f"{dial.lesson}.html") as opened:
        page, section = opened.page, opened.page.locator(f"[data-dial={dial.name}]")
        section.locator("svg").wait_for()
        begin = section.evaluate("(one) => JSON.stringify(one.numbers)")
        for control in section.locator("input[type=range], select").all():
            control.focus()
            before = control.input_value()
            page.keyboard.press("ArrowUp")
            if control.input_value() == before:  # it began at that end
                page.keyboard.press("ArrowDown")
            assert control.input_value() != before
        for button in section.locator("[data-step]").all():
            button.focus()
            before = section.evaluate("(one) => JSON.stringify(one.numbers)")
            page.keyboard.press("Enter")
            assert section.evaluate("(one) => JSON.stringify(one.numbers)") != before or dial.name == "bits"
        section.locator("button[type=reset]").focus()
        page.keyboard.press("Enter")
        page.wait_for_function(
            "([name, begin]) => JSON.stringify(document.querySelector(`[data-dial=${name}]`).numbers) === begin", arg=[dial.name, begin]
        )
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


@pytest.mark.parametrize("width, scheme", [(420, "dark"), (1600, "light")])
@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_is_quiet_and_stays_at_home(browser: Browser, folder: Path, name: str, width: int, scheme: str) -> None:
    """Nothing sticks out, nothing is logged, nothing is asked of a network, no formula is empty, and axe finds no barrier."""
    with Opened(browser, folder / f"{name}.html", width, scheme) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert all(url.startswith(folder.as_uri()) or url.startswith("data:") for url in opened.requests)
        assert page.evaluate(EMPTY_FORMULAS) == []
        found = Axe().run(page, options={"preload": False})
        assert found.violations_count == 0, found.generate_report()
        assert not opened.complaints


EMPTY_FORMULAS = """() => Array.from(document.querySelectorAll("math"))
  .filter((one) => one.getBoundingClientRect().width < 2 || one.querySelector("merror")).map((one) => one.getAttribute("alttext"))"""


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
    """Text, formulas, figures and docstrings are there; a dial says why it does not move and shows no dead controls."""
    with Opened(browser, folder / "rope.html", moves=False) as opened:
        page = opened.page
        assert page.locator(".dial .still").first.is_visible()
        assert page.locator(".dial form").first.is_hidden()
        assert page.locator("#theme").is_hidden()
        summary = page.locator(".docstring summary").first
        summary.focus()
        page.keyboard.press("Enter")
        assert page.locator(".docstring pre").first.is_visible()
        assert page.locator("math").first.is_visible() and page.locator("main figure img").first.is_visible()


@pytest.mark.parametrize("name", NAMES)
def test_on_paper_nothing_is_cut(browser: Browser, folder: Path, name: str) -> None:
    """Printed, the paper is white, nothing is wider than the page, and closed parts are open."""
    with Opened(browser, folder / f"{name}.html", A4, "dark") as opened:
        page: Page = opened.page
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("document.documentElement.scrollWidth") <= A4
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
        assert (
            page.locator("main pre, main .scroll, main .formula").evaluate_all(
                "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
            )
            == 0
        )
        assert (
            page.locator("main details:not([open]) > :not(summary)").evaluate_all(
                "(all) => all.filter((one) => one.getBoundingClientRect().height < 1).length"
            )
            == 0
        )
        assert page.pdf(format="A4").startswith(b"%PDF")
