"""Python code as HTML: one piece of markup per source line, Pygments classes for the colours, nothing hidden.

The colours come from two styles of accessible-pygments; `stylesheet()` is what `static/pygments.css` holds.
A character that a screen would hide or act upon (an escape, a NUL, a bidi override) is shown as its escape.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.style import StyleMeta
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Name, _TokenType
from pygments.util import ClassNotFound

LIGHT_STYLE = "a11y-light"
DARK_STYLE = "pitaya-smoothie"

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_PLAIN = frozenset("\n\t")
_JOINERS = frozenset("\u200c\u200d")
_TAG = re.compile("<[^>]*>")
# Classes that keep the ink of the page: names, punctuation, operators, and what Python code never has.
_INK = frozenset({"n", "w", "p", "o", "nn", "nx", "pm", "err", "nv", "sr", "vc", "vg", "vi"})
_COMMENTS = frozenset({"c", "ch", "cm", "cp", "cpf", "c1", "cs"})  # these take the second ink


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN_CATEGORIES and character not in _PLAIN


def _escape_sequence(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def visible(text: str) -> Markup:
    """Return `text` escaped for HTML, with every character a screen would hide shown as its Python escape."""
    return _with_escapes(text, _is_hidden)


def visible_words(text: str) -> Markup:
    """Return what a person wrote escaped for HTML; joiners stay, which emoji and several scripts are written with.

    What could turn the text around, or control a terminal, is shown as its escape all the same.
    """
    return _with_escapes(text, lambda one: _is_hidden(one) and one not in _JOINERS)


def _with_escapes(text: str, hidden: Callable[[str], bool]) -> Markup:
    if text.isprintable():
        return escape(text)
    pieces = (
        Markup('<span class="ctrl">{}</span>').format(_escape_sequence(one)) if hidden(one) else escape(one)
        for one in text
    )
    return Markup("").join(pieces)


def token_class(kind: _TokenType) -> str:
    """Return the short CSS class of a token kind, that of its nearest ancestor where it has none."""
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    return STANDARD_TYPES.get(kind, "")


def _calls_named(tokens: list[tuple[_TokenType, str]]) -> Iterator[tuple[_TokenType, str]]:
    """Yield the tokens with a name right before a parenthesis told apart: calls are what a reader looks for."""
    for index, (kind, text) in enumerate(tokens):
        following = tokens[index + 1][1] if index + 1 < len(tokens) else ""
        yield (Name.Function if kind is Name and following.startswith("(") else kind), text


def _markup(kind: _TokenType, text: str) -> Markup:
    name = token_class(kind)
    if not text or not name or name in _INK:
        return visible(text)
    return Markup('<span class="{}">{}</span>').format(name, visible(text))


@lru_cache(maxsize=1024)
def code_lines(code: str, language: str = "python") -> tuple[Markup, ...]:
    """Return the highlighted lines of `code`, one per source line, each well-formed on its own.

    A token that spans lines (a long string) is closed and opened again at each line end. One final newline is dropped.
    """
    lines: list[list[Markup]] = [[]]
    tokens = list(_lexer(language).get_tokens(code.removesuffix("\n")))
    for kind, text in _calls_named(tokens):
        first, *rest = text.split("\n")
        lines[-1].append(_markup(kind, first))
        lines.extend([_markup(kind, part)] for part in rest)
    return tuple(Markup("").join(line) for line in lines)


def indent_steps(line: Markup) -> int:
    """Return how deep a highlighted line is indented, in fours, at most four: its wrapped text hangs there."""
    plain = _TAG.sub("", line)
    return min((len(plain) - len(plain.lstrip(" "))) // 4, 4)


def code_inline(code: str) -> Markup:
    """Return `code` as one highlighted `<code>` element; its line breaks are kept."""
    return Markup('<code class="hl">{}</code>').format(Markup("\n").join(code_lines(code)))


@lru_cache(maxsize=16)
def _lexer(language: str) -> Lexer:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return get_lexer_by_name("text", stripnl=False, ensurenl=False)


def _rules(style: StyleMeta, prefix: str) -> str:
    """Return one line of CSS per colour of `style`; names and punctuation keep the ink of the page."""
    by_look: dict[str, list[str]] = {}
    for kind, look in style:
        name = STANDARD_TYPES.get(kind, "")
        if not name or name in _INK | _COMMENTS or not look["color"]:
            continue
        weight = ";font-weight:700" if look["bold"] else ""
        slant = ";font-style:italic" if look["italic"] else ""
        by_look.setdefault(f"color:#{look['color'].lower()}{weight}{slant}", []).append(name)
    lines = (f"{prefix} :is({','.join(f'.{n}' for n in names)}){{{look}}}" for look, names in by_look.items())
    return "\n".join(lines)


def stylesheet() -> str:
    """Return the CSS of both styles; on paper (print) the light one always holds."""
    light, dark = get_style_by_name(LIGHT_STYLE), get_style_by_name(DARK_STYLE)
    return (
        f"/* Made by app.web.highlight.stylesheet from {LIGHT_STYLE} and {DARK_STYLE}; do not edit. */\n"
        f".hl :is({','.join(f'.{name}' for name in sorted(_COMMENTS))}){{color:var(--ink-2);font-style:italic}}\n"
        f"{_rules(light, '.hl')}\n"
        f"@media screen and (prefers-color-scheme:dark){{\n{_rules(dark, ':root:not([data-theme=light]) .hl')}\n}}\n"
        f"@media screen{{\n{_rules(dark, ':root[data-theme=dark] .hl')}\n}}\n"
    )
