"""Texts survive the way to HTML and back, and nothing that runs or fetches comes in."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from app.exchange.texts import from_html, from_plain, slug, split_code, to_html, with_code
from tests.bank.content import unhurried
from tests.exchange.samples import words


class Said(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.tags: set[str] = set()

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


def said(markdown: str) -> tuple[str, set[str]]:
    """Return what a reader of a Markdown text reads, and which elements it is made of."""
    reader = Said()
    reader.feed(MarkdownIt("commonmark", {"html": False}).render(markdown))
    return " ".join(reader.text.split()), reader.tags


@unhurried
@given(words)
def test_plain_text_reads_the_same_as_markdown(text: str) -> None:
    markdown, lost = from_plain(text)
    assert lost == ()
    read, tags = said(markdown)
    assert read == " ".join(text.split())
    assert tags <= {"p", "br", "pre", "code"}


@unhurried
@given(words)
def test_text_of_html_is_never_a_mark(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    read, tags = said(from_html(f"<p>{escaped}</p>")[0])
    assert read == " ".join(text.split())
    assert tags <= {"p"}


@unhurried
@given(words)
def test_code_survives_html_to_the_character(text: str) -> None:
    code = text.strip("\n")
    shown = with_code("Look.", code)
    markdown, _ = from_html(to_html(shown))
    assert split_code(markdown) == ("Look.", code)
    assert split_code(shown) == ("Look.", code)


@pytest.mark.parametrize(
    "markdown",
    [
        "A *soft* and a **strong** word.",
        "Two paragraphs.\n\nWith `code`.",
        "A [link](<https://example.org/a>).",
        "- one\n- two",
        "The slope is \\(2x < 3\\).",
        "``a ` b``",
    ],
)
def test_markdown_comes_back_from_html(markdown: str) -> None:
    back, lost = from_html(to_html(markdown))
    assert lost == ()
    assert to_html(back) == to_html(markdown)


@pytest.mark.parametrize(
    ("html", "kept", "reason"),
    [
        ("a<script>alert(1)</script>b", "ab", "a script was removed"),
        ('<p onclick="x()">a</p>', "a", "a script in an attribute was removed"),
        ('<a href="javascript:alert(1)">a</a>', "a", "a link that is not http was removed"),
        ('<img src="x" onerror="y()">a', "a", "an image was left out"),
        ("<table><tr><td>a</td></tr></table>", "a", "the element <table> was left out"),
        ('<p style="color: red">a</p>', "a", "styles were left out"),
        ("<iframe src='//x'></iframe>a", "a", "the element <iframe> was left out"),
        ("a<!-- b -->", "a", "a comment was left out"),
    ],
)
def test_what_html_loses_is_said(html: str, kept: str, reason: str) -> None:
    markdown, lost = from_html(html)
    assert markdown == kept
    assert any(reason in one for one in lost)


@unhurried
@given(words)
def test_whatever_html_is_nothing_of_it_runs(text: str) -> None:
    html = to_html(from_html(text)[0])
    assert not re.search(r"<(script|img|iframe|svg)|javascript:|\son\w+=[\"']", html, re.IGNORECASE)


def test_slug_is_an_id() -> None:
    assert slug("  Zwei Läufe: {a} = #1! ") == "zwei-laufe-a-1"
    assert slug("☃") == ""
