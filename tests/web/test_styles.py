"""The style sheets: readable colours in both themes, current, small, and asking nobody else for anything."""

import re
from itertools import product

import pytest

from app.settings import resource_dir
from app.web.highlight import stylesheet
from app.web.markdown import MATH_FONT_URL

STATIC_DIR = resource_dir("static")
CSS = (STATIC_DIR / "gradproof.css").read_text()
PYGMENTS = (STATIC_DIR / "pygments.css").read_text()
SURFACES = ("paper", "card", "code", "accent-soft", "right-soft", "wrong-soft", "changed-soft")
# text colour -> what it is written on, somewhere on a page
WRITTEN_ON = {
    "ink": SURFACES,
    "ink-2": SURFACES,
    "accent": ("paper", "card", "accent-soft"),
    "on-accent": ("accent",),
    "right": ("paper", "card"),
    "wrong": ("paper", "card", "wrong-soft"),
    "changed": ("paper", "card", "changed-soft"),
}
CODE_ON = ("paper", "card", "code", "accent-soft", "wrong-soft")


def tokens(selector: str) -> dict[str, str]:
    """Return the colours that the first rule of `selector` defines."""
    block = CSS[CSS.index(selector) :]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block[: block.index("}")]))


THEMES = {"light": tokens(":root {"), "dark": tokens(':root[data-theme="dark"] {')}


def luminance(colour: str) -> float:
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def syntax_colours(theme: str) -> set[str]:
    light, dark = PYGMENTS.split("@media screen{")
    return set(re.findall(r"color:(#[0-9a-f]{6})", light.split("@media")[0] if theme == "light" else dark))


def test_contrast_formula_knows_black_on_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_is_readable(theme: str) -> None:
    colours = THEMES[theme]
    pairs = [(text, surface) for text, surfaces in WRITTEN_ON.items() for surface in surfaces]
    ratios = {f"{text} on {surface}": contrast(colours[text], colours[surface]) for text, surface in pairs}
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_every_piece_of_code_is_readable(theme: str) -> None:
    pairs = product(sorted(syntax_colours(theme)), CODE_ON)
    ratios = {(colour, surface): contrast(colour, THEMES[theme][surface]) for colour, surface in pairs}
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_controls_and_focus_stand_out(theme: str) -> None:
    colours = THEMES[theme]
    for edge, surface in product(("ink-2", "accent", "right", "wrong", "changed"), ("paper", "card")):
        assert contrast(colours[edge], colours[surface]) >= 3


def test_both_ways_to_the_dark_theme_agree() -> None:
    assert tokens(':root:not([data-theme="light"]) {') == THEMES["dark"]


def test_every_colour_is_a_token() -> None:
    rules = re.sub(r"--[\w-]+: #[0-9a-f]{6};", "", CSS)
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;, )])", rules)


def test_every_token_used_is_defined() -> None:
    assert set(re.findall(r"var\(--([\w-]+)\)", CSS)) <= set(re.findall(r"--([\w-]+):", CSS))


def test_pygments_sheet_is_current() -> None:
    assert stylesheet() == PYGMENTS, "write app.web.highlight.stylesheet() to static/pygments.css"


def test_style_sheets_ask_nobody_else() -> None:
    addresses = re.findall(r'url\("([^"]*)"\)', CSS + PYGMENTS)
    assert all(one.startswith("/") and not one.startswith("//") for one in addresses)
    assert CSS.count("url(") == len(addresses)
    assert "@import" not in CSS + PYGMENTS


def test_font_for_formulas_is_where_the_style_sheet_looks() -> None:
    assert f'url("{MATH_FONT_URL}")' in CSS


def test_style_sheets_fit_their_budget() -> None:
    assert len(CSS.encode()) <= 30_000
    assert len(PYGMENTS.encode()) <= 4_000
    assert (STATIC_DIR / "gradproof.js").stat().st_size <= 8_000
