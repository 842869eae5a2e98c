"""Terms of the glossary as links: the first occurrence of each in a text, never in code, a heading or another link."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from markdown_it.token import Token
from markupsafe import Markup

from app.bank.glossary import GlossaryEntry
from app.web.markdown import parse, render_tokens


class TermLinks:
    """Renders Markdown as the filter `markdown` does, with the terms of one glossary linked."""

    def __init__(self, entries: Iterable[GlossaryEntry] = ()) -> None:
        self._ids = {one.lower(): entry.id for entry in entries for one in entry.spellings}
        longest_first = sorted(self._ids, key=len, reverse=True)
        words = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._words = re.compile(rf"(?<![\w.\-])(?:{words})(?![\w\-]|\.\w)", re.IGNORECASE)
        self._render = lru_cache(maxsize=2048)(self._linked)

    def __call__(self, text: str, but: str = "") -> Markup:
        """Return `text` as HTML blocks; the entry `but` (the one it defines) is not linked."""
        return self._render(text, but)

    def _linked(self, text: str, but: str) -> Markup:
        tokens = parse(text)
        seen, in_heading = {but}, False
        for token in tokens:
            in_heading = token.type == "heading_open" or (in_heading and token.type != "heading_close")
            if token.type == "inline" and token.children and not in_heading:
                token.children = list(self._children(token.children, seen))
        return render_tokens(tokens)

    def _children(self, children: Iterable[Token], seen: set[str]) -> Iterator[Token]:
        depth = 0
        for token in children:
            depth += token.nesting if token.type in ("link_open", "link_close") else 0
            if token.type == "text" and depth == 0:
                yield from self._split(token, seen)
            else:
                yield token

    def _split(self, token: Token, seen: set[str]) -> Iterator[Token]:
        start = 0
        for match in self._words.finditer(token.content):
            entry = self._ids[match[0].lower()]
            if entry in seen:
                continue
            seen.add(entry)
            yield _text(token.content[start : match.start()])
            yield Token("link_open", "a", 1, {"href": f"/glossary#{entry}", "class": "term"})
            yield _text(match[0])
            yield Token("link_close", "a", -1)
            start = match.end()
        yield _text(token.content[start:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
