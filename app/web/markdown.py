"""Markdown of the bank as HTML: no raw HTML, no images, MathML for formulas, links that stay on http.

Headings start at level 3, because a page's own headings are 1 and 2. A formula that cannot be read is shown as the
code its author wrote; nothing here raises on content.
"""

import importlib.util
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.ruler import RuleOptionsType
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from math_core import LatexError, LatexToMathML
from mdit_py_plugins.texmath import texmath_plugin
from mdit_py_plugins.texmath.index import RuleDictType, make_block_func, make_inline_func

from app.web.highlight import code_lines, visible

MATH_FONT = "STIXTwoMath-Regular.ttf"
MATH_FONT_URL = "/static/math.otf"  # where the style sheet looks for it

_TAG = re.compile(r"</?([A-Za-z]+)")
_STYLE = re.compile(r'\sstyle="([^"]*)"')
_SCHEME = re.compile(r"^[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_DEEPEST_HEADING = 6
# texmath's own rules for \[ … \] drop what follows on the line; these keep it, and need no blank line before
_DISPLAY_BLOCK: RuleDictType = {
    "name": "math_block",
    "rex": re.compile(r"^\\\[((?:(?!\\\])[\s\S])+)\\\][ \t]*$", re.MULTILINE),
    "tmpl": "",
    "tag": "\\[",
}
_DISPLAY_IN_TEXT: RuleDictType = {
    "name": "math_display",
    "rex": re.compile(r"^\\\[([\s\S]+?)\\\]"),
    "tmpl": "",
    "tag": "\\[",
}


def math_font_path() -> Path:
    """Return the file of STIX Two Math, which the package ziamath brings; the package itself is not imported."""
    spec = importlib.util.find_spec("ziamath")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("The package ziamath, which brings the font for formulas, is not installed.")
    return Path(spec.origin).parent / "fonts" / MATH_FONT


def is_safe_link(url: str) -> bool:
    """Say whether `url` is http, https, or relative to this site."""
    url = url.strip()
    if url.startswith(("//", "\\", "/\\")):
        return False
    return url.lower().startswith(("http://", "https://")) or not _SCHEME.match(url)


def _class_for_style(match: re.Match[str]) -> str:
    """Turn the alignment math-core puts on cells into a class; drop any other style (a strict CSP forbids them)."""
    if "text-align: right" in match[1]:
        return ' class="to-right"'
    return ' class="to-left"' if "text-align: left" in match[1] else ""


@lru_cache(maxsize=2048)
def formula(latex: str, *, block: bool = False) -> Markup:
    """Return `latex` as MathML, or as the code it is where it cannot be read."""
    try:
        mathml = LatexToMathML(fancy_error=False).convert_with_local_state(latex, displaystyle=block)
    except LatexError:
        return Markup('<code class="broken-maths">{}</code>').format(visible(latex))
    if not all(name.startswith("m") for name in _TAG.findall(mathml)):
        return Markup('<code class="broken-maths">{}</code>').format(visible(latex))
    return Markup(_STYLE.sub(_class_for_style, mathml))  # noqa: S704  # MathML elements only, checked above


class _Renderer(RendererHTML):
    """The rules that differ from plain markdown-it."""

    def math_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return formula(tokens[idx].content)

    def math_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return Markup('<div class="formula">{}</div>\n').format(formula(tokens[idx].content, block=True))

    def math_display(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return Markup('<span class="formula">{}</span>').format(formula(tokens[idx].content, block=True))

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return visible(tokens[idx].content)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return Markup("<code>{}</code>").format(visible(tokens[idx].content))

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        language = (tokens[idx].info.split() or ["python"])[0]
        lines = Markup("\n").join(code_lines(tokens[idx].content, language))
        return Markup('<pre class="plain hl"><code>{}</code></pre>\n').format(lines)

    code_block = fence

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"<h{self._level(tokens[idx])}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f"</h{self._level(tokens[idx])}>\n"

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        href = str(tokens[idx].attrs.get("href", ""))
        rel = ' rel="noopener noreferrer external"' if _SCHEME.match(href) else ""
        kind = ' class="term"' if tokens[idx].attrs.get("class") == "term" else ""
        return f'<a href="{escape(href)}"{kind}{rel}>'

    @staticmethod
    def _level(token: Token) -> int:
        return min(int(token.tag[1:]) + 2, _DEEPEST_HEADING)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table").disable("image")
    parser.use(texmath_plugin, delimiters="brackets")
    parser.disable(["math_block", "math_block_eqno"])
    interrupts: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "display_block", make_block_func(_DISPLAY_BLOCK), interrupts)
    parser.inline.ruler.before("escape", "display_text", make_inline_func(_DISPLAY_IN_TEXT))
    for name in ("math_inline", "math_block", "math_display"):
        parser.add_render_rule(name, getattr(_Renderer, name))
    parser.validateLink = is_safe_link  # type: ignore[method-assign]  # the documented way to narrow it
    return parser


def parse(text: str) -> list[Token]:
    """Return `text` as tokens, for `render_tokens` after a change of them."""
    return _parser().parse(text)


def render_tokens(tokens: Sequence[Token]) -> Markup:
    """Return tokens as HTML."""
    html = _parser().renderer.render(tokens, _parser().options, {})
    return Markup(html)  # noqa: S704  # every rule escapes, as in `markdown`


@lru_cache(maxsize=2048)
def markdown(text: str) -> Markup:
    """Return `text` as HTML blocks."""
    return Markup(_parser().render(text))  # noqa: S704  # raw HTML is off and every rule escapes


@lru_cache(maxsize=2048)
def markdown_inline(text: str) -> Markup:
    """Return `text` as HTML without blocks, for a label or a sentence within one."""
    return Markup(_parser().renderInline(text.strip()))  # noqa: S704  # as above
