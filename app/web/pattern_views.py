"""The page that shows every component of the others."""

from dataclasses import dataclass, field

from app.web.history_views import HistoryPage
from app.web.views import (
    BankPage,
    ErrorPage,
    GlossaryPage,
    ItemPage,
    Notice,
    PracticePage,
    PreviewPage,
    RevealPage,
    Shell,
    TopicPage,
    WithheldPage,
)


@dataclass(frozen=True, slots=True)
class PatternsPage:
    """`/patterns`: every component once, in every state, from the same dataclasses the pages use."""

    shell: Shell
    items: tuple[ItemPage, ...]
    reveals: tuple[RevealPage, ...]
    practice: tuple[PracticePage, ...]
    histories: tuple[HistoryPage, ...]
    errors: tuple[ErrorPage, ...]
    withheld: tuple[WithheldPage, ...]
    glossaries: tuple[GlossaryPage, ...]
    topics: tuple[TopicPage, ...]
    banks: tuple[BankPage, ...]
    previews: tuple[PreviewPage, ...]
    notices: tuple[Notice, ...] = field(default=())
