"""Markdown, formulas and code: what may pass, what is shown as text, and that nothing raises on content."""

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from app.web.highlight import code_inline, code_lines, indent_steps, visible
from app.web.markdown import formula, is_safe_link, markdown, markdown_inline, math_font_path

NAMESPACE = "{http://www.w3.org/1999/xhtml}"


def text_of(html: str) -> str:
    return "".join(html5lib.parseFragment(html).itertext())


def elements_of(html: str) -> set[str]:
    tags = (element.tag for element in html5lib.parseFragment(html).iter() if isinstance(element.tag, str))
    return {tag.rpartition("}")[2] for tag in tags}


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <b onclick='x'>b</b>",
        "\\(\\text{<script>alert(1)</script>}\\)",
        "`<script>`",
        "```python\n</code></pre><script>alert(1)</script>\n```",
        '```"><script>\nx\n```',
        "![picture](https://example.org/x.png)",
    ],
)
def test_raw_html_is_shown_as_text(hostile: str) -> None:
    assert not elements_of(markdown(hostile)) & {"script", "img", "b"}


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "//e.org/x"],
)
def test_other_links_stay_text(url: str) -> None:
    assert "<a " not in markdown(f"[press]({url})")


def test_safe_links_are_kept_and_outer_ones_say_so() -> None:
    assert markdown_inline("[a](/practice)") == '<a href="/practice">a</a>'
    assert 'rel="noopener noreferrer external"' in markdown_inline("[a](https://example.org/?a=1&b=2)")
    assert "a=1&amp;b=2" in markdown_inline("[a](https://example.org/?a=1&b=2)")


def test_links_may_be_relative_or_http() -> None:
    assert all(map(is_safe_link, ["/x", "x", "#x", "?a=b:c", "http://a", "HTTPS://a"]))


def test_formula_becomes_mathml_without_styles() -> None:
    html = markdown("\\[ \\begin{aligned} x &= 1 \\\\ y &= 2 \\end{aligned} \\]")
    assert "<math" in html
    assert " style=" not in html
    assert 'class="to-right"' in html


@pytest.mark.parametrize(
    "broken", ["\\fraac{a}", "\\frac{a", "{" * 500, "\\href{javascript:alert(1)}{x}", "\\def\\a{\\a}\\a"]
)
def test_broken_formula_is_shown_as_code(broken: str) -> None:
    assert formula(broken).startswith('<code class="broken-maths">')


def test_display_formula_inside_a_sentence_is_one() -> None:
    for text in ("The slope is \\[ 2x \\] here.", "The slope is\n\\[ 2x\n+ 1 \\]\nhere.", "\\[ 2x \\]"):
        assert 'display="block"' in markdown(text)
        assert "here" not in text or "here" in text_of(markdown(text))


def test_parenthesis_after_a_formula_is_kept() -> None:
    assert "(1)" in text_of(markdown("\\[ x \\] (1)"))


def test_dollar_is_a_dollar() -> None:
    assert markdown_inline("$5 and $6") == "$5 and $6"


def test_headings_start_below_those_of_the_page() -> None:
    assert "<h3>" in markdown("# Title")
    assert "<h6>" in markdown("###### Title")


def test_fence_is_highlighted() -> None:
    assert '<span class="kc">True</span>' in markdown("```python\nx = True\n```")
    assert "plain text" in markdown("```nosuchlanguage\nplain text\n```")


def test_hidden_characters_are_shown() -> None:
    assert text_of(visible("a\x1b[0m\x00\u202e\u200b\r\ud800")) == "a\\x1b[0m\\x00\\u202e\\u200b\\r\\ud800"
    assert visible("é ∂ 漢\n\t<") == Markup("é ∂ 漢\n\t&lt;")
    assert "\u202e" not in markdown("a \u202e b `\u202e`")


def test_lines_of_a_long_string_are_well_formed_each() -> None:
    code = 's = """one\n  two <b>\n"""\nx = 1\n'
    lines = code_lines(code)
    assert [text_of(line) for line in lines] == code.splitlines()
    assert all(line.count("<span") == line.count("</span>") for line in lines)
    assert lines[1].startswith('<span class="s')


def test_calls_are_told_apart_from_names() -> None:
    assert code_lines("w.grad.item()") == ('w.grad.<span class="nf">item</span>()',)


def test_blank_and_missing_lines_are_kept() -> None:
    assert [str(line) for line in code_lines("\nx\n\n\ny")] == ["", "x", "", "", "y"]
    assert code_lines("") == (Markup(""),)


def test_indentation_is_counted_in_steps_of_four() -> None:
    assert [indent_steps(line) for line in code_lines("a\n    b\n        True")] == [0, 1, 2]


def test_inline_code_is_one_element() -> None:
    assert code_inline("x = <1>").startswith('<code class="hl">x ')
    assert elements_of(code_inline("x = '<b>'")) == {"DOCUMENT_FRAGMENT", "code", "span"}


@given(st.text(max_size=200))
def test_any_code_keeps_its_text(code: str) -> None:
    lines = code_lines(code)
    normal = code.removeprefix("\ufeff").removesuffix("\n").replace("\r\n", "\n").replace("\r", "\n")
    assert [text_of(line) for line in lines] == [text_of(visible(line)) for line in normal.split("\n")]


@given(st.text(alphabet=st.sampled_from("ab \n\\()[]{}<>&`*_#-!:/'\"$1"), max_size=120))
def test_any_text_renders_to_harmless_elements(text: str) -> None:
    assert not elements_of(markdown(text)) & {"script", "img", "style", "iframe"}
    markdown_inline(text)


def test_math_font_is_installed() -> None:
    assert math_font_path().stat().st_size > 100_000
