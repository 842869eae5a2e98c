"""Texts of questions: Markdown to HTML for other programs, and their HTML or plain text to Markdown, sanitised."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from html.parser import HTMLParser

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.texmath import texmath_plugin

TAGS = {"p", "div", "br", "strong", "b", "em", "i", "code", "pre", "ul", "ol", "li", "a", "span"}
_SILENT = {"html", "body", "span", "div", "font", "tt", "samp"}
_FENCE = re.compile(r"^(`{3,})[^`\n]*\n(.*?)^\1[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_MARKS = re.compile(r"([\\`*_\[\]<>~])")
_LEADING = re.compile(r"^(\s*)([#+>|=-]|[0-9]+[.)])", re.MULTILINE)
_MATHS = re.compile(r"(\\\(.+?\\\)|\\\[.+?\\\])", re.DOTALL)


class _Renderer(RendererHTML):
    """Maths stays between its brackets, for MathJax."""

    def math_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"\\({escape(tokens[idx].content, quote=False)}\\)"

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<p>\\[{escape(tokens[idx].content, quote=False)}\\]</p>\n"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    parser.use(texmath_plugin, delimiters="brackets")
    for name in ("math_inline", "math_block"):
        parser.add_render_rule(name, getattr(_Renderer, name))
    return parser


def to_html(markdown: str) -> str:
    """Return Markdown as HTML without scripts or raw HTML."""
    return str(_parser().render(markdown)).strip()


def with_code(markdown: str, snippet: str) -> str:
    """Return a text with its snippet after the first paragraph, in a fence longer than any inside."""
    if not snippet:
        return markdown
    longest = max((len(run) for run in re.findall(r"`+", snippet)), default=0)
    fence = "`" * max(3, longest + 1)
    first, _, rest = markdown.partition("\n\n")
    return "\n\n".join(part for part in (first, f"{fence}python\n{snippet}\n{fence}", rest) if part)


def split_code(markdown: str) -> tuple[str, str]:
    """Return a text without its first fenced block, and that block."""
    match = _FENCE.search(markdown)
    if match is None:
        return markdown.strip(), ""
    around = f"{markdown[: match.start()].strip()}\n\n{markdown[match.end() :].strip()}"
    return around.strip(), match[2].removesuffix("\n")


def from_plain(text: str) -> tuple[str, tuple[str, ...]]:
    """Return plain text as Markdown that reads the same; maths between its brackets stays maths."""
    pieces = _MATHS.split(text)
    kept = "".join(piece if place % 2 else _MARKS.sub(r"\\\1", piece) for place, piece in enumerate(pieces))
    return _LEADING.sub(_leading, kept).strip(), ()


def _leading(match: re.Match[str]) -> str:
    space, mark = match[1], match[2]
    return f"{space}{mark[:-1]}\\{mark[-1]}" if mark[0].isdigit() else f"{space}\\{mark}"


def from_html(text: str) -> tuple[str, tuple[str, ...]]:
    """Return HTML as Markdown, and a sentence for everything in it that was left out.

    Scripts and unknown elements never come through: nh3 removes them before anything is read.
    """
    listing = _Listing()
    listing.feed(text)
    listing.close()
    clean = nh3.clean(
        text,
        tags=TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        link_rel=None,
    )
    writer = _Writer()
    writer.feed(clean)
    writer.close()
    return writer.markdown(), tuple(listing.reasons)


class _Listing(HTMLParser):
    """Says what sanitising is going to remove."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.reasons: dict[str, None] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS and tag not in _SILENT:
            what = {"script": "a script was removed", "img": "an image was left out: describe it in words"}
            self.reasons[what.get(tag, f"the element <{tag[:20]}> was left out, its words were kept")] = None
        for name, value in attrs:
            if name.startswith("on"):
                self.reasons["a script in an attribute was removed"] = None
            elif name == "href" and not re.match(r"https?://", value or "", re.IGNORECASE):
                self.reasons["a link that is not http was removed"] = None
            elif name == "style":
                self.reasons["styles were left out"] = None

    def handle_comment(self, data: str) -> None:
        self.reasons["a comment was left out"] = None


@dataclass(slots=True)
class _State:
    """Where the writer is: inside of code or lists, and what it wrote."""

    pieces: list[str] = field(default_factory=list)
    code: list[str] | None = None
    is_block: bool = False
    lists: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)


class _Writer(HTMLParser):
    """Writes sanitised HTML as Markdown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.state = _State()

    def markdown(self) -> str:
        self._end_code()
        text = "".join(self.state.pieces)
        # Blank lines inside of a fence are code, so only the text around fences is tidied.
        pieces = re.split(r"(^`{3,}\n.*?^`{3,}$)", text, flags=re.DOTALL | re.MULTILINE)
        tidy = [
            piece if place % 2 else re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", piece))
            for place, piece in enumerate(pieces)
        ]
        return re.sub(r"\n{3,}(?=`{3})", "\n\n", "".join(tidy)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        state = self.state
        if tag == "pre" or (tag == "code" and state.code is None):
            self._end_code()
            state.code, state.is_block = [], tag == "pre"
        elif state.code is not None:
            state.code += ["\n"] if tag == "br" else []
        elif tag in ("p", "div", "br"):
            state.pieces.append("\n" if tag == "br" else "\n\n")
        elif tag in ("ul", "ol"):
            state.lists.append(tag)
            state.pieces.append("\n\n" if len(state.lists) == 1 else "\n")
        elif tag == "li":
            ordered = bool(state.lists) and state.lists[-1] == "ol"
            state.pieces.append(f"\n{'   ' * (len(state.lists) - 1)}{'1.' if ordered else '-'} ")
        elif tag in ("strong", "b", "em", "i"):
            state.pieces.append("**" if tag in ("strong", "b") else "*")
        elif tag == "a":
            state.links.append(dict(attrs).get("href") or "")
            state.pieces.append("[" if state.links[-1] else "")

    def handle_endtag(self, tag: str) -> None:
        state = self.state
        if tag == "pre" or (tag == "code" and state.code is not None and not state.is_block):
            self._end_code()
        elif state.code is not None:
            return
        elif tag in ("p", "div"):
            state.pieces.append("\n\n")
        elif tag in ("ul", "ol"):
            state.lists = state.lists[:-1]
            state.pieces.append("\n\n")
        elif tag in ("strong", "b", "em", "i"):
            state.pieces.append("**" if tag in ("strong", "b") else "*")
        elif tag == "a" and state.links:
            url = state.links.pop()
            state.pieces.append(f"](<{url}>)" if url else "")

    def handle_data(self, data: str) -> None:
        if self.state.code is not None:
            self.state.code.append(data)
        else:
            self.state.pieces.append(from_text(data))

    def _end_code(self) -> None:
        state = self.state
        if state.code is None:
            return
        code, state.code = "".join(state.code), None
        longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
        if state.is_block:
            fence = "`" * max(3, longest + 1)
            state.pieces.append(f"\n\n{fence}\n{code.strip(chr(10))}\n{fence}\n\n")
        elif code.strip():
            ticks = "`" * (longest + 1)
            state.pieces.append(f"{ticks} {code} {ticks}" if longest else f"`{code}`")


def from_text(data: str) -> str:
    """Return the text of an element as Markdown: its marks escaped, its white space single."""
    pieces = _MATHS.split(data)
    kept = [piece if place % 2 else _MARKS.sub(r"\\\1", piece) for place, piece in enumerate(pieces)]
    return _LEADING.sub(_leading, re.sub(r"\s+", " ", "".join(kept)))


def slug(text: str) -> str:
    """Return a text as an id: lower-case letters, digits and single hyphens; empty where nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")
